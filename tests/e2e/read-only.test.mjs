/** The three ways in which somebody may only read: both mutations are hidden and refused, and nothing changes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { headOf, repositoryIn } from './support/git.mjs';
import { McpClient, READING_TOOLS } from './support/mcp.mjs';
import { refresh, signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const MUTATIONS = [
  ['write_note', { path: 'New.md', content: 'x\n' }],
  ['write_note', { path: 'Index.md', content: 'x\n' }],
  // Whoever may not write learns nothing about paths either.
  ['write_note', { path: '.obsidian/../x.md', content: 'x\n' }],
  ['write_note', { path: 'CLAUDE.md', content: 'x\n' }],
  ['delete_note', { path: 'Index.md' }],
  ['delete_note', { path: 'No such note.md' }],
];

let stack;
let head;
before(async () => {
  stack = await Stack.start();
  const { access_token: token } = await signIn(stack.url);
  await new McpClient(stack.mcp, token).tool('list_notes', { limit: 1 });
  head = headOf(repositoryIn(stack.gitState));
});
after(() => stack?.stop());

/** Reading works, and neither mutation is offered. */
async function onlyReads(client) {
  assert.deepEqual(await client.toolNames(), READING_TOOLS);
  assert.ok((await client.tool('list_notes', {})).facts.total > 40);
  assert.equal((await client.tool('read_note', { path: 'Index.md' })).facts.path, 'Index.md');
  assert.ok((await client.tool('search_notes', { query: 'boat' })).facts.total > 0);
}

/** Calls each mutation all the same; `check` looks at the answers, and git at what came of them. */
async function mutationsAreRefused(client, check) {
  await stack.forgetRequests();
  for (const [name, args] of MUTATIONS)
    check(await client.request('tools/call', { name, arguments: args }), `${name} ${args.path}`);
  assert.deepEqual(
    (await stack.requests()).filter(({ method }) => method !== 'GET'),
    [],
  );
  assert.equal(headOf(repositoryIn(stack.gitState)), head);
}

/** What somebody is told who could not be granted more: an answer of the tool, never a challenge. */
function isReadOnlyResult({ status, headers, message }, call) {
  assert.deepEqual([status, headers.get('www-authenticate')], [200, null], call);
  assert.equal(message.result?.isError, true, `${call}: ${JSON.stringify(message)}`);
  assert.match(message.result.content[0].text, /^READ_ONLY: .*[Nn]othing was changed/, call);
}

for (const era of ['legacy', 'modern']) {
  describe(`${era} era`, () => {
    test('F3: a connection that the owner made read-only is challenged for the full set of scopes', async () => {
      const { access_token: token, scope } = await signIn(stack.url, { readOnly: true });
      assert.equal(scope, 'vault:read');
      const client = new McpClient(stack.mcp, token, era);
      await onlyReads(client);
      await mutationsAreRefused(client, ({ status, headers }, call) => {
        assert.equal(status, 403, call);
        const challenge = headers.get('www-authenticate');
        assert.match(challenge, /^Bearer /);
        for (const [parameter, value] of [
          ['error', 'insufficient_scope'],
          ['scope', 'vault:read vault:write'],
          ['resource_metadata', `${stack.url}/.well-known/oauth-protected-resource/mcp`],
        ])
          assert.ok(challenge.includes(`${parameter}="${value}"`), `${call}: ${challenge}`);
        assert.match(headers.get('access-control-expose-headers'), /www-authenticate/i);
      });
    });

    test('F3: a person listed as :read gets READ_ONLY and no challenge, whatever they ask for', async () => {
      const { access_token: token, scope } = await signIn(stack.url, {
        user: 'reader@example.test',
        parameters: { scope: 'vault:read vault:write' },
      });
      assert.equal(scope, 'vault:read');
      const client = new McpClient(stack.mcp, token, era);
      await onlyReads(client);
      await mutationsAreRefused(client, isReadOnlyResult);
    });
  });
}

test('E6: a refresh cannot widen a read-only connection', async () => {
  const { client_id: clientId, refresh_token: token } = await signIn(stack.url, { readOnly: true });
  const { status, body } = await refresh(stack.url, clientId, token, 'vault:read vault:write');
  assert.deepEqual([status, body.scope], [200, 'vault:read']);
  const client = new McpClient(stack.mcp, body.access_token);
  assert.deepEqual(await client.toolNames(), READING_TOOLS);
});

test('F3: VAULT_READ_ONLY takes writing from those who had it, at once', async () => {
  const { access_token: earlier } = await signIn(stack.url);
  const owner = new McpClient(stack.mcp, earlier);
  assert.ok((await owner.toolNames()).includes('write_note'));
  await stack.restart({ VAULT_READ_ONLY: 'true' });
  try {
    const { access_token: later, scope } = await signIn(stack.url);
    assert.equal(scope, 'vault:read');
    for (const era of ['legacy', 'modern']) {
      for (const token of [earlier, later]) {
        const client = new McpClient(stack.mcp, token, era);
        await onlyReads(client);
        await mutationsAreRefused(client, isReadOnlyResult);
      }
    }
    const unauthenticated = await fetch(stack.mcp, { method: 'POST' });
    assert.match(unauthenticated.headers.get('www-authenticate'), /scope="vault:read"/);
    for (const [document, scopes] of [
      ['oauth-protected-resource', ['vault:read']],
      ['oauth-authorization-server', ['vault:read', 'offline_access']],
    ]) {
      const metadata = await (await fetch(`${stack.url}/.well-known/${document}`)).json();
      assert.deepEqual(metadata.scopes_supported, scopes, document);
    }
  } finally {
    await stack.restart({ VAULT_READ_ONLY: undefined });
  }
  assert.ok((await owner.toolNames()).includes('write_note'), 'and gives it back');
});
