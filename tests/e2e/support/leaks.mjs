/** Looks for secrets where they may not be: in the log, in databases, and in answers that are not meant to carry them. */
import { KINDS, isTellable, secretsOf, tracesOf } from './secrets.mjs';

/** Enough of a secret to find it in the test's output. */
const shown = (text) => `${text.slice(0, 10)}…`;

/** What was said and done in one stack, to be looked through at its end. */
export class LeakSearch {
  #kinds = new Map();

  /** Learns secrets, as pairs of a kind and a text; texts that are none are left out. */
  learn(secrets) {
    for (const [kind, text] of secrets)
      if (isTellable(text) && !this.#kinds.has(text)) this.#kinds.set(text, kind);
  }

  /** How many secrets are known. */
  get size() {
    return this.#kinds.size;
  }

  /**
   * Every leak, a sentence each. `exchanges` are looked at for secrets first. `texts` are places that carry none at
   * all: pairs of a name and a text, whose line is given.
   */
  find({ exchanges = [], texts = [] }) {
    for (const exchange of exchanges) this.learn(secretsOf(exchange));
    const traces = [...this.#kinds].map(([text, kind]) => ({ text, kind, traces: tracesOf(text) }));
    const held = (text) =>
      traces.flatMap((secret) => {
        const at = secret.traces.map((trace) => text.indexOf(trace)).filter((i) => i >= 0);
        return at.length > 0 ? [{ ...secret, at: Math.min(...at) }] : [];
      });
    const leaks = [];
    for (const [name, text] of texts)
      for (const { kind, text: secret, at } of held(text))
        leaks.push(`${name}, line ${text.slice(0, at).split('\n').length}: ${kind} ${shown(secret)}`);
    exchanges.forEach((exchange, i) => {
      for (const [place, text] of [...exchange.headers, ['body', exchange.body]])
        for (const { kind, text: secret } of held(text))
          if (!KINDS[kind](exchange, place))
            leaks.push(`answer ${i + 1}, ${exchange}, ${place}: ${kind} ${shown(secret)}`);
    });
    return leaks;
  }
}
