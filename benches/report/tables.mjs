/** The results as tables: `{title, note?, head, rows}`, for the terminal and the page alike. */

const shown = (value, digits) => {
  if (value === undefined || value === null) return '–';
  return typeof value === 'number' && digits !== undefined ? value.toFixed(digits) : String(value);
};

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const kib = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;

function budgets({ budgets: all }) {
  return {
    title: 'Numbers to hold',
    head: ['what', 'measured', 'to hold', ''],
    rows: all.map(({ what, value, most, least, held }) => [
      what,
      shown(value),
      most === undefined ? `at least ${least}` : `at most ${most}`,
      held ? 'held' : 'NOT HELD',
    ]),
  };
}

function calls({ calls: all }) {
  return {
    title: 'Warm calls',
    note:
      'Milliseconds from client to client, one call after another; CPU is that of the Worker and its objects, in ' +
      'milliseconds a call; *in the object* is what of it is beyond a call that is refused before the vault is asked, ' +
      'and beyond the way to one more object. Objects, statements and rows are counts: calls of Durable Objects, statements in their ' +
      'databases, rows those read; KB is what the objects hand over.',
    head: ['call', 'notes found', 'p50', 'p99', 'CPU', 'in the object', 'objects', 'statements', 'rows', 'KB'],
    rows: Object.values(all).map((call) => [
      call.label,
      shown(call.total),
      shown(call.p50, 1),
      shown(call.p99, 1),
      shown(call.cpu_ms, 1),
      shown(call.inside_ms, 1),
      shown(call.object_calls),
      shown(call.statements),
      shown(call.rows_read),
      shown(call.object_bytes / 1e3, 1),
    ]),
  };
}

function comparison({ beside }) {
  return {
    title: 'Beside mcpvault',
    note:
      `The same questions to both, turn by turn, by the same client, over the same ${beside.vault.notes} files of ` +
      `${(beside.vault.bytes / 1e6).toFixed(0)} MB: the Worker by HTTP with a token, mcpvault as a local process over ` +
      'its standard input and output. Medians in milliseconds.',
    head: ['call', 'Worker', 'mcpvault', 'times as fast'],
    rows: Object.values(beside.calls).map(({ label, worker, mcpvault, ratio }) => [
      label,
      shown(worker.p50, 1),
      shown(mcpvault.p50, 1),
      shown(ratio, ratio < 10 ? 1 : 0),
    ]),
  };
}

function guard({ guard: steps }) {
  const row = (label, { p50, p99, cpu_ms: cpu }) => [label, shown(p50, 1), shown(p99, 1), shown(cpu, 2)];
  return {
    title: 'The guard',
    note: 'By bare HTTP. What a valid token costs is one call of the object that keeps the grants.',
    head: ['request', 'p50', 'p99', 'CPU'],
    rows: [
      row('a page that needs nothing', steps.health),
      row('refused: no token', steps.no_token),
      row('refused: a token that is no longer good', steps.dead_token),
      row('a call that is refused for its path', steps.refused),
      row('tools/list', steps.tools_list),
      row('so the look at a token adds', steps.adds),
    ],
  };
}

function github({ github: counts, cold_sync: cold }) {
  const endpoints = (tally) =>
    Object.entries(tally)
      .map(([name, count]) => (count === 1 ? name : `${count} × ${name}`))
      .join(', ');
  const row = (event, { requests, walk, seconds, by_endpoint: tally }) => [
    event,
    requests,
    walk,
    shown(seconds, 1),
    endpoints(tally) || '–',
  ];
  const rows = (events, named) => Object.entries(events).map(([name, asked]) => row(named(name), asked));
  return {
    title: 'Requests that GitHub counts',
    note:
      'Answers that say “not modified” do not count at GitHub, so a look at a branch that has not moved is free. ' +
      '*Walk* are those that nobody waits for: after a cold sync the index walks down the history, some commits at a ' +
      'time and to an end, to learn when notes were changed last.',
    head: ['event', 'requests', 'walk', 'seconds', 'which'],
    rows: [
      row('cold sync', cold),
      ...rows(counts.warm, (tool) => `warm ${tool}`),
      ...rows(counts.writes, (change) => `own change: ${change.replaceAll('_', ' ')}`),
      ...rows(counts.pushes, (size) => `a push of ${size}`),
    ],
  };
}

function growth(result) {
  const sizes = [...result.other_sizes, { notes: result.vault.notes, ...result, database_bytes: result.database.bytes }].sort(
    (a, b) => a.notes - b.notes,
  );
  const row = (label, value) => [label, ...sizes.map(value)];
  const kinds = Object.values(result.calls).map(({ label }, at) => [label, Object.keys(result.calls)[at]]);
  return {
    title: 'How it grows',
    note: 'Medians in milliseconds with the CPU time in parentheses, at several sizes of the vault.',
    head: ['', ...sizes.map(({ notes }) => `${notes} notes`)],
    rows: [
      row('cold sync, seconds', ({ cold_sync: cold }) => shown(cold.seconds, 1)),
      row('database', ({ database_bytes: bytes }) => mib(bytes)),
      row('Wasm memory at its most', ({ heap }) => (heap.bytes_max ? mib(heap.bytes_max) : '–')),
      ...kinds.map(([label, name]) =>
        row(label, ({ calls: all }) =>
          all[name] ? `${shown(all[name].p50, 1)} (${shown(all[name].cpu_ms, 1)})` : '–',
        ),
      ),
    ],
  };
}

function sizes({ worker, database, heap, vault, session, cold_sync: cold }) {
  return {
    title: 'Sizes and totals',
    head: ['what', 'how much'],
    rows: [
      ['Wasm module', `${kib(worker.wasm.raw)}, ${kib(worker.wasm.gzip)} gzip`],
      ['all that is uploaded', `${kib(worker.total.raw)}, ${kib(worker.total.gzip)} gzip`],
      ['text of the vault', mib(vault.bytes)],
      ['database of the index', `${mib(database.bytes)}, ${database.per_text} × the text`],
      ['Wasm memory at its most', heap.bytes_max ? mib(heap.bytes_max) : '–'],
      [`${session.calls} warm calls in a row, a call`, `${session.wall_ms_per_call} ms, ${shown(session.cpu_ms_per_call)} ms CPU`],
      ['cold sync', `${cold.seconds} s, of which the look-alike alone takes ${cold.tarball_seconds} s for its archive`],
      ['first listing of a cold Worker', `${cold.first_listing_seconds} s`],
    ],
  };
}

/** All tables of a result. */
export const tables = (result) => [budgets, sizes, github, calls, comparison, guard, growth].map((table) => table(result));

/** One sentence about what was measured and on what. */
export function circumstances({ date, commit, quick, machine, vault, worker }) {
  const source = vault.source === 'repeated' ? 'a real vault, repeated' : 'a generated vault in thirteen languages';
  return (
    `${date}${quick ? ' (quick: few samples)' : ''}: ${vault.notes} notes, ${(vault.bytes / 1e6).toFixed(0)} MB, ${source} ` +
    `(digest ${vault.digest.slice(0, 12)}); Worker ${worker.sha256.slice(0, 12)}, commit ${commit}; ` +
    `${machine.cores} × ${machine.cpu}, ${machine.memory_gib} GiB, ${machine.system}, load ${machine.load.join(' to ')}; ` +
    `Node ${machine.node}, workerd ${machine.workerd}, wrangler ${machine.wrangler}, mcpvault ${machine.mcpvault}.`
  );
}
