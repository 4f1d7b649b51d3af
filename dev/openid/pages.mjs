/** The two HTML pages of a login provider. Plain forms without script, so that a program can be the person. */
/** Text as HTML. */
export const escape = (text) =>
  String(text).replace(
    /[&<>"']/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c],
  );

/** A whole page; `body` is HTML. */
export const page = (title, body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; color: #222; }
  button { display: block; width: 100%; margin: .5rem 0; padding: .7rem 1rem; font: inherit; text-align: left; cursor: pointer; }
  small { color: #666; }
</style>
<h1>${escape(title)}</h1>
${body}
</html>
`;

/** Asks who is there. One click is the whole login: no password, and no second page asking for consent. */
export const loginPage = ({ title, action, client, users }) =>
  page(
    title,
    `<p><strong>${escape(client)}</strong> asks who you are. This provider exists on this machine only; nobody has a password.</p>
<form method="post" action="${escape(action)}">
${users.map((user) => `<button name="login" value="${escape(user.email)}">${escape(user.email)} <small>${escape(user.about)}</small></button>`).join('\n')}
<button name="cancel" value="yes">Cancel</button>
</form>`,
  );

/** Says what went wrong where no redirect is possible. */
export const errorPage = ({ error, error_description: description }) =>
  page('Login failed', `<p><strong>${escape(error)}</strong></p>\n<p>${escape(description ?? '')}</p>`);

/**
 * Sets the headers of a page. There is no `form-action`: Chromium applies it to every redirect that follows the
 * form, and the last of them goes to whatever client asked.
 */
export function sendPage(ctx, status, html) {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  );
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.body = html;
}
