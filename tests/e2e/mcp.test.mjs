/** The MCP endpoint as clients of both eras meet it, and the vault's content through it, byte for byte. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { filesOf, headOf, isVisibleNote, repositoryIn } from './support/git.mjs';
import { McpClient, messageOf, versions } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const ERAS = ['legacy', 'modern'];
const SCOPES = 'vault:read vault:write';

let stack;
let token;
let clients;

before(async () => {
  stack = await Stack.start();
  ({ access_token: token } = await signIn(stack.url));
  clients = Object.fromEntries(ERAS.map((era) => [era, new McpClient(stack.mcp, token, era)]));
});
after(() => stack?.stop());

const post = (body, headers = {}) =>
  fetch(stack.mcp, { method: 'POST', headers: { ...clients.legacy.headers('ping', {}), ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) });

describe('without a token', () => {
  const challenge = (response) => response.headers.get('www-authenticate');

  for (const [method, path] of [['POST', '/mcp'], ['POST', '/mcp/'], ['GET', '/mcp'], ['DELETE', '/mcp']]) {
    test(`F1, F7: ${method} ${path} is 401 and says where to go`, async () => {
      const response = await fetch(stack.url + path, { method, body: method === 'POST' ? '{}' : undefined, redirect: 'manual' });
      assert.equal(response.status, 401);
      assert.equal(challenge(response), `Bearer realm="mcp", resource_metadata="${stack.url}/.well-known/oauth-protected-resource/mcp", scope="${SCOPES}"`);
      assert.match(response.headers.get('cache-control'), /no-store/);
      assert.match(response.headers.get('access-control-expose-headers'), /WWW-Authenticate/i);
    });
  }

  for (const [name, value] of [['junk', 'Bearer junk'], ['a well-formed token of nobody', `Bearer vmcp_at_1.${'A'.repeat(22)}.${'B'.repeat(43)}`]]) {
    test(`F2: ${name} is 401 invalid_token`, async () => {
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: value });
      assert.equal(response.status, 401);
      assert.match(challenge(response), /error="invalid_token"/);
    });
  }

  test('F2: a token in the query is none', async () => {
    assert.equal((await fetch(`${stack.mcp}?access_token=${token}`, { method: 'POST' })).status, 401);
  });

  test('A1, A2: protected resource metadata at both places', async () => {
    const documents = await Promise.all(['', '/mcp'].map(async (suffix) => (await fetch(`${stack.url}/.well-known/oauth-protected-resource${suffix}`)).json()));
    assert.deepEqual(documents[0], documents[1]);
    assert.equal(documents[0].resource, stack.mcp);
    assert.deepEqual(documents[0].authorization_servers, [stack.url]);
    assert.deepEqual(documents[0].scopes_supported, SCOPES.split(' '));
  });

  test('A3: authorization server metadata', async () => {
    const metadata = await (await fetch(`${stack.url}/.well-known/oauth-authorization-server`)).json();
    for (const [key, path] of [['authorization_endpoint', '/authorize'], ['token_endpoint', '/token'], ['registration_endpoint', '/register'], ['revocation_endpoint', '/revoke']]) {
      assert.equal(metadata[key], stack.url + path);
    }
    assert.equal(metadata.issuer, stack.url);
    assert.equal(metadata.authorization_response_iss_parameter_supported, true);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.ok(metadata.token_endpoint_auth_methods_supported.includes('none'));
  });
});

describe('transport', () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    test(`G3: ${method} is 405`, async () => {
      const response = await fetch(stack.mcp, { method, headers: { authorization: `Bearer ${token}` } });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST');
    });
  }

  for (const [accept, status] of [['*/*', 200], ['application/json', 200], ['application/*, text/*', 200], ['text/html', 406]]) {
    test(`G4: Accept: ${accept} is ${status}`, async () => {
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { accept });
      assert.equal(response.status, status);
      if (status === 200) assert.ok((await messageOf(response)).result.tools.length > 0);
    });
  }

  test('G4: a body that is not JSON by its type is 415', async () => {
    assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  });

  test('G5: bad JSON, batches and responses are 400', async () => {
    for (const [body, code] of [['{', -32700], ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600], ['{"jsonrpc":"2.0","id":1,"result":{}}', -32600], ['"text"', -32600]]) {
      const response = await post(body);
      assert.equal(response.status, 400, body);
      assert.equal((await response.json()).error.code, code, body);
    }
  });

  test('G6: a notification is 202 without a body', async () => {
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual([response.status, await response.text()], [202, '']);
  });

  test('G2: a page of another origin is 403', async () => {
    assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'https://evil.example' })).status, 403);
  });

  test('A7: a preflight is answered before the token is asked for', async () => {
    const response = await fetch(stack.mcp, { method: 'OPTIONS', headers: { origin: 'http://localhost:6274', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,mcp-method' } });
    assert.equal(response.status, 204);
    assert.match(response.headers.get('access-control-allow-headers'), /authorization/i);
    assert.match(response.headers.get('access-control-allow-headers'), /mcp-method/i);
  });
});

describe('legacy era', () => {
  for (const [asked, answered] of [['2025-11-25', '2025-11-25'], ['2025-06-18', '2025-06-18'], ['2025-03-26', '2025-03-26'], ['2099-01-01', '2025-11-25'], ['2026-07-28', '2025-11-25']]) {
    test(`G7: initialize with ${asked} is answered with ${answered}`, async () => {
      const result = await clients.legacy.initialize(asked);
      assert.equal(result.protocolVersion, answered);
      assert.ok(result.capabilities.tools);
      assert.ok(result.serverInfo.name && result.instructions);
    });
  }

  test('G7: no session is made, and one that is sent is ignored', async () => {
    const { status, headers } = await clients.legacy.request('tools/list', {}, { headers: { 'mcp-session-id': 'from-another-life' } });
    assert.deepEqual([status, headers.get('mcp-session-id')], [200, null]);
  });

  test('G7: a request without a version header is served, an unknown version is not', async () => {
    assert.equal((await clients.legacy.request('tools/list', {}, { headers: { 'mcp-protocol-version': undefined } })).status, 200);
    assert.equal((await clients.legacy.request('tools/list', {}, { headers: { 'mcp-protocol-version': '1999-01-01' } })).status, 400);
  });

  test('G10: an unknown method is 200 with -32601', async () => {
    const { status, message } = await clients.legacy.request('tools/unheard_of');
    assert.deepEqual([status, message.error.code], [200, -32601]);
  });

  test('ping', async () => assert.deepEqual(await clients.legacy.result('ping'), {}));
});

describe('modern era', () => {
  test('server/discover names the versions and keeps its answer private', async () => {
    const result = await clients.modern.result('server/discover');
    assert.ok(result.supportedVersions.includes(versions.modern));
    assert.ok(result.capabilities.tools);
    assert.equal(result.resultType, 'complete');
    assert.equal(result.cacheScope, 'private');
    assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0 && result.ttlMs <= 60_000);
  });

  for (const [name, headers, code] of [
    ['no Mcp-Method', { 'mcp-method': undefined }, -32020],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }, -32020],
    ['no Mcp-Name', { 'mcp-name': undefined }, -32020],
    ['another Mcp-Name', { 'mcp-name': 'read_note' }, -32020],
    ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }, -32020],
  ]) {
    test(`G8, G9: ${name} is 400`, async () => {
      const { status, message } = await clients.modern.request('tools/call', { name: 'list_notes', arguments: {} }, { headers, id: 'an id' });
      assert.deepEqual([status, message.error.code, message.id], [400, code, 'an id']);
    });
  }

  test('G9: Mcp-Name may be encoded', async () => {
    const encoded = `=?base64?${Buffer.from('list_notes').toString('base64')}?=`;
    const { status } = await clients.modern.request('tools/call', { name: 'list_notes', arguments: {} }, { headers: { 'mcp-name': encoded } });
    assert.equal(status, 200);
  });

  test('G8: a version from the future is 400 and says which there are', async () => {
    const future = '2099-01-01';
    const { status, message } = await clients.modern.request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': future } }, { headers: { 'mcp-protocol-version': future } });
    assert.deepEqual([status, message.error.code, message.error.data.requested], [400, -32022, future]);
    assert.ok(message.error.data.supported.includes(versions.modern));
  });

  test('G10: removed methods are 404 with -32601', async () => {
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe']) {
      const { status, message } = await clients.modern.request(method, {}, { id: 7 });
      assert.deepEqual([status, message.error.code, message.id], [404, -32601, 7], method);
    }
  });
});

for (const era of ERAS) {
  describe(`tools, ${era} era`, () => {
    test('tools/list describes every tool well enough to call it', async () => {
      const { tools, ...rest } = await clients[era].result('tools/list');
      assert.ok(tools.some(({ name }) => name === 'list_notes') && tools.some(({ name }) => name === 'read_note'));
      for (const tool of tools) {
        assert.match(tool.name, /^[A-Za-z0-9_.\/-]{1,64}$/);
        assert.ok(tool.description.length > 20, tool.name);
        assert.equal(tool.inputSchema.type, 'object');
        assert.equal(typeof tool.annotations.readOnlyHint, 'boolean', tool.name);
      }
      if (era === 'modern') assert.deepEqual([rest.resultType, rest.cacheScope], ['complete', 'private']);
      assert.deepEqual(tools.map(({ name }) => name), (await clients[era].result('tools/list')).tools.map(({ name }) => name));
    });

    test('no tool renames or moves', async () => {
      const { tools } = await clients[era].result('tools/list');
      assert.deepEqual(tools.filter(({ name }) => /rename|move/i.test(name)), []);
      assert.doesNotMatch(JSON.stringify(tools.map(({ inputSchema }) => inputSchema)), /"(rename|move|new_path|destination)"/i);
    });

    test('G14: an unknown tool is -32602', async () => {
      const { message } = await clients[era].request('tools/call', { name: 'rename_note', arguments: {} });
      assert.equal(message.error.code, -32602);
    });

    test('an answer carries the id of its request, a string too', async () => {
      const { message } = await clients[era].request('tools/list', {}, { id: 'server-discover-probe-1' });
      assert.equal(message.id, 'server-discover-probe-1');
    });

    test('an unknown argument is refused with the expected ones', async () => {
      const result = await clients[era].call('list_notes', { directory: 'Projects' });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /^INVALID_ARGUMENT\b[\s\S]*\bdir\b/);
    });
  });
}

describe('content', () => {
  let head;
  let files;
  let visible;

  before(() => {
    const repository = repositoryIn(stack.gitState);
    head = headOf(repository);
    files = filesOf(repository, head);
    visible = files.filter(isVisibleNote);
    assert.ok(visible.length > 40, `the sample vault has ${visible.length} notes`);
  });

  const sorted = (paths) => [...paths].sort();

  for (const limit of [undefined, 7, '7', 1]) {
    test(`list_notes with limit ${JSON.stringify(limit)} pages through exactly the visible notes`, async () => {
      const { notes, totals } = await clients.modern.allNotes(limit === undefined ? {} : { limit });
      assert.deepEqual(sorted(notes.map(({ path }) => path)), sorted(visible.map(({ path }) => path)));
      assert.deepEqual(totals, [visible.length]);
      const byPath = new Map(visible.map((file) => [file.path, file]));
      for (const { path, bytes, revision } of notes) assert.deepEqual([bytes, revision], [byPath.get(path).bytes.length, byPath.get(path).revision], path);
    });
  }

  test('list_notes of a folder stays in it', async () => {
    const { notes, totals } = await clients.modern.allNotes({ dir: 'Projects' });
    const expected = visible.filter(({ path }) => path.startsWith('Projects/'));
    assert.deepEqual(sorted(notes.map(({ path }) => path)), sorted(expected.map(({ path }) => path)));
    assert.deepEqual(totals, [expected.length]);
  });

  test('read_note gives every note byte for byte, with the revision that git gives it', async () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    for (const file of visible) {
      let text;
      try {
        text = decoder.decode(file.bytes);
      } catch {
        const refusal = await clients.modern.call('read_note', { path: file.path });
        assert.equal(refusal.isError, true, file.path);
        assert.match(refusal.content[0].text, /^NOT_UTF8\b/, file.path);
        continue;
      }
      const { facts, text: got } = await clients.modern.wholeNote(file.path);
      assert.ok(Buffer.from(got).equals(file.bytes), `${file.path}: ${JSON.stringify(got.slice(0, 80))} is not ${JSON.stringify(text.slice(0, 80))}`);
      assert.deepEqual([facts.path, facts.revision, facts.commit, facts.bytes], [file.path, file.revision, head, file.bytes.length]);
      assert.equal(facts.total_lines, text.split(/(?<=\n)/).filter(Boolean).length, file.path);
    }
  });

  test('what is hidden, linked or missing is the same answer: not found', async () => {
    const named = files.filter((file) => /\.(md|markdown)$/i.test(file.path) && !isVisibleNote(file));
    assert.ok(named.length > 5, 'the sample vault has hidden notes and links');
    const said = (path, text) => text.replaceAll(path, 'PATH').replaceAll(JSON.stringify(path).slice(1, -1), 'PATH');
    const missing = await clients.modern.call('read_note', { path: 'Projects/Nothing here.md' });
    assert.match(missing.content[0].text, /^NOT_FOUND\b/);
    for (const { path } of named) {
      const { isError, content } = await clients.modern.call('read_note', { path });
      assert.equal(isError, true, path);
      assert.equal(said(path, content[0].text), said('Projects/Nothing here.md', missing.content[0].text), path);
    }
  });

  test('a path that is no path is refused', async () => {
    for (const path of ['../x.md', 'a/../../x.md', './a.md', 'a//b.md', '/etc/x.md', 'C:\\x.md', 'a\\b.md', 'a\nb.md', 'a\0.md', '', '..', 'Projects/./x.md']) {
      const { isError, content } = await clients.modern.call('read_note', { path });
      assert.equal(isError, true, JSON.stringify(path));
      assert.match(content[0].text, /^(INVALID_PATH|NOT_FOUND|INVALID_ARGUMENT|NOT_A_NOTE)\b/, JSON.stringify(path));
    }
  });

  test('a note is found under its other spelling, and the answer says which it is', async () => {
    const decomposed = visible.find(({ path }) => path !== path.normalize('NFC'));
    assert.ok(decomposed, 'the sample vault has a decomposed name');
    const { facts } = await clients.modern.tool('read_note', { path: decomposed.path.normalize('NFC') });
    assert.equal(facts.path, decomposed.path);
  });

  test('listing and reading again asks GitHub for nothing that counts', async () => {
    await clients.modern.allNotes();
    await stack.forgetRequests();
    await clients.modern.allNotes();
    await clients.modern.wholeNote('Index.md');
    const counted = (await stack.requests()).filter(({ status }) => status !== 304);
    assert.deepEqual(counted, []);
  });
});
