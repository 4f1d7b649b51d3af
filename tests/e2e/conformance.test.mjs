/** The official conformance suite: what two revisions of MCP require of a server, and its authorization server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startAuthProxy } from './support/auth_proxy.mjs';
import { checksIn, failuresOf, readExpected, surprises } from './support/conformance.mjs';
import { register, signIn } from './support/oauth.mjs';
import { browse } from './support/person.mjs';
import { inRepository, nodeFirst, nodeTool } from './support/places.mjs';
import { Running, freePorts, run } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';

let stack;
let proxy;
const results = mkdtempSync(join(tmpdir(), 'vault-mcp-conformance-'));

before(async () => {
  stack = await Stack.start();
  const { access_token: token } = await signIn(stack.url);
  // The suite has no option for a token.
  proxy = await startAuthProxy(Number(new URL(stack.url).port), token);
});
after(async () => {
  rmSync(results, { recursive: true, force: true });
  await proxy?.stop();
  await stack?.stop();
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`what MCP ${revision} requires of a server, but for what is listed`, async () => {
    const folder = join(results, revision);
    const expected = inRepository(`tests/e2e/conformance/expected-failures-${revision}.yaml`);
    const args = ['--requirements', revision, '--expected-failures', expected, '-o', folder];
    const suite = await run(nodeTool('conformance'), ['server', '--url', `${proxy.url}/mcp`, ...args], {
      env: nodeFirst,
      cwd: results,
      timeout: 180_000,
    });
    const checks = checksIn(folder);
    const [, scenarios] = /\((\d+) scenarios\)/.exec(suite.output);
    assert.equal(checks.size, Number(scenarios));
    // The suite's own verdict leaves out what a revision does not count, and entries that were not reached.
    assert.deepEqual(surprises(checks, readExpected(expected)), []);
    assert.equal(suite.code, 0, suite.output);
  });
}

test('the list of expected failures is strict', () => {
  const check = (id, status) => ({ id, status, description: 'wrong' });
  const checks = new Map([
    ['ping', [check('ping', 'SUCCESS'), check('wire-schema-valid', 'SUCCESS')]],
    ['tools', [check('list', 'FAILURE'), check('call', 'WARNING'), check('skipped', 'SKIPPED')]],
    ['tasks', [check('create', 'FAILURE'), check('wire-schema-valid', 'SUCCESS')]],
  ]);
  assert.deepEqual(surprises(checks, ['tools:list', 'tools:call', 'tasks']), []);
  assert.deepEqual(surprises(checks, ['tools:list', 'tasks']), ['tools:call fails: wrong']);
  for (const stale of ['ping:ping', 'ping', 'tools:skipped', 'tools:absent', 'absent'])
    assert.deepEqual(surprises(checks, ['tools:list', 'tools:call', 'tasks', stale]), [
      `${stale} is listed and does not fail`,
    ]);
  checks.get('tasks').push(check('wire-schema-valid', 'FAILURE'));
  assert.deepEqual(surprises(checks, ['tools', 'tasks']), ['tasks:wire-schema-valid fails: wrong']);

  const path = join(results, 'expected.yaml');
  writeFileSync(
    path,
    '# why\nserver:\n  # group\n  - tools:list # calls a tool\n\n  - tasks # not offered\n',
  );
  assert.deepEqual(readExpected(path), ['tools:list', 'tasks']);
  writeFileSync(path, 'server:\n  - tools:list\n');
  assert.throws(() => readExpected(path), /not an entry with its reason/);
});

test('authorization server: metadata and code grant', async () => {
  const folder = join(results, 'authorization');
  const port = await freePorts(1);
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  const { client_id: clientId } = await register(stack.url, { redirect_uris: [redirectUri] });
  const args = ['--url', stack.url, '--client-id', clientId, '--resource', stack.mcp, '-p', String(port)];
  const suite = new Running(nodeTool('conformance'), ['authorization', ...args, '-o', folder], {
    env: nodeFirst,
  });
  const [url] = await suite.ready(/http:\/\/localhost:\d+\/authorize\?\S+/, 30_000);
  const { callback } = await browse(url, { until: redirectUri });
  await (await fetch(callback)).text();
  await suite.exited;
  const checks = checksIn(folder);
  assert.equal(checks.size, 2);
  for (const ofScenario of checks.values()) assert.ok(ofScenario.some(({ status }) => status === 'SUCCESS'));
  assert.deepEqual([...failuresOf(checks).values()], [], suite.output);
});
