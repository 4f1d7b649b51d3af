/** The official TypeScript client through its own OAuth flow, the person scripted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { ClientMemory } from './support/client_memory.mjs';
import { bytesAt, changesOf, commitOf, repositoryIn } from './support/git.mjs';
import { Stack } from './support/stack.mjs';

let stack;
before(async () => {
  stack = await Stack.start();
});
after(() => stack?.stop());

async function connect(mode) {
  const authProvider = new ClientMemory('TypeScript client');
  const attempt = async () => {
    const client = new Client({ name: 'end-to-end test', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(stack.mcp), { authProvider });
    try {
      await client.connect(transport);
    } catch (error) {
      return { transport, error };
    }
    return { client, transport };
  };
  const first = await attempt();
  assert.ok(first.error instanceof UnauthorizedError, `the first attempt has no token: ${first.error}`);
  await first.transport.finishAuth(authProvider.answer);
  const second = await attempt();
  if (second.error) throw second.error;
  return { ...second, authProvider };
}

for (const mode of ['auto', 'legacy']) {
  test(`mode ${mode}: logs in, lists, reads, refreshes, writes, searches, deletes, attaches`, async () => {
    const { client, authProvider } = await connect(mode);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_notes'));
    const { content } = await client.callTool({ name: 'read_note', arguments: { path: 'Index.md' } });
    assert.equal(JSON.parse(content[0].text).path, 'Index.md');
    assert.match(content[1].text, /\[\[/);

    // An access token that the server does not know: the client refreshes by itself. (It keeps lists for a while, so
    // this takes a call.)
    const earlier = authProvider.tokens();
    authProvider.saveTokens({ ...earlier, access_token: `${earlier.access_token.slice(0, -4)}AAAA` });
    const again = await client.callTool({ name: 'read_note', arguments: { path: 'Index.md' } });
    assert.deepEqual(again.content, content);
    assert.notEqual(authProvider.tokens().refresh_token, earlier.refresh_token);

    const path = `Projects/Kite ${mode}.md`;
    const facts = async (name, args) => {
      const { isError, content: blocks } = await client.callTool({ name, arguments: args });
      assert.ok(!isError, blocks[0].text);
      return JSON.parse(blocks[0].text);
    };
    const { commit, revision } = await facts('write_note', { path, content: `Silk, ${mode}\n` });
    const repository = repositoryIn(stack.gitState);
    assert.equal(bytesAt(repository, commit, path).toString('utf8'), `Silk, ${mode}\n`);
    assert.equal(commitOf(repository, commit).trailers, 'Vault-Client: TypeScript client');
    assert.deepEqual(
      (await facts('search_notes', { query: `silk ${mode}` })).hits.map((hit) => hit.path),
      [path],
    );
    const deleted = await facts('delete_note', { path, expected_revision: revision });
    assert.deepEqual(changesOf(repository, deleted.commit), [{ change: 'D', path }]);

    const uri = 'vault://note/Index.md';
    const { resources } = await client.listResources();
    assert.equal(resources.find((resource) => resource.uri === uri).mimeType, 'text/markdown');
    const { contents } = await client.readResource({ uri });
    assert.deepEqual(contents, [{ uri, mimeType: 'text/markdown', text: content[1].text }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const ref = { type: 'ref/resource', uri: resourceTemplates[0].uriTemplate };
    const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'ind' } });
    assert.equal(completion.values[0], 'Index.md');
    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt({
      name: prompts.find(({ arguments: [{ name }] }) => name === 'path').name,
      arguments: { path: 'Index.md' },
    });
    assert.deepEqual(messages[1].content, { type: 'resource', resource: contents[0] });
    await client.close();
  });
}
