/**
 * Where requests to some hosts go instead: `{"accounts.google.com": "http://localhost:8790"}`.
 *
 * A look-alike that stands in for several hosts gets the host as the first segment of the path, so a request to the
 * right path of the wrong host is as wrong there as it is at the real ones.
 */

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Reads `HOST=ORIGIN` pairs. Throws where an origin is not on this machine. */
export function parseRoutes(pairs) {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [host, origin] = pair.split(/=(.*)/s);
      if (!host || !LOOPBACK.has(URL.parse(origin)?.hostname))
        throw new TypeError(`${pair}: a route is HOST=ORIGIN, and the origin is on this machine`);
      return [host, new URL(origin).origin];
    }),
  );
}

/**
 * Where a request for `url` goes: to its route, to where it wants to go on this machine, or nowhere (undefined).
 *
 * Only https on its own port is routed: a request that leaves in clear text, or for a port that the real host does
 * not serve, has no counterpart.
 */
export function routed(url, routes) {
  const target = new URL(url);
  if (target.protocol === 'https:' && target.port === '' && Object.hasOwn(routes, target.hostname))
    return new URL(`/${target.hostname}${target.pathname}${target.search}`, routes[target.hostname]);
  return LOOPBACK.has(target.hostname) ? target : undefined;
}
