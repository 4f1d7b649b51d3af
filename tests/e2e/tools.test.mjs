/** The tools over the wire, in both eras, with git as the witness of what they did. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesAt, changesOf, commitOf, filesOf, headOf, repositoryIn } from './support/git.mjs';
import { McpClient, TOOLS } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const AUTHOR = 'owner@example.test <owner@example.test>';

let stack;
let repository;
let clients;
before(async () => {
  stack = await Stack.start();
  const { access_token: token } = await signIn(stack.url);
  clients = { legacy: new McpClient(stack.mcp, token, 'legacy'), modern: new McpClient(stack.mcp, token) };
  // The repository comes into being with the first look at it.
  await clients.modern.tool('list_notes', { limit: 1 });
  repository = repositoryIn(stack.gitState);
});
after(() => stack?.stop());

const head = () => headOf(repository);
const inGit = (path) => bytesAt(repository, head(), path)?.toString('utf8');

/** Runs `work`, and shows with git that it changed nothing, and that nothing was even tried. */
async function changesNothing(work) {
  const earlier = head();
  await stack.forgetRequests();
  const outcome = await work();
  assert.equal(head(), earlier);
  const attempts = (await stack.requests()).filter(({ method }) => method !== 'GET');
  assert.deepEqual(attempts, []);
  return outcome;
}

/** That the newest commit is `facts.commit`, made by the person through the client, and changed this alone. */
function assertCommit(facts, { parent, change, path, subject }) {
  assert.equal(head(), facts.commit);
  const { parents, author, committer, trailers, subject: said } = commitOf(repository, facts.commit);
  assert.deepEqual([parents, author, committer], [[parent], AUTHOR, AUTHOR]);
  assert.deepEqual([said, trailers], [subject, 'Vault-Client: end-to-end test']);
  assert.deepEqual(changesOf(repository, facts.commit), [{ change, path }]);
  assert.equal(facts.commit_url, `${stack.github}/example/vault/commit/${facts.commit}`);
}

