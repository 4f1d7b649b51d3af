/** What was measured, and on what. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { arch, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inRepository } from '../../tests/e2e/support/places.mjs';
import { round } from './series.mjs';

const version = (name) =>
  JSON.parse(readFileSync(inRepository(`node_modules/${name}/package.json`), 'utf8')).version;

/** The machine's class; nothing that names the machine. */
export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? arch(),
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${arch()}`,
    node: process.versions.node,
    workerd: version('workerd'),
    wrangler: version('wrangler'),
    mcpvault: version('@bitbonsai/mcpvault'),
  };
}

/** Processes that ran or waited to, over the last minute. */
export const load = () => round(loadavg()[0]);

/** The commit of the checkout, with a `+` where files differ from it. */
export function commit() {
  const git = (...args) => execFileSync('git', args, { cwd: inRepository(''), encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--', 'src', 'Cargo.lock') ? '+' : '');
  } catch {
    return undefined;
  }
}

/** Bytes of what is uploaded: the Wasm module by itself, and with the script that loads it. */
export function builtWorker() {
  const sizes = (bytes) => ({ raw: bytes.length, gzip: gzipSync(bytes).length });
  const wasm = readFileSync(inRepository('build/index_bg.wasm'));
  const script = readFileSync(inRepository('build/index.js'));
  const total = [sizes(wasm), sizes(script)].reduce((a, b) => ({ raw: a.raw + b.raw, gzip: a.gzip + b.gzip }));
  return { wasm: sizes(wasm), total, sha256: createHash('sha256').update(wasm).digest('hex') };
}

/** Bytes of the index's database on disk, its write-ahead log included. */
export function databaseBytes(stack) {
  const folder = join(stack.workerState, 'vault-mcp-VaultIndex');
  return readdirSync(folder)
    .filter((name) => /\.sqlite(-wal)?$/.test(name) && !name.startsWith('metadata.'))
    .map((name) => statSync(join(folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
}
