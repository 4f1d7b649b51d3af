/**
 * `cargo xtask bench`: the built Worker under `wrangler dev`, over a vault of ten thousand notes at the GitHub
 * look-alike, measured from the client's side.
 *
 * Prints a table. With `--json` the last line is one JSON object that holds all of it; with `--write` the results go
 * into docs/performance.md. What goes on meanwhile is said on stderr.
 */
import { headline } from './budgets.mjs';
import { readOptions } from './options.mjs';
import { writePage } from './report/page.mjs';
import { asText } from './report/text.mjs';
import { run } from './run.mjs';

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 22)
    throw new Error(`this is Node ${process.versions.node}; \`cargo xtask bench\` runs the pinned one`);
  const options = readOptions(process.argv.slice(2));
  const result = await run(options);
  console.log(asText(result));
  if (options.write) writePage(result);
  if (options.json) console.log(JSON.stringify({ ...headline(result), ...result }));
}

// Said before the processes that were started are ended for the same reason.
for (const signal of ['SIGINT', 'SIGTERM']) process.prependListener(signal, () => console.error(`bench: ${signal}`));

try {
  await main();
  // Idle connections of clients would keep the process alive.
  process.exit(0);
} catch (error) {
  console.error(`bench: ${error.stack ?? error}`);
  process.exit(1);
}
