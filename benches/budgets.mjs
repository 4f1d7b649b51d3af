/** The numbers to hold, and whether this run held them. */

const KIB = 1024;

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
  { what: 'search against mcpvault, times as fast at least', path: 'search.mcpvault_ratio_min', least: 1 },
];

/** What a search of this kind may take inside the object, in CPU milliseconds. */
const SEARCHES = { rare: 5, common: 25, han: 25, han_pair: 25 };

/**
 * The CPU time of a search beyond what a call costs that asks nothing of the vault, and beyond one more call of an
 * object (which is what the guard's look at the token costs): about what the search itself takes.
 */
function insideObject(result, name) {
  const { tools_list: base, adds } = result.guard;
  const call = result.calls[name];
  if (call?.cpu_ms === undefined) return undefined;
  return Math.max(0, Number((call.cpu_ms - base.cpu_ms - adds.cpu_ms).toFixed(2)));
}

/** Every budget as `{what, value, most | least, held}`; one whose value this run does not have is left out. */
export function budgets(result) {
  const fixed = BUDGETS.map(({ path, unit = 1, ...rest }) => ({
    ...rest,
    value: at(result, path) && Number((at(result, path) / unit).toFixed(2)),
  }));
  const searches = Object.entries(SEARCHES).map(([name, most]) => ({
    what: `CPU of a search inside the object, ${result.calls[name]?.label}, ms`,
    value: insideObject(result, name),
    most,
  }));
  return [...fixed, ...searches]
    .filter(({ value }) => value !== undefined)
    .map((each) => ({
      ...each,
      held: each.most === undefined ? each.value >= each.least : each.value <= each.most,
    }));
}
