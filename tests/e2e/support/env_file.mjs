/** Reading `.dev.vars.example`, and writing an env file for one Worker. */
import { readFileSync, writeFileSync } from 'node:fs';

/** The keys and values of an env file; comments and keys without a value are left out. */
export function readEnvFile(path) {
  const entries = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim()))
    .filter(Boolean)
    .map(([, key, value]) => [key, value.replace(/^(["'])(.*)\1$/, '$2')])
    .filter(([, value]) => value !== '');
  return Object.fromEntries(entries);
}

const quote = (value) => {
  const mark = ["'", '"', '`'].find((candidate) => !value.includes(candidate));
  // Double quotes expand \n, so they are no way to write a backslash.
  if (mark === undefined || (mark === '"' && value.includes('\\')))
    throw new Error(`no way to quote ${JSON.stringify(value)} in an env file`);
  return `${mark}${value}${mark}`;
};

/** Writes the values, each quoted; keys whose value is undefined or null are left out. */
export function writeEnvFile(path, values) {
  const lines = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}=${quote(String(value))}\n`);
  writeFileSync(path, lines.join(''), { mode: 0o600 });
}
