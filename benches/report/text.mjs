/** The results for a terminal. */
import { circumstances, tables } from './tables.mjs';

/** Columns that a terminal gives to a character: two to those of East Asian scripts, none to marks on others. */
const width = (text) =>
  [...String(text)].reduce((sum, character) => {
    if (/\p{M}/u.test(character)) return sum;
    return sum + (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character) ? 2 : 1);
  }, 0);

const pad = (text, columns, left) => {
  const space = ' '.repeat(Math.max(0, columns - width(text)));
  return left ? text + space : space + text;
};

function drawn({ title, head, rows }) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const columns = head.map((_, at) => Math.max(...lines.map((line) => width(line[at]))));
  // Words stand left, numbers right.
  const isText = head.map((_, at) => at === 0 || rows.every((row) => /[a-z]{3}/i.test(row[at])));
  const line = (cells) => `  ${cells.map((cell, at) => pad(cell, columns[at], isText[at])).join('  ')}`.trimEnd();
  return [title, ...lines.map(line)].join('\n');
}

/** Everything, as text. */
export const asText = (result) => [circumstances(result), ...tables(result).map(drawn)].join('\n\n');
