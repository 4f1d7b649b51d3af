/** A vault as a folder of files, made once and kept for the next run. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Census } from './census.mjs';
import { generatedNotes } from './generated.mjs';
import { notesBelow, ownNotes, repeatedNotes } from './repeated.mjs';

/** Raised whenever the notes or the queries come out differently than before. */
const VERSION = 1;

/** The word that only the `number`-th note holds. All are of one length: none is the beginning of another. */
export const uniqueWord = (number) => `zq${String(number).padStart(7, '0')}x`;

function fingerprint(real, notes) {
  const hash = createHash('sha256').update(JSON.stringify([VERSION, notes]));
  if (real) hash.update(JSON.stringify(notesBelow(real)));
  return hash.digest('hex').slice(0, 12);
}

/** Writes the notes below `folder` and describes them. */
function write(folder, source, count) {
  const census = new Census(count);
  const digest = createHash('sha256');
  const folders = new Map();
  const paths = [];
  let bytes = 0;
  for (const { path, text } of source) {
    const number = paths.length;
    const whole = `${text}\n${uniqueWord(number)}\n`;
    const file = join(folder, path);
    const above = dirname(path);
    if (!folders.has(above)) mkdirSync(dirname(file), { recursive: true });
    folders.set(above, (folders.get(above) ?? 0) + 1);
    writeFileSync(file, whole, { flag: 'wx' });
    digest.update(`${path}\0${whole}\0`);
    census.add(number, text);
    bytes += Buffer.byteLength(whole);
    paths.push(path);
  }
  const [dir, notesInDir] = [...folders].reduce((best, one) =>
    Math.abs(one[1] - 100) < Math.abs(best[1] - 100) ? one : best,
  );
  return { notes: paths.length, bytes, digest: digest.digest('hex'), dir, notesInDir, picks: census.picks(), paths };
}

/** Where the notes of a vault come from, and how many they are. */
function sourceOf({ notes, real }) {
  if (!real) return { source: 'generated', count: notes, all: () => generatedNotes(notes) };
  if (notes) return { source: 'repeated', count: notes, all: () => repeatedNotes(real, notes) };
  return { source: 'own', count: notesBelow(real).length, all: () => ownNotes(real) };
}

/**
 * The vault of `notes` notes as a folder below `work`: generated, or made of the vault in the folder `real`, which
 * without `notes` is taken as it is. Returns its `folder` and what is known of it: `source`, `notes`, `bytes`, a `digest` of all paths and texts, the `paths` by
 * number, the `picks` of its census, and `dir`, the folder that directly holds about a hundred notes (`notesInDir`).
 */
export function prepareVault({ work, notes, real }) {
  const { source, count, all } = sourceOf({ notes, real });
  const home = join(work, 'vaults', `${source}-${count}-${fingerprint(real, count)}`);
  const folder = join(home, 'vault');
  const description = join(home, 'vault.json');
  if (!existsSync(description)) {
    const unfinished = `${home}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const made = write(join(unfinished, 'vault'), all(), count);
    writeFileSync(join(unfinished, 'vault.json'), JSON.stringify(made));
    rmSync(home, { recursive: true, force: true });
    renameSync(unfinished, home);
  }
  return { source, folder, ...JSON.parse(readFileSync(description, 'utf8')) };
}
