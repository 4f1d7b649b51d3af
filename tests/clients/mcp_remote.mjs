/** mcp-remote: brings a remote server to hosts that speak over standard input and output alone. */
import assert from 'node:assert/strict';
import { Running } from '../e2e/support/processes.mjs';
import { npmProgram, npmVersion } from './place.mjs';

/** A host: one JSON-RPC message a line. */
class Host {
  #id = 0;

  constructor(program) {
    this.program = program;
  }

  notify(method, params) {
    this.program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  }

  /** The result of a request. */
  async request(method, params = {}) {
    const id = (this.#id += 1);
    this.program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const [line] = await this.program.until(new RegExp(`^\\{.*"id":${id}\\b.*\\}$`, 'm'), 60_000);
    const { result, error } = JSON.parse(line);
    assert.ok(result, `${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

export const mcpRemote = {
  name: 'mcp-remote',
  version: () => npmVersion('mcp-remote'),
  cannot: { logout: 'it has no logout' },

  async run({ stack, folder, browser, expire }) {
    const env = { PATH: process.env.PATH, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: browser };
    const program = new Running(npmProgram('mcp-remote'), [stack.mcp], { cwd: folder, env });
    try {
      const host = new Host(program);
      const clientInfo = { name: 'host', version: '1' };
      await host.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      host.notify('notifications/initialized');
      const { tools } = await host.request('tools/list');
      assert.ok(tools.length > 0);
      const read = async () => {
        const call = { name: 'read_note', arguments: { path: 'Index.md' } };
        const { content } = await host.request('tools/call', call);
        assert.equal(JSON.parse(content[0].text).path, 'Index.md');
      };
      await read();
      await expire();
      await read();
    } finally {
      await program.stop();
    }
  },
};
