/** Chromium as the person's browser: it enforces what no script would (Content-Security-Policy, cookie rules). */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { inRepository } from './places.mjs';

const executablePath = process.env.VAULT_MCP_CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no Chromium, or false where there is one: the value of a test's `skip`. */
export const noChromium = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install it, or set VAULT_MCP_CHROMIUM`;

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Folder of the screenshots that the tests leave to be looked at. */
const SHOTS = inRepository('target/e2e-shots');

/** A client's loopback callback. `next()` is the URL that is opened next. */
export async function listenForCallback(host = 'localhost') {
  const waiting = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, `http://${host}:${server.address().port}`);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Client</title><h1>You can close this window.</h1>');
    if (url.pathname === '/callback') waiting.splice(0).forEach((resolve) => resolve(url));
  }).listen(0, host === '[::1]' ? '::1' : '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUri: `http://${host}:${server.address().port}/callback`,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  };
}

/** A fresh browser profile. `violations` collects what the console says about the page's security policy. */
export class Chromium {
  violations = [];
  #profile = mkdtempSync(join(tmpdir(), 'vault-mcp-chromium-'));

  /** Opens it; without `javaScriptEnabled` no page runs a script. */
  static async open({ javaScriptEnabled = true } = {}) {
    const browser = new Chromium();
    browser.context = await chromium.launchPersistentContext(browser.#profile, {
      executablePath,
      headless: true,
      args: QUIET,
      javaScriptEnabled,
      viewport: { width: 900, height: 900 },
    });
    browser.page = browser.context.pages()[0] ?? (await browser.context.newPage());
    browser.page.setDefaultTimeout(15_000);
    browser.page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) browser.violations.push(message.text());
    });
    return browser;
  }

  /** Saves what the person sees as `target/e2e-shots/NAME.png`. */
  async shoot(name) {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
  }

  /** Opens an authorization request, decides, logs in, and leaves a screenshot of every page. */
  async authorize(url, { user = 'owner@example.test', decision = 'approve', readOnly = false, shots }) {
    await this.page.goto(url);
    await this.shoot(`${shots}-1-consent`);
    if (readOnly) await this.page.check('input[name=read_only]');
    await this.page.click(`button[name=decision][value=${decision}]`);
    if (decision === 'approve') {
      const button = this.page.locator(`button[name=login][value="${user}"]`);
      await button.waitFor();
      await this.shoot(`${shots}-2-login`);
      await button.click();
    }
    await this.page.waitForLoadState('load');
    await this.shoot(`${shots}-3-end`);
  }

  async close() {
    await this.context?.close();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
