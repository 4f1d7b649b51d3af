/** A stack whose Worker logs people in at one of the three kinds of provider, each a look-alike on this machine. */
import { APP } from '../../../dev/login/github/accounts.mjs';
import { CLIENT } from '../../../dev/login/google/accounts.mjs';
import { hosts } from '../../../dev/login/google/addresses.mjs';
import { Browserless } from './cookies.mjs';
import { McpClient } from './mcp.mjs';
import { authorize, signIn } from './oauth.mjs';
import { inRepository } from './places.mjs';
import { Running, freePorts } from './processes.mjs';
import { Stack } from './stack.mjs';

/**
 * By kind: the key of the allowlist, who stands on it when a test begins, and what the Worker is configured with.
 * `program` is the look-alike, where the stack has none of its own, on the port that `values` and `routes` are told.
 */
export const kinds = Object.freeze({
  oidc: {
    allowlist: 'VAULT_ALLOWED_OIDC_EMAILS',
    people: { owner: 'owner@example.test', reader: 'reader@example.test', stranger: 'stranger@example.test' },
    values: () => ({}),
  },
  google: {
    allowlist: 'VAULT_ALLOWED_GOOGLE_EMAILS',
    people: {
      owner: 'owner@example.test',
      reader: 'colleague@example.test',
      stranger: 'stranger@example.test',
    },
    program: 'dev/login/google.mjs',
    values: () => ({
      AUTH_PROVIDER: 'google',
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
    }),
    routes: (origin) => Object.fromEntries(hosts.map((host) => [host, origin])),
  },
  github: {
    allowlist: 'VAULT_ALLOWED_GITHUB_LOGINS',
    people: { owner: 'octo-owner', reader: 'octo-reader', stranger: 'octo-stranger' },
    program: 'dev/login/github.mjs',
    values: (origin) => ({
      AUTH_PROVIDER: 'github',
      GITHUB_CLIENT_ID: APP.id,
      GITHUB_CLIENT_SECRET: APP.secret,
      GITHUB_WEB_URL: origin,
      GITHUB_API_URL: origin,
    }),
  },
});

/** A browser that remembers where it was. */
class Visiting extends Browserless {
  visited = [];

  fetch(url, init) {
    this.visited.push(String(url));
    return super.fetch(url, init);
  }
}

/** A running stack, and the look-alike of its provider. */
export class LoginStack {
  #lookAlike;

  /** Starts both. The owner is on the allowlist, and the reader as `:read`; `overrides` are the Worker's. */
  static async start(kind, overrides = {}) {
    const login = new LoginStack();
    try {
      await login.#start(kind, overrides);
    } catch (error) {
      await login.stop();
      throw error;
    }
    return login;
  }

  async #start(kind, overrides) {
    const { allowlist, people, program, values, routes } = kinds[kind];
    Object.assign(this, { kind, allowlist, people, listed: `${people.owner}, ${people.reader}:read` });
    const port = await freePorts(1);
    const origin = `http://localhost:${port}`;
    this.routes = routes?.(origin) ?? {};
    this.stack = await Stack.start({
      overrides: { ...values(origin), [allowlist]: this.listed, ...overrides },
      routes: routes && this.routes,
    });
    if (program) {
      const args = ['--port', String(port), '--worker', this.stack.url];
      if (kind === 'github') args.push('--api', this.stack.github);
      this.#lookAlike = new Running(process.execPath, [inRepository(program), ...args]);
      await this.#lookAlike.ready(/ready (\S+)/, 20_000);
    }
    this.origin = program ? origin : this.stack.provider.issuer;
  }

  /** One of the look-alike's controls: its answer. */
  async control(method, path, body) {
    const response = await fetch(`${this.origin}/__${path}`, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} /__${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** A fresh browser that finds the provider. `visited` are the URLs that it asked for. */
  browser() {
    return new Visiting(this.routes);
  }

  /** See `authorize` of oauth.mjs; the person is the owner. */
  authorize(options) {
    return authorize(this.stack.url, { user: this.people.owner, browser: this.browser(), ...options });
  }

  /** See `signIn` of oauth.mjs. */
  signIn(options) {
    return signIn(this.stack.url, { user: this.people.owner, browser: this.browser(), ...options });
  }

  /** The names of the tools that a token is offered. */
  async tools(token, era) {
    const { tools } = await new McpClient(this.stack.mcp, token, era).result('tools/list');
    return tools.map(({ name }) => name);
  }

  /** Restarts the Worker with other values. */
  restart(values = {}) {
    return this.stack.restart(values);
  }

  /** Restarts the Worker with another allowlist; undefined is none. */
  allow(list) {
    return this.restart({ [this.allowlist]: list });
  }

  /** Variables of person.mjs for a client that opens a browser. */
  person(user = this.people.owner) {
    return { E2E_USER: user, E2E_ROUTES: JSON.stringify(this.routes) };
  }

  /** All that the Worker has written: its log, and the bytes of its databases. */
  traces() {
    return [['the log', this.stack.log], ...this.stack.databases()];
  }

  /** Ends every process. Throws where a secret was somewhere it may not be (see `Stack`). */
  async stop() {
    try {
      if (this.#lookAlike) {
        const { secrets } = await this.control('GET', 'seen');
        this.stack.learn(secrets.map((text) => ['secret of the login provider', text]));
      }
      await this.stack?.stop();
    } finally {
      await this.#lookAlike?.stop();
    }
  }
}

/** The words of a page, without its style. */
export const textOf = ({ html }) =>
  html
    .replace(/<style[\s\S]*?<\/style>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
