/**
 * What a call does inside, counted instead of timed: calls of objects, statements of their databases, rows that those
 * read. wrangler's collector of traces sees all of it. It also makes a call about twice as slow, so the Worker runs
 * without it whenever something is timed.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpClient } from '../../tests/e2e/support/mcp.mjs';
import { nodeFirst } from '../../tests/e2e/support/places.mjs';

const SETTLED = 400;
const PATIENCE = 60_000;

/** Says whether a Worker that is started from now on has its traces collected. */
export function collectTraces(wanted) {
  // The environment that every program of a stack is started with.
  nodeFirst.X_LOCAL_OBSERVABILITY = String(wanted);
}

/** The collector's database, which it makes when there is something to put into it. */
async function openStore(stack) {
  // Node warns that this module is experimental, so it is loaded only where there are traces to read.
  const { DatabaseSync } = await import('node:sqlite');
  const folder = join(stack.workerState, '../observability/miniflare-wobs-trace-store');
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await sleep(SETTLED)) {
    const name =
      existsSync(folder) && readdirSync(folder).find((file) => file.endsWith('.sqlite') && file !== 'metadata.sqlite');
    if (name) return new DatabaseSync(join(folder, name), { readOnly: true });
  }
  throw new Error(`no traces in ${folder}`);
}

/** The spans of the one request to `url`, once no more are added; `attributes` parsed. */
async function spansOf(store, url) {
  const root = store.prepare(
    `SELECT trace_id AS id FROM spans
     WHERE parent_id IS NULL AND json_extract(attributes, '$."url.full"') = ?`,
  );
  const spans = store.prepare(
    'SELECT name, json(attributes) AS attributes FROM spans WHERE trace_id = ? AND duration_ms IS NOT NULL',
  );
  const deadline = Date.now() + PATIENCE;
  for (let before = -1; Date.now() < deadline; await sleep(SETTLED)) {
    const found = root.get(url);
    const all = found ? spans.all(found.id) : [];
    if (all.length > 0 && all.length === before)
      return all.map(({ name, attributes }) => ({ name, attributes: JSON.parse(attributes ?? '{}') }));
    before = all.length;
  }
  throw new Error(`no trace of ${url}`);
}

/** Counts for each kind: `{object_calls, statements, rows_read, object_bytes}`. */
export async function countInside(kinds, { stack, token }) {
  const store = await openStore(stack);
  const counts = {};
  try {
    for (const kind of kinds) {
      const url = `${stack.mcp}?kind=${kind.name}`;
      const client = new McpClient(url, token);
      if (kind.tool) kind.check(await client.tool(kind.tool, kind.args));
      else await client.result('tools/list');
      const spans = await spansOf(store, url);
      const named = (name) => spans.filter((span) => span.name === name);
      const sum = (list, attribute) =>
        list.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
      const statements = named('durable_object_storage_exec');
      counts[kind.name] = {
        object_calls: named('durable_object_subrequest').length,
        statements: statements.length,
        rows_read: sum(statements, 'cloudflare.durable_object.response.rows_read'),
        object_bytes: sum(named('fetch'), 'http.response.body.size'),
      };
    }
  } finally {
    store.close();
  }
  return counts;
}
