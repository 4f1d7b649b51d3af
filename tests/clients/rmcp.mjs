/** The client of rmcp, the SDK that the server is made with: dev/src/bin/rmcp_client.rs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inRepository } from '../e2e/support/places.mjs';
import { Running } from '../e2e/support/processes.mjs';
import { rmcpClient } from './place.mjs';

export const rmcp = {
  name: 'rmcp',
  version: () =>
    /name = "rmcp"\nversion = "([^"]+)"/.exec(readFileSync(inRepository('Cargo.lock'), 'utf8'))[1],
  cannot: { logout: 'it has no call that revokes a token' },

  async run({ stack, browser, expire }) {
    const client = new Running(rmcpClient(), [stack.mcp, browser]);
    try {
      await client.ready(/^waiting$/m, 60_000);
      await expire();
      client.child.stdin.end('\n');
      assert.equal(await client.exited, 0, client.output);
      const { tools, calls } = JSON.parse(client.output.split('\n').findLast((line) => line.startsWith('{')));
      assert.ok(tools.includes('read_note'), client.output);
      for (const text of calls) assert.equal(JSON.parse(text).path, 'Index.md');
    } finally {
      await client.stop();
    }
  },
};
