/** write_note in all its modes: git is the witness that what was not to be changed is byte for byte what it was. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bytesAt, headOf, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const path = 'Projects/Log.md';
/** A byte order mark, Windows line ends, quotes, comments, and no line end at the end. */
const NOTE = [
  '\u{feff}---',
  'status: "draft"   # for now',
  "tags: [ 'a', b ] # two",
  '---',
  '# Log',
  '## Plan',
  '- one \t',
  '',
  '## Done',
  'nothing yet',
].join('\r\n');

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

const inGit = () => bytesAt(repository, headOf(repository), path)?.toString('utf8');

/** Writes, and holds the note against `expected`; returns the facts. */
async function writes(args, expected) {
  const before = headOf(repository);
  const { facts, texts } = await client.tool('write_note', { path, ...args });
  assert.equal(inGit(), expected);
  assert.equal(facts.commit, headOf(repository));
  assert.notEqual(facts.commit, before);
  // Of a note that is made, all is new.
  if (!facts.created) assert.match(texts[0], /^@@ /mu, 'what changed is shown');
  return facts;
}

/** Sends a call, and shows that neither git nor GitHub saw anything of it. */
async function changesNothing(work) {
  const [head, note] = [headOf(repository), inGit()];
  await stack.forgetRequests();
  const answer = await work();
  assert.deepEqual([headOf(repository), inGit()], [head, note]);
  const attempts = (await stack.requests()).filter(({ method }) => method !== 'GET');
  assert.deepEqual(attempts, []);
  return answer;
}

test('each mode changes what it says, and no other byte', async () => {
  const made = await writes({ content: NOTE, mode: 'create' }, NOTE);
  assert.equal(made.created, true);

  let text = NOTE.replace('- one \t', '- one \t\r\n- two');
  await writes({ mode: 'append', section: 'Plan', content: '- two' }, text);

  text = text.replace('- two\r\n\r\n## Done', '- 2\r\n\r\n## Done');
  await writes({ mode: 'edit', edits: [{ old: '- two\n\n## Done', new: '- 2\n\n## Done' }] }, text);

  text = text.replace('"draft"', '"done"').replace("[ 'a', b ]", "[ 'a', b, c/d ]");
  await writes({ frontmatter: { set: { status: 'done' }, add: { tags: ['c/d'] } } }, text);

  text = text.replace('nothing yet', 'all');
  await writes({ section: 'Done', content: 'all' }, text);

  const appended = await client.tool('write_note', { path, mode: 'append', content: 'and this' });
  text = inGit();
  assert.match(text, /\r\nall\r\nand this(?:\r\n)?$/u);
  assert.equal(appended.facts.revision, (await client.tool('read_note', { path })).facts.revision);

  const added = await client.tool('write_note', { path, mode: 'prepend', content: 'first' });
  assert.equal(inGit().replace('first\r\n', ''), text);
  assert.match(inGit(), /---\r\nfirst\r\n/u);
  assert.doesNotMatch(inGit(), /[^\r]\n/u);

  assert.equal(added.facts.replaced.revision, appended.facts.revision);
  await writes({ mode: 'restore', at: made.commit }, NOTE);
});

test('a deleted note is brought back byte for byte', async () => {
  const at = headOf(repository);
  const { facts } = await client.tool('read_note', { path });
  await client.tool('delete_note', { path, expected_revision: facts.revision });
  assert.equal(inGit(), undefined);
  const back = await writes({ mode: 'restore', at }, NOTE);
  assert.deepEqual([back.created, back.revision], [true, facts.revision]);
});

test('a dry run shows the change and makes none', async () => {
  const { facts, texts } = await changesNothing(() =>
    client.tool('write_note', { path, mode: 'edit', edits: [{ old: 'nothing yet', new: 'something' }], dry_run: true }),
  );
  assert.equal(facts.commit_url, undefined);
  assert.match(texts[0], /^-nothing yet$/mu);
  assert.match(texts[0], /^\+something$/mu);
});

for (const [code, args] of [
  ['EDIT_NOT_FOUND', { mode: 'edit', edits: [{ old: 'Nothing yet', new: 'x' }] }],
  ['EDIT_NOT_UNIQUE', { mode: 'edit', edits: [{ old: '## ', new: 'x' }] }],
  ['EDIT_NOT_FOUND', { mode: 'edit', edits: [{ old: '- one', new: 'x' }, { old: 'nowhere', new: 'y' }] }],
  ['NOT_FOUND', { mode: 'append', section: 'Paint', content: 'x' }],
  ['INVALID_ARGUMENT', { mode: 'edit', content: 'x' }],
  ['INVALID_ARGUMENT', { mode: 'restore', at: 'f'.repeat(40) }],
  ['INVALID_ARGUMENT', { mode: 'restore' }],
])
  test(`${JSON.stringify(args)} is refused as ${code}, and nothing is sent`, async () => {
    const refusal = await changesNothing(() => client.refusal('write_note', { path, ...args }));
    assert.match(refusal, new RegExp(`^${code}: `, 'u'));
  });
