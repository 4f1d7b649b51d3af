/** Both servers behind one and the same client: the official one in TypeScript. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inRepository } from '../../tests/e2e/support/places.mjs';

async function connect(transport) {
  const client = new Client(
    { name: 'vault-mcp benchmark', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  return {
    /** Calls a tool; returns the JSON of its first content block, and the other blocks' texts. */
    async tool(name, args) {
      const { content, isError } = await client.callTool({ name, arguments: args }, { timeout: 300_000 });
      const [first, ...rest] = content.map((block) => block.text);
      if (isError) throw new Error(`${name} ${JSON.stringify(args)}: ${first}`);
      return { facts: JSON.parse(first), texts: rest };
    },
    close: () => client.close(),
  };
}

/** A client of the Worker, with a bearer token as a client has it after its login. */
export const connectWorker = (url, token) =>
  connect(new StreamableHTTPClientTransport(new URL(url), { authProvider: { token: async () => token } }));

/** A client of mcpvault, which serves `folder` over its standard input and output. */
export const connectMcpvault = (folder) =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [inRepository('node_modules/@bitbonsai/mcpvault/dist/server.js'), folder, '--read-only'],
    }),
  );
