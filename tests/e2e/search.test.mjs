/** search_notes over the wire: complete by an oracle of its own, page by page, and never more than is visible. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { filesOf, headOf, isVisibleNote, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { SearchOracle, textOf } from './support/search_oracle.mjs';
import { findsExactly, queriesOf } from './support/search_sample.mjs';
import { Stack } from './support/stack.mjs';

/** Stands in every hidden note of the sample vault and in no other. */
const HIDDEN_WORD = 'underkeelwhisper';

let stack;
let client;
let files;
let oracle;
before(async () => {
  stack = await Stack.start();
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
  await client.tool('list_notes', { limit: 1 });
  const repository = repositoryIn(stack.gitState);
  files = filesOf(repository, headOf(repository));
  oracle = new SearchOracle(
    files.filter(isVisibleNote).map(({ path, bytes }) => ({ path, text: textOf(bytes) })),
  );
});
after(() => stack?.stop());

test('random words and parts of runs are found in exactly the notes that have them', async (t) => {
  const queries = queriesOf(oracle, { words: 200, parts: 90, seed: 20261130 });
  let hits = 0;
  for (const query of queries) hits += await findsExactly(client, oracle, query);
  t.diagnostic(`${queries.length} queries, ${hits} hits`);
});

test('case, accents and what nobody sees make no difference; symbols are taken literally', async () => {
  for (const piece of [
    'CAFE',
    'café',
    'cafe\u0301',
    'STRASSE',
    'Straße',
    'ΦΑΣΟΛΆΔΑ',
    'ТЕТРАДЬ',
    'bo\u00adat',
  ])
    await findsExactly(client, oracle, { piece, whole: false });
  for (const query of [
    '[[Index]]',
    '#inbox',
    '50%',
    'a+b',
    'AND',
    'NEAR(a',
    '*',
    'boat*',
    '"',
    'col:on',
    '(',
    "it's",
  ])
    await findsExactly(client, oracle, { piece: query, whole: false });
});

/** A character of a word, by Unicode's recommendation (UTS #18, annex C): what `\\b` and `\\w` go by. */
const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

/** Regular expressions as they are sent, each with what JavaScript calls the same. */
const PATTERNS = [
  ['boat', /boat/u],
  ['(?i)BOAT', /boat/iu],
  ['(?i)ТЕТРАДЬ|φασολάδα|ÉTÉ', /тетрадь|ΦΑΣΟΛΆΔΑ|été/iu],
  ['\\p{Han}{3}', /\p{Script=Han}{3}/u],
  ['\\p{Khmer}+ ?\\p{Khmer}', /\p{Script=Khmer}+ ?\p{Script=Khmer}/u],
  ['\\p{Greek}\\p{L}*ά', /\p{Script=Greek}\p{L}*ά/u],
  ['\\p{Lu}\\p{Ll}+ \\p{Lu}\\p{Ll}+', /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u],
  ['\\d{4}-\\d\\d-\\d\\d', /\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}/u],
  ['^- \\[[ x]\\] ', /^- \[[ x]\] /u],
  ['^#{2,3} .*s$', /^#{2,3} .*s$/u],
  ['\\[\\[[^\\]|]+\\|', /\[\[[^\]|]+\|/u],
  ['\\bthe\\b', new RegExp(`(?<!${WORD})the(?!${WORD})`, 'u')],
  ['\\w+-\\w+-\\w+', new RegExp(`${WORD}+-${WORD}+-${WORD}+`, 'u')],
  [HIDDEN_WORD, /(?!)/u],
];

for (const [query, pattern] of PATTERNS)
  test(`the regular expression ${query} is found where JavaScript finds it, line by line`, async () => {
    const lines = ({ path, text = '' }) => [path.replace(/\.(?:md|markdown)$/iu, ''), ...text.split(/\r?\n/u)];
    const expected = files
      .filter(isVisibleNote)
      .map(({ path, bytes }) => ({ path, text: textOf(bytes) }))
      .filter((note) => lines(note).some((line) => pattern.test(line.normalize('NFC'))))
      .map(({ path }) => path);
    const { hits } = await client.allHits(query, { mode: 'regex', limit: 100 });
    const found = hits.map(({ path }) => path);
    assert.deepEqual(found.toSorted(), expected.toSorted());
    if (query !== HIDDEN_WORD) assert.ok(found.length > 0, 'a pattern that finds nothing shows nothing');
  });

test('what is no regular expression is refused with the reason', async () => {
  for (const query of ['(', '[a', 'a{2', '(?=a)', '\\1', '*'])
    assert.match(await client.refusal('search_notes', { query, mode: 'regex' }), /^INVALID_ARGUMENT: /, query);
});

test('every page is part of one list, in one order', async () => {
  const whole = await client.tool('search_notes', { query: 'the', limit: 100 });
  const paths = whole.facts.hits.map(({ path }) => path);
  assert.ok(paths.length > 10, `${paths.length} hits`);
  for (const limit of [1, 7, '7']) {
    const { hits, totals } = await client.allHits('the', { limit });
    assert.deepEqual([hits.map(({ path }) => path), totals], [paths, [paths.length]], JSON.stringify(limit));
  }
});

test('dir searches one folder', async () => {
  const expected = oracle.find('the').filter((path) => path.startsWith('Projects/'));
  assert.ok(expected.length > 1);
  const { hits, totals } = await client.allHits('the', { dir: 'Projects' });
  assert.deepEqual([hits.map(({ path }) => path).sort(), totals], [expected, [expected.length]]);
});

test('what is hidden is not found, by its words or by its path', async () => {
  assert.ok(files.some(({ path, bytes }) => path.startsWith('.') && bytes?.includes(HIDDEN_WORD)));
  for (const query of [
    HIDDEN_WORD,
    HIDDEN_WORD.slice(0, 9),
    `"${HIDDEN_WORD}"`,
    '.obsidian',
    '.private',
    'secret',
  ]) {
    const { hits } = await client.allHits(query);
    const hidden = hits.filter(
      ({ path, snippet = '' }) => /(^|\/)\.|\u200c\./.test(path) || snippet.includes(HIDDEN_WORD),
    );
    assert.deepEqual(hidden, [], query);
  }
  assert.deepEqual((await client.allHits(HIDDEN_WORD)).totals, [0]);
  // A hidden folder is no other answer than one that is not there.
  for (const dir of ['.obsidian', 'Projects/.private', 'No such folder'])
    assert.match(await client.refusal('search_notes', { query: 'a', dir }), /^NOT_FOUND: /, dir);
});

test('a query that asks for nothing is refused', async () => {
  for (const query of ['', ' \n', '\u200b'])
    assert.match(await client.refusal('search_notes', { query }), /^INVALID_ARGUMENT: query /);
  assert.match(
    await client.refusal('search_notes', { query: 'x'.repeat(1001) }),
    /^INVALID_ARGUMENT: query /,
  );
  assert.match(await client.refusal('search_notes', { query: 'a', limit: 0 }), /^INVALID_ARGUMENT: limit /);
  assert.match(
    await client.refusal('search_notes', { query: 'a', cursor: 'junk' }),
    /^INVALID_ARGUMENT: cursor /,
  );
});
