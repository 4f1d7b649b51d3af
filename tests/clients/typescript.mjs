/** The official TypeScript SDK, version 1: its client. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { ClientMemory } from '../e2e/support/client_memory.mjs';
import { npmFile, npmVersion } from './place.mjs';

const sdk = (path) => import(pathToFileURL(npmFile(`@modelcontextprotocol/sdk/dist/esm/client/${path}.js`)));

export const typescript = {
  name: 'TypeScript SDK v1',
  version: () => npmVersion('@modelcontextprotocol/sdk'),
  cannot: { logout: 'it has no call that revokes a token' },

  async run({ stack, expire }) {
    const { Client } = await sdk('index');
    const { StreamableHTTPClientTransport } = await sdk('streamableHttp');
    const { UnauthorizedError } = await sdk('auth');
    const authProvider = new ClientMemory('TypeScript SDK v1');
    const begin = () => [
      new Client({ name: 'TypeScript SDK v1', version: '1' }),
      new StreamableHTTPClientTransport(new URL(stack.mcp), { authProvider }),
    ];
    const [stranger, first] = begin();
    await assert.rejects(stranger.connect(first), UnauthorizedError);
    await first.finishAuth(authProvider.answer.get('code'));

    const [client, transport] = begin();
    await client.connect(transport);
    const read = async () => {
      const { content } = await client.callTool({ name: 'read_note', arguments: { path: 'Index.md' } });
      assert.equal(JSON.parse(content[0].text).path, 'Index.md');
    };
    assert.ok((await client.listTools()).tools.length > 0);
    await read();
    await expire();
    await read();
    await client.close();
  },
};
