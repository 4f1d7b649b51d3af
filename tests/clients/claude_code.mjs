/** Claude Code, which `cargo xtask test` drives further: by its metadata document, and by registration. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { ClaudeCode } from '../e2e/support/claude.mjs';
import { METADATA, withoutDocuments } from './metadata.mjs';

const { version } = createRequire(import.meta.url)('@anthropic-ai/claude-code/package.json');

const by = (way, metadata) => ({
  name: `Claude Code, by ${way}`,
  version: () => version,

  async run({ stack, expire }) {
    stack.editDocument(METADATA, metadata);
    const claude = new ClaudeCode();
    try {
      const add = await claude.mcp('add', '--scope', 'user', '--transport', 'http', 'vault', stack.mcp);
      assert.equal(add.code, 0, add.output);
      const login = await claude.login('vault');
      assert.equal(login.code, 0, login.output);
      const read = async () => {
        const call = { tool: 'read_note', input: { path: 'Index.md' } };
        const { code, output, results } = await claude.turn('vault', [call]);
        assert.equal(code, 0, output);
        assert.equal(JSON.parse(results[0].texts[0]).path, 'Index.md');
      };
      await read();
      await expire();
      await read();
      const logout = await claude.mcp('logout', 'vault');
      assert.equal(logout.code, 0, logout.output);
    } finally {
      claude.remove();
    }
  },
});

/** Both ways; a server that takes documents is the only one that Claude Code names its own to. */
export const claudeCode = [by('document', undefined), by('registration', withoutDocuments)];
