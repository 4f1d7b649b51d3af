/**
 * A proxy that adds a bearer token, for clients that have no option for one. Its own port in Host and Origin becomes
 * the server's, so that other hosts stay recognisable as such.
 */
import { startProxy } from './proxy.mjs';

/** Starts it in front of the server at `port`. Returns its origin and the way to end it. */
export const startAuthProxy = (port, token) =>
  startProxy({
    upstream: port,
    headers(raw, own) {
      const names = raw.map((name) => name.toLowerCase());
      const isValueOf = (i, name) => i % 2 === 1 && names[i - 1] === name;
      const headers = raw.map((text, i) =>
        (isValueOf(i, 'host') || isValueOf(i, 'origin')) && text.endsWith(`:${own}`)
          ? text.slice(0, -`:${own}`.length) + `:${port}`
          : text,
      );
      const authorized = names.some((name, i) => i % 2 === 0 && name === 'authorization');
      return authorized ? headers : [...headers, 'Authorization', `Bearer ${token}`];
    },
  });
