/**
 * A look-alike of Google's login: a certified OpenID provider that says what Google's discovery document says, has
 * Google's addresses, and knows some accounts. The knobs of the local OpenID provider turn it as well.
 *
 *   node dev/login/google.mjs --port 8790 --worker http://localhost:8787
 *
 * It stands in for four hosts. A request for `https://HOST/PATH` reaches it as `http://localhost:PORT/HOST/PATH`
 * (`routes.mjs`), and what is not at Google's addresses is not here either. Prints `ready URL` on stdout.
 *
 * Source: Google's documentation "OpenID Connect", and its discovery document.
 */
import { parseArgs } from 'node:util';
import { Provider, interactionPolicy } from 'oidc-provider';
import { configuration } from '../openid/configuration.mjs';
import { forgetSession, interaction } from '../openid/interaction.mjs';
import { generateKeys } from '../openid/keys.mjs';
import { Knobs, knobControl } from '../openid/knobs.mjs';
import { listen } from '../openid/listen.mjs';
import { Seen } from '../openid/seen.mjs';
import { tamper } from '../openid/tamper.mjs';
import { CLIENT, accounts } from './google/accounts.mjs';
import { ISSUER, discovery, inside } from './google/addresses.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8790' },
    worker: { type: 'string', default: 'http://localhost:8787' },
  },
});
const worker = new URL(values.worker).origin;
const knobs = new Knobs();
const seen = new Seen(worker);
const keys = await generateKeys();

const policy = interactionPolicy.base();
policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);

const shared = configuration({
  callback: `${worker}/callback`,
  knobs,
  keys,
  users: accounts,
  client: CLIENT,
});
const provider = new Provider(ISSUER, {
  ...shared,
  interactions: { ...shared.interactions, policy },
  claims: { openid: ['sub'], email: ['email', 'email_verified', 'hd'] },
});
// The scheme and the host are those that the request was made for, not those that it came by.
provider.proxy = true;
provider.on('server_error', (ctx, error) => console.error(`${ctx.method} ${ctx.path}:`, error));
provider.use(knobControl(knobs));
provider.use(seen.middleware());
provider.use(forgetSession);
provider.use(interaction(provider, { title: 'Sign in with Google', users: accounts }));
provider.use(tamper(knobs, keys, worker));
provider.use(async (ctx, next) => {
  await next();
  if (ctx.path === '/.well-known/openid-configuration') ctx.body = discovery;
});

const handle = provider.callback();
await listen((request, response) => {
  const target = inside(request.url);
  if (!target) {
    response.writeHead(404).end(`Google has nothing at ${request.url}\n`);
    return;
  }
  request.url = target.url;
  request.headers.host = target.host;
  request.headers['x-forwarded-proto'] = 'https';
  request.headers['x-forwarded-host'] = target.host;
  handle(request, response);
}, Number(values.port));
console.log(`ready http://localhost:${values.port}`);
