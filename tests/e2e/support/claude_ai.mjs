/** The parts of a replay of claude.ai's remote connector: what it registers, how it connects, what it calls. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpClient, messageOf, versions } from './mcp.mjs';
import { authorizationRequest } from './oauth.mjs';
import { browse } from './person.mjs';

/** Where the product runs its OAuth client; it is looked at in the redirect, and never opened. */
export const CALLBACKS = [
  'https://claude.ai/api/mcp/auth_callback',
  'https://claude.com/api/mcp/auth_callback',
];

/** The document by which it names itself where servers take that. */
export const DOCUMENT = 'https://claude.ai/oauth/mcp-oauth-client-metadata';

/** It asks for a scope of its own. */
export const SCOPE = 'claudeai';

/** Two programs: one runs the OAuth flow, the other one speaks MCP. Neither sends an Origin. */
export const OAUTH = { 'user-agent': 'python-httpx/0.27.0', accept: '*/*' };
export const MCP = { 'user-agent': 'Claude-User' };

/** The first message of the legacy era, by a client of that name. */
export const initialize = (name) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: versions.legacy, capabilities: {}, clientInfo: { name, version: '1.0.0' } },
});

/**
 * A stand-in for the web site that publishes the document. `answer` is what it says (`{status, type, body}`), `asked`
 * what it was asked.
 */
export async function startSite() {
  const site = { asked: [], answer: { status: 404, body: '' } };
  const server = createServer((request, response) => {
    const { accept, 'user-agent': agent } = request.headers;
    site.asked.push({ url: request.url, accept, agent });
    const { status = 200, type = 'application/json', body } = site.answer;
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  site.url = `http://localhost:${server.address().port}`;
  site.stop = () =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(done);
    });
  return site;
}

/** The connector, for the server at `base`. Each step fails where the product would. */
export class ClaudeAi {
  constructor(base) {
    this.base = base;
    this.mcp = `${base}/mcp`;
  }

  /** A document of the server. */
  async document(path) {
    return (await fetch(this.base + path, { headers: OAUTH })).json();
  }

  /** Asks for tokens: status, headers and body of the answer. */
  async token(fields) {
    const request = { method: 'POST', headers: OAUTH, body: new URLSearchParams(fields) };
    const response = await fetch(`${this.base}/token`, request);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Registers (RFC 7591). */
  async register(callback) {
    const response = await fetch(`${this.base}/register`, {
      method: 'POST',
      headers: { ...OAUTH, 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Claude',
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: SCOPE,
      }),
    });
    assert.equal(response.status, 201);
    return response.json();
  }

  /** Authorizes in a person's browser and redeems the code: the token response, and the consent page. */
  async connect(clientId, callback) {
    const request = authorizationRequest(this.base, clientId, { redirect_uri: callback, scope: SCOPE });
    const { callback: back, page, pages } = await browse(request.url, { until: callback });
    assert.ok(back, page?.html);
    assert.deepEqual(
      [back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')],
      [callback, request.state, this.base],
    );
    const { status, headers, body } = await this.token({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: back.searchParams.get('code'),
      code_verifier: request.verifier,
      redirect_uri: callback,
      resource: this.mcp,
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(headers.get('cache-control'), /no-store/);
    return { ...body, consent: pages[0].html };
  }

  /** Posts a message to the MCP endpoint. */
  post(token, body, headers) {
    const authorization = token && { authorization: `Bearer ${token}` };
    return fetch(this.mcp, {
      method: 'POST',
      headers: { ...MCP, 'content-type': 'application/json', ...authorization, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** What it does with a token: greets twice, the first time as a probe, looks at what there is, and calls a tool. */
  async use(token) {
    for (const [name, accept] of [
      ['Anthropic', '*/*'],
      ['Anthropic/ClaudeAI', 'application/json, text/event-stream'],
    ]) {
      const response = await this.post(token, initialize(name), { accept });
      assert.deepEqual([response.status, response.headers.get('mcp-session-id')], [200, null], name);
      const { result } = await messageOf(response);
      assert.equal(result.protocolVersion, versions.legacy);
      assert.ok(result.capabilities.tools);
      const noted = await this.post(
        token,
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { accept },
      );
      assert.equal(noted.status, 202);
    }
    const modern = new McpClient(this.mcp, token);
    const { supportedVersions } = await modern.result('server/discover', {}, { headers: MCP });
    assert.ok(supportedVersions.includes(versions.modern));
    const { tools } = await modern.result('tools/list', {}, { headers: MCP });
    const call = { name: 'read_note', arguments: { path: 'Index.md' } };
    const read = await this.post(token, { jsonrpc: '2.0', id: 'call_1', method: 'tools/call', params: call });
    const { id, result } = await messageOf(read);
    assert.deepEqual([id, JSON.parse(result.content[0].text).path], ['call_1', 'Index.md']);
    return tools.map(({ name }) => name);
  }
}
