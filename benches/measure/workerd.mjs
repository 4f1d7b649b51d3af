/**
 * The CPU time of the Worker, from what Linux keeps of its process.
 *
 * `wrangler dev` runs two of them: one takes the connections and hands every request to the other, which runs the
 * Worker and its objects. Only the second has a counterpart at Cloudflare.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { round } from './series.mjs';

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** The process that runs the Worker of `stack`; undefined where that cannot be told. Only on Linux. */
export function workerProcess(stack) {
  if (process.platform !== 'linux') return undefined;
  const leader = stack.worker.child.pid;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => {
      const [, , group] = read(`/proc/${pid}/stat`).replace(/^.*\) /s, '').split(' ');
      // The one in front listens on the public port, this one on any.
      return Number(group) === leader && read(`/proc/${pid}/cmdline`).includes('\0--socket-addr=entry=127.0.0.1:0\0');
    });
}

/** Nanoseconds that a process has been on a CPU: the first number of each of its threads' `schedstat` (proc(5)). */
function nanoseconds(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]))
    .reduce((sum, one) => sum + one, 0);
}

/** A stopwatch for the CPU time of the Worker that `stack` runs. Without Linux's `/proc` it reads undefined. */
export class CpuWatch {
  #pid;
  #start;

  constructor(stack) {
    this.#pid = workerProcess(stack);
    this.restart();
  }

  restart() {
    this.#start = this.#pid && nanoseconds(this.#pid);
  }

  /** Milliseconds a call since the (re)start, when there were so many calls. */
  perCall(calls) {
    if (this.#pid === undefined) return undefined;
    return round((nanoseconds(this.#pid) - this.#start) / 1e6 / calls);
  }
}
