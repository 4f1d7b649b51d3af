/** The page of a person's own grants, without a browser. */
import { allForms, submission } from './forms.mjs';
import { browse } from './person.mjs';

const OWN_FORM = { 'sec-fetch-site': 'same-origin' };

/** Sends a form of ours as a browser does: the response. */
export const send = (browser, base, form, fields) =>
  browser.fetch(form.action, {
    method: form.method,
    body: fields,
    headers: { origin: base, ...OWN_FORM },
  });

/** The page as it is now: status, words and forms. */
export async function look(browser, base) {
  const response = await browser.fetch(`${base}/sessions`);
  const html = await response.text();
  return { status: response.status, html, forms: allForms(html, `${base}/sessions`) };
}

/** Logs a person in at the page: `{callback}` where they got there, else `{page}` (see `browse`). */
export async function logIn(browser, base, options) {
  const { forms } = await look(browser, base);
  const response = await send(browser, base, forms[0], submission(forms[0], {}));
  await response.body?.cancel();
  return browse(response.headers.get('location'), { until: `${base}/sessions`, browser, ...options });
}

/** The forms that end one grant each. */
export const endings = ({ forms }) =>
  forms.filter(({ inputs }) => inputs.some(({ name }) => name === 'grant'));
