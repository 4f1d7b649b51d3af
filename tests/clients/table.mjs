/** The table of what each client proved. */
import { readFileSync, writeFileSync } from 'node:fs';
import { inRepository } from '../e2e/support/places.mjs';
import { STEPS } from './proof.mjs';

const DOCUMENT = inRepository('docs/clients.md');
const [BEGIN, END] = ['<!-- clients: begin -->', '<!-- clients: end -->'];

const cell = ({ steps, cannot }, step) => (steps.includes(step) ? 'yes' : cannot[step] ? 'no' : 'MISSING');

/** As Markdown: a row a client, and below it why something cannot be had. */
export function table(rows) {
  const lines = [
    ['client', 'version', 'names itself by', 'MCP', ...STEPS],
    ['---', '---', '---', '---', ...STEPS.map(() => '---')],
    ...rows.map((row) => [
      row.name,
      row.version,
      row.identification,
      row.versions.join(', ') || 'none',
      ...STEPS.map((step) => cell(row, step)),
    ]),
  ];
  const reasons = rows.flatMap(({ name, cannot }) =>
    Object.entries(cannot).map(([step, reason]) => `- ${name}, ${step}: ${reason}.`),
  );
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), '', ...reasons].join('\n');
}

/** Puts the table and today's date into docs/clients.md. */
export function writeDocument(rows) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${DOCUMENT} has no place for the table`);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n\nSeen on ${today}.\n\n${table(rows)}\n\n${END}${after}`);
}
