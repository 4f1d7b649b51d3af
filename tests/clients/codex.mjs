/**
 * OpenAI's Codex: its command line adds and logs in at once, and its agent calls the tools.
 *
 * It names itself by a document where servers take that, and registers elsewhere. Its document cannot be fetched from
 * here: the one that it gets is a stand-in of the shape that OpenAI publishes for other clients.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../e2e/support/processes.mjs';
import { startResponsesModel } from './responses_model.mjs';
import { METADATA, withoutDocuments } from './metadata.mjs';
import { npmProgram, npmVersion } from './place.mjs';

/** The document by which Codex names itself. */
export const CODEX_DOCUMENT = 'https://chatgpt.com/oauth/codex/client.json';

/** See above. */
export const standIn = {
  client_id: CODEX_DOCUMENT,
  client_name: 'Codex',
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const by = (way, metadata) => ({
  name: `Codex, by ${way}`,
  version: () => npmVersion('@openai/codex'),
  cannot: { logout: 'its logout forgets the tokens and tells no server' },

  async run({ stack, folder, browser, expire }) {
    // Its other store is the desktop's keyring.
    writeFileSync(join(folder, 'config.toml'), 'mcp_oauth_credentials_store = "file"\n');
    const env = { PATH: process.env.PATH, HOME: folder, CODEX_HOME: folder, BROWSER: browser };
    const command = async (args, more) => {
      const { code, output } = await run(npmProgram('codex'), args, {
        cwd: folder,
        env: { ...env, ...more },
        timeout: 120_000,
      });
      assert.equal(code, 0, output);
      return output;
    };
    const turn = async () => {
      const model = await startResponsesModel([{ tool: 'read_note', input: { path: 'Index.md' } }]);
      const provider = `{name="scripted",base_url="${model.url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`;
      const settings = ['model_provider="scripted"', `model_providers.scripted=${provider}`, 'model="gpt-5"'];
      try {
        const args = settings.flatMap((setting) => ['-c', setting]);
        const output = await command(
          ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ...args, 'Do it.'],
          { OPENAI_API_KEY: 'none' },
        );
        assert.match(model.results[0] ?? output, /Index\.md/);
      } finally {
        await model.stop();
      }
    };
    stack.editDocument(METADATA, metadata);
    await command(['mcp', 'add', 'vault', '--url', stack.mcp]);
    await turn();
    await expire();
    await turn();
    await command(['mcp', 'logout', 'vault']);
  },
});

/** Both ways. */
export const codex = [by('document', undefined), by('registration', withoutDocuments)];
