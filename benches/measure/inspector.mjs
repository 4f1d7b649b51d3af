/**
 * The inspector of the workerd that runs the Worker (V8's, by the Chrome DevTools protocol). Nobody is told on which
 * port it listens, so the process's sockets are gone through. Only on Linux.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { workerProcess } from './workerd.mjs';

const LISTENING = '0A';

/** What a link of `/proc` points at; empty for one that is gone by now. */
const linkAt = (path) => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

/** The ports on this machine at which the process `pid` takes connections: proc(5), `/proc/PID/net/tcp`. */
function listeningPorts(pid) {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode))
    .map(([, address]) => Number.parseInt(address.split(':')[1], 16));
}

/** The address of the Worker's own inspector; undefined where there is none. */
async function findTarget(pid) {
  for (const port of listeningPorts(pid)) {
    const answer = await fetch(`http://127.0.0.1:${port}/json`, { signal: AbortSignal.timeout(2_000) }).catch(() => {});
    const targets = answer?.ok ? await answer.json().catch(() => []) : [];
    const target = targets.find?.(({ id }) => id?.startsWith('core:user:'));
    if (target) return target.webSocketDebuggerUrl;
  }
  return undefined;
}

/** Wrangler has a session from the start, and there is one at a time: it takes back what is taken from it, and gives up. */
const TRIES = 10;

/** A session with the inspector, with its domain `Runtime` enabled. */
export class Inspector {
  #socket;
  #waiting = new Map();
  #context = Promise.withResolvers();

  /**
   * The result of `work(inspector)` at the Worker that `stack` runs, begun anew where the session was taken away;
   * undefined where there is no inspector to be found.
   */
  static async at(stack, work) {
    const pid = workerProcess(stack);
    const url = pid && (await findTarget(pid));
    if (!url) return undefined;
    for (let tries = 1; ; tries += 1) {
      const inspector = new Inspector();
      try {
        await inspector.#connect(url);
        return await work(inspector);
      } catch (error) {
        if (tries === TRIES) throw error;
      } finally {
        inspector.#socket.onclose = undefined;
        inspector.#socket.close();
      }
    }
  }

  async #connect(url) {
    this.#socket = new WebSocket(url);
    this.#socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    await new Promise((resolve, reject) => {
      this.#socket.onopen = resolve;
      this.#socket.onclose = () => reject(new Error(`no inspector at ${url}`));
    });
    this.#socket.onclose = () => this.#end(new Error('somebody else took over the inspector'));
    await this.call('Runtime.enable');
  }

  /** Calls a method of the protocol; resolves to its result. */
  call(method, params = {}) {
    const id = this.#waiting.size + 1;
    const answer = Promise.withResolvers();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  /** The value of a JavaScript expression in the Worker's global scope, as a remote object. */
  async evaluate(expression) {
    const contextId = await this.#context.promise;
    return (await this.call('Runtime.evaluate', { expression, contextId })).result;
  }

  #end(error) {
    for (const answer of this.#waiting.values()) answer.reject(error);
  }

  #take({ id, method, params, result, error }) {
    if (method === 'Runtime.executionContextCreated') this.#context.resolve(params.context.id);
    const answer = this.#waiting.get(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  }
}
