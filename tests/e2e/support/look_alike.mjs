/** The GitHub look-alike as a process, and its control interface (`dev/src/github/control.rs`). */
import { lookAlike } from './places.mjs';
import { Running } from './processes.mjs';

/** A running look-alike. `url` is its origin. */
export class LookAlike {
  #process;

  /** Starts one on `port`, with its repositories below the folder `state` and a copy of the folder `vault` if given. */
  constructor({ port, state, vault }) {
    this.url = `http://localhost:${port}`;
    const options = vault ? ['--vault', vault] : [];
    this.#process = new Running(lookAlike(), ['--port', String(port), '--state', state, ...options]);
  }

  /** Waits until it answers. */
  ready() {
    return this.#process.until(/ready (\S+)/, 120_000);
  }

  stop() {
    return this.#process.stop();
  }

  /** One request to the control interface; what it answers, read. */
  async control(method, path, body) {
    const response = await fetch(`${this.url}/__control/${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`look-alike: ${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
