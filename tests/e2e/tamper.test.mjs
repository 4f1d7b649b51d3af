/**
 * The tamper matrix: the built Worker against a provider with one thing wrong at a time, and a certified client as
 * the oracle. The Worker may be stricter, where it is said why; it may never be laxer.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn } from './support/certified_client.mjs';
import { authorize } from './support/oauth.mjs';
import { inRepository } from './support/places.mjs';
import { Stack } from './support/stack.mjs';
import { parts } from './tamper/settings.mjs';
import { page } from './tamper/table.mjs';
import { verdict } from './tamper/verdict.mjs';

const PAGE = inRepository('docs/login-tamper-matrix.md');

let stack;
let invented;
before(async () => {
  stack = await Stack.start({ overrides: { VAULT_ALLOWED_OIDC_EMAILS: 'owner@example.test' } });
  // It waits most of the time: the other tests need not.
  invented = floods().catch((error) => error);
});
after(async () => {
  await invented;
  await stack?.stop();
});

/** How often the Worker fetches keys in two floods of tokens whose `kid` nobody knows, 30 seconds apart. */
async function floods() {
  const flooded = await Stack.start();
  try {
    const fetches = async () => {
      const { requests } = await (await fetch(`${flooded.provider.issuer}/__seen`)).json();
      return requests.filter((request) => request === 'GET /jwks').length;
    };
    const flood = async () => {
      const before = await fetches();
      for (let login = 0; login < 12; login += 1) {
        const { callback } = await authorize(flooded.url);
        assert.equal(callback.searchParams.get('error'), 'server_error');
      }
      return (await fetches()) - before;
    };
    assert.ok((await verdict(flooded)).accepted);
    await flooded.provider.knobs({ id_token: 'unknown_kid' });
    const first = await flood();
    await sleep(30_500);
    return [first, await flood()];
  } finally {
    await flooded.stop();
  }
}

/** Whether the certified client lets the person in, and why not. It asks userinfo when the Worker does. */
async function certifiedVerdict() {
  try {
    await logIn({
      issuer: stack.provider.issuer,
      callback: `${stack.url}/callback`,
      needsUserinfo: (claims) => claims.email === undefined || claims.email_verified === undefined,
    });
    return { accepted: true };
  } catch (error) {
    // A mistake of this test must not pass for a refusal: those of the client have a code.
    if (!error.code?.startsWith('OAUTH_')) throw error;
    return { accepted: false, why: error };
  }
}

const found = new Map();
const settings = parts.flatMap(([, list]) => list);
// Those that need a fresh Worker come last: what they leave in its memory is nobody else's then.
for (const setting of [...settings.filter((s) => !s.cold), ...settings.filter((s) => s.cold)]) {
  test(`${setting.says} ${JSON.stringify(setting.knobs)}`, async () => {
    if (setting.cold) await stack.restart();
    await stack.provider.knobs(setting.knobs);
    const [certified, worker] = await Promise.all([certifiedVerdict(), verdict(stack)]);
    found.set(setting, { certified: certified.accepted, worker });
    if (setting.stricter)
      assert.ok(certified.accepted, `the certified client refuses it too: ${certified.why}`);
    assert.equal(
      worker.accepted,
      certified.accepted && !setting.stricter,
      `${certified.why} ${worker.logged}`,
    );
  });
}

test('O7: tokens with invented keys make it look for new keys once in 30 seconds', async () => {
  const looks = await invented;
  if (looks instanceof Error) throw looks;
  assert.deepEqual(looks, [1, 1]);
});

test('the page says what was found', () => {
  assert.equal(found.size, settings.length);
  const text = page(found);
  if (process.env.VAULT_MCP_WRITE_DOCS === '1') writeFileSync(PAGE, text);
  assert.equal(
    readFileSync(PAGE, 'utf8'),
    text,
    'docs/login-tamper-matrix.md is stale: run this test with VAULT_MCP_WRITE_DOCS=1 and read what changed',
  );
});
