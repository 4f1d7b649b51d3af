/**
 * Everything one test file needs, on ports of its own and in a folder of its own: the GitHub look-alike, the OpenID
 * provider, the built Worker, and in front of it a proxy that keeps what passes.
 *
 * When it stops, it looks for secrets where they may not be: see `leaks.mjs`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvFile } from './env_file.mjs';
import { startRecording } from './exchanges.mjs';
import { filesBelow, inParts } from './files.mjs';
import { LeakSearch } from './leaks.mjs';
import { LookAlike } from './look_alike.mjs';
import { inRepository } from './places.mjs';
import { freePorts } from './processes.mjs';
import { startProvider } from './provider.mjs';
import { configuredSecrets } from './secrets.mjs';
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
  #earlierLogs = '';
  #leaks = new LeakSearch();
  #recording;
  #directory = mkdtempSync(join(tmpdir(), 'vault-mcp-e2e-'));
  #lookAlike;
  #port;
  #routes;
  #values;

  /**
   * Starts it. `overrides` replace values of the example (undefined removes one); `vault` is a folder to serve a copy
   * of; `routes` are the Worker's (see `startWorker`). Without `recorded` there is no proxy in front of the Worker, which
   * would be measured too.
   */
  static async start({ overrides = {}, vault, routes, recorded = true } = {}) {
    const stack = new Stack();
    stack.#routes = routes;
    try {
      await stack.#start(overrides, vault, recorded);
    } catch (error) {
      await stack.#end();
      throw error;
    }
    return stack;
  }

  async #start(overrides, vault, recorded) {
    const port = await freePorts(4);
    this.#port = recorded ? port + 3 : port;
    this.url = `http://localhost:${port}`;
    this.mcp = `${this.url}/mcp`;
    this.#values = { ...exampleValues(port), ...overrides };
    demandLoopback(this.#values);
    // First, since a port that was free a moment ago may not be so later.
    if (recorded) this.#recording = await startRecording({ port, upstream: this.#port });
    this.#lookAlike = new LookAlike({ port: port + 2, state: this.gitState, vault });
    // One after the other: whatever has started is known to `stop` when the next one fails.
    this.provider = await startProvider({ port: port + 1, worker: this.url });
    await this.#lookAlike.ready();
    this.github = this.#lookAlike.url;
    this.worker = await this.#startWorker();
  }

  #startWorker() {
    this.learn(configuredSecrets(this.#values));
    return startWorker({
      directory: this.#directory,
      port: this.#port,
      values: this.#values,
      routes: this.#routes,
    });
  }

  /** What went to the Worker and came back, in order: see `exchanges.mjs`. */
  get exchanges() {
    return this.#recording?.exchanges ?? [];
  }

  /** From now on clients get the JSON document at `path` as `edit` makes it; undefined ends that. */
  editDocument(path, edit) {
    this.#recording.edits.set(path, edit && ((body) => JSON.stringify(edit(JSON.parse(body)))));
  }

  /** All that the Worker has written, restarts included. */
  get log() {
    return this.#earlierLogs + (this.worker?.output ?? '');
  }

  /** Every file of the Worker's databases, as a name and its bytes; a large one in several parts (`inParts`). */
  databases() {
    return filesBelow(this.workerState).flatMap((path) => inParts(path, readFileSync(path)));
  }

  /** Secrets that may be nowhere, or in one answer alone: pairs of a kind (`secrets.mjs`) and a text. */
  learn(secrets) {
    this.#leaks.learn(secrets);
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
    await this.worker?.stop();
    this.#earlierLogs = this.log;
    this.worker = undefined;
    this.#values = { ...this.#values, ...overrides };
    this.worker = await this.#startWorker();
  }

  /**
   * Ends the Worker in the middle of whatever it does, and starts it again with the state that it left and with some
   * values replaced.
   */
  async crash(overrides = {}) {
    await this.worker.kill();
    this.#values = { ...this.#values, ...overrides };
    this.worker = await this.#startWorker();
  }

  /** The requests that reached the look-alike since it started or `forgetRequests`. */
  requests() {
    return this.#lookAlike.control('GET', 'requests');
  }

  /** See [`requests`]. */
  forgetRequests() {
    return this.#lookAlike.control('DELETE', 'requests');
  }

  /** Makes the look-alike fail in these ways, and in no others. */
  switches(values) {
    return this.#lookAlike.control('PUT', 'switches', values);
  }

  /** The installation of the look-alike's app; with `changed`, what it becomes. */
  installation(changed) {
    return this.#lookAlike.control(changed ? 'PUT' : 'GET', 'installation', changed);
  }

  /** What the look-alike gave the Worker, or was shown by it, beside what is configured: tokens and tickets. */
  githubSecrets() {
    return this.#lookAlike.control('GET', 'secrets');
  }

  /** A commit from another device: `{put, text}`, `{put, base64}`, `{delete}` or `{rename, to}`; returns `{commit}`. */
  push(changes, branch) {
    return this.#lookAlike.control('POST', 'push', { changes, branch });
  }

  /** Ends every process and removes the folder. Throws where a secret was somewhere it may not be. */
  async stop() {
    let leaks = [];
    try {
      this.learn((await this.provider.secrets()).map((text) => ['secret of the login provider', text]));
      this.learn((await this.githubSecrets()).map((text) => ['secret of GitHub', text]));
      await this.worker?.stop();
      const texts = [['the log', this.log], ...this.databases()];
      leaks = this.#leaks.find({ exchanges: this.exchanges, texts });
    } finally {
      await this.#end();
    }
    if (leaks.length > 0)
      throw new Error(`${process.argv[1]}: secrets where they may not be\n${[...new Set(leaks)].join('\n')}`);
  }

  async #end() {
    await Promise.all(
      [this.#recording, this.worker, this.provider, this.#lookAlike].map((part) => part?.stop()),
    );
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
