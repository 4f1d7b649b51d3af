/** A person's own vault: as it is, or repeated under numbered folders until it is large enough. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isVisibleNote } from '../../tests/e2e/support/git.mjs';
import { bodyOf } from './frontmatter.mjs';

/** The mean size of a note, in bytes, that the repeated vault comes close to. */
const MEAN_BYTES = 10_000;

/** The visible notes below `folder`: `{path, size, modified}`, by path. */
export function notesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(folder, file).split(sep).join('/') }))
    .filter(({ path }) => isVisibleNote({ mode: '100644', path }))
    .map(({ file, path }) => {
      const { size, mtimeMs } = statSync(file);
      return { path, size, modified: mtimeMs };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const decoder = new TextDecoder('utf-8');
const textAt = (folder, path) => decoder.decode(readFileSync(join(folder, path)));

/** The notes of `folder` as they are, each `{path, text}`. */
export function* ownNotes(folder) {
  for (const { path } of notesBelow(folder)) yield { path, text: textAt(folder, path) };
}

/**
 * `count` notes, each `{path, text}`: those of `folder` under `Copy 01/`, then again under `Copy 02/`, … Where they are
 * small, a note holds the texts of several, from far apart: so the vault as a whole has the size it is to have.
 */
export function* repeatedNotes(folder, count) {
  const notes = notesBelow(folder);
  if (notes.length === 0) throw new Error(`${folder} holds no visible note`);
  const texts = notes.map(({ path }) => textAt(folder, path));
  const mean = notes.reduce((sum, { size }) => sum + size, 0) / notes.length;
  const together = Math.max(1, Math.round(MEAN_BYTES / mean));
  const stride = Math.floor(notes.length / together);
  for (let number = 0; number < count; number += 1) {
    const at = number % notes.length;
    const copy = String(1 + Math.floor(number / notes.length)).padStart(2, '0');
    const others = Array.from({ length: together - 1 }, (_, part) => texts[(at + (part + 1) * stride) % notes.length]);
    yield { path: `Copy ${copy}/${notes[at].path}`, text: [texts[at], ...others.map(bodyOf)].join('\n') };
  }
}
