/**
 * Further real clients against the built Worker, each through its own OAuth flow; prints a table of what each did.
 *
 *   node tests/clients/run.mjs [--write] [NAME…]
 *
 * With `--write` the table also goes into docs/clients.md. Names are those of the clients; without one, all run. Exit
 * code 1 where a client did not do what it is known to do.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserScript } from '../e2e/support/claude.mjs';
import { startSite } from '../e2e/support/claude_ai.mjs';
import { revoke } from '../e2e/support/oauth.mjs';
import { Stack } from '../e2e/support/stack.mjs';
import { claudeCode } from './claude_code.mjs';
import { codex, standIn } from './codex.mjs';
import { fastmcp } from './fastmcp.mjs';
import { mcpRemote } from './mcp_remote.mjs';
import { METADATA } from './metadata.mjs';
import { opencode } from './opencode.mjs';
import { STEPS, proofOf } from './proof.mjs';
import { rmcp } from './rmcp.mjs';
import { table, writeDocument } from './table.mjs';
import { typescript } from './typescript.mjs';

const CLIENTS = [...claudeCode, ...codex, opencode, mcpRemote, typescript, fastmcp, rmcp];

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = CLIENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0)
  throw new Error(`no such client; there are ${CLIENTS.map(({ name }) => name).join(', ')}`);

/** Runs one client: what it proved, and what is wrong with that. */
async function prove(client, stack) {
  const folder = join(stack.scratch, client.name.replace(/\W+/g, '-'));
  mkdirSync(folder, { recursive: true });
  const begin = stack.exchanges.length;
  const exchanges = () => stack.exchanges.slice(begin);
  const place = {
    stack,
    folder,
    browser: browserScript(folder),
    /** Ends the client's access tokens at the server, as their expiry would. */
    async expire() {
      for (const { path, fields, json } of exchanges())
        if (path === '/token' && json.access_token)
          await revoke(stack.url, fields.get('client_id'), json.access_token);
    },
  };
  const row = { name: client.name, version: 'not installed' };
  try {
    row.version = client.version();
    await client.run(place);
  } catch (error) {
    row.error = error.message;
  }
  Object.assign(row, proofOf(exchanges()), { cannot: client.cannot ?? {} });
  row.missing = STEPS.filter((step) => !row.steps.includes(step) && !row.cannot[step]);
  row.stale = STEPS.filter((step) => row.steps.includes(step) && row.cannot[step]);
  return row;
}

const rows = [];
const site = await startSite();
site.answer = { body: standIn };
const stack = await Stack.start({ routes: { 'chatgpt.com': site.url } });
try {
  for (const client of chosen) {
    console.error(`${client.name} …`);
    rows.push(await prove(client, stack));
    // One client's view of the server is not the next one's.
    stack.editDocument(METADATA, undefined);
  }
} finally {
  await stack.stop();
  await site.stop();
}
console.log(table(rows));
const wrong = rows.filter(({ error, missing, stale }) => error || missing.length + stale.length > 0);
for (const { name, error, missing, stale } of wrong) {
  if (error) console.error(`${name}: ${error}`);
  for (const step of missing) console.error(`${name}: no ${step} was seen`);
  for (const step of stale) console.error(`${name}: ${step} is listed as not to be had, and was seen`);
}
if (wrong.length > 0) process.exitCode = 1;
else if (values.write) writeDocument(rows);
