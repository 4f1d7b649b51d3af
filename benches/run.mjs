/** The benchmark from its first measurement to its last. */
import { McpClient } from '../tests/e2e/support/mcp.mjs';
import { signIn } from '../tests/e2e/support/oauth.mjs';
import { Stack } from '../tests/e2e/support/stack.mjs';
import { budgets, insideObject } from './budgets.mjs';
import { readingKinds, searchKinds } from './kinds.mjs';
import { measureCalls, measureSession } from './measure/calls.mjs';
import { builtWorker, commit, databaseBytes, load, machine } from './measure/circumstances.mjs';
import { connectMcpvault, connectWorker } from './measure/clients.mjs';
import { compare } from './measure/comparison.mjs';
import { measureColdSync, measurePushes, measureWarm, measureWrites } from './measure/github.mjs';
import { measureGuard } from './measure/guard.mjs';
import { wasmHeapBytes } from './measure/heap.mjs';
import { round } from './measure/series.mjs';
import { collectTraces, countInside } from './measure/traces.mjs';
import { CpuWatch } from './measure/workerd.mjs';
import { prepareVault, uniqueWord } from './vault/folder.mjs';

const PUSHES = [1, 40, 400];

const say = (text) => console.error(`bench: ${text} …`);

/** Starts everything over `vault`, hands it to `measure`, and ends it whatever happens. */
async function withStack(vault, measure) {
  say(`starting the stack over ${vault.notes} notes, ${round(vault.bytes / 1e6, 1)} MB`);
  const stack = await Stack.start({ vault: vault.folder, recorded: false });
  try {
    const token = (await signIn(stack.url)).access_token;
    return await measure({
      stack,
      token,
      vault,
      plain: new McpClient(stack.mcp, token),
      client: await connectWorker(stack.mcp, token),
      cpu: new CpuWatch(stack),
      word: uniqueWord(vault.notes - 1),
    });
  } finally {
    await stack.stop();
  }
}

const coldSync = ({ stack, plain, vault, word }) => {
  say('cold sync');
  return measureColdSync({ stack, client: plain, vault, word });
};

const mostRequests = (asked) => Math.max(...Object.values(asked).map(({ requests }) => requests));

/** Everything but the comparison, over the vault that the numbers are for. */
const measureAll = (options) => async (place) => {
  const { stack, token, vault, plain, client, cpu, word } = place;
  const { effort } = options;
  const kinds = [...readingKinds(vault), ...searchKinds(vault)];

  const cold_sync = await coldSync(place);
  say('the guard');
  const guard = await measureGuard({ stack, token, cpu, effort });
  say('warm calls');
  const calls = await measureCalls(kinds, { client, cpu, effort });
  say('a session of warm calls');
  const session = await measureSession(kinds, { client, cpu, calls: effort.sessionCalls });
  const database_bytes = databaseBytes(stack);
  const heap = [await wasmHeapBytes(stack)];

  say('GitHub requests of warm calls');
  const warm = await measureWarm({ stack, client: plain, vault, word, once: options.quick });
  say('GitHub requests of changes');
  const writes = await measureWrites({ stack, client: plain, vault, once: options.quick });

  say('what calls do inside');
  collectTraces(true);
  await stack.restart();
  const inside = await countInside([{ name: 'tools_list' }, ...kinds], { stack, token });
  collectTraces(false);
  await stack.restart();

  say('GitHub requests of pushes');
  const sizes = PUSHES.filter((size) => size <= vault.notes);
  const pushes = await measurePushes({ stack, client: plain, vault, sizes });
  heap.push(await wasmHeapBytes(stack));

  return {
    github: {
      cold_requests: cold_sync.requests,
      cold_by_endpoint: cold_sync.by_endpoint,
      warm,
      warm_requests_max: mostRequests(warm),
      writes,
      write_requests_max: mostRequests(writes),
      pushes,
    },
    cold_sync,
    guard,
    calls: Object.fromEntries(
      kinds.map(({ name, label }) => [
        name,
        { label, ...calls[name], inside_ms: insideObject(calls[name], guard), ...inside[name] },
      ]),
    ),
    tools_list: inside.tools_list,
    session,
    heap: { bytes_max: heap.every(Boolean) ? Math.max(...heap) : undefined },
    database: { bytes: database_bytes, per_text: round(database_bytes / vault.bytes) },
  };
};

/** Only what is to be set beside the same over a vault of another size. */
const measureSome = (options) => async (place) => {
  const { vault, client, cpu, stack } = place;
  const cold_sync = await coldSync(place);
  say('warm calls');
  const kinds = [...readingKinds(vault), ...searchKinds(vault)];
  const calls = await measureCalls(kinds, { client, cpu, effort: options.effort });
  const heap = { bytes_max: await wasmHeapBytes(stack) };
  return { notes: vault.notes, bytes: vault.bytes, cold_sync, calls, heap, database_bytes: databaseBytes(stack) };
};

/** The same calls to the Worker and to mcpvault, over the same files. */
const measureBeside = (options) => async (place) => {
  const { vault, client } = place;
  await coldSync(place);
  say('the same calls to mcpvault');
  const searches = searchKinds(vault);
  const kinds = [...readingKinds(vault), ...searches];
  const mcpvault = await connectMcpvault(vault.folder);
  const compared = await compare(kinds, { worker: client, mcpvault, effort: options.effort }).finally(() =>
    mcpvault.close(),
  );
  const ratio = Object.fromEntries(searches.map(({ name }) => [name, compared[name].ratio]));
  const labelled = kinds.filter(({ name }) => compared[name]).map(({ name, label }) => [name, { label, ...compared[name] }]);
  return {
    beside: { vault: described(vault), calls: Object.fromEntries(labelled) },
    search: { mcpvault_ratio_min: Math.min(...Object.values(ratio)), mcpvault_ratio: ratio },
  };
};

const described = ({ source, notes, bytes, digest }) => ({ source, notes, bytes, digest });

/** Measures all that `options` ask for and returns it as one object. */
export async function run(options) {
  collectTraces(false);
  const { work, real } = options;
  const prepared = (notes) => {
    say(notes ? `a vault of ${notes} notes` : 'the vault as it is');
    return prepareVault({ work, notes, real });
  };
  const before = load();
  const others = [];
  for (const notes of options.others) others.push(await withStack(prepared(notes), measureSome(options)));
  const vault = prepared(options.notes);
  const measured = await withStack(vault, measureAll(options));
  const compared = await withStack(real ? prepared() : vault, measureBeside(options));
  const result = {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    quick: options.quick,
    machine: { ...machine(), load: [before, load()] },
    worker: builtWorker(),
    vault: described(vault),
    ...measured,
    ...compared,
    other_sizes: others,
  };
  return { ...result, budgets: budgets(result) };
}
