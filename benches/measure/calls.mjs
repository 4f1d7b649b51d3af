/** How long each kind of call takes, client to client, and how much CPU time. */
import { round, series, spread } from './series.mjs';

const WARM_UP = 3;

/** Measures each kind; returns `{kind: {n, p50, p99, cpu_ms, total?}}`. */
export async function measureCalls(kinds, { client, cpu, effort }) {
  const measured = {};
  for (const kind of kinds) {
    const call = async () => kind.check(await client.tool(kind.tool, kind.args));
    let total;
    for (let time = 0; time < WARM_UP; time += 1) total = await call();
    cpu.restart();
    const samples = await series(call, { count: effort.calls, seconds: effort.seconds });
    measured[kind.name] = { ...spread(samples), cpu_ms: cpu.perCall(samples.length), total };
  }
  return measured;
}

/**
 * The CPU time of the Worker for one call of a session of many: reads, searches of several kinds, listings. The order
 * is the same every time.
 */
export async function measureSession(kinds, { client, cpu, calls }) {
  const named = (name) => kinds.find((kind) => kind.name === name);
  const mix = ['read', 'rare', 'read', 'phrase', 'read', 'list_folder', 'read', 'common', 'list_page', 'han_pair']
    .map(named)
    .filter(Boolean);
  for (const kind of mix) await client.tool(kind.tool, kind.args);
  cpu.restart();
  const start = performance.now();
  for (let number = 0; number < calls; number += 1) {
    const kind = mix[number % mix.length];
    kind.check(await client.tool(kind.tool, kind.args));
  }
  const wall_ms = round((performance.now() - start) / calls);
  return { calls, cpu_ms_per_call: cpu.perCall(calls), wall_ms_per_call: wall_ms };
}
