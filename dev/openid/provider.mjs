/**
 * The local OpenID provider: a certified implementation with four users, a login page of plain buttons, and knobs
 * that make it misbehave for tests (`knobs.mjs`).
 *
 *   node dev/openid/provider.mjs --port 8788 --worker http://localhost:8787
 *
 * Listens on loopback alone and prints `ready URL` on stdout. Nothing is kept: keys are new at every start.
 */
import { parseArgs } from 'node:util';
import { Provider } from 'oidc-provider';
import { configuration } from './configuration.mjs';
import { forgetSession, interaction } from './interaction.mjs';
import { generateKeys } from './keys.mjs';
import { Knobs, knobControl } from './knobs.mjs';
import { listen } from './listen.mjs';
import { Seen } from './seen.mjs';
import { secondOrigin, tamper } from './tamper.mjs';
import { users } from './users.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8788' },
    worker: { type: 'string', default: 'http://localhost:8787' },
  },
});
const issuer = `http://localhost:${values.port}`;
const worker = new URL(values.worker).origin;
const knobs = new Knobs();
const seen = new Seen(worker);
const keys = await generateKeys();

const provider = new Provider(issuer, configuration({ callback: `${worker}/callback`, knobs, keys, users }));
provider.on('server_error', (ctx, error) => console.error(`${ctx.method} ${ctx.path}:`, error));
provider.use(knobControl(knobs));
provider.use(seen.middleware());
provider.use(secondOrigin(knobs, { issuer, other: `http://127.0.0.1:${values.port}` }));
provider.use(forgetSession);
provider.use(interaction(provider, { title: 'Local OpenID provider', users }));
provider.use(tamper(knobs, keys, worker));

await listen(provider.callback(), Number(values.port));
console.log(`ready ${issuer}`);
