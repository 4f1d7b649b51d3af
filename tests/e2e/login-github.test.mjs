/** Login with GitHub: names that change hands, accounts that are no person's, errors in GitHub's own form. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { LoginStack, textOf } from './support/login.mjs';
import { McpClient } from './support/mcp.mjs';
import { eventSince } from './tamper/verdict.mjs';

const account = (login, id, type = 'User') => ({ login, id, type, name: null });

let login;
before(async () => {
  login = await LoginStack.start('github');
});
after(() => login?.stop());
afterEach(async () => {
  await login.control('DELETE', 'accounts');
  await login.control('DELETE', 'faults');
});

/** The status and words of the page that refuses `user`. */
async function refusal(user) {
  const { callback, page } = await login.authorize({ user });
  assert.equal(callback, undefined, `${user} is let in: ${callback}`);
  return [page.status, textOf(page)];
}

/** What the client is told when `user` comes back. */
async function error(user = login.people.owner) {
  const { callback, page } = await login.authorize({ user });
  assert.ok(callback, page && textOf(page));
  assert.equal(callback.searchParams.get('code'), null);
  return callback.searchParams.get('error');
}

test('GH1, D1: the request asks for no scope, and has state and PKCE', async () => {
  const browser = login.browser();
  await login.authorize({ browser });
  const url = new URL(browser.visited.find((visited) => visited.includes('/login/oauth/authorize')));
  const { scope, state, code_challenge_method, code_challenge, redirect_uri, allow_signup, prompt } =
    Object.fromEntries(url.searchParams);
  assert.equal(scope ?? '', '');
  assert.deepEqual([state.length, code_challenge.length, code_challenge_method], [43, 43, 'S256']);
  assert.equal(redirect_uri, `${login.stack.url}/callback`);
  assert.deepEqual([allow_signup, prompt], ['false', 'select_account']);
});

test('GH4: the token is used once and deleted; the page does not wait for that to succeed', async () => {
  await login.control('DELETE', 'seen');
  await login.signIn();
  const { requests, live } = await login.control('GET', 'seen');
  const api = requests.filter((request) => !request.includes(' /login/') && !request.includes('/repos/'));
  assert.deepEqual(api, ['GET /user', 'DELETE /applications/Ov23liLOCAL0000lookalike/token']);
  assert.equal(live, 0);

  await login.control('PUT', 'faults', { delete_status: 500 });
  await login.signIn();
  assert.equal((await login.control('GET', 'seen')).live, 1);
});

test('GH4: the token of somebody who is refused is deleted as well', async () => {
  const { live } = await login.control('GET', 'seen');
  await refusal(login.people.stranger);
  assert.equal((await login.control('GET', 'seen')).live, live);
});

test('D6: the name of a deleted account, registered by somebody else, does not get in', async () => {
  await login.signIn();
  await login.control('PUT', 'accounts', [account('octo-owner', 6_000_001)]);
  const [status, text] = await refusal('octo-owner');
  assert.equal(status, 403);
  // What it would take is said: the one who owns the server can tell one account from the other.
  assert.match(text, /octo-owner.*id:6000001.*VAULT_ALLOWED_GITHUB_LOGINS/s);
  await login.stack.worker.until(/"reason":"pinned_to_another"/, 5_000);
  // In another spelling it is the same name.
  await login.control('PUT', 'accounts', [account('OCTO-Owner', 6_000_001)]);
  assert.equal((await refusal('OCTO-Owner'))[0], 403);
});

test('D6: the pin outlives the Worker, the list and the logins', async () => {
  await login.allow('octo-stranger');
  await login.allow(login.listed);
  await login.control('PUT', 'accounts', [account('octo-owner', 6_000_001)]);
  assert.equal((await refusal('octo-owner'))[0], 403);
  await login.control('DELETE', 'accounts');
  assert.ok((await login.signIn()).access_token, 'and lets the first one in');
});

test('D6: a renamed account is admitted under a listed name alone', async () => {
  await login.control('PUT', 'accounts', [account('octo-renamed', 1001)]);
  const [status, text] = await refusal('octo-renamed');
  assert.equal(status, 403);
  assert.match(text, /octo-renamed.*VAULT_ALLOWED_GITHUB_LOGINS/s);

  await login.allow('octo-renamed');
  assert.ok((await login.signIn({ user: 'octo-renamed' })).access_token);
  await login.allow(login.listed);
});

