/**
 * The official conformance suite: the scenarios that need no fixture tools, and those for authorization servers.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startAuthProxy } from './support/auth_proxy.mjs';
import { register, signIn } from './support/oauth.mjs';
import { browse } from './support/person.mjs';
import { nodeFirst, nodeTool } from './support/places.mjs';
import { Running, freePorts, run } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';

/** Scenario by scenario, the checks that cannot pass without the suite's own tools. */
const SCENARIOS = {
  'server-initialize': [],
  ping: [],
  'tools-list': [],
  'server-session-lifecycle': [],
  'server-stateless': [
    // These call `test_missing_capability`, `test_streaming_elicitation` and `test_logging_tool`.
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  'dns-rebinding-protection': [],
  'http-header-validation': [],
  'server-sse-multiple-streams': [],
  'input-required-result-unsupported-methods': [],
};

let stack;
let proxy;
const results = mkdtempSync(join(tmpdir(), 'vault-mcp-conformance-'));

before(async () => {
  stack = await Stack.start();
  const { access_token: token } = await signIn(stack.url);
  proxy = await startAuthProxy(Number(new URL(stack.url).port), token);
});
after(async () => {
  rmSync(results, { recursive: true, force: true });
  await proxy?.stop();
  await stack?.stop();
});

/** The checks that a run wrote below `folder`, of as many scenarios as it had. */
function checksIn(folder, scenarios = 1) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('checks.json'));
  assert.equal(files.length, scenarios, `results in ${folder}`);
  const checks = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  for (const ofScenario of checks) assert.ok(ofScenario.length > 0, 'the scenario checked something');
  return checks.flat();
}

/** Identifiers of the failed checks, each once; what was wrong with the unexpected ones is printed. */
function failuresOf(checks, expected = []) {
  const failures = checks.filter(({ status }) => status === 'FAILURE');
  for (const { id, description, errorMessage } of failures)
    if (!expected.includes(id)) console.error(`${id}: ${description} ${errorMessage ?? ''}`);
  return [...new Set(failures.map(({ id }) => id))].sort();
}

describe('MCP server', () => {
  for (const [scenario, expected] of Object.entries(SCENARIOS)) {
    test(scenario, async () => {
      const folder = join(results, scenario);
      const args = ['server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, '-o', folder];
      await run(nodeTool('conformance'), args, { env: nodeFirst });
      assert.deepEqual(failuresOf(checksIn(folder), expected), [...expected].sort());
    });
  }
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
  const checks = checksIn(folder, 2);
  assert.deepEqual(failuresOf(checks), [], suite.output);
  const warnings = checks.filter(({ status }) => status === 'WARNING').map(({ id }) => id);
  assert.deepEqual(warnings, []);
});
