/** The MCP endpoint as clients of both eras meet it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
  fetch(stack.mcp, {
    method: 'POST',
    headers: { ...clients.legacy.headers('ping', {}), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('without a token', () => {
  const challenge = (response) => response.headers.get('www-authenticate');

  for (const [method, path] of [
    ['POST', '/mcp'],
    ['POST', '/mcp/'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
  ]) {
    test(`F1, F7: ${method} ${path} is 401 and says where to go`, async () => {
      const response = await fetch(stack.url + path, {
        method,
        body: method === 'POST' ? '{}' : undefined,
        redirect: 'manual',
      });
      assert.equal(response.status, 401);
      assert.equal(
        challenge(response),
        `Bearer realm="mcp", resource_metadata="${stack.url}/.well-known/oauth-protected-resource/mcp", scope="${SCOPES}"`,
      );
      assert.match(response.headers.get('cache-control'), /no-store/);
      assert.match(response.headers.get('access-control-expose-headers'), /WWW-Authenticate/i);
    });
  }

  for (const [name, value] of [
    ['junk', 'Bearer junk'],
    ['a well-formed token of nobody', `Bearer vmcp_at_1.${'A'.repeat(22)}.${'B'.repeat(43)}`],
  ]) {
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
    const documents = await Promise.all(
      ['', '/mcp'].map(async (suffix) =>
        (await fetch(`${stack.url}/.well-known/oauth-protected-resource${suffix}`)).json(),
      ),
    );
    assert.deepEqual(documents[0], documents[1]);
    assert.equal(documents[0].resource, stack.mcp);
    assert.deepEqual(documents[0].authorization_servers, [stack.url]);
    assert.deepEqual(documents[0].scopes_supported, SCOPES.split(' '));
  });

  test('A3: authorization server metadata', async () => {
    const metadata = await (await fetch(`${stack.url}/.well-known/oauth-authorization-server`)).json();
    for (const [key, path] of [
      ['authorization_endpoint', '/authorize'],
      ['token_endpoint', '/token'],
      ['registration_endpoint', '/register'],
      ['revocation_endpoint', '/revoke'],
    ]) {
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

  for (const [accept, status] of [
    ['*/*', 200],
    ['application/json', 200],
    ['application/*, text/*', 200],
    ['text/html', 406],
  ]) {
    test(`G4: Accept: ${accept} is ${status}`, async () => {
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { accept });
      assert.equal(response.status, status);
      if (status === 200) assert.ok((await messageOf(response)).result.tools.length > 0);
    });
  }

  test('G4: a body that is not JSON by its type is 415', async () => {
    assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  });

  test('H4, A7: a body over 4 MB is 413, in JSON that scripts may read', async () => {
    for (const [size, status] of [
      [4 * 1024 * 1024, 400],
      [4 * 1024 * 1024 + 1, 413],
    ]) {
      const response = await post('x'.repeat(size));
      assert.equal(response.status, status, `${size}`);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.ok((await response.json()).error);
    }
  });

  test('G5: bad JSON, batches and responses are 400', async () => {
    for (const [body, code] of [
      ['{', -32700],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
      ['{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
      ['"text"', -32600],
    ]) {
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
    assert.equal(
      (await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'https://evil.example' })).status,
      403,
    );
  });

  test('A7: a preflight is answered before the token is asked for', async () => {
    const response = await fetch(stack.mcp, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:6274',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-method',
      },
    });
    assert.equal(response.status, 204);
    assert.match(response.headers.get('access-control-allow-headers'), /authorization/i);
    assert.match(response.headers.get('access-control-allow-headers'), /mcp-method/i);
  });
});

describe('legacy era', () => {
  for (const [asked, answered] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2099-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ]) {
    test(`G7: initialize with ${asked} is answered with ${answered}`, async () => {
      const result = await clients.legacy.initialize(asked);
      assert.equal(result.protocolVersion, answered);
      assert.ok(result.capabilities.tools);
      assert.ok(result.serverInfo.name && result.instructions);
    });
  }

  test('G7: no session is made, and one that is sent is ignored', async () => {
    const { status, headers } = await clients.legacy.request(
      'tools/list',
      {},
      { headers: { 'mcp-session-id': 'from-another-life' } },
    );
    assert.deepEqual([status, headers.get('mcp-session-id')], [200, null]);
  });

  test('G7: a request without a version header is served, an unknown version is not', async () => {
    assert.equal(
      (await clients.legacy.request('tools/list', {}, { headers: { 'mcp-protocol-version': undefined } }))
        .status,
      200,
    );
    assert.equal(
      (await clients.legacy.request('tools/list', {}, { headers: { 'mcp-protocol-version': '1999-01-01' } }))
        .status,
      400,
    );
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
      const { status, message } = await clients.modern.request(
        'tools/call',
        { name: 'list_notes', arguments: {} },
        { headers, id: 'an id' },
      );
      assert.deepEqual([status, message.error.code, message.id], [400, code, 'an id']);
    });
  }

  test('G9: Mcp-Name may be encoded', async () => {
    const encoded = `=?base64?${Buffer.from('list_notes').toString('base64')}?=`;
    const { status } = await clients.modern.request(
      'tools/call',
      { name: 'list_notes', arguments: {} },
      { headers: { 'mcp-name': encoded } },
    );
    assert.equal(status, 200);
  });

  test('G8: a version from the future is 400 and says which there are', async () => {
    const future = '2099-01-01';
    const { status, message } = await clients.modern.request(
      'tools/list',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': future } },
      { headers: { 'mcp-protocol-version': future } },
    );
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
      assert.ok(
        tools.some(({ name }) => name === 'list_notes') && tools.some(({ name }) => name === 'read_note'),
      );
      for (const tool of tools) {
        assert.match(tool.name, /^[A-Za-z0-9_.\/-]{1,64}$/);
        assert.ok(tool.description.length > 20, tool.name);
        assert.equal(tool.inputSchema.type, 'object');
        assert.equal(typeof tool.annotations.readOnlyHint, 'boolean', tool.name);
      }
      if (era === 'modern') assert.deepEqual([rest.resultType, rest.cacheScope], ['complete', 'private']);
      assert.deepEqual(
        tools.map(({ name }) => name),
        (await clients[era].result('tools/list')).tools.map(({ name }) => name),
      );
    });

    test('no tool renames or moves', async () => {
      const { tools } = await clients[era].result('tools/list');
      assert.deepEqual(
        tools.filter(({ name }) => /rename|move/i.test(name)),
        [],
      );
      assert.doesNotMatch(
        JSON.stringify(tools.map(({ inputSchema }) => inputSchema)),
        /"(rename|move|new_path|destination)"/i,
      );
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
