/**
 * Which secrets pass between clients, the Worker, the login provider and GitHub, and the one answer that is meant to carry each.
 *
 * A secret is learned where it is first seen: from the configuration, from a request, or from the answer that hands it
 * out. What a client makes up itself is learned too: a code verifier is as good as the code.
 */

const isIssuedAt =
  (...paths) =>
  (exchange, place) =>
    place === 'body' && paths.includes(exchange.path);
const redirectsFrom =
  (...paths) =>
  (exchange, place) =>
    place === 'location' && paths.includes(exchange.path);
const nowhere = () => false;

/** Where a login begins: after a consent, given now or remembered, and at the page of a person's own grants. */
const BEGINNINGS = ['/consent', '/authorize', '/sessions/sign-in'];

/** By kind: whether it may stand at a place (`body`, or the name of a header) of the answer of an exchange. */
export const KINDS = Object.freeze({
  'access token': isIssuedAt('/token'),
  'refresh token': isIssuedAt('/token'),
  'client secret': isIssuedAt('/register'),
  'authorization code': redirectsFrom('/callback'),
  'code verifier': nowhere,
  // To the client again, when the person has logged in or denied, or when the request was wrong.
  "client's state": redirectsFrom('/callback', '/consent', '/authorize'),
  // Also to somebody else than the one whose consent was remembered.
  'consent handle': isIssuedAt('/authorize', '/callback'),
  'form token of a session': isIssuedAt('/sessions'),
  cookie: (_, place) => place === 'set-cookie',
  'state of a login': redirectsFrom(...BEGINNINGS),
  'nonce of a login': redirectsFrom(...BEGINNINGS),
  'code of the login provider': nowhere,
  'secret of the login provider': nowhere,
  'secret of GitHub': nowhere,
  'configured secret': nowhere,
});

/** Shorter texts are made up by tests (`x`, `nonsense`) and stand anywhere. */
const SHORTEST = 16;

const configured = /_(?:SECRET|TOKEN|KEY)$/;

/** Kind and text of each secret in the Worker's configuration. */
export const configuredSecrets = (values) =>
  Object.entries(values)
    .filter(([key]) => configured.test(key))
    .map(([, text]) => ['configured secret', text]);

function* inRequest(exchange) {
  const { path, query, fields } = exchange;
  for (const value of exchange.sentHeader('authorization')) {
    const [scheme, credentials = ''] = value.split(' ');
    if (/^bearer$/i.test(scheme)) yield ['access token', credentials];
    if (/^basic$/i.test(scheme))
      yield [
        'client secret',
        Buffer.from(credentials, 'base64').toString('utf8').split(':').slice(1).join(':'),
      ];
  }
  if (path === '/authorize') yield ["client's state", query.get('state')];
  if (path === '/callback') {
    yield ['code of the login provider', query.get('code')];
    yield ['state of a login', query.get('state')];
  }
  if (path === '/consent') yield ['consent handle', fields.get('handle')];
  for (const [field, kind] of [
    ['code', 'authorization code'],
    ['code_verifier', 'code verifier'],
    ['refresh_token', 'refresh token'],
    ['client_secret', 'client secret'],
    ['token', 'access token'],
    ['form_token', 'form token of a session'],
  ])
    yield [kind, fields.get(field)];
}

function* inAnswer(exchange) {
  const { path, json } = exchange;
  if (path === '/token') {
    yield ['access token', json.access_token];
    yield ['refresh token', json.refresh_token];
  }
  if (path === '/register') yield ['client secret', json.client_secret];
  // Notes may hold forms too.
  if (exchange.header('content-type')[0]?.startsWith('text/html'))
    for (const [, name, value] of exchange.body.matchAll(/name="(handle|form_token)" value="([^"]+)"/g))
      yield [name === 'handle' ? 'consent handle' : 'form token of a session', value];
  for (const line of exchange.header('set-cookie'))
    yield ['cookie', line.split(';')[0].split('=').slice(1).join('=')];
  const parameters = URL.parse(exchange.header('location')[0])?.searchParams;
  if (path === '/callback') yield ['authorization code', parameters?.get('code')];
  if (BEGINNINGS.includes(path)) {
    yield ['state of a login', parameters?.get('state')];
    yield ['nonce of a login', parameters?.get('nonce')];
  }
}

/** Kind and text of each secret that an exchange shows. */
export function* secretsOf(exchange) {
  yield* inRequest(exchange);
  yield* inAnswer(exchange);
}

/** Whether a text is long enough to be told from other text. */
export const isTellable = (text) => typeof text === 'string' && text.length >= SHORTEST;

/**
 * What gives a secret away: its beginning and its end, since shortened ones do too, and what Base64 makes of it at each
 * of three offsets. Of a text with dots (an issued token, a JWT, a cookie) the last part alone is secret.
 */
export function tracesOf(text) {
  const last = text.split('.').at(-1);
  const secret = isTellable(last) ? last : text;
  const encoded = ['', ' ', '  '].map((offset) =>
    Buffer.from(offset + secret)
      .toString('base64url')
      // The characters that belong to the neighbours as well.
      .slice(offset.length > 0 ? offset.length + 1 : 0, -2),
  );
  return [...new Set([secret.slice(0, SHORTEST), secret.slice(-SHORTEST), ...encoded])];
}
