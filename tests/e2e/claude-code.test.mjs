/** The real Claude Code: adding the server, logging in, agent turns through all tools, logging out. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ClaudeCode } from './support/claude.mjs';
import {
  bytesAt,
  changesOf,
  commitOf,
  filesOf,
  headOf,
  isVisibleNote,
  repositoryIn,
} from './support/git.mjs';
import { READING_TOOLS, TOOLS } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { SearchOracle } from './support/search_oracle.mjs';
import { Stack } from './support/stack.mjs';

const NOTE = 'Projects/Boat refit/Boat refit.md';
const qualified = (names) => names.map((name) => `mcp__vault__${name}`);

let stack;
let claude;
before(async () => {
  // Claude Code names itself by a document that is not to be fetched from here: the pinned copy stands in for it.
  stack = await Stack.start({ routes: {} });
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

test('an agent lists, searches, reads, writes and deletes', async () => {
  const repository = repositoryIn(stack.gitState);
  const first = headOf(repository);
  const files = filesOf(repository, first);
  const note = files.find(({ path }) => path === NOTE);
  const unwanted = files.find(({ path }) => path === 'Templates/Book.md');
  const content = `${note.bytes}\n- [ ] paint the tiller *ochre*\n`;
  const { code, output, results, offered } = await claude.turn('vault', [
    { tool: 'list_notes', input: {} },
    { tool: 'search_notes', input: { query: 'lantern', limit: 100 } },
    { tool: 'read_note', input: { path: NOTE } },
    { tool: 'read_note', input: { path: 'Projects/.private/secret.md' } },
    {
      tool: 'write_note',
      input: { path: NOTE, content, expected_revision: note.revision, message: 'Add the tiller' },
    },
    { tool: 'search_notes', input: { query: 'tiller ochre', dir: 'Projects' } },
    { tool: 'write_note', input: { path: NOTE, content: 'lost', expected_revision: note.revision } },
    { tool: 'delete_note', input: { path: unwanted.path, expected_revision: unwanted.revision } },
    { tool: 'read_note', input: { path: unwanted.path } },
  ]);
  assert.equal(code, 0, output);
  assert.deepEqual(offered.filter((name) => name.startsWith('mcp__vault__')).sort(), qualified(TOOLS).sort());
  const facts = ({ isError, texts: [text] }) => {
    assert.equal(isError, false, text);
    return JSON.parse(text);
  };
  const [list, search, read, hidden, wrote, found, stale, deleted, gone] = results;

  assert.equal(facts(list).total, files.filter(isVisibleNote).length);
  const notes = files
    .filter(isVisibleNote)
    .map(({ path, bytes }) => ({ path, text: bytes.toString('utf8') }));
  const expected = new SearchOracle(notes).find('lantern');
  assert.ok(expected.length > 1);
  assert.deepEqual(
    facts(search)
      .hits.map(({ path }) => path)
      .sort(),
    expected,
  );
  assert.equal(facts(read).revision, note.revision);
  assert.equal(read.texts[1], note.bytes.toString('utf8'));
  assert.deepEqual([hidden.isError, /NOT_FOUND/.test(hidden.texts[0])], [true, true]);

  const { commit: change, replaced } = facts(wrote);
  assert.equal(replaced.revision, note.revision);
  assert.deepEqual(commitOf(repository, change), {
    parents: [first],
    author: 'owner@example.test <owner@example.test>',
    committer: 'owner@example.test <owner@example.test>',
    subject: 'Add the tiller',
    trailers: 'Vault-Client: Claude Code',
  });
  assert.equal(bytesAt(repository, change, NOTE).toString('utf8'), content);
  assert.deepEqual(
    facts(found).hits.map(({ path }) => path),
    [NOTE],
  );
  assert.deepEqual([stale.isError, /CONFLICT/.test(stale.texts[0])], [true, true]);

  const { commit: deletion } = facts(deleted);
  assert.equal(headOf(repository), deletion);
  const { parents, trailers } = commitOf(repository, deletion);
  assert.deepEqual([parents, trailers], [[change], 'Vault-Client: Claude Code']);
  assert.deepEqual(changesOf(repository, deletion), [{ change: 'D', path: unwanted.path }]);
  assert.deepEqual([gone.isError, /NOT_FOUND/.test(gone.texts[0])], [true, true]);
});

test('`mcp logout` revokes the login', async () => {
  const { code, output } = await claude.mcp('logout', 'vault');
  assert.equal(code, 0, output);
  assert.match((await claude.mcp('list')).output, /vault: .*Needs authentication/);
});

test('a read-only login offers no way to write', async () => {
  const { code, output } = await claude.login('vault', { E2E_READ_ONLY: 'yes' });
  assert.equal(code, 0, output);
  const repository = repositoryIn(stack.gitState);
  const head = headOf(repository);
  const { results, offered } = await claude.turn('vault', [
    { tool: 'read_note', input: { path: NOTE } },
    { tool: 'delete_note', input: { path: NOTE } },
  ]);
  assert.deepEqual(
    offered.filter((name) => name.startsWith('mcp__vault__')).sort(),
    qualified(READING_TOOLS).sort(),
  );
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, true],
  );
  assert.equal(headOf(repository), head);
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
