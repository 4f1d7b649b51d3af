/**
 * What is called, kind by kind: the arguments for the Worker and for mcpvault, and what a right answer is. A fast
 * wrong answer is worth nothing, so every answer is checked.
 *
 * mcpvault reads every file for each search. It finds the notes that hold any of the words, each anywhere inside other
 * words, gives at most 20 of them, and has no phrases. The Worker finds the notes that hold all of the words, in any
 * form that differs only by case or accents, and says how many there are. To be as equal as can be: both are asked
 * for 20 hits, mcpvault also in front matter (where the Worker always looks), and a phrase as its bare words.
 */
import assert from 'node:assert/strict';
import { uniqueWord } from './vault/folder.mjs';

const LIMIT = 20;
const NOWHERE = 'qzxwvjkq';

const LABELS = {
  rare: 'a word of one note',
  none: 'a word of no note',
  common: 'the commonest word',
  prefix: 'its first two letters',
  words: 'two words',
  phrase: 'a phrase',
  compound: 'a word with a hyphen',
  han: 'one Han character',
  han_pair: 'two Han characters',
  symbols: 'symbols: [[',
};

function searchKind(name, { query, bare = query, atLeast, exactly, path }) {
  return {
    name,
    label: LABELS[name],
    tool: 'search_notes',
    args: { query, limit: LIMIT },
    check({ facts }) {
      if (exactly === undefined) assert.ok(facts.total >= atLeast, `${name}: ${facts.total} notes, not ${atLeast}`);
      else assert.equal(facts.total, exactly, name);
      assert.equal(facts.hits.length, Math.min(facts.total, LIMIT), name);
      if (path) assert.equal(facts.hits[0].path, path);
      return facts.total;
    },
    mcpvault: {
      tool: 'search_notes',
      args: { query: bare, limit: LIMIT, searchFrontmatter: true },
      check({ facts }) {
        assert.equal(facts.length, Math.min(exactly ?? LIMIT, LIMIT), name);
        if (path) assert.equal(facts[0].p, path);
      },
    },
  };
}

/** The searches that `vault` allows: one without Han characters has none to search for. */
export function searchKinds(vault) {
  const number = Math.floor((vault.notes * 2) / 3);
  const picked = Object.entries(vault.picks)
    .filter(([, pick]) => pick && pick.notes >= LIMIT)
    .map(([name, { text, notes }]) =>
      searchKind(name, { query: name === 'phrase' ? `"${text}"` : text, bare: text, atLeast: notes }),
    );
  const all = [
    searchKind('rare', { query: uniqueWord(number), exactly: 1, path: vault.paths[number] }),
    searchKind('none', { query: NOWHERE, exactly: 0 }),
    ...picked,
  ];
  return Object.keys(LABELS).flatMap((name) => all.filter((kind) => kind.name === name));
}

/** The other reading tools. */
export function readingKinds(vault) {
  const path = vault.paths[Math.floor(vault.notes / 2)];
  const { dir, notesInDir } = vault;
  return [
    {
      name: 'read',
      label: 'read_note',
      tool: 'read_note',
      args: { path },
      check: ({ facts }) => assert.equal(facts.path, path),
      mcpvault: {
        tool: 'read_note',
        args: { path },
        check: ({ facts }) => assert.ok(facts.content.length > 0),
      },
    },
    {
      name: 'list_folder',
      label: `list_notes, a folder of ${notesInDir}`,
      tool: 'list_notes',
      args: { dir, depth: 1 },
      check: ({ facts }) => assert.equal(facts.total, notesInDir),
      mcpvault: {
        tool: 'list_directory',
        args: { path: dir },
        check: ({ facts }) => assert.ok(facts.files.length >= notesInDir),
      },
    },
    {
      name: 'list_page',
      label: 'list_notes, the first page of all',
      tool: 'list_notes',
      args: {},
      check: ({ facts }) => assert.equal(facts.total, vault.notes),
    },
  ];
}
