/** The built Worker under `wrangler dev`, as a child process. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeEnvFile } from './env_file.mjs';
import { inRepository, nodeFirst, nodeTool } from './places.mjs';
import { Running } from './processes.mjs';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Tests write to the vault they are given. It must be one on this machine, whatever a person has configured. */
export function demandLoopback(values) {
  for (const key of ['GITHUB_API_URL', 'GITHUB_WEB_URL', 'PUBLIC_BASE_URL']) {
    if (!LOOPBACK.has(URL.parse(values[key])?.hostname))
      throw new Error(`refusing to test against ${key}=${values[key]}: it is not this machine`);
  }
}

/**
 * Copies the built module and a wrangler.toml for it into `directory`. The copy has no `[build]`: a test runs what
 * was built, and goes on running it while something is built anew.
 */
function prepare(directory) {
  const source = readFileSync(inRepository('wrangler.toml'), 'utf8');
  const main = /^main\s*=\s*"([^"]+)"/m.exec(source)?.[1];
  if (!main || !existsSync(inRepository(main)))
    throw new Error(`the Worker is not built (${main}): run \`cargo xtask build\``);
  const config = join(directory, 'wrangler.toml');
  if (!existsSync(config)) {
    cpSync(dirname(inRepository(main)), join(directory, dirname(main)), { recursive: true });
    writeFileSync(config, source.replace(/^\[build\]\n(?:(?!\[).*\n?)*/m, ''));
  }
  return config;
}

/** `wrangler dev`, or what it runs on where requests to some hosts are to reach look-alikes. */
function command(options, routes) {
  if (routes)
    return [
      process.execPath,
      inRepository('dev/login/wrangler_dev.mjs'),
      ...options,
      ...Object.entries(routes).flatMap(([host, origin]) => ['--route', `${host}=${origin}`]),
    ];
  const quiet = ['--ip', '127.0.0.1', '--inspector-port', '0', '--show-interactive-dev-session', 'false'];
  return [nodeTool('wrangler'), 'dev', ...options, ...quiet];
}

/**
 * Starts the Worker with `values` as its secrets and vars; resolves once it answers, whatever it answers. With
 * `routes` (hosts to origins on this machine) its requests to those hosts go there, and to no other host beyond.
 */
export async function startWorker({ directory, port, values, routes }) {
  demandLoopback(values);
  const config = prepare(directory);
  const envFile = join(directory, 'worker.env');
  writeEnvFile(envFile, values);
  const options = ['--config', config, '--env-file', envFile];
  options.push('--persist-to', join(directory, 'state'), '--port', String(port));
  const [program, ...args] = command(options, routes);
  const running = new Running(program, args, {
    env: {
      ...nodeFirst,
      // Asks nothing, reports nothing, looks nothing up, and finds no login of the person's.
      CI: '1',
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      XDG_CONFIG_HOME: join(directory, 'config'),
    },
    cwd: directory,
  });
  // After an error wrangler waits for the file that was wrong to change.
  const [said] = await running.ready(/Ready on |\[ERROR\]/, 90_000);
  if (said === '[ERROR]') {
    await running.stop();
    throw new Error(running.output);
  }
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(`http://localhost:${port}/healthz`).catch((error) => error);
    if (!(answer instanceof Error)) break;
    if (attempt > 100) {
      await running.stop();
      throw new Error(`the Worker does not answer: ${answer.cause ?? answer}\n${running.output}`);
    }
    await sleep(50);
  }
  return running;
}
