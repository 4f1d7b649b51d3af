import { routed } from '../../../dev/login/routes.mjs';

/**
 * A browser's network half: `fetch` with a cookie jar, redirects left to the caller.
 *
 * Cookies are kept by host name without the port and sent by path, as RFC 6265 has it, so services on neighbouring
 * ports of `localhost` see each other's cookies, as they do in a browser.
 */
export class Browserless {
  #cookies = [];
  #routes;

  /** `routes` are hosts that are elsewhere (dev/login/routes.mjs). There is no way to others beyond this machine. */
  constructor(routes = {}) {
    this.#routes = routes;
  }

  /** `fetch` with this jar's cookies; never follows a redirect. */
  async fetch(url, init = {}) {
    const target = new URL(url);
    const headers = new Headers(init.headers);
    const cookie = this.#matching(target);
    if (cookie) headers.set('cookie', cookie);
    const place = routed(target, this.#routes);
    if (!place) throw new Error(`no route to ${target.host}`);
    const response = await fetch(place, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#store(target, line);
    return response;
  }

  /** Names of the cookies kept for a URL. */
  names(url) {
    return this.#matching(new URL(url))
      .split('; ')
      .filter(Boolean)
      .map((pair) => pair.split('=')[0]);
  }

  #matching({ hostname, pathname }) {
    return this.#cookies
      .filter(
        (c) =>
          c.host === hostname &&
          (pathname === c.path || pathname.startsWith(c.path.endsWith('/') ? c.path : `${c.path}/`)),
      )
      .map((c) => `${c.name}=${c.value}`)
      .join('; ');
  }

  #store({ hostname, pathname }, line) {
    const [pair, ...attributes] = line.split(';').map((part) => part.trim());
    const separator = pair.indexOf('=');
    const attribute = (name) =>
      attributes.find((a) => a.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const cookie = {
      host: hostname,
      path: attribute('path') ?? (pathname.replace(/\/[^/]*$/, '') || '/'),
      name: pair.slice(0, separator),
      value: pair.slice(separator + 1),
    };
    this.#cookies = this.#cookies.filter(
      (c) => !(c.host === cookie.host && c.path === cookie.path && c.name === cookie.name),
    );
    const gone = attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '') <= Date.now();
    if (!gone) this.#cookies.push(cookie);
  }
}
