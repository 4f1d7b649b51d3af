/** Child processes that end with the tests: each leads its own process group, and the group is ended whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const groups = new Set();

const signalGroup = (pid, signal) => {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
};

// A crashed or interrupted test run must not leave servers behind.
process.on('exit', () => groups.forEach((pid) => signalGroup(pid, 'SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Whether anything of a process group still runs. What has ended and waits to be collected does not. */
export function groupIsAlive(leader) {
  if (!existsSync('/proc/self/stat')) return signalGroup(leader, 0);
  return readdirSync('/proc').some((pid) => {
    try {
      // After the name, which is in parentheses and may hold any character: state, parent, group.
      const [state, , group] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(group) === leader && state !== 'Z';
    } catch {
      // No process, or one that ended while we looked.
      return false;
    }
  });
}

/** A running program, its output so far, and the way to end it. */
export class Running {
  output = '';
  code;

  constructor(command, args, options = {}) {
    this.name = `${command.split('/').at(-1)} ${args.join(' ')}`;
    this.child = spawn(command, args, { ...options, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.output += `${error.message}\n`;
        resolve((this.code = -1));
      });
      this.child.once('close', (code, signal) => resolve((this.code = code ?? signal)));
    });
    if (this.child.pid) groups.add(this.child.pid);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
  }

  /** Waits until the output matches, and returns the match. Throws with the whole output otherwise. */
  async until(pattern, milliseconds) {
    const deadline = Date.now() + milliseconds;
    while (Date.now() < deadline) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (this.code !== undefined) break;
      await sleep(25);
    }
    throw new Error(
      `${this.name}: ${this.code === undefined ? 'still running' : `exited with ${this.code}`} without ${pattern} in its output:\n${this.output}`,
    );
  }

  /** Like `until`, for a program that is of no use otherwise: it is ended before this throws. */
  async ready(pattern, milliseconds) {
    try {
      return await this.until(pattern, milliseconds);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends the whole group at once, as a crash does. */
  async kill() {
    const { pid } = this.child;
    if (!pid) return;
    signalGroup(pid, 'SIGKILL');
    groups.delete(pid);
    await this.exited;
  }

  /** Ends the whole group: politely, then not. */
  async stop() {
    const { pid } = this.child;
    if (!pid) return;
    signalGroup(pid, 'SIGTERM');
    for (let waited = 0; groupIsAlive(pid) && waited < 5_000; waited += 50) await sleep(50);
    signalGroup(pid, 'SIGKILL');
    groups.delete(pid);
    await this.exited;
  }
}

/**
 * Runs a program to its end: exit code and all its output, stdout and stderr together in order of arrival. `input` is
 * what it reads; null leaves its standard input open.
 */
export async function run(command, args, { timeout = 60_000, input = '', ...options } = {}) {
  const running = new Running(command, args, options);
  running.child.stdin.on('error', () => {});
  if (input !== null) running.child.stdin.end(input);
  const timer = setTimeout(() => running.stop(), timeout);
  const code = await running.exited;
  clearTimeout(timer);
  groups.delete(running.child.pid);
  return { code, output: running.output };
}

/** `count` neighbouring TCP ports that nothing listens on now. */
export async function freePorts(count) {
  const open = async (port) => {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const first = await open(0);
    const { port } = first.address();
    const rest = await Promise.allSettled(Array.from({ length: count - 1 }, (_, i) => open(port + 1 + i)));
    const servers = [first, ...rest.filter((r) => r.status === 'fulfilled').map((r) => r.value)];
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    if (servers.length === count && port + count <= 65_535) return port;
  }
  throw new Error(`no block of ${count} free ports`);
}
