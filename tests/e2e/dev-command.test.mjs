/** `cargo xtask dev` and `cargo xtask token`, as a person runs them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { McpClient } from './support/mcp.mjs';
import { inRepository } from './support/places.mjs';
import { Running, freePorts, run } from './support/processes.mjs';

const xtask = (...args) => ['cargo', ['xtask', ...args], { cwd: inRepository('.'), env: process.env }];

// A first start builds the Worker.
const FIRST_START = 15 * 60_000;

/** All processes that have not ended: identifier, parent, start time (which tells a reused identifier) and command line; Linux only. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // The name, in parentheses, may itself hold spaces and parentheses.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        if (fields[0] === 'Z') return [];
        return [{ pid: Number(pid), parent: Number(fields[1]), started: fields[19], command }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** What `pid` started, directly or not. */
function startedBy(pid, all = processes()) {
  const children = all.filter(({ parent }) => parent === pid);
  return children.concat(children.flatMap((child) => startedBy(child.pid, all)));
}

const noProc = existsSync('/proc/self/cmdline') ? false : 'processes are read from /proc';

test('`dev --once` gets ready and exits 0', { timeout: FIRST_START }, async () => {
  const port = await freePorts(3);
  const [command, args, options] = xtask('dev', '--once', '--port', String(port));
  const { code, output } = await run(command, args, { ...options, timeout: FIRST_START });
  assert.equal(code, 0, output);
  assert.ok(output.includes(`claude mcp add --transport http vault http://localhost:${port}/mcp`), output);
  await assert.rejects(fetch(`http://localhost:${port}/healthz`));
});

test(
  '`dev` serves, `token` prints a bearer token, and Ctrl-C leaves no process behind',
  { timeout: FIRST_START, skip: noProc },
  async () => {
    const port = await freePorts(3);
    const dev = new Running(...xtask('dev', '--port', String(port)));
    try {
      await dev.until(
        new RegExp(`claude mcp add --transport http vault http://localhost:${port}/mcp`),
        FIRST_START,
      );
      for (const [user, extra, writes] of [
        ['owner@example.test', [], true],
        ['owner@example.test', ['--read-only'], false],
        ['reader@example.test', [], false],
      ]) {
        const [command, args, options] = xtask('token', '--port', String(port), '--user', user, ...extra);
        const { code, output } = await run(command, args, options);
        assert.equal(code, 0, output);
        const token = output.trim().split('\n').at(-1);
        const { tools } = await new McpClient(`http://localhost:${port}/mcp`, token).result('tools/list');
        assert.ok(tools.some(({ name }) => name === 'read_note'));
        if (!writes) assert.ok(!tools.some(({ name }) => name === 'write_note'));
      }
      const stranger = await run(
        ...xtask('token', '--port', String(port), '--user', 'stranger@example.test'),
      );
      assert.notEqual(stranger.code, 0, stranger.output);

      const family = startedBy(dev.child.pid);
      assert.ok(
        family.some(({ command }) => command.includes('workerd')),
        'the Worker runs below `cargo xtask dev`',
      );
      // As a terminal does it: to the whole foreground group.
      process.kill(-dev.child.pid, 'SIGINT');
      await dev.exited;
      const alive = processes().filter(({ pid, started }) =>
        family.some((one) => one.pid === pid && one.started === started),
      );
      assert.deepEqual(alive, []);
    } finally {
      await dev.stop();
    }
  },
);
