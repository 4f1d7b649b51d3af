/** JSON-RPC over Streamable HTTP by hand, in both eras, so that tests see statuses, headers and every member. */

/** Protocol versions of the two eras: with an initialize handshake, and with metadata in each request. */
export const versions = { legacy: '2025-11-25', modern: '2026-07-28' };

/** The tools that are offered to whoever may read, and to whoever may write too, in their order. */
export const READING_TOOLS = ['list_notes', 'read_note', 'search_notes', 'vault_overview', 'note_history'];
export const TOOLS = [...READING_TOOLS, 'write_note', 'delete_note'];

const CLIENT = { name: 'end-to-end test', version: '1' };

/** The message in a body of that media type: JSON, or the last `data:` of an event stream; undefined where it is empty. */
export function messageIn(text, type) {
  if (text === '') return undefined;
  if (!type?.includes('text/event-stream')) return JSON.parse(text);
  const events = text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n'),
  );
  return JSON.parse(events.filter(Boolean).at(-1));
}

/** The message in a response's body. */
export const messageOf = async (response) =>
  messageIn(await response.text(), response.headers.get('content-type'));

/** A client without state. `era` is a key of `versions`. */
export class McpClient {
  #id = 0;

  constructor(url, token, era = 'modern') {
    Object.assign(this, { url, token, era });
  }

  /** Headers of a request, lower case. Given ones replace them; undefined removes one. */
  headers(method, params, given = {}) {
    const modern = this.era === 'modern' && { 'mcp-method': method, 'mcp-name': params?.name ?? params?.uri };
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: this.token && `Bearer ${this.token}`,
      'mcp-protocol-version':
        this.era === 'legacy' && method === 'initialize' ? undefined : versions[this.era],
      ...modern,
      ...given,
    };
    return Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined && value !== false),
    );
  }

  /** Sends one request and returns status, headers and message. */
  async request(method, params = {}, { headers, id = (this.#id += 1) } = {}) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': versions.modern,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const sent = this.era === 'modern' ? { ...params, _meta: { ...meta, ...params._meta } } : params;
    const response = await fetch(this.url, {
      method: 'POST',
      headers: this.headers(method, params, headers),
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }),
    });
    return { status: response.status, headers: response.headers, message: await messageOf(response) };
  }

  /** The result of a request that must succeed. */
  async result(method, params, options) {
    const { status, message } = await this.request(method, params, options);
    if (status !== 200 || !message?.result)
      throw new Error(`${method}: ${status} ${JSON.stringify(message)}`);
    return message.result;
  }

  /** The handshake of the legacy era. */
  initialize(protocolVersion = versions.legacy) {
    return this.result('initialize', { protocolVersion, capabilities: {}, clientInfo: CLIENT });
  }

  /** A tool's whole result, errors of the tool included. */
  call(name, args = {}) {
    return this.result('tools/call', { name, arguments: args });
  }

  /** A tool's facts (the first content block) and texts (the others). Throws on a tool's error. */
  async tool(name, args) {
    const result = await this.call(name, args);
    const [first, ...rest] = result.content.map((block) => block.text);
    if (result.isError) throw new Error(`${name}: ${first}`);
    return { facts: JSON.parse(first), texts: rest };
  }

  /** What a tool says of an error. Throws where it made none: that a call is refused is what was to be shown. */
  async refusal(name, args) {
    const { isError, content } = await this.call(name, args);
    if (!isError || content.length !== 1) throw new Error(`${name} was not refused: ${content[0].text}`);
    return content[0].text;
  }

  /** The names of the tools that are offered. */
  async toolNames() {
    return (await this.result('tools/list')).tools.map(({ name }) => name);
  }

  /** Every note that `list_notes` shows, page by page, and the totals that the pages gave. */
  async allNotes(args = {}) {
    const notes = [];
    const totals = new Set();
    for (let cursor; ;) {
      const { facts } = await this.tool('list_notes', cursor === undefined ? args : { ...args, cursor });
      notes.push(...facts.notes);
      totals.add(facts.total);
      cursor = facts.next_cursor;
      if (cursor === undefined || cursor === null) return { notes, totals: [...totals] };
    }
  }

  /** Every hit of `search_notes`, page by page, and the totals that the pages gave. */
  async allHits(query, args = {}) {
    const hits = [];
    const totals = new Set();
    for (let cursor; ;) {
      const { facts } = await this.tool('search_notes', { query, ...args, ...(cursor && { cursor }) });
      hits.push(...facts.hits);
      totals.add(facts.total);
      cursor = facts.next_cursor;
      if (cursor === undefined) return { hits, totals: [...totals], searched: facts.searched };
    }
  }

  /** A note's whole text, window by window, and the facts of the first. */
  async wholeNote(path) {
    const first = await this.tool('read_note', { path });
    let text = first.texts.join('');
    for (let { next } = first.facts; next;) {
      const { facts, texts } = await this.tool('read_note', { path, lines: next });
      text += texts.join('');
      next = facts.next;
    }
    return { facts: first.facts, text };
  }
}