for (const era of ['legacy', 'modern']) {
  describe(`${era} era`, () => {
    const client = () => clients[era];
    const path = `Projects/Sauna ${era}.md`;

    test('an owner is offered all tools', async () => {
      assert.deepEqual(await client().toolNames(), TOOLS);
    });

    test('a note that is written is read, found and listed at once, and deleted at once', async () => {
      const word = `löyly${era}`;
      const content = `# Sauna\r\n\r\nMuch ${word}, no chimney`;
      const first = head();
      const { facts: made } = await client().tool('write_note', { path, content, message: 'Plan a sauna' });
      assert.deepEqual([made.path, made.created, made.bytes], [path, true, Buffer.byteLength(content)]);
      assertCommit(made, { parent: first, change: 'A', path, subject: 'Plan a sauna' });
      assert.equal(inGit(path), content);

      const { facts: read, texts } = await client().tool('read_note', { path });
      assert.deepEqual([read.revision, read.commit, texts], [made.revision, made.commit, [content]]);
      const { hits, totals } = await client().allHits(word);
      assert.deepEqual([hits.length, totals, hits[0].path, hits[0].line], [1, [1], path, 3]);
      const listed = (await client().allNotes({ dir: 'Projects' })).notes.find((note) => note.path === path);
      assert.equal(listed.revision, made.revision);

      const { facts: changed } = await client().tool('write_note', {
        path,
        content: 'Cold.\n',
        expected_revision: made.revision,
      });
      assert.deepEqual([changed.created, changed.replaced.revision], [false, made.revision]);
      assertCommit(changed, { parent: made.commit, change: 'M', path, subject: `Update ${path}` });
      // What was replaced is where the answer says.
      assert.equal(bytesAt(repository, changed.replaced.commit, path).toString('utf8'), content);
      assert.deepEqual((await client().allHits(word)).totals, [0]);

      const { facts: gone } = await client().tool('delete_note', {
        path,
        expected_revision: changed.revision,
        message: 'Sell the sauna',
      });
      assertCommit(gone, { parent: changed.commit, change: 'D', path, subject: 'Sell the sauna' });
      assert.equal(inGit(path), undefined);
      assert.ok(gone.restore.includes(gone.replaced.commit), gone.restore);
      assert.equal(bytesAt(repository, gone.replaced.commit, path).toString('utf8'), 'Cold.\n');
      const { facts: past, texts: diffs } = await client().tool('note_history', { path, diff: true });
      const told = past.commits.map(({ sha, change, who }) => [sha, change, who]);
      assert.deepEqual(told, [
        [gone.commit, 'deleted', 'owner@example.test'],
        [changed.commit, 'changed', 'owner@example.test'],
        [made.commit, 'added', 'owner@example.test'],
      ]);
      assert.match(past.commits[0].message, /^Sell the sauna\n/);
      assert.equal(diffs[past.commits[0].diff_block - 1], '@@ -1 +0,0 @@\n-Cold.');
      assert.match(await client().refusal('read_note', { path }), /^NOT_FOUND: /);
      assert.match(await client().refusal('delete_note', { path }), /^NOT_FOUND: /);
      assert.ok(!(await client().allNotes({ dir: 'Projects' })).notes.some((note) => note.path === path));
    });

    test('a name and a text in Khmer arrive byte for byte', async () => {
      const khmer = `ភាសា/ទូក ${era} ១២៣.md`;
      const content = '\ufeffខ្ញុំមានទូក\u200bមួយ។\r\n\u0065\u0301 is not \u00e9\r\n\tno newline at the end ';
      const { facts } = await client().tool('write_note', { path: khmer, content });
      assert.deepEqual([facts.path, facts.warnings], [khmer, undefined]);
      const file = filesOf(repository, head()).find(({ path: name }) => name === khmer);
      assert.ok(file, 'git holds the name as it was given');
      assert.deepEqual([file.mode, file.revision], ['100644', facts.revision]);
      assert.ok(file.bytes.equals(Buffer.from(content)), JSON.stringify(file.bytes.toString('utf8')));
      assert.deepEqual((await client().tool('read_note', { path: khmer })).texts, [content]);
      const { hits } = await client().allHits(`ទូក ${era}`);
      assert.deepEqual(
        hits.map((hit) => hit.path),
        [khmer],
      );
    });

    test('a stale revision is CONFLICT with the current one, and nothing is written', async () => {
      const shared = `Shared ${era}.md`;
      const { facts: first } = await client().tool('write_note', { path: shared, content: 'mine\n' });
      await stack.push([{ put: shared, text: 'theirs\n' }]);
      const { revision } = filesOf(repository, head()).find((file) => file.path === shared);
      for (const [tool, more] of [
        ['write_note', { content: 'mine again\n' }],
        ['delete_note', {}],
      ]) {
        const earlier = head();
        const refusal = await client().refusal(tool, {
          path: shared,
          expected_revision: first.revision,
          ...more,
        });
        assert.match(refusal, /^CONFLICT: /);
        assert.ok(refusal.includes(revision), `${tool}: ${refusal} does not name ${revision}`);
        assert.deepEqual([head(), inGit(shared)], [earlier, 'theirs\n']);
      }
      // With the revision that the refusal named, the write goes through.
      const { facts } = await client().tool('write_note', {
        path: shared,
        content: 'both\n',
        expected_revision: revision,
      });
      assert.equal(facts.replaced.revision, revision);
      assert.equal(inGit(shared), 'both\n');
    });

    test('creating what exists is ALREADY_EXISTS, a twin of it too', async () => {
      for (const taken of ['Index.md', 'index.md', 'Odd names/Café.md']) {
        const refusal = await changesNothing(() =>
          client().refusal('write_note', { path: taken, content: 'x', mode: 'create' }),
        );
        assert.match(refusal, /^ALREADY_EXISTS: /, taken);
        assert.match(refusal, /Index\.md|Cafe\u0301\.md/, taken);
      }
    });

    test('a note that was deleted upstream and is written again says so', async () => {
      const fleeting = `Fleeting ${era}.md`;
      await client().tool('write_note', { path: fleeting, content: 'one\n' });
      await stack.push([{ delete: fleeting }]);
      // GitHub takes a write to a path that is gone, whatever revision it names: the answer has to tell.
      const { facts } = await client().tool('write_note', { path: fleeting, content: 'two\n' });
      assert.equal(inGit(fleeting), 'two\n');
      assert.match(String(facts.warnings), /had been deleted/, JSON.stringify(facts));
    });

    test('an expected revision of a note that is gone is CONFLICT', async () => {
      const gone = `Gone ${era}.md`;
      const { facts } = await client().tool('write_note', { path: gone, content: 'one\n' });
      await client().tool('delete_note', { path: gone });
      const again = { path: gone, content: 'two\n', expected_revision: facts.revision };
      const refusal = await changesNothing(() => client().refusal('write_note', again));
      assert.match(refusal, /^CONFLICT: .*no longer exists/);
    });

    test('writing what is there already makes no commit', async () => {
      const content = inGit('Inbox.md');
      const { facts } = await changesNothing(() =>
        client().tool('write_note', { path: 'Inbox.md', content }),
      );
      assert.deepEqual([facts.unchanged, facts.created], [true, false]);
      assert.equal(facts.revision, filesOf(repository, head()).find((f) => f.path === 'Inbox.md').revision);
    });

    test('what may not be written is refused, whatever is there', async () => {
      for (const [refused, code] of [
        ['CLAUDE.md', 'INVALID_PATH'],
        ['Projects/agents.MD', 'INVALID_PATH'],
        ['.obsidian/plugins/x.md', 'INVALID_PATH'],
        ['.obsidian/plugins/not there.md', 'INVALID_PATH'],
        ['Projects/../x.md', 'INVALID_PATH'],
        ['/etc/x.md', 'INVALID_PATH'],
        ['a\\b.md', 'INVALID_PATH'],
        ['con.md', 'INVALID_PATH'],
        ['notes.txt', 'NOT_A_NOTE'],
        ['Projects', 'NOT_A_NOTE'],
      ]) {
        const said = await changesNothing(() =>
          client().refusal('write_note', { path: refused, content: 'x' }),
        );
        assert.match(said, new RegExp(`^${code}: `), refused);
        if (refused === 'con.md') continue;
        const kept = await changesNothing(() => client().refusal('delete_note', { path: refused }));
        assert.match(kept, new RegExp(`^${code}: `), refused);
      }
    });
  });
}

test('a message cannot make a trailer, nor a second line', async () => {
  const { facts } = await clients.modern.tool('write_note', {
    path: 'Trailer.md',
    content: 'x\n',
    message: 'Add it\n\nCo-authored-by: Someone <someone@example.test>\nVault-Client: something else',
  });
  const { subject, trailers } = commitOf(repository, facts.commit);
  assert.equal(trailers, 'Vault-Client: end-to-end test');
  assert.match(subject, /^Add it Co-authored-by: /);
});
