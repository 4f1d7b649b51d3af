/**
 * What tests do to the look-alike:
 *
 *   PUT /__accounts  [{login, id, type, name}, …]    DELETE /__accounts  those of the beginning
 *   PUT /__faults    {"token_error": "…", …}         DELETE /__faults    none
 *   GET /__seen      {requests, secrets, live}       DELETE /__seen      forgets the requests
 *
 * `live` is how many tokens of logins are good now. What is not understood is answered 400 and changes nothing.
 */
import { readBody } from '../../openid/body.mjs';
import { json } from './http.mjs';

/** Serves the three paths. */
export const control = ({ accounts, faults, grants, seen }) => {
  const parts = {
    '/__accounts': {
      show: () => accounts,
      put: (value) => accounts.replace(value),
      forget: () => accounts.replace(),
    },
    '/__faults': {
      show: () => faults,
      put: (value) => faults.replace(value),
      forget: () => faults.replace({}),
    },
    '/__seen': { show: () => ({ ...seen.toJSON(), live: grants.live }), forget: () => seen.clear() },
  };
  return async (request, response, url) => {
    if (!url.pathname.startsWith('/__')) return false;
    const part = parts[url.pathname];
    if (!part) return json(response, 404, { error: 'there is no such control' });
    try {
      if (request.method === 'PUT' && part.put) part.put(JSON.parse(await readBody(request)));
      else if (request.method === 'DELETE') part.forget();
      else if (request.method !== 'GET') return json(response, 405, { error: 'method' });
      return json(response, 200, part.show());
    } catch (error) {
      return json(response, 400, { error: error.message });
    }
  };
};
