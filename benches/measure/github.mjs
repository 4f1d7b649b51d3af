/** How often the Worker asks GitHub for something that counts against the hourly limit: the look-alike counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvFile } from '../../tests/e2e/support/env_file.mjs';
import { inRepository } from '../../tests/e2e/support/places.mjs';
import { round, timed } from './series.mjs';

/** Longer than an index takes its last look at the branch for the present one. */
const PAST_FRESHNESS = 11_000;
/** How long an index may take to be built, and to follow a push. */
const PATIENCE = { build: 900_000, push: 120_000 };

/**
 * Whether a request is one of the walk through the history by which an index learns in the background when notes were
 * changed last: at a pace of its own, to an end, and whether anybody calls or not.
 */
const isOfTheWalk = ({ method, path }) => method === 'GET' && /\/commits\/[0-9a-f]{40}\?page=\d+$/.test(path);

/** `{"GET tree": 2, …}`: requests by method and the part of the path that says what they ask for. */
function byEndpoint(requests) {
  const tally = {};
  for (const { method, path } of requests) {
    const [endpoint] = path.split('?')[0].replace(/^\/repos\/[^/]+\/[^/]+\/?/, '').replace(/^git\//, '').split('/');
    const name = `${method} ${endpoint || 'repository'}`;
    tally[name] = (tally[name] ?? 0) + 1;
  }
  return tally;
}

/** What was asked since the requests were forgotten: `{requests, walk, by_endpoint}`, those of the walk apart. */
async function asked(stack) {
  const counted = (await stack.requests()).filter((request) => request.counted);
  const requests = counted.filter((request) => !isOfTheWalk(request));
  return { requests: requests.length, walk: counted.length - requests.length, by_endpoint: byEndpoint(requests) };
}

/**
 * Searches until the answer is as it should be, as a person would: again after a second. Returns the seconds that
 * took, undefined where patience ended first.
 */
async function searchUntil(client, query, satisfied, patience) {
  const start = performance.now();
  while (performance.now() - start < patience) {
    const { isError, content } = await client.call('search_notes', { query, limit: 1 });
    const [{ text }] = content;
    // While an index is built, a GitHub that is busy with its archive may be slow to say where the branch is.
    if (isError && !/^(INDEX_BUILDING|UPSTREAM_UNAVAILABLE)\b/.test(text)) throw new Error(text);
    if (!isError && satisfied(JSON.parse(text))) return round((performance.now() - start) / 1_000);
    await sleep(1_000);
  }
  return undefined;
}

/**
 * The first calls of a person to a Worker that has seen nothing of the vault: a listing, then a search until the index
 * answers it. Of the seconds, `tarball_seconds` is what the look-alike alone takes to pack and send its archive.
 */
export async function measureColdSync({ stack, client, vault, word }) {
  await stack.forgetRequests();
  const listing = round((await timed(() => client.tool('list_notes', { limit: 1 }))) / 1_000);
  const building = await searchUntil(client, word, ({ total }) => total === 1, PATIENCE.build);
  if (building === undefined) throw new Error(`the index is not built after ${PATIENCE.build / 1_000} s`);
  const seconds = round(listing + building);
  const requests = await asked(stack);
  const tarball = await timed(async () => {
    const { VAULT_OWNER: owner, VAULT_REPO: repo, VAULT_GITHUB_TOKEN: token } = readEnvFile(
      inRepository('.dev.vars.example'),
    );
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'benchmark' };
    const response = await fetch(`${stack.github}/repos/${owner}/${repo}/tarball/main`, { headers });
    if (!response.ok) throw new Error(`tarball: ${response.status}`);
    await response.arrayBuffer();
  });
  return {
    seconds,
    first_listing_seconds: listing,
    tarball_seconds: round(tarball / 1_000),
    notes_per_second: Math.round(vault.notes / seconds),
    ...requests,
  };
}

/**
 * Warm calls of the three reading tools: what is `asked` for each, no request where all is well. Each is made when the
 * index is due for a look at the branch; where `once`, only the first.
 */
export async function measureWarm({ stack, client, vault, word, once }) {
  const calls = {
    list_notes: {},
    read_note: { path: vault.paths[0] },
    search_notes: { query: word },
  };
  const measured = {};
  for (const [tool, args] of Object.entries(calls)) {
    if (!once || tool === 'list_notes') await sleep(PAST_FRESHNESS);
    await stack.forgetRequests();
    await client.tool(tool, args);
    measured[tool] = await asked(stack);
  }
  return measured;
}

/**
 * Changes of one note: what is `asked` for each, with the look at the branch that a later reader takes; where `once`,
 * only after the last.
 */
export async function measureWrites({ stack, client, vault, once }) {
  const path = `${vault.dir}/Benchmark.md`;
  const elsewhere = 'A new folder of the benchmark/Benchmark.md';
  const content = (word) => ({ content: `${word}\n` });
  const changes = {
    create: ['write_note', { path, mode: 'create', ...content('zqcreatedzq') }, 'zqcreatedzq', 1],
    overwrite: ['write_note', { path, ...content('zqchangedzq') }, 'zqchangedzq', 1],
    delete: ['delete_note', { path }, 'zqchangedzq', 0],
    create_in_new_folder: ['write_note', { path: elsewhere, ...content('zqelsewherezq') }, 'zqelsewherezq', 1],
  };
  const measured = {};
  for (const [name, [tool, args, query, expected]] of Object.entries(changes)) {
    await stack.forgetRequests();
    await client.tool(tool, args);
    if (!once || name === 'create_in_new_folder') await sleep(PAST_FRESHNESS);
    const { facts } = await client.tool('search_notes', { query });
    if (facts.total !== expected) throw new Error(`${name}: ${facts.total} notes with ${query}, not ${expected}`);
    measured[name] = await asked(stack);
  }
  // What follows counts the notes that the vault had at first.
  await client.tool('delete_note', { path: elsewhere });
  return measured;
}

/**
 * Pushes of other devices: `{k: {seconds, requests, …}}` with what is `asked`, until a search finds all notes that were
 * pushed. `seconds` is undefined where none did for two minutes.
 */
export async function measurePushes({ stack, client, vault, sizes }) {
  const measured = {};
  for (const size of sizes) {
    const word = `zqpushed${size}zq`;
    const changes = vault.paths
      .slice(0, size)
      .map((path, number) => ({ put: path, text: `# Pushed\n\n${word} ${number}\n` }));
    await stack.forgetRequests();
    await stack.push(changes);
    const seconds = await searchUntil(client, word, ({ total }) => total === size, PATIENCE.push);
    measured[size] = { seconds, ...(await asked(stack)) };
  }
  return measured;
}
