/** read_note of parts, of several notes, of the past, and with what links where: git is the witness. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bytesAt, headOf, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const BOAT = 'Projects/Boat refit/Boat refit.md';

let stack;
let client;
let repository;
before(async () => {
  stack = await Stack.start();
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
  await client.tool('list_notes', { limit: 1 });
  repository = repositoryIn(stack.gitState);
});
after(() => stack?.stop());

const inGit = (path, commit = headOf(repository)) => bytesAt(repository, commit, path).toString('utf8');

test('a section is the bytes between two headings, and the outline names them all', async () => {
  const text = inGit(BOAT);
  const { facts, texts } = await client.tool('read_note', { path: BOAT, section: 'Plan' });
  assert.deepEqual(texts, [text.slice(text.indexOf('## Plan\n'), text.indexOf('## Log\n'))]);
  assert.equal((await client.tool('read_note', { path: BOAT, lines: facts.lines })).texts[0], texts[0]);
  const { facts: all, texts: none } = await client.tool('read_note', { path: BOAT, outline: true });
  const headings = [...text.matchAll(/^(#+) (.*)$/gmu)].map(([, marks, title]) => [marks.length, title]);
  assert.deepEqual([all.outline.map(({ level, text: title }) => [level, title]), none], [headings, []]);
  assert.match(
    await client.refusal('read_note', { path: BOAT, section: 'Paint' }),
    /^NOT_FOUND: .*"Log" \(line \d+\)/,
  );
});

test('several notes are of one commit; what is hidden is as what is missing', async () => {
  const paths = ['Index.md', '.trash/old.md', BOAT, 'No such note.md', 'Inbox.md'];
  const { facts, texts } = await client.tool('read_note', { paths });
  assert.equal(facts.commit, headOf(repository));
  assert.deepEqual(texts, ['Index.md', BOAT, 'Inbox.md'].map((path) => inGit(path)));
  const [hidden, missing] = [1, 3].map((at) => facts.notes[at].error.replace(paths[at], ''));
  assert.match(hidden, /^NOT_FOUND: /);
  assert.equal(hidden, missing);
});

test('links lead to notes, and backlinks come from visible ones only', async () => {
  const include = ['frontmatter', 'links', 'backlinks'];
  const { facts } = await client.tool('read_note', { path: BOAT, include });
  assert.equal(facts.frontmatter.status, 'active');
  const leads = Object.fromEntries(facts.links.links.map(({ target, path }) => [target, path]));
  assert.equal(leads['Engine#Open questions'], 'Projects/Boat refit/Engine.md');
  assert.equal(leads['Shopping list'], 'Projects/Boat refit/Shopping list.md');
  assert.equal(leads['tide-gauge.png'], null);
  const index = facts.backlinks.notes.find(({ path }) => path === 'Index.md');
  assert.match(inGit('Index.md').split('\n')[index.line - 1], /\[\[Projects\/Boat refit\/Boat refit\|/);

  // A hidden note links to the index.
  assert.match(inGit('.obsidian/plugins/x.md'), /\[\[Index\]\]/);
  const { facts: start } = await client.tool('read_note', { path: 'Index.md', include: 'backlinks' });
  assert.equal(start.backlinks.total, start.backlinks.notes.length);
  assert.deepEqual(start.backlinks.notes.filter(({ path }) => /(^|\/)\./.test(path)), []);
});

test('a deleted note is read at the commit that held it', async () => {
  const path = 'Inbox/For a moment.md';
  const content = '# For a moment\n\n[[Index]]\n';
  const { facts: made } = await client.tool('write_note', { path, content });
  const linking = async () =>
    (await client.tool('read_note', { path: 'Index.md', include: ['backlinks'] })).facts.backlinks.notes;
  assert.ok((await linking()).some((note) => note.path === path && note.line === 3));
  await client.tool('delete_note', { path });
  assert.ok(!(await linking()).some((note) => note.path === path));
  assert.match(await client.refusal('read_note', { path }), /^NOT_FOUND: /);
  const { facts, texts } = await client.tool('read_note', { path, at: made.commit });
  assert.deepEqual([facts.commit, facts.revision, texts], [made.commit, made.revision, [content]]);
  assert.match(
    await client.refusal('read_note', { path, at: 'ab'.repeat(20) }),
    /^INVALID_ARGUMENT: at is not a commit of the branch's history/,
  );
});

test('what is warm costs no counted request', async () => {
  await stack.forgetRequests();
  const paths = ['Index.md', BOAT, 'Inbox.md', 'Areas/Home.md'];
  for (const args of [{ paths }, { path: BOAT, section: 'Goal' }, { paths, include: ['links', 'backlinks'] }])
    await client.tool('read_note', args);
  assert.deepEqual((await stack.requests()).filter(({ counted }) => counted), []);
});
