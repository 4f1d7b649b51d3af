/** Requests to a GitHub API that runs here, as a client that hides nothing of the answer. */

/** An answer, whole. */
export class Answer {
  constructor(response, bytes) {
    this.status = response.status;
    this.headers = response.headers;
    this.bytes = bytes;
  }

  /** The media type without its parameters; empty where there is none. */
  get type() {
    return (this.headers.get('content-type') ?? '').split(';')[0].trim();
  }

  get text() {
    return this.bytes.toString('utf8');
  }

  /** The body as JSON; undefined where it is none. */
  get json() {
    return /\bjson$/.test(this.type) && this.bytes.length > 0 ? JSON.parse(this.text) : undefined;
  }
}

/** Sends a request to `origin`. A body is an object, or a text that is sent as it stands. */
export async function send(origin, method, path, { token, scheme = 'Bearer', accept, headers = {}, body } = {}) {
  const response = await fetch(`${origin}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: accept ?? 'application/vnd.github+json',
      'user-agent': 'vault-mcp-test',
      ...(token && { authorization: `${scheme} ${token}` }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  return new Answer(response, Buffer.from(await response.arrayBuffer()));
}

/** The body of a write of `text`. */
export const writing = (text, more = {}) => ({
  message: 'write',
  content: Buffer.from(text).toString('base64'),
  ...more,
});
