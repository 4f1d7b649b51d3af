/**
 * Login with Google: the organisation, addresses that are not verified, subjects. The Worker asks Google's own hosts,
 * as it does when deployed; `wrangler dev` sends those requests to the look-alike.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { hosts } from '../../dev/login/google/addresses.mjs';
import { LoginStack, textOf } from './support/login.mjs';

let login;
before(async () => {
  login = await LoginStack.start('google');
});
after(() => login?.stop());
afterEach(() => login.control('DELETE', 'knobs'));

const knobs = (values) => login.control('PUT', 'knobs', values);

/** The words of the page that refuses `user`; its status is 403. */
async function refusal(user = login.people.owner) {
  const { callback, page } = await login.authorize({ user });
  assert.equal(callback, undefined, `${user} is let in: ${callback}`);
  assert.equal(page.status, 403);
  return textOf(page);
}

test('GO1: the person chooses an account at Google; the request asks who they are and nothing else', async () => {
  const browser = login.browser();
  await login.authorize({ browser });
  const url = new URL(browser.visited.find((visited) => visited.startsWith('https://accounts.google.com/')));
  assert.equal(url.origin + url.pathname, 'https://accounts.google.com/o/oauth2/v2/auth');
  const { scope, prompt, state, nonce, code_challenge, code_challenge_method, redirect_uri, hd } =
    Object.fromEntries(url.searchParams);
  assert.deepEqual([scope, prompt, hd], ['openid email', 'select_account', undefined]);
  assert.deepEqual([state.length, nonce.length, code_challenge.length], [43, 43, 43]);
  assert.deepEqual([code_challenge_method, redirect_uri], ['S256', `${login.stack.url}/callback`]);
});

test("the Worker asks Google's hosts and no others", async () => {
  await login.signIn();
  assert.doesNotMatch(login.stack.worker.output, /no route to/);
  assert.deepEqual(
    hosts.map((host) => login.routes[host]),
    hosts.map(() => login.origin),
  );
  const elsewhere = await fetch(`${login.origin}/oauth2.googleapis.com/oauth2/v3/certs`);
  assert.equal(elsewhere.status, 404, 'what is not at a host of Google is not at another');
});

test('GO1: an address that Google calls unverified is refused by name, listed or not', async () => {
  await login.allow('unverified@example.test, sub:108000000000000000006');
  const text = await refusal('unverified@example.test');
  assert.match(text, /unverified@example\.test.*not verified.*VAULT_ALLOWED_GOOGLE_EMAILS/s);
  await login.allow(login.listed);
});

test('GO1, O6: no setting makes up for a claim that is missing', async () => {
  await login.restart({ OIDC_ALLOW_UNVERIFIED_EMAIL: 'true' });
  for (const email_verified of [null, false, 'false']) {
    await knobs({ email_verified });
    assert.match(await refusal(), /owner@example\.test.*not verified/s, JSON.stringify(email_verified));
  }
  await knobs({ email: null });
  assert.match(await refusal(), /an account without an e-mail address/);
  await login.restart({ OIDC_ALLOW_UNVERIFIED_EMAIL: undefined });
});

test('GO3, D6: an address that was given to somebody else does not get in', async () => {
  await login.signIn();
  await knobs({ sub: '108000000000000000099' });
  assert.match(
    await refusal(),
    /owner@example\.test.*sub:108000000000000000099.*VAULT_ALLOWED_GOOGLE_EMAILS/s,
  );

  await login.allow('sub:108000000000000000099');
  assert.ok((await login.signIn()).access_token, 'the owner of the server can admit the new account');
  await login.control('DELETE', 'knobs');
  await refusal();
  await login.allow(login.listed);
});

test('D6: an entry by subject follows the account to a new address', async () => {
  await login.allow('sub:108000000000000000001');
  for (const email of ['owner@example.test', 'renamed@example.test']) {
    await knobs({ email });
    assert.ok((await login.signIn()).access_token, email);
  }
  await login.allow(login.listed);
});

test('GO2: with GOOGLE_HOSTED_DOMAIN the claim decides, not the address and not the list', async () => {
  await login.restart({
    GOOGLE_HOSTED_DOMAIN: 'Example.test',
    [login.allowlist]: 'owner@example.test, personal@example.test, guest@other.test, private@mail.test',
  });
  const browser = login.browser();
  await login.authorize({ browser });
  const request = browser.visited.find((visited) => visited.startsWith('https://accounts.google.com/'));
  assert.equal(new URL(request).searchParams.get('hd'), 'example.test', 'the account chooser is told');

  assert.ok((await login.tools((await login.signIn()).access_token)).includes('write_note'));
  for (const user of ['personal@example.test', 'guest@other.test', 'private@mail.test']) {
    const text = await refusal(user);
    assert.ok(text.includes(user) && text.includes('GOOGLE_HOSTED_DOMAIN'), text);
  }
  await login.stack.worker.until(/"reason":"organisation_denied"/, 5_000);
  await login.restart({ GOOGLE_HOSTED_DOMAIN: undefined, [login.allowlist]: login.listed });
});

test('GO2: without GOOGLE_HOSTED_DOMAIN the list decides alone', async () => {
  await login.allow('private@mail.test guest@other.test');
  for (const user of ['private@mail.test', 'guest@other.test'])
    assert.ok((await login.signIn({ user })).access_token, user);
  await refusal('stranger@example.test');
  await login.allow(login.listed);
});

for (const values of [
  { id_token: 'iss' },
  { id_token: 'aud' },
  { id_token: 'nonce' },
  { id_token: 'exp' },
  { id_token: 'hs256' },
  { id_token: 'alg_none' },
  { id_token: 'bad_signature' },
  { id_token: 'missing' },
  { response_iss: 'https://evil.example' },
]) {
  test(`O4, D7: ${JSON.stringify(values)} lets nobody in`, async () => {
    await knobs(values);
    const { callback } = await login.authorize();
    assert.equal(callback.searchParams.get('code'), null);
    assert.equal(callback.searchParams.get('error'), 'server_error');
  });
}

test('D7: Google does not promise `iss`, so it may be missing', async () => {
  await knobs({ response_iss: null });
  assert.ok((await login.signIn()).access_token);
});

test('O2: a discovery document of another issuer lets nobody in', async () => {
  await login.restart();
  await knobs({ discovery_issuer: 'https://evil.example' });
  const { callback } = await login.authorize();
  assert.equal(callback.searchParams.get('code'), null);
});

for (const [endpoint, cold] of [
  ['discovery', true],
  ['jwks', true],
  ['token', false],
]) {
  test(`D4: an outage of Google's ${endpoint} is told as one`, async () => {
    if (cold) await login.restart();
    await knobs({ status: { [endpoint]: 503 } });
    const { callback } = await login.authorize();
    assert.equal(callback.searchParams.get('error'), 'temporarily_unavailable');
  });
}
