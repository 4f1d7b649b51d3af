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

    test('lists and reads resources and prompts', async () => {
      const ask = async (...args) => {
        const answer = await inspect(era, ...args);
        assert.equal(answer.code, 0, answer.output);
        return answer.result();
      };
      const uri = 'vault://note/Projects/Boat%20refit/Engine.md';
      const { resources } = await ask('--method', 'resources/list');
      const { name, description } = resources.find((resource) => resource.uri === uri);
      assert.deepEqual([name, description], ['Engine.md', 'Projects/Boat refit/Engine.md']);
      const { resourceTemplates } = await ask('--method', 'resources/templates/list');
      assert.equal(resourceTemplates[0].uriTemplate, 'vault://note/{path}');
      const { contents } = await ask('--method', 'resources/read', '--uri', uri);
      assert.deepEqual([contents[0].uri, contents[0].mimeType], [uri, 'text/markdown']);
      const { prompts } = await ask('--method', 'prompts/list');
      assert.ok(prompts.some((prompt) => prompt.name === 'find_in_vault'));
      const prompt = ['--method', 'prompts/get', '--prompt-name', 'find_in_vault'];
      const { messages } = await ask(...prompt, '--prompt-args', 'topic=engine');
      assert.equal(messages[1].content.type, 'resource_link');
    });

    test('calls all tools', async () => {
      const call = async (tool, args) => {
        const { code, output, result } = await inspect(
          era,
          '--method',
          'tools/call',
          '--tool-name',
          tool,
          '--tool-args-json',
          JSON.stringify(args),
        );
        assert.equal(code, 0, output);
        return JSON.parse(result().content[0].text);
      };
      const path = `Projects/Sledge ${era}.md`;
      assert.ok((await call('list_notes', {})).total > 40);
      const { revision } = await call('write_note', { path, content: `Runners of ash, ${era}\n` });
      assert.equal((await call('read_note', { path })).revision, revision);
      assert.equal((await call('search_notes', { query: `ash ${era}` })).total, 1);
      assert.equal((await call('delete_note', { path, expected_revision: revision })).deleted, true);
    });
  });
}
