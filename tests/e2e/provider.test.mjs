/**
 * The local OpenID provider against a certified client, which is the oracle: what a knob breaks must be refused by
 * code that is known to be right, and everything else accepted. A knob that breaks nothing would make every test
 * that relies on it worthless.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLIENT_ID } from '../../dev/openid/configuration.mjs';
import * as certified from './support/certified_client.mjs';
import { Browserless } from './support/cookies.mjs';
import { freePorts } from './support/processes.mjs';
import { startProvider } from './support/provider.mjs';

let provider;
let callback;

before(async () => {
  const port = await freePorts(2);
  const worker = `http://localhost:${port}`;
  callback = `${worker}/callback`;
  provider = await startProvider({ port: port + 1, worker });
});
after(() => provider?.stop());

/** A whole login by the certified client: the claims it accepted, userinfo included. */
const logIn = (user, options) => certified.logIn({ issuer: provider.issuer, callback, user, ...options });

/** See `follow` of certified_client.mjs. */
const follow = (url, button) => certified.follow(url, button, callback);

describe('honest', () => {
  before(() => provider.knobs({}));

  for (const [email, verified] of [
    ['owner', true],
    ['reader', true],
    ['stranger', true],
    ['unverified', false],
  ]) {
    test(`${email} logs in with one click`, async () => {
      const { claims, userinfo, back } = await logIn(`${email}@example.test`);
      assert.deepEqual([claims.email, claims.email_verified], [`${email}@example.test`, verified]);
      assert.deepEqual([userinfo.email, userinfo.email_verified], [`${email}@example.test`, verified]);
      assert.equal(back.searchParams.get('iss'), provider.issuer);
    });
  }

  test('one browser can be two people, one after the other and at once', async () => {
    const browser = new Browserless();
    assert.equal((await logIn('owner@example.test', { browser })).claims.email, 'owner@example.test');
    assert.equal((await logIn('stranger@example.test', { browser })).claims.email, 'stranger@example.test');
    const both = await Promise.all(
      ['owner', 'reader'].map((name) => logIn(`${name}@example.test`, { browser })),
    );
    assert.deepEqual(
      both.map(({ claims }) => claims.email),
      ['owner@example.test', 'reader@example.test'],
    );
  });

  test('cancelling comes back as access_denied', async () => {
    const url = `${provider.issuer}/auth?${new URLSearchParams({ client_id: CLIENT_ID, response_type: 'code', scope: 'openid email', redirect_uri: callback, state: 's', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' })}`;
    const { back } = await follow(url, { name: 'cancel', value: 'yes' });
    assert.deepEqual(
      [back.searchParams.get('error'), back.searchParams.get('state')],
      ['access_denied', 's'],
    );
  });

  test('a login without PKCE is refused', async () => {
    const url = `${provider.issuer}/auth?${new URLSearchParams({ client_id: CLIENT_ID, response_type: 'code', scope: 'openid email', redirect_uri: callback })}`;
    const response = await fetch(url, { redirect: 'manual' });
    assert.equal(new URL(response.headers.get('location')).searchParams.get('error'), 'invalid_request');
  });

  test("a redirect URI that is not the Worker's is a page, not a redirect", async () => {
    const response = await fetch(
      `${provider.issuer}/auth?${new URLSearchParams({ client_id: CLIENT_ID, response_type: 'code', redirect_uri: 'http://localhost:1/callback' })}`,
      { redirect: 'manual', headers: { accept: 'text/html' } },
    );
    assert.equal(response.status, 400);
    assert.match(await response.text(), /redirect_uri/);
  });
});

