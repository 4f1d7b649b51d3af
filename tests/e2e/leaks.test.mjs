/** The search for secrets that closes every stack: it finds each kind wherever it may not be, and only there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startRecording } from './support/exchanges.mjs';
import { inParts } from './support/files.mjs';
import { LeakSearch } from './support/leaks.mjs';
import { freePorts } from './support/processes.mjs';
import { KINDS, tracesOf } from './support/secrets.mjs';

const random = (length) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length)))
    .toString('base64url')
    .slice(0, length);
const issued = (kind) => `vmcp_${kind}_1.${random(22)}.${random(51)}`;

/** Answers each request as `answer` says, and plays the Worker. */
let server;
let answer;
let recording;
let url;
before(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(answer.status ?? 200, answer.headers ?? {});
    response.end(answer.body ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = await freePorts(1);
  recording = await startRecording({ port, upstream: server.address().port });
  url = `http://localhost:${port}`;
});
after(async () => {
  await recording?.stop();
  server?.close();
});

/** Sends one request, and looks at what was kept of it. */
async function leaksOf(path, init, answered, { learned = [], texts = [] } = {}) {
  answer = answered;
  recording.exchanges.length = 0;
  await (await fetch(url + path, { redirect: 'manual', ...init })).text();
  const search = new LeakSearch();
  search.learn(learned);
  return search.find({ exchanges: recording.exchanges, texts });
}

const post = (body) => ({ method: 'POST', body });
const form = (fields) => post(new URLSearchParams(fields));
const json = (body, headers) => ({ body: JSON.stringify(body), headers });
const redirect = (location) => ({ status: 302, headers: { location } });
const page = (name, value) => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<form><input type="hidden" name="${name}" value="${value}"></form>`,
});

/** By kind: how `secret` passes as it should, as a path, a request and an answer. */
const flows = {
  'access token': (secret) => ['/token', form({}), json({ access_token: secret })],
  'refresh token': (secret) => ['/token', form({ refresh_token: secret }), json({ refresh_token: secret })],
  'client secret': (secret) => ['/register', post('{}'), json({ client_secret: secret })],
  'authorization code': (secret) => ['/callback', {}, redirect(`https://client.example/cb?code=${secret}`)],
  'code verifier': (secret) => ['/token', form({ code_verifier: secret }), {}],
  "client's state": (secret) => [
    `/authorize?state=${secret}`,
    {},
    redirect(`https://client.example/?state=${secret}`),
  ],
  'consent handle': (secret) => ['/authorize', {}, page('handle', secret)],
  'form token of a session': (secret) => ['/sessions', {}, page('form_token', secret)],
  cookie: (secret) => [
    '/authorize',
    {},
    { headers: { 'set-cookie': `vmcp_consent_1=1700000000.${secret}; Path=/` } },
  ],
  'state of a login': (secret) => ['/consent', form({}), redirect(`https://login.example/?state=${secret}`)],
  'nonce of a login': (secret) => ['/consent', form({}), redirect(`https://login.example/?nonce=${secret}`)],
  'code of the login provider': (secret) => [
    `/callback?code=${secret}`,
    {},
    redirect('https://client.example/cb'),
  ],
};

test('every kind is learned from what passes', () =>
  assert.deepEqual(
    [...Object.keys(flows), 'secret of the login provider', 'secret of GitHub', 'configured secret'],
    Object.keys(KINDS),
  ));

for (const [kind, flow] of Object.entries(flows)) {
  test(`${kind}: found wherever it may not be, and only there`, async () => {
    const secret = { 'access token': issued('at'), 'authorization code': issued('ac') }[kind] ?? random(43);
    const [path, init, right] = flow(secret);
    assert.deepEqual(await leaksOf(path, init, right), []);

    const shown = `${kind} ${secret.slice(0, 10)}`;
    for (const spoken of [secret, secret.slice(-20), `"${Buffer.from(`a:${secret}`).toString('base64')}"`]) {
      const log = await leaksOf(path, init, right, { texts: [['the log', `GET /\nsaid ${spoken}\n`]] });
      assert.equal(log.length, 1, `${kind} as ${spoken}`);
      assert.ok(log[0].startsWith('the log, line 2: ') && log[0].includes(kind), log[0]);

      const headers = { ...right.headers, 'x-request': spoken };
      const [leak, ...more] = await leaksOf(path, init, { ...right, headers });
      assert.deepEqual(more, []);
      assert.ok(leak.includes(`${path.split('?')[0]} → `) && leak.includes(`x-request: ${kind}`), leak);
    }
    // In the body of another answer than the one that carries it.
    const [leak] = await leaksOf('/mcp', post('{}'), { body: `no ${secret}` }, { learned: [[kind, secret]] });
    assert.ok(leak?.includes(`POST /mcp → 200, body: ${shown}`), leak);
  });
}

test('a secret of the configuration, of the provider or of GitHub is found anywhere, compressed answers included', async () => {
  for (const kind of ['configured secret', 'secret of the login provider', 'secret of GitHub']) {
    const learned = [[kind, 'local-client-secret-0123456789']];
    const body = gzipSync(`{"error":"${learned[0][1]}"}`);
    const headers = { 'content-encoding': 'gzip' };
    for (const path of ['/token', '/register', '/callback', '/authorize', '/mcp', '/healthz']) {
      const leaks = await leaksOf(path, {}, { body, headers }, { learned });
      assert.equal(leaks.length, 1, path);
      assert.match(leaks[0], new RegExp(`${path} → 200, body: ${kind}`));
    }
  }
});

test('a database that is too large for one text is searched whole', () => {
  const secret = random(43);
  const search = new LeakSearch();
  search.learn([['configured secret', secret]]);
  const sizes = { part: 1_000, overlap: 64 };
  for (const at of [0, 500, 980, 999, 1_000, 1_990, 2_000, 2_957]) {
    const bytes = Buffer.alloc(3_000, '.');
    bytes.write(secret, at);
    const leaks = search.find({ texts: inParts('a database', bytes, sizes) });
    assert.ok(leaks.length > 0, `at byte ${at}`);
    assert.match(leaks[0], /^a database from byte \d+, line 1: configured secret/);
  }
  assert.deepEqual(search.find({ texts: inParts('a database', Buffer.alloc(3_000, '.'), sizes) }), []);
});

test('what a client sends that is too short to be a secret is none', async () => {
  const init = {
    ...form({ code: 'x', refresh_token: 'nonsense' }),
    headers: { authorization: 'Bearer junk' },
  };
  assert.deepEqual(await leaksOf('/token', init, { body: 'x nonsense junk' }), []);
});

test('a form in a note is no form of the server', async () => {
  const { body } = page('form_token', random(43));
  assert.deepEqual(await leaksOf('/mcp', post('{}'), json({ text: body })), []);
});

test('traces are secret themselves', () => {
  const token = issued('at');
  const [, , secret] = token.split('.');
  for (const trace of tracesOf(token)) {
    assert.ok(trace.length >= 16, trace);
    assert.ok(!`vmcp_at_1.${token.split('.')[1]}.`.includes(trace), trace);
  }
  assert.ok(tracesOf(token).includes(secret.slice(0, 16)));
});
