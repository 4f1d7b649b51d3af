/** The login in a real browser, which holds every redirect to the pages' Content-Security-Policy. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Chromium, listenForCallback, noChromium } from './support/browser.mjs';
import { McpClient } from './support/mcp.mjs';
import { authorizationRequest, exchange, register } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

let stack;
let callback;
let chromium;

before(async () => {
  if (noChromium) return;
  [stack, callback, chromium] = await Promise.all([Stack.start(), listenForCallback(), Chromium.open()]);
});
after(async () => {
  await chromium?.close();
  await callback?.stop();
  await stack?.stop();
});

const settled = (promise, milliseconds = 10_000) =>
  Promise.race([
    promise,
    new Promise((_, reject) =>
      setTimeout(
        () =>
          reject(
            new Error(
              `the client was not called back; browser at ${chromium.page.url()}; ${chromium.violations.join('; ')}`,
            ),
          ),
        milliseconds,
      ).unref(),
    ),
  ]);

/** Logs in and waits for the client's callback: its URL, and the request it answers. */
async function logIn(options) {
  const { client_id: clientId } = await register(stack.url, {
    client_name: 'A browser test',
    redirect_uris: [callback.redirectUri],
  });
  const request = authorizationRequest(stack.url, clientId, { redirect_uri: callback.redirectUri });
  const called = callback.next();
  await chromium.authorize(request.url, options);
  return { request, url: await settled(called) };
}

for (const [name, knobs, shots] of [
  ['approving reaches the client', {}, 'approve'],
  [
    'a provider that redirects through a second origin is no obstacle',
    { second_origin: true },
    'second-origin',
  ],
]) {
  test(name, { skip: noChromium }, async () => {
    await stack.provider.knobs(knobs);
    const { request, url } = await logIn({ shots });
    assert.deepEqual(
      [url.searchParams.get('state'), url.searchParams.get('iss')],
      [request.state, stack.url],
    );
    const { status, body } = await exchange(stack.url, request, url.searchParams.get('code'));
    assert.equal(status, 200);
    assert.ok((await new McpClient(stack.mcp, body.access_token).result('tools/list')).tools.length > 0);
    assert.deepEqual(chromium.violations, []);
  });
}

test('denying reaches the client too', { skip: noChromium }, async () => {
  await stack.provider.knobs({});
  const { url } = await logIn({ decision: 'deny', shots: 'deny' });
  assert.equal(url.searchParams.get('error'), 'access_denied');
});

test('read only is a box to tick', { skip: noChromium }, async () => {
  const { request, url } = await logIn({ readOnly: true, shots: 'read-only' });
  assert.equal((await exchange(stack.url, request, url.searchParams.get('code'))).body.scope, 'vault:read');
});

test('a stranger is told what to do', { skip: noChromium }, async () => {
  const { client_id: clientId } = await register(stack.url, { redirect_uris: [callback.redirectUri] });
  await chromium.authorize(
    authorizationRequest(stack.url, clientId, { redirect_uri: callback.redirectUri }).url,
    { user: 'stranger@example.test', shots: 'stranger' },
  );
  assert.match(
    await chromium.page.innerText('body'),
    /stranger@example\.test[\s\S]*VAULT_ALLOWED_OIDC_EMAILS/,
  );
});

test('the human page renders', { skip: noChromium }, async () => {
  await chromium.page.goto(stack.url);
  assert.ok((await chromium.page.innerText('body')).includes(`claude mcp add --transport http`));
  await chromium.shoot('home');
  assert.deepEqual(chromium.violations, []);
});
