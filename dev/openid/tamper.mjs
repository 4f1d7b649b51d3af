/** Middleware that applies the knobs to what the certified provider answered. */
import { SignJWT, decodeJwt } from 'jose';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpoints } from './knobs.mjs';

const now = () => Math.floor(Date.now() / 1000);
const segment = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Changes to the claims, by the name of the fault. */
const claimFaults = {
  iss: (claims) => ({ ...claims, iss: 'https://issuer.invalid' }),
  nonce: (claims) => ({ ...claims, nonce: 'another-nonce' }),
  no_nonce: ({ nonce, ...claims }) => claims,
  aud: (claims) => ({ ...claims, aud: 'another-client' }),
  // Several audiences and no azp: OpenID Connect Core 3.1.3.7 rule 4.
  several_aud: ({ azp, ...claims }) => ({ ...claims, aud: [claims.aud, 'another-client'].flat() }),
  azp: (claims) => ({ ...claims, aud: [claims.aud, 'another-client'].flat(), azp: 'another-client' }),
  exp: (claims) => ({ ...claims, iat: now() - 7200, exp: now() - 3600 }),
  nbf: (claims) => ({ ...claims, nbf: now() + 3600 }),
  iat: (claims) => ({ ...claims, iat: now() + 3600, exp: now() + 7200 }),
  no_sub: ({ sub, ...claims }) => claims,
  at_hash: (claims) => ({ ...claims, at_hash: Buffer.alloc(16, 7).toString('base64url') }),
};

const sign = (claims, key, header) => new SignJWT(claims).setProtectedHeader(header).sign(key);

/** Ways to encode the claims other than an honest signature. */
const signatureFaults = {
  alg_none: (claims) => `${segment({ alg: 'none' })}.${segment(claims)}.`,
  // The classic confusion: an HMAC whose secret is the public key.
  hs256: (claims, keys) =>
    sign(claims, new TextEncoder().encode(keys.first.publicPem), { alg: 'HS256', kid: keys.first.kid }),
  bad_signature: (claims, keys) =>
    sign(claims, keys.unpublished.privateKey, { alg: 'RS256', kid: keys.first.kid }),
  unknown_kid: (claims, keys) =>
    sign(claims, keys.unpublished.privateKey, { alg: 'RS256', kid: keys.unpublished.kid }),
  no_kid: (claims, keys) => sign(claims, keys.first.privateKey, { alg: 'RS256' }),
  garbage: () => 'not.a.token',
};

/** The provider itself knows its users by one subject only. */
const asSubject = (claims, sub) => (sub === undefined ? claims : { ...claims, sub });

async function idToken(honest, knobs, keys) {
  const fault = knobs.get('id_token');
  const claims = (claimFaults[fault] ?? ((same) => same))(asSubject(decodeJwt(honest), knobs.get('sub')));
  if (signatureFaults[fault]) return signatureFaults[fault](claims, keys);
  const key = knobs.get('keys') === 'first' ? keys.first : keys.second;
  return sign(claims, key.privateKey, { alg: 'RS256', kid: key.kid });
}

/** What each endpoint's successful answer becomes. */
const answers = {
  discovery: (body, knobs) => ({
    ...body,
    ...(knobs.get('discovery_issuer') === undefined ? {} : { issuer: knobs.get('discovery_issuer') }),
    ...(knobs.get('discovery_padding') === 0 ? {} : { padding: 'x'.repeat(knobs.get('discovery_padding')) }),
  }),
  jwks: (body, knobs, keys) => ({
    keys: { first: [keys.first], overlap: [keys.first, keys.second], rotated: [keys.second] }[
      knobs.get('keys')
    ].map((key) => key.publicJwk),
  }),
  token: async (body, knobs, keys) => {
    const { id_token: honest, ...rest } = body;
    return knobs.get('id_token') === 'missing'
      ? rest
      : { ...rest, id_token: await idToken(honest, knobs, keys) };
  },
  userinfo: (body, knobs) => asSubject(body, knobs.get('userinfo_sub') ?? knobs.get('sub')),
};

/** `iss` of the redirect back to the client, when that is where the answer goes. */
function responseIss(ctx, knobs, client) {
  const location = ctx.response.get('Location');
  const iss = knobs.get('response_iss');
  if (iss === undefined || !location?.startsWith(client)) return;
  const url = new URL(location);
  if (iss === null) url.searchParams.delete('iss');
  else url.searchParams.set('iss', iss);
  ctx.set('Location', url.href);
}

/** Delays, failures and falsified answers. `client` is where authorization responses go. */
export const tamper = (knobs, keys, client) => async (ctx, next) => {
  const endpoint = Object.keys(endpoints).find((name) => endpoints[name] === ctx.path);
  await sleep(knobs.get('delay_ms')[endpoint] ?? 0);
  const status = knobs.get('status')[endpoint];
  if (status !== undefined) {
    ctx.status = status;
    ctx.body = { error: 'server_error', error_description: 'a knob says so' };
    return;
  }
  await next();
  responseIss(ctx, knobs, client);
  if (ctx.status === 200 && answers[endpoint]) ctx.body = await answers[endpoint](ctx.body, knobs, keys);
};

/**
 * Middleware for `second_origin`: an authorization request first travels over another origin of this same server.
 * Login providers do that, and a browser holds every hop of the chain to the `form-action` of the page that
 * started it.
 */
export const secondOrigin =
  (knobs, { issuer, other }) =>
  async (ctx, next) => {
    if (!knobs.get('second_origin')) return next();
    if (ctx.path === endpoints.authorization && ctx.query.hop === undefined)
      return ctx.redirect(`${other}/__hop${ctx.search}`);
    if (ctx.path === '/__hop')
      return ctx.redirect(`${issuer}${endpoints.authorization}${ctx.search}&hop=done`);
    return next();
  };
