/**
 * The same calls to the Worker and to mcpvault, turn by turn, so that whatever else the machine does slows down both.
 * Both have the same notes, one in its index and the other as files in the system's cache, and both have been asked
 * the same before.
 */
import { round, spread, timed } from './series.mjs';

/** How often the Worker is asked for each time that mcpvault is: it takes a fraction of the time. */
const TURNS = 5;

/** Measures each kind that both have; returns `{kind: {worker, mcpvault, ratio}}`, a ratio of medians. */
export async function compare(kinds, { worker, mcpvault, effort }) {
  const measured = {};
  for (const kind of kinds.filter((each) => each.mcpvault)) {
    const other = kind.mcpvault;
    const ours = async () => kind.check(await worker.tool(kind.tool, kind.args));
    const theirs = async () => other.check(await mcpvault.tool(other.tool, other.args));
    await ours();
    await theirs();
    const samples = { worker: [], mcpvault: [] };
    const deadline = performance.now() + effort.comparisonSeconds * 1_000;
    for (let round = 0; round < effort.rounds && (round < 2 || performance.now() < deadline); round += 1) {
      samples.mcpvault.push(await timed(theirs));
      for (let turn = 0; turn < TURNS; turn += 1) samples.worker.push(await timed(ours));
    }
    const both = { worker: spread(samples.worker), mcpvault: spread(samples.mcpvault) };
    measured[kind.name] = { ...both, ratio: round(both.mcpvault.p50 / both.worker.p50) };
  }
  return measured;
}
