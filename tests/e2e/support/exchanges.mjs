/** What went to the Worker and came back, whichever client sent it: a proxy in front of the Worker keeps it. */
import { decoded, startProxy } from './proxy.mjs';

/** Names in lower case, with their values, in order. */
const pairs = (raw) =>
  Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i].toLowerCase(), raw[2 * i + 1]]);

/** One request and its answer. `status` is undefined as long as there is none. */
export class Exchange {
  #sent = [];
  #received = [];
  status;
  headers = [];

  constructor({ method, url, rawHeaders }) {
    Object.assign(this, { method, url, sentHeaders: pairs(rawHeaders) });
  }

  /** What the proxy tells. */
  get watcher() {
    return {
      request: (chunk) => this.#sent.push(chunk),
      body: (chunk) => this.#received.push(chunk),
      answer: ({ statusCode, rawHeaders }) => {
        this.status = statusCode;
        this.headers = pairs(rawHeaders);
      },
    };
  }

  /** The path, without its query. */
  get path() {
    return this.url.split('?')[0];
  }

  /** Parameters of the query. */
  get query() {
    return new URLSearchParams(this.url.split('?').slice(1).join('?'));
  }

  /** Text of the request's body. */
  get sent() {
    return Buffer.concat(this.#sent).toString('utf8');
  }

  /** Fields of a form that was sent; none where something else was. */
  get fields() {
    const [type] = this.sentHeader('content-type').map((value) => value.split(';')[0].trim());
    return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? this.sent : '');
  }

  /** Text of the answer's body. */
  get body() {
    return decoded(Buffer.concat(this.#received), this.header('content-encoding')[0]);
  }

  /** The answer's body as an object; an empty one where it is none. */
  get json() {
    try {
      return Object(JSON.parse(this.body));
    } catch {
      return {};
    }
  }

  /** The values of one header of the request. */
  sentHeader(name) {
    return this.sentHeaders.filter(([given]) => given === name).map(([, value]) => value);
  }

  /** The values of one header of the answer. */
  header(name) {
    return this.headers.filter(([given]) => given === name).map(([, value]) => value);
  }

  /** Which one this is, for a person; the query is left out, since it may hold what is not to be shown. */
  toString() {
    return `${this.method} ${this.path} → ${this.status ?? 'no answer'}`;
  }
}

/**
 * Starts the proxy on `port` in front of the Worker at `upstream`. `exchanges` are all so far, in order, as the Worker
 * saw them; `edits` maps a path to what makes another body of its answers, for clients that are to see another server.
 */
export async function startRecording({ port, upstream }) {
  const exchanges = [];
  const edits = new Map();
  const watch = (request) => {
    const exchange = new Exchange(request);
    exchanges.push(exchange);
    return exchange.watcher;
  };
  const { stop } = await startProxy({ port, upstream, watch, edit: (path) => edits.get(path) });
  return { exchanges, edits, stop };
}
