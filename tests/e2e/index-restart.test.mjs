/** workerd is killed in the middle of building the index, again and again: it ends in the index that git is. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOf, headOf, isVisibleNote, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const NOTES = 1_500;

let stack;
let vault;
let token;
before(async () => {
  vault = mkdtempSync(join(tmpdir(), 'vault-mcp-large-'));
  for (let n = 0; n < NOTES; n += 1) {
    const folder = join(vault, n % 3 ? `folder ${n % 10}` : 'private');
    mkdirSync(folder, { recursive: true });
    // Hexadecimal digits do not compress well: the archive takes a while.
    writeFileSync(join(folder, `${n}.md`), `# Note ${n}\n\nneedle${n}\n\n${randomBytes(2_000).toString('hex')}\n`);
  }
  // No waiting for a first look: every build here is broken off.
  stack = await Stack.start({ vault });
  token = (await signIn(stack.url)).access_token;
});
after(async () => {
  await stack?.stop();
  rmSync(vault, { recursive: true, force: true });
});

/** Asks for a list, which begins a build, and does not wait for the answer. */
function begin() {
  new McpClient(stack.mcp, token).tool('list_notes', { limit: 1 }).catch(() => {});
}

/** What the index shows, against what git holds and `isShown` lets through. */
async function assertSame(isShown) {
  const client = new McpClient(stack.mcp, token);
  let searched;
  for (let tries = 0; tries < 240; tries += 1) {
    const answer = await client.call('search_notes', { query: 'needle7' });
    if (!answer.isError) {
      searched = JSON.parse(answer.content[0].text);
      if (searched.unfinished === undefined && !answer.content[0].text.includes('INDEX_BUILDING')) break;
    }
    await sleep(250);
  }
  const repository = repositoryIn(stack.gitState);
  const files = filesOf(repository, headOf(repository)).filter((file) => isVisibleNote(file) && isShown(file.path));
  assert.equal(searched.searched, files.length);
  const { notes, totals } = await client.allNotes({ limit: 1_000 });
  assert.deepEqual(totals, [files.length]);
  const revisions = (list) => list.map(({ path, revision }) => `${path} ${revision}`).sort();
  assert.deepEqual(revisions(notes), revisions(files));
  for (const n of [1, 299, 301, NOTES - 1]) {
    const path = n % 3 ? `folder ${n % 10}/${n}.md` : `private/${n}.md`;
    const hits = (await client.allHits(`"needle${n}"`)).hits.map((hit) => hit.path);
    assert.deepEqual(hits.filter((hit) => hit === path), isShown(path) ? [path] : []);
  }
}

test('killed at many points of the first build, with another policy each time, the index ends as git is', async (t) => {
  let broken = 0;
  for (const [life, pause] of [40, 150, 300, 500, 750, 1_000, 1_400].entries()) {
    begin();
    await sleep(pause);
    await stack.crash({ VAULT_DENIED_PREFIXES: life % 2 ? 'private' : undefined });
    broken += 1;
  }
  t.diagnostic(`${broken} crashes`);
  // The last crash was followed by a start without a denied prefix.
  await assertSame(() => true);
  await stack.crash({ VAULT_DENIED_PREFIXES: 'private' });
  await assertSame((path) => !path.startsWith('private/'));
});
