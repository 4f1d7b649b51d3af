/**
 * How the real Claude Code stays logged in: by registration and by its metadata document, one process or two that
 * refresh at once, until it logs out.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClaudeCode } from './support/claude.mjs';
import { McpClient } from './support/mcp.mjs';
import { refresh } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const DOCUMENT = 'https://claude.ai/oauth/claude-code-client-metadata';
const METADATA = '/.well-known/oauth-authorization-server';

/** The least that the configuration takes, in seconds. Claude Code then takes every token for nearly expired. */
const ACCESS_TTL = 60;

/** How it names itself, and the server metadata that make it do so. */
const ways = {
  registration: {
    id: /^dcr_/,
    metadata: (server) => ({ ...server, client_id_metadata_document_supported: false }),
  },
  document: { id: new RegExp(`^${DOCUMENT}$`), metadata: (server) => server },
};

let stack;
const installations = [];
/** By way: an installation that works, two that hold one login and wait, and what their logins sent. */
const cases = {};

/** An installation that is logged in. */
async function logIn() {
  const claude = new ClaudeCode();
  installations.push(claude);
  const added = await claude.mcp('add', '--scope', 'user', '--transport', 'http', 'vault', stack.mcp);
  assert.equal(added.code, 0, added.output);
  const { code, output } = await claude.login('vault');
  assert.equal(code, 0, output);
  return claude;
}

const to = (path, exchanges) => exchanges.filter((exchange) => exchange.path === path);

/** What `action` sent to the Worker. */
async function sentBy(action) {
  const before = stack.exchanges.length;
  await action();
  return stack.exchanges.slice(before);
}

/** What each of these installations says of the server, all asked at the same time; and the refreshes of it. */
async function statuses(...claudes) {
  let said;
  const sent = await sentBy(async () => {
    said = await Promise.all(claudes.map((claude) => claude.status('vault')));
  });
  return { said, refreshes: to('/token', sent) };
}

before(async () => {
  stack = await Stack.start({ routes: {}, overrides: { ACCESS_TTL: String(ACCESS_TTL) } });
  for (const [way, { metadata }] of Object.entries(ways)) {
    stack.editDocument(METADATA, metadata);
    const kept = (cases[way] = {});
    kept.sent = await sentBy(async () => (kept.claude = await logIn()));
    const waiting = await sentBy(async () => (kept.waiting = [await logIn()]));
    kept.waiting.push(kept.waiting[0].copy());
    installations.push(kept.waiting[1]);
    kept.issued = to('/token', waiting).at(-1).json;
    kept.issuedAt = Date.now();
  }
});
after(async () => {
  for (const claude of installations) claude.remove();
  await stack?.stop();
});

for (const [way, { id, metadata }] of Object.entries(ways)) {
  describe(`by ${way}`, () => {
    before(() => stack.editDocument(METADATA, metadata));

    test('it names itself that way', () => {
      const { sent } = cases[way];
      assert.deepEqual(
        to('/register', sent).map(({ status }) => status),
        way === 'registration' ? [201] : [],
      );
      const [asked] = to('/authorize', sent);
      assert.match(asked.query.get('client_id'), id);
      assert.match(asked.query.get('redirect_uri'), /^http:\/\/localhost:\d+\/callback$/);
      assert.equal(to('/token', sent)[0].fields.get('client_id'), asked.query.get('client_id'));
    });

    test('two processes with one store refresh at once, three times, and stay in', async () => {
      const { claude } = cases[way];
      for (let round = 1; round <= 3; round += 1) {
        const { said, refreshes } = await statuses(claude, claude);
        assert.deepEqual(said, ['Connected', 'Connected'], `round ${round}`);
        assert.ok(refreshes.length >= 2, `both refresh, round ${round}`);
        assert.ok(
          refreshes.every(({ status }) => status === 200),
          `round ${round}: ${refreshes.join(', ')}`,
        );
      }
    });

    test('logout ends the login here, and the next login begins another', async () => {
      const { claude } = cases[way];
      const { refreshes } = await statuses(claude);
      const { access_token: access, refresh_token: token } = refreshes.at(-1).json;
      const clientId = refreshes.at(-1).fields.get('client_id');
      const mine = new McpClient(stack.mcp, access);
      assert.ok((await mine.toolNames()).length > 0);

      const revocations = to(
        '/revoke',
        await sentBy(async () => {
          const { code, output } = await claude.mcp('logout', 'vault');
          assert.equal(code, 0, output);
        }),
      );
      assert.deepEqual(
        revocations.map(({ status }) => status),
        revocations.map(() => 200),
      );
      assert.ok(revocations.some(({ fields }) => fields.get('token') === token));
      assert.equal((await mine.request('tools/list')).status, 401);
      const dead = await refresh(stack.url, clientId, token);
      assert.deepEqual([dead.status, dead.body.error], [400, 'invalid_grant']);
      assert.equal(await claude.status('vault'), 'Needs authentication');

      const { code, output } = await claude.login('vault');
      assert.equal(code, 0, output);
      assert.equal(await claude.status('vault'), 'Connected');
      assert.equal((await mine.request('tools/list')).status, 401, 'the old one stays dead');
    });

    test('two processes that hold one expired login refresh it at once, three times, and stay in', async () => {
      const { waiting, issued, issuedAt } = cases[way];
      await sleep(issuedAt + (ACCESS_TTL + 1) * 1000 - Date.now());
      const expired = await new McpClient(stack.mcp, issued.access_token).request('tools/list');
      assert.equal(expired.status, 401);
      assert.match(expired.headers.get('www-authenticate'), /error="invalid_token"/);

      const renewed = [];
      for (let round = 1; round <= 3; round += 1) {
        const { said, refreshes } = await statuses(...waiting);
        assert.deepEqual(said, ['Connected', 'Connected'], `round ${round}`);
        assert.ok(
          refreshes.every(({ status }) => status === 200),
          `round ${round}: ${refreshes.join(', ')}`,
        );
        renewed.push(...refreshes);
      }
      // Neither process knows of the other: both begin with the same token, and whoever brings one gets its successor.
      const successors = Map.groupBy(renewed, ({ fields }) => fields.get('refresh_token'));
      assert.ok(successors.get(issued.refresh_token).length >= 2);
      for (const same of successors.values())
        assert.equal(new Set(same.map(({ json }) => json.refresh_token)).size, 1);
    });
  });
}
