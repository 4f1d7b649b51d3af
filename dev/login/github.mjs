/**
 * A look-alike of GitHub's login for OAuth apps, in front of the look-alike that holds the vault: one origin is
 * GitHub's web site and its API, and what is not about logging in goes on to the other.
 *
 *   node dev/login/github.mjs --port 8790 --worker http://localhost:8787 --api http://localhost:8789
 *
 * With GITHUB_WEB_URL and GITHUB_API_URL set to this origin the Worker logs people in here. Prints `ready URL` on
 * stdout. Accounts change at `/__accounts`, faults at `/__faults`, and `/__seen` says what was asked.
 *
 * Source: GitHub's documentation "Authorizing OAuth apps", "Troubleshooting authorization request errors",
 * "Troubleshooting OAuth app access token request errors", and the REST API's "Users" and "OAuth authorizations".
 */
import { parseArgs } from 'node:util';
import { listen } from '../openid/listen.mjs';
import { Seen } from '../openid/seen.mjs';
import { Accounts } from './github/accounts.mjs';
import { api } from './github/api.mjs';
import { control } from './github/control.mjs';
import { Faults } from './github/faults.mjs';
import { forward } from './github/forward.mjs';
import { Grants } from './github/grants.mjs';
import { json } from './github/http.mjs';
import { oauth } from './github/oauth.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8790' },
    worker: { type: 'string', default: 'http://localhost:8787' },
    api: { type: 'string', default: 'http://localhost:8789' },
  },
});
const origin = `http://localhost:${values.port}`;
const worker = new URL(values.worker).origin;
const state = {
  origin,
  callback: `${worker}/callback`,
  accounts: new Accounts(),
  faults: new Faults(),
  grants: new Grants(),
  seen: new Seen(worker),
};
/** In this order: the first that knows a request answers it. */
const parts = [control(state), oauth(state), api(state), forward(new URL(values.api).origin)];

async function handle(request, response) {
  const url = new URL(request.url, origin);
  if (!url.pathname.startsWith('/__')) state.seen.request(request.method, url.pathname);
  for (const part of parts) if (await part(request, response, url)) return;
}

await listen((request, response) => {
  handle(request, response).catch((error) => {
    console.error(`${request.method} ${request.url.split('?')[0]}:`, error);
    if (!response.headersSent) json(response, 500, { message: 'the look-alike failed' });
    else response.destroy();
  });
}, Number(values.port));
console.log(`ready ${origin}`);
