/**
 * The local OpenID provider: a certified implementation with four users, a login page of plain buttons, and knobs
 * that make it misbehave for tests (`knobs.mjs`).
 *
 *   node dev/openid/provider.mjs --port 8788 --worker http://localhost:8787
 *
 * Listens on loopback alone and prints `ready URL` on stdout. Nothing is kept: keys are new at every start.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Provider } from 'oidc-provider';
import { configuration } from './configuration.mjs';
import { forgetSession, interaction } from './interaction.mjs';
import { generateKeys } from './keys.mjs';
import { Knobs, knobControl } from './knobs.mjs';
import { secondOrigin, tamper } from './tamper.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8788' },
    worker: { type: 'string', default: 'http://localhost:8787' },
  },
});
const issuer = `http://localhost:${values.port}`;
const worker = new URL(values.worker).origin;
const knobs = new Knobs();
const keys = await generateKeys();

const provider = new Provider(issuer, configuration({ callback: `${worker}/callback`, knobs, keys }));
provider.on('server_error', (ctx, error) => console.error(`${ctx.method} ${ctx.path}:`, error));
provider.use(knobControl(knobs));
provider.use(secondOrigin(knobs, { issuer, other: `http://127.0.0.1:${values.port}` }));
provider.use(forgetSession);
provider.use(interaction(provider));
provider.use(tamper(knobs, keys, worker));

const handle = provider.callback();
const listen = async (host) => {
  const server = createServer(handle).listen(Number(values.port), host);
  await once(server, 'listening');
};
await listen('127.0.0.1');
// `localhost` is this address too, where the machine has it.
await listen('::1').catch((error) => {
  if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
});
console.log(`ready ${issuer}`);
