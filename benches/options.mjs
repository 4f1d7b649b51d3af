/** The options of the benchmark; `cargo xtask bench` passes them on. */
import { parseArgs } from 'node:util';

/** How much is measured: calls a kind, seconds a kind at the most, the same against mcpvault, calls of the session. */
const THOROUGH = { calls: 100, seconds: 8, rounds: 5, comparisonSeconds: 20, sessionCalls: 1_000 };
const QUICK = { calls: 30, seconds: 5, rounds: 3, comparisonSeconds: 10, sessionCalls: 100 };

const SMALLEST = 500;

/** Reads a command line. Throws with a sentence about what is wrong with it. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      notes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      work: { type: 'string' },
    },
  });
  const notes = Number(values.notes ?? (values.quick ? 1_000 : 10_000));
  if (!Number.isInteger(notes) || notes < SMALLEST)
    throw new Error(`--notes takes a number of at least ${SMALLEST}, not ${values.notes}`);
  if (!values.work) throw new Error('--work DIR is missing: where the vaults are kept between runs');
  const { quick, json, write, work } = values;
  return {
    notes,
    json,
    write,
    work,
    quick,
    effort: quick ? QUICK : THOROUGH,
    /** Vaults of other sizes, to see how the times grow. */
    others: [Math.round(notes / 10), ...(quick ? [] : [notes * 3])],
    real: process.env.VAULT_MCP_REAL_VAULT || undefined,
  };
}
