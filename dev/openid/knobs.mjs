/**
 * What tests turn to make the provider misbehave. Everything else about it is a certified implementation, so a
 * login that a knob breaks is broken by that knob alone.
 *
 *   PUT    /__knobs   a JSON object: replaces all knobs; names it leaves out take their default
 *   GET    /__knobs   the knobs as they stand
 *   DELETE /__knobs   defaults
 *
 * An unknown name or value is answered 400, so a misspelt test cannot pass by testing nothing.
 */
import { readBody } from './body.mjs';

const boolean = (value) => typeof value === 'boolean';
const text = (value) => typeof value === 'string';
const count = (value) => Number.isSafeInteger(value) && value >= 0;
const nullable = (accepts) => (value) => value === null || accepts(value);
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
const perEndpoint = (accepts) => (value) =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, entry]) => name in endpoints && accepts(entry));

/** Names by which `delay_ms` and `status` mean an endpoint. */
export const endpoints = Object.freeze({
  discovery: '/.well-known/openid-configuration',
  jwks: '/jwks',
  authorization: '/auth',
  token: '/token',
  userinfo: '/me',
});

/** Ways to falsify an ID token; `tamper.mjs` says how each is done. */
export const idTokenFaults = Object.freeze([
  'iss',
  'nonce',
  'no_nonce',
  'aud',
  'several_aud',
  'azp',
  'exp',
  'nbf',
  'iat',
  'no_sub',
  'at_hash',
  'alg_none',
  'hs256',
  'bad_signature',
  'unknown_kid',
  'no_kid',
  'garbage',
  'missing',
]);

/** Every knob: its default (the user's own data, or no fault) and what it accepts. */
const definitions = {
  /** E-mail address instead of the user's; null leaves the claim out. */
  email: [undefined, nullable(text)],
  /** `email_verified` instead of the user's; null leaves the claim out; "true" is the string some providers send. */
  email_verified: [undefined, oneOf(true, false, null, 'true', 'false')],
  /** Where the e-mail facts are: both places, or userinfo alone (Authelia, Okta's organisation server). */
  email_claims: ['both', oneOf('both', 'userinfo')],
  /** Another subject for the same user, as after an address was given to somebody else. */
  sub: [undefined, text],
  /** Subject that userinfo names, when it must differ from the ID token's. */
  userinfo_sub: [undefined, text],
  /** One fault in the ID token. */
  id_token: [undefined, oneOf(...idTokenFaults)],
  /** Signing keys: `overlap` publishes both and signs with the second, `rotated` knows the second only. */
  keys: ['first', oneOf('first', 'overlap', 'rotated')],
  /** Issuer that the discovery document claims. */
  discovery_issuer: [undefined, text],
  /** Bytes of padding in the discovery document. */
  discovery_padding: [0, count],
  /** `iss` of the authorization response (RFC 9207): null leaves it out although it is advertised. */
  response_iss: [undefined, nullable(text)],
  /** Milliseconds that an endpoint waits before it answers. */
  delay_ms: [{}, perEndpoint(count)],
  /** HTTP status that an endpoint answers instead of working. */
  status: [{}, perEndpoint((value) => count(value) && value >= 400 && value <= 599)],
  /** Sends the browser over http://127.0.0.1:PORT and back before it sees the login page. */
  second_origin: [false, boolean],
};

/** The knobs of one provider. Names are those of `definitions`. */
export class Knobs {
  #values = {};

  constructor() {
    this.replace({});
  }

  /** The value of a knob. */
  get(name) {
    if (!(name in definitions)) throw new TypeError(`no knob ${name}`);
    return this.#values[name];
  }

  /** Takes the given knobs and defaults for the others. Throws a TypeError, and changes nothing, on an unknown one. */
  replace(given) {
    if (given === null || typeof given !== 'object' || Array.isArray(given))
      throw new TypeError('expected a JSON object');
    for (const [name, value] of Object.entries(given)) {
      if (!Object.hasOwn(definitions, name))
        throw new TypeError(
          `unknown knob ${JSON.stringify(name)}; known: ${Object.keys(definitions).join(', ')}`,
        );
      if (!definitions[name][1](value))
        throw new TypeError(`knob ${name} does not take ${JSON.stringify(value)}`);
    }
    this.#values = Object.fromEntries(
      Object.entries(definitions).map(([name, [initial]]) => [
        name,
        Object.hasOwn(given, name) ? given[name] : initial,
      ]),
    );
  }

  toJSON() {
    return this.#values;
  }
}

/** Middleware that serves `/__knobs`. */
export const knobControl = (knobs) => async (ctx, next) => {
  if (ctx.path !== '/__knobs') return next();
  try {
    if (ctx.method === 'PUT') knobs.replace(JSON.parse(await readBody(ctx.req)));
    else if (ctx.method === 'DELETE') knobs.replace({});
    else if (ctx.method !== 'GET') {
      ctx.status = 405;
      ctx.set('Allow', 'GET, PUT, DELETE');
      return;
    }
    ctx.body = knobs;
  } catch (error) {
    ctx.status = 400;
    ctx.body = { error: error.message };
  }
};