test('D6: an entry by id follows the account through every name, and nobody else', async () => {
  await login.allow('id:1001');
  for (const name of ['octo-owner', 'octo-renamed', 'Octo-Again']) {
    await login.control('PUT', 'accounts', [account(name, 1001), account('octo-other', 1009)]);
    assert.ok((await login.tools((await login.signIn({ user: name })).access_token)).includes('write_note'));
  }
  await login.control('PUT', 'accounts', [account('octo-owner', 1009)]);
  assert.equal((await refusal('octo-owner'))[0], 403);
  await login.allow(login.listed);
});

test('D6: an entry by id settles who has a name from now on', async () => {
  // What the page of the pin told the owner to do.
  await login.allow('id:6000001, octo-reader:read');
  await login.control('PUT', 'accounts', [account('octo-owner', 6_000_001)]);
  assert.ok((await login.signIn()).access_token);
  await login.control('DELETE', 'accounts');
  assert.equal((await refusal('octo-owner'))[0], 403, 'the first owner is not listed any more');
  await login.allow(login.listed);
});

test('D6: a name beside the id of its account is tied to that account too', async () => {
  await login.allow('octo-twice, id:1010');
  await login.control('PUT', 'accounts', [account('octo-twice', 1010)]);
  await login.signIn({ user: 'octo-twice' });
  await login.control('PUT', 'accounts', [account('octo-twice', 6_000_010), account('octo-elsewhere', 1010)]);
  assert.equal((await refusal('octo-twice'))[0], 403);
  assert.ok((await login.signIn({ user: 'octo-elsewhere' })).access_token);
  await login.allow(login.listed);
});

test('F4: two entries that match give the lesser right', async () => {
  await login.allow('octo-owner, id:1001:read');
  const { scope } = await login.signIn();
  assert.equal(scope, 'vault:read');
  await login.allow(login.listed);
});

test('GH2: an organisation and a bot are no person, listed or not', async () => {
  await login.allow('octo-works, id:1004, id:1005');
  for (const user of ['octo-works', 'octo-helper[bot]']) assert.equal(await error(user), 'server_error');
  // The type decides, not the name.
  await login.control('PUT', 'accounts', [account('octo-works', 1004, 'Bot')]);
  assert.equal(await error('octo-works'), 'server_error');
  await login.control('PUT', 'accounts', [account('octo-works', 1004)]);
  assert.ok((await login.signIn({ user: 'octo-works' })).access_token);
  await login.allow(login.listed);
});

for (const [fault, told, reason] of [
  [{ token_error: 'bad_verification_code' }, 'server_error', 'bad_verification_code'],
  [{ token_error: 'unverified_user_email' }, 'server_error', 'unverified_user_email'],
  [{ token_status: 503 }, 'temporarily_unavailable', 'status 503'],
  [{ user_status: 403 }, 'temporarily_unavailable', 'status 403'],
  [{ user_status: 401 }, 'server_error', 'status 401'],
  [{ user_status: 502 }, 'temporarily_unavailable', 'status 502'],
  [{ response_iss: 'https://evil.example' }, 'server_error', 'another issuer'],
]) {
  test(`GH1, D7: ${JSON.stringify(fault)} lets nobody in, and the log says why`, async () => {
    await login.control('PUT', 'faults', fault);
    const { worker } = login.stack;
    const offset = worker.output.length;
    assert.equal(await error(), told);
    assert.ok((await eventSince(worker, offset)).detail.includes(reason), worker.output.slice(offset));
  });
}

for (const [fault, key] of [
  [{ token_error: 'incorrect_client_credentials' }, 'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET'],
  [{ token_error: 'redirect_uri_mismatch' }, 'PUBLIC_BASE_URL followed by /callback'],
]) {
  test(`GH1: ${fault.token_error} is told to whoever owns the server`, async () => {
    await login.control('PUT', 'faults', fault);
    const [status, text] = await refusal(login.people.owner);
    assert.equal(status, 500);
    assert.ok(text.includes(key), text);
  });
}

test('D7: without `iss`, as GitHub was until 2026, people log in', async () => {
  await login.control('PUT', 'faults', { response_iss: null });
  assert.ok((await login.signIn()).access_token);
});

test('C10: cancelling at GitHub comes back as access_denied', async () => {
  const { callback } = await login.authorize({ button: { name: 'cancel', value: 'yes' } });
  assert.equal(callback.searchParams.get('error'), 'access_denied');
});

test('GH5: the vault is read with its own token, and people are asked about with theirs', async () => {
  const { access_token: token } = await login.signIn();
  await login.control('DELETE', 'seen');
  assert.ok((await new McpClient(login.stack.mcp, token).allNotes()).notes.length > 40);
  const { requests } = await login.control('GET', 'seen');
  assert.deepEqual(
    requests.filter((request) => request.endsWith(' /user')),
    [],
  );
});
