/** Who gets in: the allowlist at login and on every request after it, refusals, and what a restart keeps. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { McpClient } from './support/mcp.mjs';
import { authorize, exchange, refresh, register, revoke, signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const ALLOWLIST = 'VAULT_ALLOWED_OIDC_EMAILS';
const EVERYBODY = 'owner@example.test reader@example.test:read unverified@example.test';

let stack;
before(async () => {
  stack = await Stack.start({ overrides: { [ALLOWLIST]: EVERYBODY } });
});
after(() => stack?.stop());

const tools = async (token, era) => (await new McpClient(stack.mcp, token, era).result('tools/list')).tools;

for (const [user, also] of [
  ['stranger@example.test', new RegExp(ALLOWLIST)],
  ['unverified@example.test', /verified/i],
]) {
  test(`C13: ${user} gets a page that names the identity and what to change, and no code`, async () => {
    const { callback, page } = await authorize(stack.url, { user });
    assert.equal(callback, undefined);
    assert.equal(page.status, 403);
    assert.match(page.headers.get('content-type'), /^text\/html/);
    assert.ok(page.html.includes(user), page.html);
    assert.match(page.html, also);
    assert.doesNotMatch(page.html, /owner@example\.test|reader@example\.test/);
  });
}

test('C10: denying comes back as access_denied with state and iss', async () => {
  const { callback, request } = await authorize(stack.url, { decision: 'deny' });
  const { error, state, iss, code } = Object.fromEntries(callback.searchParams);
  assert.deepEqual(
    { error, state, iss, code },
    { error: 'access_denied', state: request.state, iss: stack.url, code: undefined },
  );
});

test('C4: success carries code, state and iss once each', async () => {
  const { callback, request } = await authorize(stack.url, {
    parameters: { state: 'öpaque & "odd"/+ state' },
  });
  for (const name of ['code', 'state', 'iss'])
    assert.equal(callback.searchParams.getAll(name).length, 1, name);
  assert.deepEqual(
    [callback.searchParams.get('state'), callback.searchParams.get('iss')],
    [request.state, stack.url],
  );
});

test('C5, C6: the consent page names client, redirect host and scopes, and locks itself down', async () => {
  const { client_id: clientId } = await register(stack.url, { client_name: '<b>Sly</b> & Co' });
  const { pages } = await authorize(stack.url, { clientId });
  const [consent] = pages;
  assert.ok(consent.html.includes('&lt;b&gt;Sly&lt;/b&gt; &amp; Co'), 'the name is escaped');
  assert.ok(consent.html.includes('localhost'), 'the redirect host is named');
  const policy = consent.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(consent.headers.get('cache-control'), 'no-store');
  assert.equal(consent.headers.get('x-frame-options'), 'DENY');
  assert.doesNotMatch(consent.html, /<script|<img|https?:\/\/(?!localhost)/i);
});

test('a read-only login says so in its scope and cannot write', async () => {
  for (const options of [{ readOnly: true }, { user: 'reader@example.test' }]) {
    const { access_token: token, scope } = await signIn(stack.url, options);
    assert.equal(scope, 'vault:read');
    const names = (await tools(token)).map(({ name }) => name);
    assert.ok(names.includes('read_note'));
    assert.deepEqual(
      names.filter((name) => ['write_note', 'delete_note'].includes(name)),
      [],
    );
  }
});

test('E2, E4: a code works once, and its second use ends what the first one gave', async () => {
  const { request, callback } = await authorize(stack.url);
  const code = callback.searchParams.get('code');
  const first = await exchange(stack.url, request, code);
  assert.equal(first.status, 200);
  assert.ok((await tools(first.body.access_token)).length > 0);
  const second = await exchange(stack.url, request, code);
  assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant']);
  assert.equal((await new McpClient(stack.mcp, first.body.access_token).request('tools/list')).status, 401);
});

test('E3: the wrong verifier does not redeem the code', async () => {
  const { request, callback } = await authorize(stack.url);
  const code = callback.searchParams.get('code');
  const wrong = await exchange(stack.url, { ...request, verifier: 'x'.repeat(43) }, code);
  assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant']);
  assert.equal((await exchange(stack.url, request, code)).status, 200);
});

test('E6, E7: five refreshes at once all get the same successor', async () => {
  const { client_id: clientId, refresh_token: token } = await signIn(stack.url);
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(stack.url, clientId, token)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  const successors = new Set(answers.map(({ body }) => body.refresh_token));
  assert.equal(successors.size, 1);
  assert.ok(!successors.has(token), 'rotated');
  assert.ok((await tools(answers[0].body.access_token)).length > 0);
});

test('E5, E12: revoking ends the login at once, and an unknown client is told so', async () => {
  const { client_id: clientId, access_token: access, refresh_token: token } = await signIn(stack.url);
  assert.equal(await revoke(stack.url, clientId, token), 200);
  assert.equal((await new McpClient(stack.mcp, access).request('tools/list')).status, 401);
  const dead = await refresh(stack.url, clientId, token);
  assert.deepEqual([dead.status, dead.body.error], [400, 'invalid_grant']);
  const unknown = await refresh(stack.url, 'dcr_nobody', token);
  assert.deepEqual([unknown.status, unknown.body.error], [401, 'invalid_client']);
});

test('O6: an identity whose address the provider stops verifying is refused', async () => {
  for (const email_verified of [false, 'false', null]) {
    await stack.provider.knobs({ email_verified });
    const { page } = await authorize(stack.url);
    assert.equal(page?.status, 403, JSON.stringify(email_verified));
    assert.ok(page.html.includes('owner@example.test'));
  }
  await stack.provider.knobs({});
});

test('O5: e-mail facts may be in userinfo alone', async () => {
  await stack.provider.knobs({ email_claims: 'userinfo' });
  assert.ok((await tools((await signIn(stack.url)).access_token)).length > 0);
  await stack.provider.knobs({});
});

for (const id_token of [
  'iss',
  'nonce',
  'no_nonce',
  'aud',
  'azp',
  'exp',
  'nbf',
  'no_sub',
  'at_hash',
  'alg_none',
  'hs256',
  'bad_signature',
  'unknown_kid',
  'missing',
]) {
  test(`O4: an ID token with the fault ${id_token} lets nobody in`, async () => {
    await stack.provider.knobs({ id_token });
    const { callback, page } = await authorize(stack.url);
    await stack.provider.knobs({});
    assert.equal(callback?.searchParams.get('code') ?? null, null);
    assert.ok(
      page
        ? page.status >= 400
        : ['server_error', 'temporarily_unavailable', 'access_denied'].includes(
            callback.searchParams.get('error'),
          ),
    );
  });
}

test('D6: another subject under an allowed address is refused', async () => {
  await signIn(stack.url);
  await stack.provider.knobs({ sub: 'somebody-else' });
  const { callback, page } = await authorize(stack.url);
  await stack.provider.knobs({});
  assert.equal(callback, undefined);
  assert.equal(page.status, 403);
});

// What follows restarts the Worker, and leaves the allowlist as it found it.

test('F4, E11: a person taken off the list has nothing from then on, and is back once listed again', async () => {
  const login = await signIn(stack.url);
  const other = await signIn(stack.url, { user: 'reader@example.test' });
  assert.ok((await tools(login.access_token)).length > 0);

  await stack.restart({ [ALLOWLIST]: 'reader@example.test:read' });
  for (const era of ['legacy', 'modern']) {
    const client = new McpClient(stack.mcp, login.access_token, era);
    assert.deepEqual(await tools(login.access_token, era), []);
    const { message } = await client.request('tools/call', { name: 'list_notes', arguments: {} });
    assert.equal(message.error.code, -32602);
    assert.deepEqual((await client.request('resources/list')).message.result.resources, []);
    assert.deepEqual((await client.request('prompts/list')).message.result.prompts, []);
  }
  assert.ok((await tools(other.access_token)).length > 0, 'a restart keeps the logins of those still listed');

  const dead = await refresh(stack.url, login.client_id, login.refresh_token);
  assert.deepEqual([dead.status, dead.body.error], [400, 'invalid_grant']);

  await stack.restart({ [ALLOWLIST]: EVERYBODY });
  assert.ok((await tools((await signIn(stack.url)).access_token)).length > 0);
});

test('F3: a person made read-only keeps the login and loses the writing tools', async () => {
  const { access_token: token } = await signIn(stack.url);
  const names = async () => (await tools(token)).map(({ name }) => name);
  assert.ok((await names()).includes('read_note'));
  await stack.restart({ [ALLOWLIST]: 'owner@example.test:read' });
  const left = await names();
  assert.ok(left.includes('read_note'));
  assert.deepEqual(
    left.filter((name) => ['write_note', 'delete_note'].includes(name)),
    [],
  );
  await stack.restart({ [ALLOWLIST]: EVERYBODY });
});

test('D3: without an allowlist nobody is let in', async () => {
  const { access_token: token } = await signIn(stack.url);
  await stack.restart({ [ALLOWLIST]: undefined });
  const { status, message } = await new McpClient(stack.mcp, token).request('tools/list');
  assert.ok(status >= 400 || message.result.tools.length === 0, `${status} ${JSON.stringify(message)}`);
  await stack.restart({ [ALLOWLIST]: EVERYBODY });
});
