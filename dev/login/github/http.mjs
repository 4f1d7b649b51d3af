/** Answers in the forms that GitHub has. */

/** JSON. */
export function json(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
  return true;
}

/** An error of the REST API. */
export const apiError = (response, status, message) =>
  json(response, status, {
    message,
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  });

/** A page. There is no `form-action`: it would hold for every redirect after the form. */
export function html(response, status, text) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  response.end(text);
  return true;
}

/** A redirect to `url` with these parameters added; what is undefined or null is left out. */
export function redirect(response, url, parameters) {
  const target = new URL(url);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) target.searchParams.set(name, value);
  response.writeHead(302, { location: target.href });
  response.end();
  return target;
}
