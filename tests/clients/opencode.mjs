/** opencode: its command line logs in, and its agent calls the tools. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModel } from '../e2e/support/model.mjs';
import { run } from '../e2e/support/processes.mjs';
import { npmProgram, npmVersion } from './place.mjs';

export const opencode = {
  name: 'opencode',
  version: () => npmVersion('opencode-ai'),
  cannot: { logout: 'its logout forgets the tokens and tells no server' },

  async run({ stack, folder, browser, expire }) {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      BROWSER: browser,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    };
    const command = async (...args) => {
      const { code, output } = await run(npmProgram('opencode'), args, { cwd: folder, env, timeout: 60_000 });
      assert.equal(code, 0, output);
      return output;
    };
    const model = await startModel([{ name: 'vault_read_note', input: { path: 'Index.md' } }]);
    try {
      const config = {
        mcp: { vault: { type: 'remote', url: stack.mcp } },
        provider: { anthropic: { options: { baseURL: `${model.url}/v1`, apiKey: 'none' } } },
        model: 'anthropic/claude-sonnet-4-5',
      };
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify(config));
      const read = async () => {
        model.results = [];
        const output = await command('run', 'Do it.');
        assert.match(JSON.stringify(model.results), /Index\.md/, output);
      };
      await command('mcp', 'auth', 'vault');
      await read();
      await expire();
      await read();
      await command('mcp', 'logout', 'vault');
    } finally {
      await model.stop();
    }
  },
};
