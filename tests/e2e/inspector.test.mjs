/** The MCP Inspector's command line, in both eras. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signIn } from './support/oauth.mjs';
import { nodeFirst, nodeTool } from './support/places.mjs';
import { run } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';

let stack;
let token;
const home = mkdtempSync(join(tmpdir(), 'vault-mcp-inspector-'));

before(async () => {
  stack = await Stack.start();
  ({ access_token: token } = await signIn(stack.url));
});
after(async () => {
  rmSync(home, { recursive: true, force: true });
  await stack?.stop();
});

async function inspect(era, ...args) {
  const options = [
    '--transport',
    'http',
    '--protocol-era',
    era,
    '--format',
    'json',
    '--header',
    `Authorization: Bearer ${token}`,
  ];
  const { code, output } = await run(nodeTool('mcp-inspector'), ['--cli', stack.mcp, ...options, ...args], {
    env: { ...nodeFirst, HOME: home },
  });
  return { code, output, result: () => JSON.parse(output.slice(output.indexOf('{'))).result };
}

for (const era of ['legacy', 'modern']) {
  describe(`${era} era`, () => {
    test('lists the tools, whose schemas pass its strict check', async () => {
      const answer = await inspect(era, '--method', 'tools/list', '--strict');
      assert.equal(answer.code, 0, answer.output);
      assert.ok(answer.result().tools.some(({ name }) => name === 'read_note'));
    });

    test('calls a tool', async () => {
      const answer = await inspect(
        era,
        '--method',
        'tools/call',
        '--tool-name',
        'read_note',
        '--tool-arg',
        'path=Index.md',
      );
      assert.equal(answer.code, 0, answer.output);
      assert.equal(JSON.parse(answer.result().content[0].text).path, 'Index.md');
    });
  });
}
