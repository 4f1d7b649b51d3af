/**
 * What a provider was asked, and the secrets it handed out or was shown: for tests that count requests, and for those
 * that look for a secret where none may be.
 *
 *   GET    /__seen   {"requests": ["GET /jwks", …], "secrets": ["a code, a verifier, an access token, an ID token", …]}
 *   DELETE /__seen   forgets the requests; what was a secret remains one
 */
export class Seen {
  #client;
  #requests = [];
  #secrets = [];

  /** `client` is the origin that authorization responses go to. */
  constructor(client) {
    this.#client = client;
  }

  /** Remembers a request. */
  request(method, path) {
    this.#requests.push(`${method} ${path}`);
  }

  /** Remembers secrets; what is none (undefined) is left out. */
  secrets(...values) {
    this.#secrets.push(...values.filter((value) => value !== undefined && value !== null));
  }

  /** Forgets the requests. */
  clear() {
    this.#requests = [];
  }

  toJSON() {
    return { requests: this.#requests, secrets: this.#secrets };
  }

  /** Middleware that remembers, and that serves `/__seen`. */
  middleware() {
    return async (ctx, next) => {
      if (ctx.path === '/__seen') return this.#control(ctx);
      this.request(ctx.method, ctx.path);
      await next();
      const { access_token, id_token, refresh_token } = ctx.body ?? {};
      this.secrets(access_token, id_token, refresh_token, ctx.oidc?.params?.code_verifier);
      const location = ctx.response.get('Location');
      if (location?.startsWith(this.#client)) this.secrets(new URL(location).searchParams.get('code'));
    };
  }

  #control(ctx) {
    if (ctx.method === 'DELETE') this.clear();
    else if (ctx.method !== 'GET') {
      ctx.status = 405;
      ctx.set('Allow', 'GET, DELETE');
      return;
    }
    ctx.body = this;
  }
}
