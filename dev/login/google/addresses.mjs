/** Google's addresses, and what the certified provider behind them calls the same. */

/** Google's issuer identifier. */
export const ISSUER = 'https://accounts.google.com';

const PAGES = 'accounts.google.com';

const endpoints = Object.freeze({
  authorization_endpoint: ['accounts.google.com', '/o/oauth2/v2/auth', '/auth'],
  token_endpoint: ['oauth2.googleapis.com', '/token', '/token'],
  userinfo_endpoint: ['openidconnect.googleapis.com', '/v1/userinfo', '/me'],
  jwks_uri: ['www.googleapis.com', '/oauth2/v3/certs', '/jwks'],
});

const DISCOVERY = '/.well-known/openid-configuration';

/** The hosts that have to be routed to the look-alike. */
export const hosts = Object.freeze([PAGES, ...new Set(Object.values(endpoints).map(([host]) => host))]);

/** Google's discovery document. Responses do carry `iss`, though it does not say so. */
export const discovery = Object.freeze({
  issuer: ISSUER,
  ...Object.fromEntries(
    Object.entries(endpoints).map(([name, [host, path]]) => [name, `https://${host}${path}`]),
  ),
  revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
  device_authorization_endpoint: 'https://oauth2.googleapis.com/device/code',
  response_types_supported: [
    'code',
    'token',
    'id_token',
    'code token',
    'code id_token',
    'token id_token',
    'code token id_token',
    'none',
  ],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid', 'email', 'profile'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  claims_supported: [
    'aud',
    'email',
    'email_verified',
    'exp',
    'family_name',
    'given_name',
    'iat',
    'iss',
    'name',
    'picture',
    'sub',
  ],
  code_challenge_methods_supported: ['plain', 'S256'],
});

/** The provider's own pages; what Google's are called is nobody's business. */
const isPage = (host, path) => host === PAGES && /^\/(interaction|auth)\//.test(path);

/** Controls are asked without a host: `/__knobs`, `/__seen`. */
const isControl = (path) => path.startsWith('/__');

/** What a request for `/HOST/PATH` is for the provider: `{host, url}`, or undefined where Google has nothing. */
export function inside(url) {
  if (isControl(url)) return { host: PAGES, url };
  const [, host, path, search = ''] = /^\/([^/?]+)(\/[^?]*)(\?.*)?$/s.exec(url) ?? [];
  if (host === undefined) return undefined;
  if (isPage(host, path) || (host === PAGES && path === DISCOVERY)) return { host, url: path + search };
  const found = Object.values(endpoints).find(([h, p]) => h === host && p === path);
  return found && { host, url: found[2] + search };
}
