/** The whole authorization code flow, as a public client with PKCE and a scripted person. */
import { createHash, randomBytes } from 'node:crypto';
import { browse } from './person.mjs';

const random = () => randomBytes(32).toString('base64url');

/** Where the client of these tests is called back. Nothing listens there: the redirect itself is what is looked at. */
export const REDIRECT_URI = 'http://localhost:53124/callback';

const form = (fields) => ({
  method: 'POST',
  body: new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined)),
});

/** Registers a public client (RFC 7591) and returns what the server said. */
export async function register(base, metadata = {}) {
  const response = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'end-to-end test',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
  if (response.status !== 201) throw new Error(`register: ${response.status} ${await response.text()}`);
  return response.json();
}

/** An authorization request and what is needed to redeem its code. */
export function authorizationRequest(base, clientId, parameters = {}) {
  const verifier = random();
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: random(),
    resource: `${base}/mcp`,
    ...parameters,
  };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== undefined));
  return {
    url: `${base}/authorize?${query}`,
    verifier,
    state: all.state,
    redirectUri: all.redirect_uri,
    clientId,
  };
}

/** Redeems a code: the token endpoint's status and answer. */
export async function exchange(base, { clientId, verifier, redirectUri }, code) {
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    resource: `${base}/mcp`,
  };
  const response = await fetch(`${base}/token`, form(fields));
  return { status: response.status, body: await response.json() };
}

/** Exchanges a refresh token, with a scope where one is given: the token endpoint's status and answer. */
export async function refresh(base, clientId, refreshToken, scope) {
  const response = await fetch(
    `${base}/token`,
    form({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
      resource: `${base}/mcp`,
      scope,
    }),
  );
  return { status: response.status, body: await response.json() };
}

/** Revokes a token (RFC 7009): the status. */
export async function revoke(base, clientId, token) {
  return (await fetch(`${base}/revoke`, form({ client_id: clientId, token }))).status;
}

/**
 * Registers, authorizes, and comes back: `{request, callback, pages}` or, where the person is not let through,
 * `{request, page, pages}`. Options are those of `browse`, and `parameters` of the authorization request.
 */
export async function authorize(base, { clientId, parameters, ...person } = {}) {
  const id = clientId ?? (await register(base)).client_id;
  const request = authorizationRequest(base, id, parameters);
  return { request, ...(await browse(request.url, { until: request.redirectUri, ...person })) };
}

/** A whole login: the token response, and `client_id` beside it. Throws where there is no way through. */
export async function signIn(base, options) {
  const { request, callback, page } = await authorize(base, options);
  if (!callback)
    throw new Error(
      `stopped at ${page.url}: ${page.status} ${page.html
        .replace(/<style[\s\S]*?<\/style>|<[^>]+>/g, ' ')
        .trim()
        .slice(0, 500)}`,
    );
  const code = callback.searchParams.get('code');
  if (!code) throw new Error(`came back without a code: ${callback.search}`);
  const { status, body } = await exchange(base, request, code);
  if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`);
  return { ...body, client_id: request.clientId };
}
