/**
 * A person at a browser, by HTTP alone: reads each page, presses a button, follows the redirects.
 *
 * As a program, it is what clients take for a browser: `node person.mjs URL`, with E2E_USER, E2E_DECISION and
 * E2E_READ_ONLY for its mind, and E2E_ROUTES (JSON) for hosts that are elsewhere. It ends by opening the client's own
 * callback.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Browserless } from './cookies.mjs';
import { allForms, submission } from './forms.mjs';

const MAXIMUM_HOPS = 25;
const MAXIMUM_TRIES = 100;

/** Tries again for a while where nothing listens yet: some clients open the browser first. */
class Patient extends Browserless {
  async fetch(url, init) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await super.fetch(url, init);
      } catch (error) {
        if (error.cause?.code !== 'ECONNREFUSED' || tries === MAXIMUM_TRIES) throw error;
        await sleep(200);
      }
    }
  }
}

/** What the person does at each page: the form they choose, and what is sent. */
function press(forms, { decision, readOnly, button }) {
  const [form] = forms;
  if (forms.length > 1) {
    // A form for each account, whose button is no more than a button.
    const theirs = forms.find(({ inputs }) => inputs.some(({ value }) => value === button.value));
    if (!theirs) throw new Error(`no form for ${button.value} at ${form.action}`);
    return [theirs, submission(theirs, {})];
  }
  if (form.buttons.some(({ name }) => name === 'decision'))
    return [form, submission(form, { name: 'decision', value: decision }, readOnly ? ['read_only'] : [])];
  return [form, submission(form, button)];
}

/**
 * Follows `url` until a redirect to `until` (compared without its query) or a page without a form. At the provider the
 * person presses `button`, which is `user` logging in.
 *
 * Returns `{callback, pages}` or `{page, pages}`; a page is its `status`, `url`, `html` and `headers`.
 */
export async function browse(
  url,
  {
    until,
    user = 'owner@example.test',
    button = { name: 'login', value: user },
    decision = 'approve',
    readOnly = false,
    browser = new Browserless(),
  },
) {
  const isCallback = (candidate) => until !== undefined && candidate.split('?')[0] === until;
  const pages = [];
  let next = { url, init: {} };
  for (let hop = 0; hop < MAXIMUM_HOPS; hop += 1) {
    const response = await browser.fetch(next.url, next.init);
    const location = response.headers.get('location');
    if (location) {
      await response.body?.cancel();
      // 307 and 308 would send the form again; no page here means that.
      if (response.status > 303) throw new Error(`${response.status} at ${next.url}`);
      next = { url: new URL(location, next.url).href, init: {} };
      if (isCallback(next.url)) return { callback: new URL(next.url), pages };
      continue;
    }
    const page = {
      status: response.status,
      url: next.url,
      html: await response.text(),
      headers: response.headers,
    };
    pages.push(page);
    const forms = allForms(page.html, page.url);
    if (forms.length === 0) return { page, pages };
    const [form, body] = press(forms, { decision, readOnly, button });
    const origin = new URL(page.url).origin;
    const sameOrigin = new URL(form.action).origin === origin;
    next = {
      url: form.action,
      init: {
        method: form.method,
        body,
        headers: {
          origin,
          'sec-fetch-site': sameOrigin ? 'same-origin' : 'cross-site',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        },
      },
    };
  }
  throw new Error(`still going after ${MAXIMUM_HOPS} hops, at ${next.url}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { E2E_USER: user, E2E_DECISION: decision, E2E_READ_ONLY: readOnly, E2E_ROUTES: routes } = process.env;
  const browser = new Patient(JSON.parse(routes ?? '{}'));
  const { page } = await browse(process.argv[2], { user, decision, readOnly: readOnly === 'yes', browser });
  console.log(`${page.status} ${page.url.split('?')[0]}`);
  if (page.status >= 400) {
    console.log(page.html);
    process.exitCode = 1;
  }
}
