/**
 * A person's real vault: every visible note is listed, reads back byte for byte, and is found by what it says; nothing
 * hidden shows.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClaudeCode } from './support/claude.mjs';
import { bytesAt, changesOf, filesOf, headOf, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { SearchOracle, textOf } from './support/search_oracle.mjs';
import { findsExactly, queriesOf } from './support/search_sample.mjs';
import { Stack } from './support/stack.mjs';

const folder = process.env.VAULT_MCP_REAL_VAULT;
const skip = folder
  ? existsSync(folder)
    ? false
    : `VAULT_MCP_REAL_VAULT: no folder ${folder}`
  : 'set VAULT_MCP_REAL_VAULT=DIR to the folder of a vault';

/** Paths of all notes on disk that no segment hides, and of those that one does. */
function notesOnDisk() {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|markdown)$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith('.git/'));
  const isHidden = (path) => path.split('/').some((segment) => segment.startsWith('.'));
  return { visible: paths.filter((path) => !isHidden(path)), hidden: paths.filter(isHidden) };
}

/**
 * The oracle of search looks at every note, by the analysis that note/src/text documents. That has two halves: what a
 * piece is folded to and where it may begin and end, which is written anew in support/search_oracle.mjs; and how
 * several pieces are combined. Queries of one piece need the first half alone, so with them the oracle is exact: any
 * difference is a fault of one of the two.
 */
const oracleOf = (paths) =>
  new SearchOracle(paths.map((path) => ({ path, text: textOf(readFileSync(join(folder, path))) })));

describe('a real vault', { skip }, () => {
  let stack;
  let client;
  let disk;
  let oracle;
  let queries;
  let listed;

  before(async () => {
    disk = notesOnDisk();
    // This keeps the process busy for many seconds, in which connections to the server would go stale unseen.
    oracle = oracleOf(disk.visible);
    queries = queriesOf(oracle, { words: 500, parts: 200, seed: 6284 });
    stack = await Stack.start({ vault: folder });
    client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
    listed = await client.allNotes();
  });
  after(() => stack?.stop());

  test('every visible note is listed once, and every page says how many there are', () => {
    assert.deepEqual(listed.notes.map(({ path }) => path).sort(), [...disk.visible].sort());
    assert.deepEqual(listed.totals, [disk.visible.length]);
  });

  test('every note reads back byte for byte', async (t) => {
    let read = 0;
    for (const path of disk.visible) {
      const bytes = readFileSync(join(folder, path));
      const { text } = await client.wholeNote(path);
      assert.ok(Buffer.from(text).equals(bytes), path);
      read += 1;
    }
    t.diagnostic(`${read} notes read`);
  });

  test('random words and parts of unspaced text are found in exactly the notes that have them', async (t) => {
    let hits = 0;
    for (const query of queries) hits += await findsExactly(client, oracle, query);
    t.diagnostic(`${queries.length} queries, ${hits} hits`);
  });

  test('Claude Code works in it, and the folder itself stays as it is', async () => {
    const claude = new ClaudeCode();
    const repository = repositoryIn(stack.gitState);
    const first = headOf(repository);
    const path = 'សាកល្បង/ទូក ១.md';
    const content = 'កំណត់ត្រាសាកល្បងរបស់ខ្ញុំ\r\n';
    try {
      const header = `Authorization: Bearer ${client.token}`;
      await claude.mcp('add', '--transport', 'http', 'vault', stack.mcp, '--header', header);
      const { code, output, results } = await claude.turn('vault', [
        { tool: 'list_notes', input: {} },
        { tool: 'write_note', input: { path, content, mode: 'create' } },
        { tool: 'search_notes', input: { query: 'ត្រាសាកល្បង', dir: 'សាកល្បង' } },
        { tool: 'read_note', input: { path } },
        { tool: 'delete_note', input: { path } },
      ]);
      assert.equal(code, 0, output);
      const [list, wrote, found, read, deleted] = results.map(({ isError, texts }) => {
        assert.equal(isError, false, texts[0]);
        return { facts: JSON.parse(texts[0]), text: texts[1] };
      });
      assert.equal(list.facts.total, disk.visible.length);
      assert.ok(bytesAt(repository, wrote.facts.commit, path).equals(Buffer.from(content)));
      assert.deepEqual(changesOf(repository, wrote.facts.commit), [{ change: 'A', path }]);
      assert.deepEqual(
        found.facts.hits.map((hit) => hit.path),
        [path],
      );
      assert.equal(read.text, content);
      assert.equal(headOf(repository), deleted.facts.commit);
    } finally {
      claude.remove();
    }
    const names = (commit) => filesOf(repository, commit).map((file) => `${file.revision} ${file.path}`);
    assert.deepEqual(names(headOf(repository)), names(first));
    assert.deepEqual(notesOnDisk(), disk);
  });

  test('nothing hidden shows in listings, folders or reads', async () => {
    assert.ok(!listed.notes.some(({ path }) => path.split('/').some((segment) => segment.startsWith('.'))));
    const { facts } = await client.tool('list_notes', {});
    assert.doesNotMatch(JSON.stringify(facts), /\.claude|\.git|\.obsidian/);
    for (const path of disk.hidden) {
      const { isError, content } = await client.call('read_note', { path });
      assert.equal(isError, true, path);
      assert.match(content[0].text, /^NOT_FOUND\b/, path);
    }
  });
});
