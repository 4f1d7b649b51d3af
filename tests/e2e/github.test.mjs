/** GitHub's moods through the built Worker: pushes from elsewhere, refused tokens, limits, outages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { inRepository } from './support/places.mjs';
import { Stack } from './support/stack.mjs';

/** A token that the look-alike knows. */
const token = (name) => `github_pat_LOCAL0000000000000000_${name}`;

/** How old an answer may be: a look at the branch is trusted for ten seconds. */
const FRESHNESS = 10_000;

let stack;
let client;
before(async () => {
  stack = await Stack.start();
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
});
after(() => stack?.stop());

/** Calls until `accept` holds of the answer, for as long as freshness may take. */
async function eventually(call, accept) {
  const deadline = Date.now() + FRESHNESS + 5_000;
  for (;;) {
    const answer = await call();
    if (accept(answer)) return answer;
    if (Date.now() > deadline) assert.fail(`still ${JSON.stringify(answer).slice(0, 500)}`);
    await sleep(250);
  }
}

test('a push from another device shows in lists and reads, a deletion too', async () => {
  const before = await client.allNotes({ dir: 'Daily' });
  const path = 'Daily/2026-11-28.md';
  const { commit } = await stack.push([{ put: path, text: 'Written on the telephone.\r\n' }]);
  const read = await eventually(
    () => client.call('read_note', { path }),
    ({ isError }) => !isError,
  );
  assert.equal(read.content[1].text, 'Written on the telephone.\r\n');
  assert.equal(JSON.parse(read.content[0].text).commit, commit);
  assert.deepEqual((await client.allNotes({ dir: 'Daily' })).totals, [before.totals[0] + 1]);

  await stack.push([{ delete: path }]);
  const gone = await eventually(
    () => client.call('read_note', { path }),
    ({ isError }) => isError,
  );
  assert.match(gone.content[0].text, /^NOT_FOUND\b/);
  assert.deepEqual((await client.allNotes({ dir: 'Daily' })).totals, before.totals);
});

/** The look-alike's app, in place of a token. */
const APP = {
  VAULT_GITHUB_APP_ID: '100001',
  VAULT_GITHUB_APP_INSTALLATION_ID: '200002',
  VAULT_GITHUB_APP_PRIVATE_KEY: readFileSync(inRepository('dev/keys/app.pkcs1.pem'), 'utf8'),
};

const USUAL = {
  VAULT_REPO: 'vault',
  VAULT_BRANCH: 'main',
  VAULT_GITHUB_TOKEN: token('lookalike'),
  ...Object.fromEntries(Object.keys(APP).map((key) => [key, undefined])),
};

/** Runs `work` with the Worker restarted as usual but for `overrides`. */
async function during(overrides, work) {
  await stack.restart({ ...USUAL, ...overrides });
  try {
    await work();
  } finally {
    await stack.switches({});
  }
}

test('an empty repository is a vault without notes', () =>
  during({ VAULT_REPO: 'empty', VAULT_GITHUB_TOKEN: token('every') }, async () => {
    const { facts } = await client.tool('list_notes', {});
    assert.deepEqual([facts.total, facts.notes], [0, []]);
  }));

// Each case has a branch of its own, of which nothing is known yet.
for (const [name, { overrides = {}, switches = {} }, code, says] of [
  [
    'an expired token',
    { overrides: { VAULT_GITHUB_TOKEN: token('expired') } },
    'UPSTREAM_DENIED',
    /VAULT_GITHUB_TOKEN/,
  ],
  [
    'a token without contents',
    { overrides: { VAULT_GITHUB_TOKEN: token('nocontents') } },
    'UPSTREAM_DENIED',
    /contents/i,
  ],
  [
    'a token for another repository',
    { overrides: { VAULT_GITHUB_TOKEN: token('other') } },
    'UPSTREAM_DENIED',
    /VAULT_REPO|VAULT_GITHUB_TOKEN/,
  ],
  ['a branch that is missing', { overrides: { VAULT_BRANCH: 'nowhere' } }, 'UPSTREAM_DENIED', /VAULT_BRANCH/],
  ['an outage', { switches: { fail_reads: true } }, 'UPSTREAM_UNAVAILABLE', /again/],
  [
    'a used up hourly limit',
    { switches: { primary_limit: { reset_in: 600 } } },
    'RATE_LIMITED',
    /\b(59\d|600|60\d)\b/,
  ],
  [
    'a secondary limit',
    { switches: { secondary_limit: { status: 429, retry_after: 7 } } },
    'RATE_LIMITED',
    /\b[678]\b/,
  ],
]) {
  test(`${name} is ${code} and says what to do`, async () => {
    const branch = `cold-${code}-${name}`.replaceAll(/[^a-z]+/gi, '-');
    await stack.push([{ put: 'Note.md', text: 'x' }], branch);
    await during({ VAULT_BRANCH: branch, ...overrides }, async () => {
      await stack.switches(switches);
      for (const [tool, args] of [
        ['list_notes', {}],
        ['read_note', { path: 'Note.md' }],
      ]) {
        const { isError, content } = await client.call(tool, args);
        assert.equal(isError, true, `${tool}: ${JSON.stringify(content)}`);
        assert.match(content[0].text, new RegExp(`^${code}\\b`));
        assert.match(content[0].text, says);
        assert.doesNotMatch(content[0].text, /github_pat_/);
      }
    });
  });
}

test('a GitHub App lists, reads and writes in place of a token', async () => {
  // A stack of its own: other branches have indexes too, which buy tokens when they have something to do.
  const own = await Stack.start({ overrides: { ...APP, VAULT_GITHUB_TOKEN: undefined } });
  try {
    await own.push([{ put: 'Note.md', text: 'x' }]);
    const app = new McpClient(own.mcp, (await signIn(own.url)).access_token);
    assert.ok((await app.allNotes()).notes.some(({ path }) => path === 'Note.md'));
    assert.equal((await app.tool('read_note', { path: 'Note.md' })).texts[0], 'x');
    await app.tool('write_note', { path: 'Note.md', content: 'y' });
    assert.equal((await app.tool('read_note', { path: 'Note.md' })).texts[0], 'y');
    const bought = (await own.requests()).filter(({ path }) => path.endsWith('/access_tokens'));
    assert.deepEqual(
      bought.map(({ status }) => status),
      [201, 201],
    );
    // The search for leaks at the end knows what passed here.
    const secrets = await own.githubSecrets();
    assert.equal(secrets.filter((secret) => secret.startsWith('ghs_')).length, 2);
    assert.equal(secrets.filter((secret) => secret.startsWith('ey') && secret.split('.').length === 3).length, 1);
  } finally {
    await own.stop();
  }
});

test('a GitHub App that may do more than it needs is told what to take away', async () => {
  const installation = await stack.installation();
  await stack.installation({ ...installation, permissions: { ...installation.permissions, issues: 'write' } });
  try {
    const branch = 'by-a-wide-app';
    await stack.push([{ put: 'Note.md', text: 'x' }], branch);
    await during({ ...APP, VAULT_GITHUB_TOKEN: undefined, VAULT_BRANCH: branch }, async () => {
      const { isError, content } = await client.call('list_notes', {});
      assert.ok(isError);
      assert.match(content[0].text, /^UPSTREAM_DENIED: .*may do more.*issues: write/);
    });
  } finally {
    await stack.installation(installation);
  }
});

test('after all that the vault is served again', () =>
  during({}, async () => {
    assert.ok((await client.allNotes()).notes.length > 40);
  }));
