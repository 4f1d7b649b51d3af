/** Random queries out of the notes themselves, the same on every run, and holding the server's answers to the oracle. */
import assert from 'node:assert/strict';

/** Scripts that are written without spaces, as parts of a character class. */
const UNSPACED = {
  'Han, Kana, Hangul': String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}`,
  Thai: String.raw`\p{sc=Thai}`,
  Khmer: String.raw`\p{sc=Khmr}`,
};

/** The most characters of a part of a run. */
const LONGEST_PART = 8;

/** Random numbers from 0 to 1 that are the same on every run (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As many different items as asked for, or all there are. */
function choose(items, count, random) {
  const left = [...items];
  const chosen = [];
  while (chosen.length < count && left.length > 0) {
    const at = Math.floor(random() * left.length);
    chosen.push(left[at]);
    left[at] = left.at(-1);
    left.pop();
  }
  return chosen;
}

function partOf(run, random) {
  const characters = [...run];
  const length = 1 + Math.floor(random() * Math.min(LONGEST_PART, characters.length));
  const start = Math.floor(random() * (characters.length - length + 1));
  return characters.slice(start, start + length).join('');
}

/** How often a part is drawn before the runs are taken to have no other. */
const PATIENCE = 1_000;

/** As many different parts of runs as asked for. */
function partsOf(runs, count, random) {
  const parts = new Set();
  for (let drawn = 0; parts.size < count && drawn < PATIENCE && runs.length > 0; drawn += 1)
    parts.add(partOf(runs[Math.floor(random() * runs.length)], random));
  return [...parts];
}

/**
 * Queries of one piece: `words` words out of all that the notes have, every other one in double quotes, and `parts`
 * parts of runs without spaces, evenly by script. Throws where the notes have too few.
 */
export function queriesOf(oracle, { words, parts, seed }) {
  const random = seeded(seed);
  const enough = (items, count, what) => {
    if (items.length === count) return items;
    throw new Error(`the notes have ${items.length} ${what}, fewer than ${count}`);
  };
  const scripts = Object.entries(UNSPACED);
  const share = (i) =>
    Math.floor(((i + 1) * parts) / scripts.length) - Math.floor((i * parts) / scripts.length);
  return [
    ...enough(choose(oracle.words(), words, random), words, 'words').map((piece, i) => ({
      piece,
      whole: i % 2 === 1,
    })),
    ...scripts
      .flatMap(([name, script], i) =>
        enough(partsOf(oracle.runs(script), share(i), random), share(i), `parts of runs of ${name}`),
      )
      .map((piece) => ({ piece, whole: false })),
  ];
}

/** That a query finds exactly the notes that the oracle does, each once, and that the lines it shows hold the piece. */
export async function findsExactly(client, oracle, { piece, whole }) {
  const query = whole ? `"${piece}"` : piece;
  const { hits, totals, searched } = await client.allHits(query, { limit: 100 });
  const expected = oracle.find(piece, { whole });
  assert.deepEqual(hits.map(({ path }) => path).sort(), expected, query);
  assert.deepEqual([totals, searched], [[expected.length], oracle.size], query);
  for (const { path, line } of hits)
    if (line !== undefined)
      assert.ok(oracle.isOnLine(path, line, piece, { whole }), `${query} is not on line ${line} of ${path}`);
  return hits.length;
}
