/** What counts as proof of what a client did: the judge of `cargo xtask conformance --all`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proofOf } from '../clients/proof.mjs';

const form = (fields) => ({ fields: new URLSearchParams(fields) });

/** An exchange as `support/exchanges.mjs` shows it. */
const exchange = (path, given) => ({
  path,
  status: 200,
  query: new URLSearchParams(),
  fields: new URLSearchParams(),
  json: {},
  header: () => ['application/json'],
  sentHeader: () => [],
  ...given,
});

const rpc = (method, result, { token = 'first', status = 200 } = {}) =>
  exchange('/mcp', {
    status,
    sent: JSON.stringify({ id: 1, method, params: {} }),
    body: JSON.stringify({ id: 1, result }),
    sentHeader: (name) => [name === 'authorization' ? `Bearer ${token}` : '2026-07-28'],
  });

const login = exchange('/token', {
  ...form({ grant_type: 'authorization_code' }),
  json: { access_token: 'first' },
});
const refresh = exchange('/token', {
  ...form({ grant_type: 'refresh_token' }),
  json: { access_token: 'second' },
});
const list = rpc('tools/list', { tools: [{ name: 'read_note' }] });
const call = rpc('tools/call', { content: [] });
const steps = (...exchanges) => proofOf(exchanges).steps;

test('each step is seen where it was taken', () => {
  assert.deepEqual(steps(login), ['login']);
  assert.deepEqual(steps(login, list, call), ['login', 'list', 'call']);
  assert.deepEqual(steps(refresh, rpc('tools/call', { content: [] }, { token: 'second' })), [
    'call',
    'refresh',
  ]);
  assert.deepEqual(steps(exchange('/revoke', form({ token: 'vmcp_rt_1.x.y' }))), ['logout']);
  assert.deepEqual(proofOf([list, call]).versions, ['2026-07-28']);
});

test('what was refused, failed, or was never used proves nothing', () => {
  for (const [why, ...exchanges] of [
    ['a token endpoint that refused', { ...login, status: 400 }],
    ['an empty list', rpc('tools/list', { tools: [] })],
    ['a list without a valid token', rpc('tools/list', { tools: [{}] }, { status: 401 })],
    ['an error of the tool', rpc('tools/call', { content: [], isError: true })],
    ['an error of the protocol', rpc('tools/call', undefined)],
    ['a refresh whose token was not used', refresh],
    ['the end of an access token', exchange('/revoke', form({ token: 'vmcp_at_1.x.y' }))],
    [
      'a revocation that was refused',
      exchange('/revoke', { ...form({ token: 'vmcp_rt_1.x.y' }), status: 401 }),
    ],
  ])
    assert.deepEqual(steps(...exchanges), [], why);
});

test('how a client named itself', () => {
  const asked = (id) => exchange('/authorize', { query: new URLSearchParams({ client_id: id }) });
  const registered = exchange('/register', { status: 201, json: { client_id: 'dcr_1' } });
  for (const [exchanges, expected] of [
    [[registered, asked('dcr_1')], 'registration'],
    [[registered, asked('dcr_2')], 'nothing'],
    [[registered, asked('https://client.example/metadata.json')], 'document'],
    [[registered], 'nothing'],
  ])
    assert.equal(proofOf(exchanges).identification, expected);
});
