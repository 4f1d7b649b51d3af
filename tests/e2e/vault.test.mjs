/** The vault's content through the MCP endpoint, byte for byte, with git as the oracle. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { filesOf, headOf, isVisibleNote, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

let stack;
let client;
let head;
let files;
let visible;

before(async () => {
  stack = await Stack.start();
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
  const repository = repositoryIn(stack.gitState);
  head = headOf(repository);
  files = filesOf(repository, head);
  visible = files.filter(isVisibleNote);
  assert.ok(visible.length > 40, `the sample vault has ${visible.length} notes`);
});
after(() => stack?.stop());

const sorted = (paths) => [...paths].sort();

for (const limit of [undefined, 7, '7', 1]) {
  test(`list_notes with limit ${JSON.stringify(limit)} pages through exactly the visible notes`, async () => {
    const { notes, totals } = await client.allNotes(limit === undefined ? {} : { limit });
    assert.deepEqual(sorted(notes.map(({ path }) => path)), sorted(visible.map(({ path }) => path)));
    assert.deepEqual(totals, [visible.length]);
    const byPath = new Map(visible.map((file) => [file.path, file]));
    for (const { path, bytes, revision } of notes)
      assert.deepEqual([bytes, revision], [byPath.get(path).bytes.length, byPath.get(path).revision], path);
  });
}

test('list_notes of a folder stays in it', async () => {
  const { notes, totals } = await client.allNotes({ dir: 'Projects' });
  const expected = visible.filter(({ path }) => path.startsWith('Projects/'));
  assert.deepEqual(sorted(notes.map(({ path }) => path)), sorted(expected.map(({ path }) => path)));
  assert.deepEqual(totals, [expected.length]);
});

test('read_note gives every note byte for byte, with the revision that git gives it', async () => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const file of visible) {
    let text;
    try {
      text = decoder.decode(file.bytes);
    } catch {
      const refusal = await client.call('read_note', { path: file.path });
      assert.equal(refusal.isError, true, file.path);
      assert.match(refusal.content[0].text, /^NOT_UTF8\b/, file.path);
      continue;
    }
    const { facts, text: got } = await client.wholeNote(file.path);
    assert.ok(
      Buffer.from(got).equals(file.bytes),
      `${file.path}: ${JSON.stringify(got.slice(0, 80))} is not ${JSON.stringify(text.slice(0, 80))}`,
    );
    assert.deepEqual(
      [facts.path, facts.revision, facts.commit, facts.bytes],
      [file.path, file.revision, head, file.bytes.length],
    );
    assert.equal(facts.total_lines, text.split(/(?<=\n)/).filter(Boolean).length, file.path);
  }
});

test('what is hidden, linked or missing is the same answer: not found', async () => {
  const named = files.filter((file) => /\.(md|markdown)$/i.test(file.path) && !isVisibleNote(file));
  assert.ok(named.length > 5, 'the sample vault has hidden notes and links');
  const said = (path, text) =>
    text.replaceAll(path, 'PATH').replaceAll(JSON.stringify(path).slice(1, -1), 'PATH');
  const missing = await client.call('read_note', { path: 'Projects/Nothing here.md' });
  assert.match(missing.content[0].text, /^NOT_FOUND\b/);
  for (const { path } of named) {
    const { isError, content } = await client.call('read_note', { path });
    assert.equal(isError, true, path);
    assert.equal(
      said(path, content[0].text),
      said('Projects/Nothing here.md', missing.content[0].text),
      path,
    );
  }
});

test('a path that is no path is refused', async () => {
  for (const path of [
    '../x.md',
    'a/../../x.md',
    './a.md',
    'a//b.md',
    '/etc/x.md',
    'C:\\x.md',
    'a\\b.md',
    'a\nb.md',
    'a\0.md',
    '',
    '..',
    'Projects/./x.md',
  ]) {
    const { isError, content } = await client.call('read_note', { path });
    assert.equal(isError, true, JSON.stringify(path));
    assert.match(
      content[0].text,
      /^(INVALID_PATH|NOT_FOUND|INVALID_ARGUMENT|NOT_A_NOTE)\b/,
      JSON.stringify(path),
    );
  }
});

test('a note is found under its other spelling, and the answer says which it is', async () => {
  const decomposed = visible.find(({ path }) => path !== path.normalize('NFC'));
  assert.ok(decomposed, 'the sample vault has a decomposed name');
  const { facts } = await client.tool('read_note', { path: decomposed.path.normalize('NFC') });
  assert.equal(facts.path, decomposed.path);
});

test('listing and reading again asks GitHub for nothing that counts', async () => {
  await client.allNotes();
  await stack.forgetRequests();
  await client.allNotes();
  await client.wholeNote('Index.md');
  assert.deepEqual(
    (await stack.requests()).filter(({ counted }) => counted),
    [],
  );
});
