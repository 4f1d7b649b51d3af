/**
 * What search_notes must find, worked out by looking at every note.
 *
 * The analysis is the one that note/src/text documents, written anew on what JavaScript knows of Unicode: the two
 * share no table, so they agree where both are right. It knows queries of one piece, bare or in double quotes; that is
 * all of the analysis there is (folding, words, runs without spaces) and none of what combines clauses.
 */

const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{M}+/gu;
/** Letters that no accent is taken from, and typographic signs: what people type for them. */
const TYPED = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', ς: 'σ' };
const SIGNS = { '‘': "'", '’': "'", ʼ: "'", '“': '"', '”': '"', '‐': '-', '‑': '-' };
const PLAIN = new RegExp(`[${Object.keys({ ...TYPED, ...SIGNS }).join('')}]`, 'gu');

/** A text as it is compared: case, accents and what is invisible make no difference. */
export const fold = (text) =>
  text
    .replace(IGNORABLE, '')
    .normalize('NFD')
    // Full case folding: to upper case is what makes two letters of one, and ẞ needs to be ß before.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(ACCENTS, '$1')
    .replace(PLAIN, (character) => TYPED[character] ?? SIGNS[character])
    .normalize('NFC');

const PART = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{M}\p{Co}]`;
/** Of scripts that are written without spaces; enclosed numbers of East Asia are numbers. */
const UNSPACED = String.raw`(?!\p{No})(?:[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}]|[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}])`;
const WORD = new RegExp(`^(?!${UNSPACED})${PART}$`, 'u');
const WORDS = new RegExp(`(?:(?!${UNSPACED})${PART}\\p{Default_Ignorable_Code_Point}*)+`, 'gu');

const isWord = (character) => character !== undefined && WORD.test(character);
const characterAt = (text, at) => (at < text.length ? String.fromCodePoint(text.codePointAt(at)) : undefined);
const characterBefore = (text, at) =>
  at > 0 ? /.$/su.exec(text.slice(Math.max(0, at - 2), at))[0] : undefined;

/** Whether a folded piece is in a folded text without cutting a word; its end may, where it is a `prefix`. */
function holds(text, piece, prefix) {
  const first = isWord(characterAt(piece, 0));
  const last = !prefix && isWord(characterBefore(piece, piece.length));
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
    const begins = !first || !isWord(characterBefore(text, at));
    if (begins && (!last || !isWord(characterAt(text, at + piece.length)))) return true;
  }
  return false;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a note says; undefined where it is not UTF-8. */
export function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Notes as `{path, text}`; one that is not text has undefined, and is found by its path alone. */
export class SearchOracle {
  #notes;
  #texts;

  constructor(notes) {
    this.#notes = notes.map(({ path, text }) => ({
      path,
      text,
      name: fold(path.replace(/\.[^.]*$/, '')),
      body: text === undefined ? '' : fold(text),
    }));
    this.#texts = new Map(notes.map(({ path, text }) => [path, text]));
    this.size = notes.length;
  }

  /** The paths of all notes with the piece, sorted; `whole` is a piece in double quotes. */
  find(piece, { whole = false } = {}) {
    const folded = fold(piece);
    return this.#notes
      .filter(({ name, body }) => holds(body, folded, !whole) || holds(name, folded, !whole))
      .map(({ path }) => path)
      .sort();
  }

  /** Whether the piece is on a line of a note, counted from 1. */
  isOnLine(path, line, piece, { whole = false } = {}) {
    const text = this.#texts.get(path);
    return holds(fold(text.split('\n')[line - 1] ?? ''), fold(piece), !whole);
  }

  /** Every word of the notes, as it is written there. */
  words() {
    return [...new Set(this.#notes.flatMap(({ text = '' }) => text.match(WORDS) ?? []))].sort();
  }

  /** Every run of a script's letters in the notes; `script` is a part of a character class, such as `\p{sc=Thai}`. */
  runs(script) {
    const pattern = new RegExp(`(?:(?=${PART})[${script}])+`, 'gu');
    return [...new Set(this.#notes.flatMap(({ text = '' }) => text.match(pattern) ?? []))].sort();
  }
}
