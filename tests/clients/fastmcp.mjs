/** fastmcp, the most used framework of Python: its client. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { inRepository } from '../e2e/support/places.mjs';
import { run } from '../e2e/support/processes.mjs';
import { python } from './place.mjs';

const VERSION = "import importlib.metadata as m; print(m.version('fastmcp'))";

export const fastmcp = {
  name: 'fastmcp',
  version: () => execFileSync(python(), ['-c', VERSION], { encoding: 'utf8' }).trim(),
  cannot: { logout: 'it has no call that revokes a token' },

  async run({ stack, folder, browser }) {
    const { code, output } = await run(
      python(),
      [inRepository('tests/clients/fastmcp_client.py'), stack.mcp],
      {
        cwd: folder,
        // Python waits for a browser to end, unless it is told that it need not.
        env: { PATH: process.env.PATH, HOME: folder, BROWSER: `${browser} %s &` },
        timeout: 120_000,
      },
    );
    assert.equal(code, 0, output);
    const { tools, calls } = JSON.parse(output.split('\n').findLast((line) => line.startsWith('{')));
    assert.ok(tools.includes('read_note'), output);
    for (const text of calls) assert.equal(JSON.parse(text).path, 'Index.md');
  },
};
