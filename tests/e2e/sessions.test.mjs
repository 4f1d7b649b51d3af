/** `/sessions` in a real browser and at the built Worker: people see what they have connected, and end it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Chromium, listenForCallback, noChromium } from './support/browser.mjs';
import { Browserless } from './support/cookies.mjs';
import { submission } from './support/forms.mjs';
import { inspect, pressIn } from './support/inspect.mjs';
import { McpClient } from './support/mcp.mjs';
import { authorizationRequest, refresh, register, signIn } from './support/oauth.mjs';
import { endings, logIn, look, send } from './support/sessions.mjs';
import { Stack } from './support/stack.mjs';

let stack;

before(async () => {
  stack = await Stack.start();
});
after(() => stack?.stop());

/** The status that the MCP endpoint answers a token with. */
const status = async (token) => (await new McpClient(stack.mcp, token).request('tools/list')).status;

describe('without a browser', () => {
  test('E15: ending a grant is effective on the next request, for that grant alone', async () => {
    const [gone, stays] = [await signIn(stack.url), await signIn(stack.url)];
    const browser = new Browserless();
    assert.ok((await logIn(browser, stack.url)).callback);
    const page = await look(browser, stack.url);
    assert.equal(endings(page).length, 2);
    const id = gone.access_token.split('.')[1];
    const form = endings(page).find(({ inputs }) => inputs.some(({ value }) => value === id));
    assert.equal((await send(browser, stack.url, form, submission(form, {}))).status, 303);
    assert.deepEqual([await status(gone.access_token), await status(stays.access_token)], [401, 200]);
    const refused = await refresh(stack.url, gone.client_id, gone.refresh_token);
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
  });

  test('E15: nobody reaches the grants of somebody else', async () => {
    const owners = await signIn(stack.url);
    const browser = new Browserless();
    await logIn(browser, stack.url, { user: 'reader@example.test' });
    const page = await look(browser, stack.url);
    assert.equal(endings(page).length, 0);
    const [signOut] = page.forms;
    const fields = submission(signOut, {});
    fields.set('grant', owners.access_token.split('.')[1]);
    const end = { ...signOut, action: `${stack.url}/sessions/end` };
    assert.equal((await send(browser, stack.url, end, fields)).status, 303);
    assert.equal(await status(owners.access_token), 200);
  });

  test('E15: signing out ends the session on the server', async () => {
    const browser = new Browserless();
    await logIn(browser, stack.url);
    const { forms } = await look(browser, stack.url);
    const signOut = forms.at(-1);
    const cookies = browser.names(stack.url);
    assert.ok(cookies.includes('vmcp_session'), cookies.join());
    assert.equal((await send(browser, stack.url, signOut, submission(signOut, {}))).status, 303);
    assert.ok(!browser.names(stack.url).includes('vmcp_session'));
    assert.equal((await send(browser, stack.url, signOut, submission(signOut, {}))).status, 403);
  });
});

