/** What the end-to-end tests stand on, where a mistake would make them pass for nothing or do harm. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEnvFile, writeEnvFile } from './support/env_file.mjs';
import { onlyForm, submission } from './support/forms.mjs';
import { isVisibleNote } from './support/git.mjs';
import { inRepository } from './support/places.mjs';
import { SearchOracle, fold } from './support/search_oracle.mjs';
import { findsExactly, queriesOf } from './support/search_sample.mjs';
import { Running, groupIsAlive, run } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';
import { demandLoopback } from './support/worker.mjs';

test('a GitHub that is not this machine is refused before anything starts', async () => {
  const local = readEnvFile(inRepository('.dev.vars.example'));
  demandLoopback(local);
  for (const GITHUB_API_URL of [
    'https://api.github.com',
    'http://localhost.example.com',
    'http://localhost@example.com',
    '',
    undefined,
  ]) {
    assert.throws(() => demandLoopback({ ...local, GITHUB_API_URL }), /refusing/, GITHUB_API_URL);
  }
  await assert.rejects(Stack.start({ overrides: { GITHUB_API_URL: 'https://api.github.com' } }), /refusing/);
});

test('env files are read, and written so that they read the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-mcp-env-'));
  const path = join(folder, 'env');
  writeFileSync(path, '# A=0\nA=1\nB="two words"\n\nC=\nD=x=y#z\n');
  assert.deepEqual(readEnvFile(path), { A: '1', B: 'two words', D: 'x=y#z' });
  writeEnvFile(path, { A: "it's", B: undefined, C: 'a # b' });
  assert.equal(readFileSync(path, 'utf8'), "A=\"it's\"\nC='a # b'\n");
  assert.throws(() => writeEnvFile(path, { A: '\'"`' }));
  rmSync(folder, { recursive: true });
});

test('a form is filled in as a browser would', () => {
  const html = `<form method=post action="/consent?a=1&amp;b=2"><input type="hidden" name="handle" value="a&quot;b">
    <input type="checkbox" name="read_only" value="on"><input type="checkbox" name="kept" value="yes" checked>
    <button name="decision" value="approve">Yes</button><button name="decision" value="deny">No</button></form>`;
  const form = onlyForm(html, 'http://localhost:1/authorize?x=y');
  assert.deepEqual([form.method, form.action], ['POST', 'http://localhost:1/consent?a=1&b=2']);
  assert.equal(
    String(submission(form, { name: 'decision', value: 'deny' })),
    'handle=a%22b&kept=yes&decision=deny',
  );
  assert.equal(
    submission(form, { name: 'decision', value: 'approve' }, ['read_only']).get('read_only'),
    'on',
  );
  assert.throws(() => submission(form, { name: 'decision', value: 'perhaps' }), /no button/);
  assert.throws(() => submission(form, { name: 'decision', value: 'deny' }, ['unheard_of']), /no checkbox/);
  assert.throws(() => onlyForm('<p>none</p>', 'http://localhost:1/'), /expected one form/);
});

test('the oracle of visible notes knows the disguises of the sample vault', () => {
  const visible = (path, mode = '100644') => isVisibleNote({ path, mode });
  for (const path of ['A.md', 'a/B.MD', 'x.markdown', 'v1.2.md', 'Wait...md', '👩\u200d🍳 Menu.md'])
    assert.ok(visible(path), path);
  for (const path of ['.a.md', 'a/.b/c.md', 'A/\u200c.private/x.md', 'a.md.bak', 'a.txt', 'md'])
    assert.ok(!visible(path), path);
  assert.ok(visible('a.md', '100755') && !visible('a.md', '120000') && !visible('a.md', '160000'));
});

test('the oracle of search folds and divides as the documentation of the analysis says', () => {
  assert.equal(fold('STRASSE Straße ẞ Łódź'), 'strasse strasse ss lodz');
  assert.equal(fold('Ἀθῆναι ΣΑΣ, Ёлка, ﬁne, bo\u00adat'), 'αθηναι σασ, елка, fine, boat');
  assert.equal(fold('हिन्दी ភាសាខ្មែរ が'), 'हिन्दी ភាសាខ្មែរ が');
  const oracle = new SearchOracle([
    { path: 'Start.md', text: 'The art of C++, art-work.\nCafé' },
    { path: 'Thai/ทะเล.md', text: 'เรืออยู่ในทะเลiphone15' },
    { path: 'Latin-1.md', text: undefined },
  ]);
  for (const [piece, whole, found] of [
    ['art', false, ['Start.md']],
    ['tart', false, []],
    ['sta', false, ['Start.md']],
    ['sta', true, []],
    ['CAFE', true, ['Start.md']],
    ['c++', false, ['Start.md']],
    ['c+++', false, []],
    ['ู่ในท', false, ['Thai/ทะเล.md']],
    ['iphone', false, ['Thai/ทะเล.md']],
    ['phone', false, []],
    ['latin', false, ['Latin-1.md']],
    ['md', false, []],
  ])
    assert.deepEqual(oracle.find(piece, { whole }), found, `${piece} ${whole}`);
  assert.ok(oracle.isOnLine('Start.md', 2, 'cafe') && !oracle.isOnLine('Start.md', 1, 'cafe'));
  assert.deepEqual(oracle.words(), ['C', 'Café', 'The', 'art', 'iphone15', 'of', 'work']);
  assert.deepEqual(oracle.runs(String.raw`\p{sc=Thai}`), ['เรืออยู่ในทะเล']);
});

test('random queries are the same on every run, and an answer that differs by one note is caught', async () => {
  const text = 'boat lantern tide ตะวันตก ភាសាខ្មែរ 日本語ひらがな';
  const oracle = new SearchOracle([
    { path: 'A.md', text },
    { path: 'B.md', text: 'boat' },
  ]);
  const options = { words: 3, parts: 9, seed: 1 };
  assert.deepEqual(queriesOf(oracle, options), queriesOf(oracle, options));
  assert.equal(queriesOf(oracle, options).length, 12);
  assert.throws(() => queriesOf(oracle, { ...options, words: 9 }), /3 words, fewer than 9/);
  const answering = (paths, total = paths.length, line = 1) => ({
    allHits: async () => ({ hits: paths.map((path) => ({ path, line })), totals: [total], searched: 2 }),
  });
  const query = { piece: 'boat', whole: false };
  await findsExactly(answering(['B.md', 'A.md']), oracle, query);
  for (const wrong of [
    answering(['A.md']),
    answering(['A.md', 'B.md', 'B.md']),
    answering(['A.md', 'B.md'], 3),
    answering(['A.md', 'B.md'], 2, 2),
  ])
    await assert.rejects(findsExactly(wrong, oracle, query));
});

test('a program is ended with all it started', async () => {
  const running = new Running('sh', ['-c', 'sleep 1000 & echo started; wait']);
  await running.until(/started/, 5_000);
  assert.equal(groupIsAlive(running.child.pid), true);
  await running.stop();
  assert.equal(groupIsAlive(running.child.pid), false);
});

test('a program that does not want to end is ended all the same', async () => {
  const running = new Running('sh', ['-c', 'trap "" TERM; echo started; while :; do sleep 0.1; done']);
  await running.until(/started/, 5_000);
  await running.stop();
  assert.equal(groupIsAlive(running.child.pid), false);
});

test('a program that does not say it is ready fails with its output', async () => {
  const running = new Running('sh', ['-c', 'echo the reason; exit 3']);
  await assert.rejects(running.ready(/never/, 5_000), /exited with 3[\s\S]*the reason/);
  assert.deepEqual(await run('sh', ['-c', 'cat; exit 4'], { input: 'typed' }), { code: 4, output: 'typed' });
});