const accepted = [
  [
    'e-mail facts in userinfo alone',
    { email_claims: 'userinfo' },
    ({ claims, userinfo }) => {
      assert.equal('email' in claims || 'email_verified' in claims, false);
      assert.deepEqual([userinfo.email, userinfo.email_verified], ['owner@example.test', true]);
    },
  ],
  [
    'no email_verified',
    { email_verified: null },
    ({ claims }) => assert.equal('email_verified' in claims, false),
  ],
  [
    'email_verified false',
    { email_verified: false },
    ({ claims }) => assert.equal(claims.email_verified, false),
  ],
  [
    'email_verified "true"',
    { email_verified: 'true' },
    ({ claims }) => assert.equal(claims.email_verified, 'true'),
  ],
  ['no email', { email: null }, ({ claims }) => assert.equal('email' in claims, false)],
  [
    'another email',
    { email: 'Owner@Example.TEST' },
    ({ claims }) => assert.equal(claims.email, 'Owner@Example.TEST'),
  ],
  [
    'another subject',
    { sub: 'somebody-else' },
    ({ claims, userinfo }) =>
      assert.deepEqual([claims.sub, userinfo.sub], ['somebody-else', 'somebody-else']),
  ],
  ['rotated keys', { keys: 'rotated' }, ({ claims }) => assert.equal(claims.email, 'owner@example.test')],
  ['overlapping keys', { keys: 'overlap' }, ({ claims }) => assert.equal(claims.email, 'owner@example.test')],
  [
    'one key and no kid',
    { id_token: 'no_kid' },
    ({ claims }) => assert.equal(claims.email, 'owner@example.test'),
  ],
  [
    'a large discovery document',
    { discovery_padding: 500_000 },
    ({ claims }) => assert.equal(claims.email, 'owner@example.test'),
  ],
  [
    'a second origin on the way',
    { second_origin: true },
    ({ hops }) =>
      assert.ok(
        hops.some((hop) => hop.startsWith('http://127.0.0.1:')),
        hops.join('\n'),
      ),
  ],
];

for (const [name, knobs, check] of accepted) {
  test(`accepted: ${name}`, async () => {
    await provider.knobs(knobs);
    check(await logIn());
  });
}

const refused = [
  'iss',
  'nonce',
  'no_nonce',
  'aud',
  'several_aud',
  'azp',
  'exp',
  'nbf',
  'no_sub',
  'alg_none',
  'hs256',
  'bad_signature',
  'unknown_kid',
  'garbage',
  'missing',
].map((id_token) => ({ id_token }));
refused.push(
  { discovery_issuer: 'https://issuer.invalid' },
  { response_iss: 'https://issuer.invalid' },
  { response_iss: null },
  { userinfo_sub: 'somebody-else' },
  ...['discovery', 'jwks', 'token', 'userinfo'].map((endpoint) => ({ status: { [endpoint]: 503 } })),
);

for (const knobs of refused) {
  test(`refused: ${JSON.stringify(knobs)}`, async () => {
    await provider.knobs(knobs);
    await assert.rejects(logIn(), (error) => error.code?.startsWith('OAUTH_') || error instanceof TypeError);
  });
}

// The certified client leaves these two to its caller: what the knob does is looked at itself.
test('iat lies in the future', async () => {
  await provider.knobs({ id_token: 'iat' });
  assert.ok((await logIn()).claims.iat > Date.now() / 1000 + 3000);
});

test('at_hash belongs to another access token', async () => {
  await provider.knobs({ id_token: 'at_hash' });
  assert.equal((await logIn()).claims.at_hash, Buffer.alloc(16, 7).toString('base64url'));
});

test('an endpoint can be slow', async () => {
  await provider.knobs({ delay_ms: { jwks: 300 } });
  const started = performance.now();
  await (await fetch(`${provider.issuer}/jwks`)).text();
  assert.ok(performance.now() - started >= 300);
});

test('an unknown knob is an error and changes nothing', async () => {
  await provider.knobs({ email: 'kept@example.test' });
  for (const body of [
    '{"emial":"x"}',
    '{"id_token":"unheard-of"}',
    '{"delay_ms":{"nowhere":1}}',
    '[]',
    'null',
    '{',
  ]) {
    const response = await fetch(`${provider.issuer}/__knobs`, { method: 'PUT', body });
    assert.equal(response.status, 400, body);
  }
  assert.equal((await (await fetch(`${provider.issuer}/__knobs`)).json()).email, 'kept@example.test');
  const reset = await fetch(`${provider.issuer}/__knobs`, { method: 'DELETE' });
  assert.equal('email' in (await reset.json()), false);
});
