/** The official Python client through its own OAuth flow, the person scripted: reading, refreshing, stepping up. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browserScript } from './support/claude.mjs';
import { bytesAt, changesOf, commitOf, repositoryIn } from './support/git.mjs';
import { READING_TOOLS, versions } from './support/mcp.mjs';
import { inRepository, noPython, python } from './support/places.mjs';
import { run } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';

const NOTE = 'Languages/ภาษาไทย.md';
const CREATED = 'Projects/ทุ่น.md';
const CONTENT = 'สวัสดี\r\nไม่มีบรรทัดสุดท้าย';

let stack;
before(async () => {
  if (noPython) return;
  stack = await Stack.start();
});
after(() => stack?.stop());

/** Runs the client with one browser for each time that it asks the person, and returns what it saw. */
async function drive(mode, people, steps) {
  const browsers = people.map((person, i) => {
    const folder = join(stack.scratch, `${mode}-${i}`);
    mkdirSync(folder, { recursive: true });
    return browserScript(folder, person);
  });
  const program = [inRepository('tests/e2e/python/client.py'), stack.mcp, mode, ...browsers];
  const { code, output } = await run(python, program, { input: JSON.stringify(steps) });
  assert.equal(code, 0, output);
  return JSON.parse(output.split('\n').findLast((line) => line.startsWith('{')));
}

for (const [mode, version] of [
  ['auto', versions.modern],
  ['legacy', versions.legacy],
]) {
  test(
    `mode ${mode}: logs in to read, refreshes, and asks the person again to write`,
    { skip: noPython },
    async () => {
      const call = (tool, args) => ({ call: tool, arguments: args });
      const seen = await drive(
        mode,
        [{ E2E_READ_ONLY: 'yes' }, {}],
        [
          call('read_note', { path: NOTE }),
          { expire: true },
          call('search_notes', { query: 'ทะเล' }),
          call('write_note', { path: CREATED, content: CONTENT }),
          call('read_note', { path: CREATED }),
          call('delete_note', { path: CREATED }),
          call('read_note', { path: CREATED }),
        ],
      );
      assert.equal(seen.version, version);
      assert.deepEqual(seen.tools, READING_TOOLS);
      const [read, , refreshed, wrote, reread, deleted, gone] = seen.steps;
      const facts = ({ result }) => {
        assert.equal(result.isError, false, result.texts[0]);
        return JSON.parse(result.texts[0]);
      };

      assert.deepEqual([read.asked, read.tokens.scope, facts(read).path], [1, 'vault:read', NOTE]);
      // A refresh asks nobody, and brings both tokens anew.
      assert.deepEqual([refreshed.asked, refreshed.tokens.scope], [1, 'vault:read']);
      assert.notEqual(refreshed.tokens.access_token, read.tokens.access_token);
      assert.notEqual(refreshed.tokens.refresh_token, read.tokens.refresh_token);
      assert.ok(facts(refreshed).hits.some(({ path }) => path === NOTE));
      // The challenge to the write sends the client back to the person, and the call is made again.
      assert.deepEqual([wrote.asked, wrote.tokens.scope], [2, 'vault:read vault:write']);
      assert.deepEqual(reread.result.texts.slice(1), [CONTENT]);
      assert.equal(deleted.asked, 2);
      assert.match(gone.result.texts[0], /^NOT_FOUND: /);

      const repository = repositoryIn(stack.gitState);
      const { commit } = facts(wrote);
      assert.ok(bytesAt(repository, commit, CREATED).equals(Buffer.from(CONTENT)));
      assert.equal(commitOf(repository, commit).trailers, 'Vault-Client: Python client');
      assert.deepEqual(changesOf(repository, facts(deleted).commit), [{ change: 'D', path: CREATED }]);
    },
  );
}
