/** How long calls take, one after another. */

const round = (number, digits = 2) => Number(number.toFixed(digits));

/** The smallest sample that a share `q` of the samples does not exceed. */
const quantile = (sorted, q) => sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];

/** Milliseconds as `{n, p50, p99}`. */
export function spread(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { n: sorted.length, p50: round(quantile(sorted, 0.5)), p99: round(quantile(sorted, 0.99)) };
}

/** The milliseconds of one call. */
export async function timed(call) {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

/** Calls until there are `count` samples or `seconds` are over, at least three times. */
export async function series(call, { count, seconds = Infinity }) {
  const samples = [];
  const deadline = performance.now() + seconds * 1_000;
  while (samples.length < count && (samples.length < 3 || performance.now() < deadline))
    samples.push(await timed(call));
  return samples;
}

export { round };
