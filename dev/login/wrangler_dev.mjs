/**
 * `wrangler dev` with a say in where the Worker's requests go: those to the given hosts go to look-alikes on this
 * machine, and those to any other host beyond it fail.
 *
 *   node dev/login/wrangler_dev.mjs --config wrangler.toml --env-file FILE --persist-to DIR --port 8787 \
 *     --route accounts.google.com=http://localhost:8790 …
 *
 * The Worker is the one that is deployed, byte for byte: it asks for `https://accounts.google.com`, as it always
 * does. No configuration key can make it ask elsewhere, so none has to be kept out of production.
 *
 * `startWorker` is what the command `wrangler dev` itself runs on; the command has no option for outgoing requests.
 * Prints what the command prints.
 */
import { parseArgs } from 'node:util';
import { unstable_startWorker as startWorker } from 'wrangler';
import { parseRoutes, routed } from './routes.mjs';

const { values } = parseArgs({
  options: {
    config: { type: 'string' },
    'env-file': { type: 'string' },
    'persist-to': { type: 'string' },
    port: { type: 'string', default: '8787' },
    route: { type: 'string', multiple: true, default: [] },
  },
});
const routes = parseRoutes(values.route);

/** The network, as the Worker sees it. */
async function outbound(request) {
  const target = routed(request.url, routes);
  if (!target) {
    console.error(`no route to ${new URL(request.url).host}`);
    return new Response(null, { status: 502 });
  }
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  // Redirects and encodings are the Worker's business.
  const answer = await fetch(target, {
    method: request.method,
    headers: [...request.headers].filter(([name]) => name !== 'host' && name !== 'content-length'),
    body,
    redirect: 'manual',
    signal: request.signal,
  });
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(answer.body, { status: answer.status, headers });
}

const worker = await startWorker({
  config: values.config,
  envFiles: [values['env-file']],
  dev: {
    server: { hostname: '127.0.0.1', port: Number(values.port) },
    inspector: false,
    persist: values['persist-to'],
    watch: false,
    outboundService: outbound,
  },
});

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, async () => {
    await worker.dispose();
    process.exit(0);
  });
