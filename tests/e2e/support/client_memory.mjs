/** What the TypeScript SDK's clients want kept between their attempts; they log in where they would open a browser. */
import assert from 'node:assert/strict';
import { REDIRECT_URI } from './oauth.mjs';
import { browse } from './person.mjs';

/** An `OAuthClientProvider` whose person is scripted. `answer` are the parameters that the person came back with. */
export class ClientMemory {
  redirectUrl = REDIRECT_URI;
  #kept = {};

  constructor(name) {
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state = () => (this.#kept.state = 'a state of its own');
  clientInformation = () => this.#kept.client;
  saveClientInformation = (client) => (this.#kept.client = client);
  tokens = () => this.#kept.tokens;
  saveTokens = (tokens) => (this.#kept.tokens = tokens);
  codeVerifier = () => this.#kept.verifier;
  saveCodeVerifier = (verifier) => (this.#kept.verifier = verifier);
  discoveryState = () => this.#kept.discovery;
  saveDiscoveryState = (discovery) => (this.#kept.discovery = discovery);

  async redirectToAuthorization(url) {
    const { callback, page } = await browse(url.href, { until: REDIRECT_URI });
    assert.ok(callback, page?.html);
    this.answer = callback.searchParams;
  }
}
