/** Every page that a person can get to see, to eyes and to assistive technology; those of /sessions are in a file of their own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Chromium, listenForCallback, noChromium } from './support/browser.mjs';
import { inspect, pressIn } from './support/inspect.mjs';
import { authorizationRequest, register } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const CLAUDE = 'https://claude.ai/api/mcp/auth_callback';
/** A client by its own document; the server knows it when the document cannot be fetched, as here. */
const CLAUDE_CODE = 'https://claude.ai/oauth/claude-code-client-metadata';

describe('pages', { skip: noChromium }, () => {
  let stack;
  let callback;
  let chromium;

  before(async () => {
    [stack, callback, chromium] = await Promise.all([
      Stack.start({ overrides: { REMEMBER_CONSENT: 'true' } }),
      listenForCallback(),
      Chromium.open(),
    ]);
  });
  after(async () => {
    await chromium?.close();
    await callback?.stop();
    await stack?.stop();
  });

  const open = (path) => chromium.page.goto(`${stack.url}${path}`);
  const words = () => chromium.page.innerText('main');
  const submitted = (selector) =>
    Promise.all([chromium.page.waitForNavigation(), chromium.page.click(selector)]);

  /** The consent page for a new client of that name and redirect URI. */
  async function consent(name, redirectUri, parameters = {}) {
    const { client_id: id } = await register(stack.url, { client_name: name, redirect_uris: [redirectUri] });
    const request = authorizationRequest(stack.url, id, { redirect_uri: redirectUri, ...parameters });
    await chromium.page.goto(request.url);
    return request;
  }

  /** Approves, and logs in as `user`; ends where that leads. */
  async function approveAs(user) {
    await submitted('button[value=approve]');
    await chromium.page.click(`button[name=login][value="${user}"]`);
    await chromium.page.waitForURL(/callback/);
  }

  test('the page that says how to connect', async () => {
    await open('/');
    assert.match(await words(), /claude mcp add --transport http/);
    await inspect(chromium, 'home');
    await submitted('a[href="/sessions"]');
    assert.match(await words(), /Connected programs/);
  });

  test('consent: a client at its own host', async () => {
    await consent('Claude', CLAUDE);
    const text = await words();
    for (const part of ['Give access to', 'unverified name', 'claude.ai', 'create, change and delete notes'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.equal(await chromium.page.isChecked('input[name=read_only]'), false);
    assert.equal(await chromium.page.isChecked('input[name=remember]'), false);
    await inspect(chromium, 'consent-hosted');
  });

  test('consent: a client that somebody vouches for, on this computer', async () => {
    const redirectUri = 'http://localhost:3118/callback';
    await chromium.page.goto(
      authorizationRequest(stack.url, CLAUDE_CODE, { redirect_uri: redirectUri }).url,
    );
    const text = await words();
    for (const part of ['vouched for by claude.ai', 'localhost', 'Any program on your computer'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.equal(await chromium.page.locator('input[name=remember]').count(), 0);
    await inspect(chromium, 'consent-loopback');
  });

  test('consent: to read alone, in a name that tries hard', async () => {
    await consent(
      'Claude (verified by Anthropic) <b>safe</b> \u202eevil '.padEnd(140, 'Ω'),
      `${CLAUDE}/${'long-path/'.repeat(30)}`,
      { scope: 'vault:read' },
    );
    assert.ok(!(await words()).includes('\u202e'));
    assert.equal(await chromium.page.locator('input[name=read_only]').count(), 0);
    await inspect(chromium, 'consent-hostile');
  });

  test('consent by keyboard alone, and the same without any script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const browser = await Chromium.open({ javaScriptEnabled });
      try {
        const { client_id: id } = await register(stack.url, { redirect_uris: [callback.redirectUri] });
        const { url } = authorizationRequest(stack.url, id, { redirect_uri: callback.redirectUri });
        const called = callback.next();
        await browser.page.goto(url);
        await pressIn(browser, 'input[name=read_only]', 'Space');
        assert.ok(await browser.page.isChecked('input[name=read_only]'));
        await pressIn(browser, 'button[value=approve]');
        await browser.page.click('button[name=login][value="owner@example.test"]');
        assert.ok((await called).searchParams.get('code'));
        assert.deepEqual(browser.violations, []);
      } finally {
        await browser.close();
      }
    }
  });

  test('consent, remembered: asked once, and asked again by whoever else logs in', async () => {
    const request = await consent('Remembered', CLAUDE);
    // Nothing of claude.ai's is there; where the answer goes is enough.
    const sent = [];
    await chromium.page.route('https://claude.ai/**', (route) => {
      sent.push(new URL(route.request().url()));
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Claude</title>' });
    });
    await chromium.page.check('input[name=remember]');
    await approveAs('owner@example.test');
    assert.ok(sent.at(-1).searchParams.get('code'));

    await chromium.page.goto(request.url);
    await chromium.page.click('button[name=login][value="owner@example.test"]');
    await chromium.page.waitForURL(/claude\.ai/);
    assert.equal(sent.length, 2, 'no question in between');
    assert.ok(sent.at(-1).searchParams.get('code'));

    await chromium.page.goto(request.url);
    await chromium.page.click('button[name=login][value="reader@example.test"]');
    await chromium.page.waitForURL(/\/callback/);
    assert.match(await words(), /Give access to[\s\S]*Remembered/);
    assert.equal(sent.length, 2, 'and no answer');
    await inspect(chromium, 'consent-somebody-else');
    await chromium.page.unroute('https://claude.ai/**');
  });

  for (const [user, part] of [
    ['stranger@example.test', 'You may not enter'],
    ['unverified@example.test', 'Your e-mail address is not verified'],
  ])
    test(`refused: ${user}`, async () => {
      await consent('Claude', callback.redirectUri);
      await approveAs(user);
      const text = await words();
      for (const word of [part, user, 'VAULT_ALLOWED_OIDC_EMAILS'])
        assert.ok(text.includes(word), `${word} in ${text}`);
      await inspect(chromium, `refused-${user.split('@')[0]}`);
    });

  test('refused: a form that was sent before', async () => {
    await consent('Claude', CLAUDE);
    const shown = chromium.page.url();
    const form = await chromium.page.content();
    await submitted('button[value=approve]');
    await chromium.page.goto(`${stack.url}/healthz`);
    // The page as it was, with the cookie that it had.
    await chromium.page.route(shown, (route) => route.fulfill({ contentType: 'text/html', body: form }));
    await chromium.page.goto(shown);
    await submitted('button[value=approve]');
    await chromium.page.unroute(shown);
    assert.match(await words(), /Nothing was approved/);
    await inspect(chromium, 'refused-consent');
  });

  for (const [name, status, part, path] of [
    ['authorize-garbled', 400, 'This is not a login request', () => '/authorize?client_id=a&client_id=b'],
    [
      'authorize-unknown-client',
      400,
      'This client is not known here',
      () => authorizationRequest('', 'dcr_forgotten').url,
    ],
    [
      'authorize-redirect-uri',
      400,
      'This client cannot be answered',
      async () => {
        const { client_id: id } = await register(stack.url, { redirect_uris: [CLAUDE] });
        return authorizationRequest('', id, { redirect_uri: 'https://claude.ai/elsewhere' }).url;
      },
    ],
    ['callback-garbled', 400, 'This is no answer of a login', () => '/callback?code=x'],
    ['callback-other-browser', 403, 'is not this browser', () => '/callback?code=x&state=y'],
  ])
    test(`refused: ${name}`, async () => {
      const response = await open(await path());
      assert.equal(response.status(), status);
      assert.ok((await words()).includes(part), await words());
      await inspect(chromium, `refused-${name}`);
    });

  // Last: the server is of no use after it.
  test('a server that is not configured right', async () => {
    await stack.restart({ AUTH_PROVIDER: 'saml' });
    const response = await open('/');
    assert.equal(response.status(), 500);
    assert.match(await words(), /AUTH_PROVIDER/);
    await inspect(chromium, 'misconfigured');
    assert.deepEqual(chromium.violations, []);
  });
});
