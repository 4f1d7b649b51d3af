/**
 * A replay of claude.ai's remote connector. It is not the product, which cannot be run here: it sends what the
 * product's documentation and public reports show of its requests, with their headers.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CALLBACKS, ClaudeAi, DOCUMENT, MCP, SCOPE, initialize, startSite } from './support/claude_ai.mjs';
import { commitOf, headOf, repositoryIn } from './support/git.mjs';
import { McpClient, TOOLS } from './support/mcp.mjs';
import { authorizationRequest } from './support/oauth.mjs';
import { browse } from './support/person.mjs';
import { Stack } from './support/stack.mjs';


let site;
let stack;
let claude;

/** A new deployment, whose requests for the client's document reach the stand-in, or nothing where there is no `way`. */
async function deploy(way = true) {
  await stack?.stop();
  stack = await Stack.start({ routes: way ? { 'claude.ai': site.url } : {} });
  claude = new ClaudeAi(stack.url);
}

before(async () => {
  site = await startSite();
  await deploy();
});
after(async () => {
  await stack?.stop();
  await site?.stop();
});

test('before it has a token it is told where to get one, whatever it probes with', async () => {
  for (const [method, accept] of [
    ['POST', '*/*'],
    ['POST', 'application/json, text/event-stream'],
    ['GET', 'text/event-stream'],
  ]) {
    const body = method === 'POST' ? JSON.stringify(initialize('Anthropic')) : undefined;
    const response = await fetch(stack.mcp, { method, body, headers: { ...MCP, accept } });
    assert.equal(response.status, 401, `${method} ${accept}`);
    const [, metadata] = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate'));
    assert.equal((await claude.document(new URL(metadata).pathname)).resource, stack.mcp);
  }
  const server = await claude.document('/.well-known/oauth-authorization-server');
  // It names itself by its document only where it finds both of these.
  assert.equal(server.client_id_metadata_document_supported, true);
  assert.ok(server.token_endpoint_auth_methods_supported.includes('none'));
});

for (const callback of CALLBACKS) {
  const { host } = new URL(callback);
  describe(`registered, called back at ${host}`, () => {
    let client;
    let tokens;

    test('it registers as Claude, connects, and calls a tool', async () => {
      client = await claude.register(callback);
      assert.deepEqual([client.client_name, client.client_secret], ['Claude', undefined]);
      tokens = await claude.connect(client.client_id, callback);
      assert.ok(tokens.consent.includes(host), 'the person sees where the answer goes');
      // A scope that is not ours is no reason to stop: it stands for all there is.
      assert.equal(tokens.scope, 'vault:read vault:write');
      assert.deepEqual([tokens.token_type, typeof tokens.expires_in], ['Bearer', 'number']);
      assert.deepEqual(await claude.use(tokens.access_token), TOOLS);
    });

    test('its writes carry its name', async () => {
      const legacy = new McpClient(stack.mcp, tokens.access_token, 'legacy');
      const { facts } = await legacy.tool('write_note', { path: `Written at ${host}.md`, content: 'x\n' });
      const repository = repositoryIn(stack.gitState);
      assert.equal(headOf(repository), facts.commit);
      assert.equal(commitOf(repository, facts.commit).trailers, 'Vault-Client: Claude');
    });

    test('it refreshes, and what it gets can be used', async () => {
      const { status, body } = await claude.token({
        grant_type: 'refresh_token',
        client_id: client.client_id,
        refresh_token: tokens.refresh_token,
        scope: SCOPE,
      });
      assert.deepEqual([status, body.scope], [200, 'vault:read vault:write']);
      assert.deepEqual(await claude.use(body.access_token), TOOLS);
    });
  });
}

test('E5: told that it is unknown, it registers again and is back', async () => {
  const [callback] = CALLBACKS;
  const { client_id: clientId } = await claude.register(callback);
  const { refresh_token: token } = await claude.connect(clientId, callback);
  const unknown = await claude.token({
    grant_type: 'refresh_token',
    client_id: 'dcr_of_another_deployment',
    refresh_token: token,
  });
  assert.deepEqual([unknown.status, unknown.body.error], [401, 'invalid_client']);
  assert.equal(unknown.headers.get('cache-control'), 'no-store');

  const { client_id: again } = await claude.register(callback);
  assert.equal(again, clientId, 'the same client gets the same identifier');
  assert.deepEqual(await claude.use((await claude.connect(again, callback)).access_token), TOOLS);
});

describe('by its document', () => {
  const published = {
    client_id: DOCUMENT,
    // Another name than the one in the copy that stands in for the document.
    client_name: 'Claude, as published',
    client_uri: 'https://claude.ai',
    redirect_uris: CALLBACKS,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const wall = { status: 403, type: 'text/html', body: '<h1>Just a moment…</h1>' };
  for (const { name, way, answer, client } of [
    { name: 'out of reach, the built-in copy stands in', way: false, client: 'Claude' },
    { name: 'behind a bot wall, the built-in copy stands in', way: true, answer: wall, client: 'Claude' },
    {
      name: 'as it is published, it counts',
      way: true,
      answer: { body: published },
      client: published.client_name,
    },
  ]) {
    test(name, async () => {
      // A document is kept for a while, the pinned one too.
      await deploy(way);
      Object.assign(site, { answer, asked: [] });
      for (const callback of CALLBACKS) {
        const tokens = await claude.connect(DOCUMENT, callback);
        assert.ok(tokens.consent.includes('claude.ai'), 'the person sees who vouches for the name');
        assert.ok(tokens.consent.includes(new URL(callback).host), 'and where the answer goes');
        assert.deepEqual(await claude.use(tokens.access_token), TOOLS);
        const { status, body } = await claude.token({
          grant_type: 'refresh_token',
          client_id: DOCUMENT,
          refresh_token: tokens.refresh_token,
        });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(await claude.use(body.access_token), TOOLS);

        const path = `Written at ${new URL(callback).host}.md`;
        const write = { path, content: 'by its document\n' };
        const legacy = new McpClient(stack.mcp, body.access_token, 'legacy');
        const { commit } = (await legacy.tool('write_note', write)).facts;
        const { trailers } = commitOf(repositoryIn(stack.gitState), commit);
        assert.equal(trailers, `Vault-Client: ${client}`);
      }
      const asked = site.asked.map(({ url, accept, agent }) => [url, accept, /^vault-mcp\//.test(agent)]);
      const once = ['/claude.ai/oauth/mcp-oauth-client-metadata', 'application/json', true];
      assert.deepEqual(asked, way ? [once] : []);
      // Either way the client did not register.
      assert.ok(!stack.exchanges.some(({ path }) => path === '/register'));
    });
  }

  test('another callback than it lists is refused on a page, and nothing is sent there', async () => {
    for (const callback of ['https://claude.ai.evil.example/cb', `${CALLBACKS[0]}/more`]) {
      const { url } = authorizationRequest(stack.url, DOCUMENT, { redirect_uri: callback, scope: SCOPE });
      const { callback: back, page } = await browse(url, { until: callback });
      assert.deepEqual([back, page?.status], [undefined, 400]);
    }
  });
});
