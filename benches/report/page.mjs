/** docs/performance.md: one section for each kind of vault, written anew by each run with `--write`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRepository } from '../../tests/e2e/support/places.mjs';
import { circumstances, tables } from './tables.mjs';

const PAGE = 'docs/performance.md';

const INTRODUCTION = `# Performance

Written by \`cargo xtask bench --write\`; do not edit. \`VAULT_MCP_REAL_VAULT=DIR\` measures a vault of one's own
instead of the generated one (repeated until it is large enough, but as it is beside mcpvault), \`--quick\` a small one
in a few minutes, \`--notes N\` one of another size.

Everything is measured from a client's side of the built Worker under \`wrangler dev\`, with the GitHub look-alike in
GitHub's place, so that no network is in the numbers and nothing else is left out: the login's token, the guard, the
objects and their databases. Every answer is checked before its time counts. What the numbers can be used for:

- **Counts** (requests to GitHub, calls of objects, statements, rows) are the same on every machine.
- **Ratios** between two servers that were asked in turn by the same client differ little between machines.
- **CPU time** is what the process that runs the Worker and its objects was on a processor, over many calls. It does
  not grow with what else the machine does, though it does with a slower machine.
- **Milliseconds** include \`wrangler dev\`'s own process in front of the Worker; the first row of "The guard" is what
  that takes alone. wrangler's collector of traces is off wherever something is timed.

mcpvault is the yardstick because it serves the same kind of vault from a folder: it reads every file for each search.
Its searches find the notes that hold *any* of the words and give 20 at the most; the Worker's find *all* that hold
*all* words, and count them. Both are asked for 20 hits, mcpvault also in front matter, where the Worker always looks;
a phrase goes to mcpvault as bare words, since it has none.
`;

const TITLES = { generated: 'A generated vault', repeated: 'A real vault' };

const cell = (text) => String(text).replaceAll('|', '\\|');

function markdown({ title, note, head, rows }) {
  const numbers = head.map((_, at) => at > 0 && !rows.every((row) => /[a-z]{3}/i.test(row[at])));
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [
    `### ${title}`,
    ...(note ? ['', note] : []),
    '',
    line(head),
    `| ${numbers.map((right) => (right ? '---:' : '---')).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n');
}

function section(result) {
  const parts = [`## ${TITLES[result.vault.source]}`, circumstances(result), ...tables(result).map(markdown)];
  return parts.join('\n\n');
}

const marks = (source) => [`<!-- begin ${source} -->`, `<!-- end ${source} -->`];

/** What the page now has between the marks of a kind of vault. */
function kept(page, source) {
  const [begin, end] = marks(source);
  const start = page.indexOf(begin);
  const stop = page.indexOf(end);
  return start < 0 || stop < 0 ? undefined : page.slice(start + begin.length, stop).trim();
}

/** Puts a result into the page; the section of the other kind of vault stays as it is. */
export function writePage(result) {
  const path = inRepository(PAGE);
  const page = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = Object.keys(TITLES)
    .map((source) => [source, source === result.vault.source ? section(result) : kept(page, source)])
    .filter(([, text]) => text !== undefined)
    .map(([source, text]) => {
      const [begin, end] = marks(source);
      return `${begin}\n\n${text}\n\n${end}\n`;
    });
  writeFileSync(path, [INTRODUCTION, ...sections].join('\n'));
}
