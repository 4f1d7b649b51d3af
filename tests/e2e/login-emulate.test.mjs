/**
 * Login at emulators of GitHub, Google, Okta and Entra that others wrote: where our own look-alikes have a provider
 * wrong, these need not. They know no faults; those are in the other files.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { createEmulator } from 'emulate';
import { forward } from '../../dev/login/github/forward.mjs';
import { Browserless } from './support/cookies.mjs';
import { textOf } from './support/login.mjs';
import { McpClient } from './support/mcp.mjs';
import { authorize, signIn } from './support/oauth.mjs';
import { freePorts } from './support/processes.mjs';
import { Stack } from './support/stack.mjs';

const CLIENT = { client_id: 'local-client', client_secret: 'local-client-secret' };
const OWNER = 'owner@example.test';
const STRANGER = 'stranger@example.test';
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const openid = (issuer) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.client_id,
  OIDC_CLIENT_SECRET: CLIENT.client_secret,
  VAULT_ALLOWED_OIDC_EMAILS: OWNER,
});

/** By emulator: what the Worker is configured with, whom the emulator knows, and who of them is let in. */
const providers = {
  github: {
    values: (origin) => ({
      AUTH_PROVIDER: 'github',
      GITHUB_WEB_URL: origin,
      GITHUB_API_URL: origin,
      GITHUB_CLIENT_ID: CLIENT.client_id,
      GITHUB_CLIENT_SECRET: CLIENT.client_secret,
      VAULT_ALLOWED_GITHUB_LOGINS: 'octo-owner',
    }),
    seed: (client) => ({
      users: [{ login: 'octo-owner' }, { login: 'octo-stranger' }],
      oauth_apps: [client],
    }),
    owner: 'octo-owner',
    stranger: 'octo-stranger',
    key: 'VAULT_ALLOWED_GITHUB_LOGINS',
  },
  google: {
    baseUrl: 'https://accounts.google.com',
    values: () => ({
      AUTH_PROVIDER: 'google',
      GOOGLE_CLIENT_ID: CLIENT.client_id,
      GOOGLE_CLIENT_SECRET: CLIENT.client_secret,
      GOOGLE_HOSTED_DOMAIN: 'example.test',
      VAULT_ALLOWED_GOOGLE_EMAILS: OWNER,
    }),
    // No client: it announces client_secret_basic as Google does, and reads credentials from the body alone.
    seed: () => ({
      users: [
        { email: OWNER, name: 'Owner', hd: 'example.test' },
        { email: STRANGER, name: 'Stranger', hd: 'example.test' },
      ],
    }),
    owner: OWNER,
    stranger: STRANGER,
    key: 'VAULT_ALLOWED_GOOGLE_EMAILS',
  },
  okta: {
    values: (origin) => openid(`${origin}/oauth2/default`),
    seed: (client) => ({
      // Its login page knows people by their id.
      users: [OWNER, STRANGER].map((email) => ({ okta_id: email, login: email, email })),
      authorization_servers: [{ id: 'default', name: 'default', audiences: ['api://default'] }],
      oauth_clients: [{ ...client, auth_server_id: 'default' }],
    }),
    owner: OWNER,
    stranger: STRANGER,
    key: 'VAULT_ALLOWED_OIDC_EMAILS',
  },
  microsoft: {
    values: (origin) => openid(`${origin}/${TENANT}/v2.0`),
    seed: (client) => ({
      users: [OWNER, STRANGER].map((email) => ({ email, name: 'A Person', tenant_id: TENANT })),
      oauth_clients: [client],
    }),
    // It says nothing about addresses, as the real one.
    unverified: true,
    owner: OWNER,
    stranger: STRANGER,
    key: 'VAULT_ALLOWED_OIDC_EMAILS',
  },
};

for (const [service, provider] of Object.entries(providers)) {
  const { baseUrl, values, seed, owner, stranger, key, unverified = false } = provider;
  describe(service, () => {
    let stack;
    let emulator;
    let front;
    let routes;
    before(async () => {
      const port = await freePorts(2);
      const origin = `http://localhost:${port}`;
      routes = baseUrl && { [new URL(baseUrl).host]: `http://localhost:${port + 1}` };
      stack = await Stack.start({ overrides: values(origin), routes });
      const client = { ...CLIENT, name: 'vault-mcp', redirect_uris: [`${stack.url}/callback`] };
      emulator = await createEmulator({ service, port, baseUrl, seed: { [service]: seed(client) } });
      if (!routes) return;
      // What is routed carries the host in its path.
      const pass = forward(origin);
      front = createServer((request, response) =>
        pass(request, response, new URL(request.url.replace(/^\/[^/]+/, ''), origin)),
      ).listen(port + 1, '127.0.0.1');
      await once(front, 'listening');
    });
    after(async () => {
      front?.close();
      await emulator?.close();
      await stack?.stop();
    });

    async function getsIn() {
      const browser = new Browserless(routes);
      const { access_token: token } = await signIn(stack.url, { user: owner, browser });
      const { tools } = await new McpClient(stack.mcp, token).result('tools/list');
      assert.ok(tools.length > 0);
    }

    if (!unverified) test('who is listed gets in', getsIn);
    else {
      test('O6: the page says which entry admits an account without a verified address', async () => {
        const { page } = await authorize(stack.url, { user: owner });
        assert.equal(page.status, 403);
        const [, subject] = /put (sub:\S+) into VAULT_ALLOWED_OIDC_EMAILS/.exec(textOf(page));
        await stack.restart({ [key]: subject });
        await getsIn();
        await stack.restart({ [key]: OWNER });
      });

      test('O6: so does a setting of the server', async () => {
        await stack.restart({ OIDC_ALLOW_UNVERIFIED_EMAIL: 'true' });
        await getsIn();
      });
    }

    test('who is not listed is told so by name', async () => {
      const { page } = await authorize(stack.url, { user: stranger, browser: new Browserless(routes) });
      assert.equal(page.status, 403);
      assert.ok(textOf(page).includes(stranger) && textOf(page).includes(key), textOf(page));
    });
  });
}
