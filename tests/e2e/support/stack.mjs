/**
 * Everything one test file needs, on three ports of its own and in a folder of its own: the GitHub look-alike, the
 * OpenID provider, and the built Worker.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvFile } from './env_file.mjs';
import { inRepository, lookAlike } from './places.mjs';
import { Running, freePorts } from './processes.mjs';
import { startProvider } from './provider.mjs';
import { demandLoopback, startWorker } from './worker.mjs';

/** The example's values, moved from its three ports to the block that starts at `port`. */
function exampleValues(port) {
  const moved = (value) =>
    value.replace(
      /\b(localhost|127\.0\.0\.1):878([789])\b/g,
      (_, host, digit) => `${host}:${port + Number(digit) - 7}`,
    );
  return Object.fromEntries(
    Object.entries(readEnvFile(inRepository('.dev.vars.example'))).map(([key, value]) => [key, moved(value)]),
  );
}

/** A running stack. `url` is the Worker's origin. */
export class Stack {
  #directory = mkdtempSync(join(tmpdir(), 'vault-mcp-e2e-'));
  #lookAlike;
  #port;
  #routes;
  #values;

  /**
   * Starts it. `overrides` replace values of the example (undefined removes one); `vault` is a folder to serve a copy
   * of; `routes` are the Worker's (see `startWorker`).
   */
  static async start({ overrides = {}, vault, routes } = {}) {
    const stack = new Stack();
    stack.#routes = routes;
    try {
      await stack.#start(overrides, vault);
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  async #start(overrides, vault) {
    const port = await freePorts(3);
    this.#port = port;
    this.url = `http://localhost:${port}`;
    this.mcp = `${this.url}/mcp`;
    this.#values = { ...exampleValues(port), ...overrides };
    demandLoopback(this.#values);
    this.#lookAlike = new Running(lookAlike(), [
      '--port',
      String(port + 2),
      '--state',
      this.gitState,
      ...(vault ? ['--vault', vault] : []),
    ]);
    // One after the other: whatever has started is known to `stop` when the next one fails.
    this.provider = await startProvider({ port: port + 1, worker: this.url });
    await this.#lookAlike.until(/ready (\S+)/, 120_000);
    this.github = `http://localhost:${port + 2}`;
    this.worker = await this.#startWorker();
  }

  #startWorker() {
    return startWorker({
      directory: this.#directory,
      port: this.#port,
      values: this.#values,
      routes: this.#routes,
    });
  }

  /** Where the look-alike keeps its repository. */
  get gitState() {
    return join(this.#directory, 'look-alike');
  }

  /** Where the databases of the Worker's durable objects are; beside it wrangler keeps traces of its own. */
  get workerState() {
    return join(this.#directory, 'state/v3/do');
  }

  /** A folder for the test's own files; gone when the stack stops. */
  get scratch() {
    return join(this.#directory, 'scratch');
  }

  /** Restarts the Worker with its state and with some values replaced, as after editing its secrets. */
  async restart(overrides = {}) {
    await this.worker.stop();
    this.#values = { ...this.#values, ...overrides };
    this.worker = await this.#startWorker();
  }

  /** The requests that reached the look-alike since it started or `forgetRequests`. */
  requests() {
    return this.#control('GET', 'requests');
  }

  /** See [`requests`]. */
  forgetRequests() {
    return this.#control('DELETE', 'requests');
  }

  /** Makes the look-alike fail in these ways, and in no others. */
  switches(values) {
    return this.#control('PUT', 'switches', values);
  }

  /** A commit from another device: `{put, text}`, `{put, base64}`, `{delete}` or `{rename, to}`; returns `{commit}`. */
  push(changes, branch) {
    return this.#control('POST', 'push', { changes, branch });
  }

  async #control(method, path, body) {
    const response = await fetch(`${this.github}/__control/${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`look-alike: ${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Ends every process and removes the folder. */
  async stop() {
    await Promise.all([this.worker, this.provider, this.#lookAlike].map((part) => part?.stop()));
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