describe('in Chromium', { skip: noChromium }, () => {
  let callback;
  let chromium;

  before(async () => {
    if (noChromium) return;
    [callback, chromium] = await Promise.all([listenForCallback(), Chromium.open()]);
  });
  after(async () => {
    await chromium?.close();
    await callback?.stop();
  });

  const open = () => chromium.page.goto(`${stack.url}/sessions`);
  const words = () => chromium.page.innerText('main');
  /** Waits for the page that says `text`: the address is the same before and after. */
  const shows = (text) => chromium.page.getByText(text).first().waitFor();
  const logInAs = async (user) => {
    await open();
    await chromium.page.click('form button');
    await chromium.page.click(`button[name=login][value="${user}"]`);
    await chromium.page.waitForURL(/\/(sessions|callback)/);
  };

  /** Connects a program whose callback is the one that listens here. */
  const connect = async (name, options) => {
    const metadata = { client_name: name, redirect_uris: [callback.redirectUri] };
    const { client_id: id } = await register(stack.url, metadata);
    const request = authorizationRequest(stack.url, id, { redirect_uri: callback.redirectUri });
    await signIn(stack.url, { clientId: id, parameters: { redirect_uri: request.redirectUri }, ...options });
  };

  test('whoever is not logged in is offered to, and a stranger is told why not', async () => {
    await open();
    assert.match(await words(), /Log in with/);
    await inspect(chromium, 'sessions-sign-in');
    await logInAs('stranger@example.test');
    assert.match(await words(), /stranger@example\.test[\s\S]*VAULT_ALLOWED_OIDC_EMAILS/);
    await inspect(chromium, 'sessions-stranger');
    await chromium.page.click('main a');
    assert.match(await words(), /Log in with/);
  });

  for (const [name, status, says, knobs, button] of [
    ['declined', 403, 'The login was declined', {}, 'button[name=cancel]'],
    ['unavailable', 503, 'The login provider cannot be reached', { status: { token: 503 } }],
    ['untrusted', 502, 'The answer of the login provider was refused', { id_token: 'bad_signature' }],
    ['pinned', 403, 'This name belonged to somebody else', { sub: 'of somebody else' }],
  ])
    test(`a login that comes to nothing is a page with a way back: ${name}`, async () => {
      const { page } = chromium;
      await signIn(stack.url);
      await stack.provider.knobs(knobs);
      try {
        await open();
        await page.click('form button');
        const back = page.waitForResponse((response) => response.url().includes('/callback?'));
        await page.click(button ?? 'button[name=login][value="owner@example.test"]');
        assert.equal((await back).status(), status);
        await shows(says);
        await inspect(chromium, `sessions-${name}`);
        await page.click('main a');
        await shows('Log in with');
      } finally {
        await stack.provider.knobs({});
      }
    });

  test('a login that was finished before is over', async () => {
    const { page, context } = chromium;
    const binding = async () =>
      (await context.cookies(stack.url)).filter(({ name }) => name.startsWith('vmcp_signin_'));
    await open();
    await page.click('form button');
    await page.waitForSelector('button[name=login]');
    const cookies = await binding();
    const back = page.waitForRequest((request) => request.url().includes('/callback?'));
    await page.click('button[name=login][value="owner@example.test"]');
    const url = (await back).url();
    await page.waitForURL(`${stack.url}/sessions`);
    assert.deepEqual(await binding(), [], 'the cookie of the login is gone with it');
    await context.addCookies(cookies);
    assert.equal((await page.goto(url)).status(), 400);
    await shows('This login is over');
    assert.deepEqual(await binding(), []);
    await inspect(chromium, 'sessions-over');
    await context.clearCookies();
  });

  test('programs are listed and ended, by keyboard alone', async () => {
    await logInAs('reader@example.test');
    assert.match(await words(), /No program may use/);
    await inspect(chromium, 'sessions-empty');

    await connect('A program with a rather long name that has to go somewhere on a small screen', {
      user: 'reader@example.test',
    });
    await connect('Notes on the desk', { user: 'reader@example.test', readOnly: true });
    await open();
    assert.match(await words(), /2 programs may use/);
    await inspect(chromium, 'sessions-two');

    await chromium.page.locator('summary').scrollIntoViewIfNeeded();
    await pressIn(chromium, 'summary');
    await inspect(chromium, 'sessions-end-all');

    await open();
    await pressIn(chromium, '.cards li:first-child button');
    await shows('One program may use');
    assert.equal(new URL(chromium.page.url()).search, '');
    await inspect(chromium, 'sessions-one');

    await pressIn(chromium, 'form[action$="/sign-out"] button', 'Space');
    await shows('Log in with');
    assert.deepEqual(chromium.violations, []);
  });

  test('the same without any script', async () => {
    const plain = await Chromium.open({ javaScriptEnabled: false });
    try {
      await plain.page.goto(`${stack.url}/sessions`);
      await plain.page.click('form button');
      await plain.page.click('button[name=login][value="reader@example.test"]');
      await plain.page.waitForURL(`${stack.url}/sessions`);
      await plain.page.click('.cards button');
      await plain.page.getByText('No program may use').waitFor();
      await plain.page.click('form[action$="/sign-out"] button');
      await plain.page.getByText('Log in with').first().waitFor();
      assert.deepEqual(plain.violations, []);
    } finally {
      await plain.close();
    }
  });

  test('a page of another origin can neither end anything nor frame the page', async () => {
    await connect('Stays', { user: 'reader@example.test' });
    await logInAs('reader@example.test');
    const token = await chromium.page.locator('input[name=form_token]').first().inputValue();
    // Another port of the same host is the same site: the cookie is sent, and the form is refused.
    await chromium.page.goto(callback.redirectUri);
    await chromium.page.setContent(
      `<form method="post" action="${stack.url}/sessions/end">
        <input name="form_token" value="${token}"><input name="all" value="yes"><button>x</button></form>
        <iframe src="${stack.url}/sessions"></iframe>`,
    );
    await chromium.page.click('button');
    await chromium.page.waitForURL(`${stack.url}/sessions/end`);
    assert.match(await words(), /sent from another site/);
    await inspect(chromium, 'sessions-cross-site');
    await open();
    assert.match(await words(), /Stays/);
    chromium.violations.length = 0;
  });
});
