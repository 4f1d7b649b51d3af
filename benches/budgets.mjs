/** The numbers to hold, and whether this run held them. */

const KIB = 1024;
const MIB = 1024 * KIB;

const at = (object, path) => path.split('.').reduce((value, key) => value?.[key], object);

/**
 * `what`, where its value is, and the most (or least) it may be. Counts are the same on every machine. Times are not;
 * where one is named, it is CPU time, which at least does not grow with what else the machine does.
 */
const BUDGETS = [
  { what: 'GitHub requests of a cold sync', path: 'github.cold_requests', most: 5 },
  { what: 'GitHub requests of a warm call', path: 'github.warm_requests_max', most: 0 },
  { what: 'GitHub requests of an own change', path: 'github.write_requests_max', most: 1 },
  { what: 'GitHub requests of a push of 1 note', path: 'github.pushes.1.requests', most: 3 },
  { what: 'GitHub requests of a push of 40 notes', path: 'github.pushes.40.requests', most: 5 },
  { what: 'GitHub requests of a push of 400 notes', path: 'github.pushes.400.requests', most: 5 },
  { what: 'object calls of a request before the vault is asked', path: 'tools_list.object_calls', most: 1 },
  { what: 'object calls of a search', path: 'calls.rare.object_calls', most: 2 },
  { what: 'Wasm, gzip, KiB', path: 'worker.wasm.gzip', most: 1536, unit: KIB },
  { what: 'CPU of a warm call, ms', path: 'session.cpu_ms_per_call', most: 10 },
  { what: 'Wasm memory at its most, MiB', path: 'heap.bytes_max', most: 64, unit: MIB },
];

/** What a search of this kind may take inside the object, in CPU milliseconds. */
const SEARCHES = { rare: 5, common: 25, han: 25, han_pair: 25 };

/** How many times as fast as mcpvault a search of this kind is at least. */
const RATIOS = { rare: 20, common: 20, phrase: 20, none: 20, han: 8, han_pair: 8 };

/**
 * The CPU time of a call beyond that of one which is refused before the vault is asked, and beyond one more call of an
 * object (which is what the guard's look at the token costs): about what the object itself takes.
 */
export function insideObject(call, { refused, adds }) {
  if (call?.cpu_ms === undefined) return undefined;
  return Math.max(0, Number((call.cpu_ms - refused.cpu_ms - adds.cpu_ms).toFixed(2)));
}

/** Every budget as `{what, value, most | least, held}`; one whose value this run does not have is left out. */
export function budgets(result) {
  const fixed = BUDGETS.map(({ path, unit = 1, ...rest }) => ({
    ...rest,
    value: at(result, path) && Number((at(result, path) / unit).toFixed(2)),
  }));
  const searches = Object.entries(SEARCHES).map(([name, most]) => ({
    what: `CPU of a search inside the object, ${result.calls[name]?.label}, ms`,
    value: result.calls[name]?.inside_ms,
    most,
  }));
  const ratios = Object.entries(RATIOS).map(([name, least]) => ({
    what: `times as fast as mcpvault, ${result.beside.calls[name]?.label}`,
    value: result.search.mcpvault_ratio[name],
    least,
  }));
  return [...fixed, ...searches, ...ratios]
    .filter(({ value }) => value !== undefined)
    .map((each) => ({
      ...each,
      held: each.most === undefined ? each.value >= each.least : each.value <= each.most,
    }));
}

/** The numbers to hold, each under the path by which a script would name it: `github.warm_requests_max`, … */
export function headline(result) {
  const paths = [...BUDGETS.map(({ path }) => path), 'search.mcpvault_ratio_min'];
  return Object.fromEntries(paths.map((path) => [path, at(result, path)]));
}
