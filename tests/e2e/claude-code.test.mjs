/** The real Claude Code: adding the server, logging in, an agent turn, logging out. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ClaudeCode } from './support/claude.mjs';
import { filesOf, headOf, isVisibleNote, repositoryIn } from './support/git.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const NOTE = 'Projects/Boat refit/Boat refit.md';

let stack;
let claude;
before(async () => {
  stack = await Stack.start();
  claude = new ClaudeCode();
});
after(async () => {
  claude?.remove();
  await stack?.stop();
});

// The tests of this file are one story: each starts where the one before it ended.

test('after `mcp add` the server needs authentication', async () => {
  const added = await claude.mcp('add', '--transport', 'http', 'vault', stack.mcp);
  assert.equal(added.code, 0, added.output);
  const { output } = await claude.mcp('list');
  assert.match(output, /vault: .*Needs authentication/);
});

test('`mcp login` reports a denial', async () => {
  const { code, output } = await claude.login('vault', { E2E_DECISION: 'deny' });
  assert.equal(code, 1, output);
  assert.match(output, /access_denied/);
});

test('`mcp login` goes through consent and login', async () => {
  const { code, output } = await claude.login('vault');
  assert.equal(code, 0, output);
});

test('then it is connected', async () => {
  const { output } = await claude.mcp('list');
  assert.match(output, /vault: .*Connected/);
});

test('an agent lists and reads the vault', async () => {
  const repository = repositoryIn(stack.gitState);
  const files = filesOf(repository, headOf(repository));
  const { code, output, results, offered } = await claude.turn('vault', [
    { tool: 'list_notes', input: {} },
    { tool: 'read_note', input: { path: NOTE } },
    { tool: 'read_note', input: { path: 'Projects/.private/secret.md' } },
  ]);
  assert.equal(code, 0, output);
  assert.ok(offered.includes('mcp__vault__list_notes'), offered.join());
  const [list, read, hidden] = results;
  assert.equal(JSON.parse(list.texts[0]).total, files.filter(isVisibleNote).length);
  const note = files.find(({ path }) => path === NOTE);
  assert.equal(JSON.parse(read.texts[0]).revision, note.revision);
  assert.equal(read.texts[1], note.bytes.toString('utf8'));
  assert.deepEqual([hidden.isError, /NOT_FOUND/.test(hidden.texts[0])], [true, true]);
});

test('`mcp logout` revokes the login', async () => {
  const { code, output } = await claude.mcp('logout', 'vault');
  assert.equal(code, 0, output);
  assert.match((await claude.mcp('list')).output, /vault: .*Needs authentication/);
});

test('a bearer token in a header works as well', async () => {
  const { access_token: token } = await signIn(stack.url);
  await claude.mcp(
    'add',
    '--transport',
    'http',
    'static',
    stack.mcp,
    '--header',
    `Authorization: Bearer ${token}`,
  );
  assert.match((await claude.mcp('list')).output, /static: .*Connected/);
});
