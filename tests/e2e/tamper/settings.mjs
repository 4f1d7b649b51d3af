/**
 * Ways in which a provider misbehaves, as knobs of the local one (dev/openid/knobs.mjs).
 *
 *   says      what it does, for a person
 *   knobs     how it is made to
 *   stricter  why this server refuses what the certified client accepts; without it, both judge alike
 *   cold      the Worker has to start anew: what it knows of a provider it keeps for an hour
 */

const EMAIL = 'the standard leaves it to the application what an e-mail address is worth';
const TIME = 'a server that a person waits for gives up after ten seconds';

/** The settings with which the certified client itself was examined. */
const examined = [
  { says: 'nothing wrong', knobs: {} },
  { says: '`email_verified` is `false`', knobs: { email_verified: false }, stricter: EMAIL },
  { says: 'no `email_verified`', knobs: { email_verified: null }, stricter: EMAIL },
  { says: 'no `email`', knobs: { email: null }, stricter: EMAIL },
  { says: '`iss` of the ID token is another issuer', knobs: { id_token: 'iss' } },
  { says: '`nonce` is that of another login', knobs: { id_token: 'nonce' } },
  { says: 'no `nonce`', knobs: { id_token: 'no_nonce' } },
  { says: '`aud` is another client', knobs: { id_token: 'aud' } },
  { says: '`exp` was an hour ago', knobs: { id_token: 'exp' } },
  { says: 'no `sub`', knobs: { id_token: 'no_sub' } },
  { says: 'several audiences, and `azp` is another client', knobs: { id_token: 'azp' } },
  { says: 'the ID token is not signed (`alg: none`)', knobs: { id_token: 'alg_none' } },
  { says: 'the ID token is signed by HS256 with the public key for a secret', knobs: { id_token: 'hs256' } },
  { says: 'the signature is by another key', knobs: { id_token: 'bad_signature' } },
  { says: '`kid` is that of a key that is not published', knobs: { id_token: 'unknown_kid' }, cold: true },
  { says: 'the keys were changed for new ones', knobs: { keys: 'rotated' }, cold: true },
  {
    says: 'the discovery document names another issuer',
    knobs: { discovery_issuer: 'https://issuer.invalid' },
    cold: true,
  },
];

/** What else can be wrong with tokens and claims. */
const claims = [
  { says: 'several audiences, and no `azp`', knobs: { id_token: 'several_aud' } },
  { says: '`nbf` is an hour ahead', knobs: { id_token: 'nbf' } },
  {
    says: '`iat` is an hour ahead',
    knobs: { id_token: 'iat' },
    stricter: 'the standard lets a client judge `iat`; a token of the future is none that was just issued',
  },
  {
    says: '`at_hash` is that of another access token',
    knobs: { id_token: 'at_hash' },
    stricter:
      'the standard makes the check optional in the code flow; a token that was swapped is seen by it',
  },
  { says: 'the ID token is no token', knobs: { id_token: 'garbage' } },
  { says: 'no ID token', knobs: { id_token: 'missing' } },
  { says: 'no `kid`, and one key', knobs: { id_token: 'no_kid' } },
  { says: 'old and new keys overlap', knobs: { keys: 'overlap' }, cold: true },
  { says: '`email_verified` is the text `"true"`', knobs: { email_verified: 'true' } },
  { says: '`email_verified` is the text `"false"`', knobs: { email_verified: 'false' }, stricter: EMAIL },
  { says: 'the address in other letter case', knobs: { email: 'Owner@Example.TEST' } },
  {
    says: 'the same address for another subject than at the first login',
    knobs: { sub: 'somebody-else' },
    stricter: 'a listed address stays with the account that first logged in with it',
  },
  { says: 'address and `email_verified` in userinfo alone', knobs: { email_claims: 'userinfo' } },
  {
    says: 'userinfo, where it is needed, is about somebody else',
    knobs: { email_claims: 'userinfo', userinfo_sub: 'somebody-else' },
  },
];

/** What can be wrong with the answers themselves. */
const answers = [
  { says: '`iss` of the response is another issuer', knobs: { response_iss: 'https://issuer.invalid' } },
  { says: 'no `iss` in the response, though promised', knobs: { response_iss: null } },
  { says: 'a discovery document of 200 kB', knobs: { discovery_padding: 200_000 }, cold: true },
  {
    says: 'a discovery document of 300 kB',
    knobs: { discovery_padding: 300_000 },
    cold: true,
    stricter: 'no document that a login needs is over 256 KiB',
  },
  ...['discovery', 'jwks', 'token'].map((endpoint) => ({
    says: `status 503 from \`${endpoint}\``,
    knobs: { status: { [endpoint]: 503 } },
    cold: endpoint !== 'token',
  })),
  {
    says: 'status 503 from `userinfo`, where it is needed',
    knobs: { email_claims: 'userinfo', status: { userinfo: 503 } },
  },
  ...['discovery', 'jwks', 'token'].map((endpoint) => ({
    says: `11 seconds until \`${endpoint}\` answers`,
    knobs: { delay_ms: { [endpoint]: 11_000 } },
    cold: endpoint !== 'token',
    stricter: TIME,
  })),
  {
    says: '11 seconds until `userinfo` answers, where it is needed',
    knobs: { email_claims: 'userinfo', delay_ms: { userinfo: 11_000 } },
    stricter: TIME,
  },
];

/** All settings, in parts with a title each. */
export const parts = Object.freeze([
  ['What the certified client was examined with', examined],
  ['Tokens and claims', claims],
  ['Answers', answers],
]);
