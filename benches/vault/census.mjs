/**
 * Which words and characters a vault has, counted in a sample of its notes (their keys and values at the top left
 * out). The queries of the benchmark are picked from it, so that one and the same way of picking serves every vault.
 */
import { bodyOf } from './frontmatter.mjs';

const SAMPLE = 2_000;
/** Scripts that are searched by any part: what stands between spaces is no word there. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const COMPOUND = /(?<![\p{L}\p{M}\p{N}-])\p{L}{2,}-\p{L}{2,}(?![\p{L}\p{M}\p{N}-])/gu;
const NEIGHBOURS = /(?<![\p{L}\p{M}\p{N}])(?=(\p{L}{4,}) (\p{L}{4,})(?![\p{L}\p{M}\p{N}]))/gu;
const HAN = /\p{Script=Han}+/gu;

/** In how many notes of the sample each of something is. */
class Tally {
  #notes = new Map();

  add(items) {
    for (const item of new Set(items)) this.#notes.set(item, (this.#notes.get(item) ?? 0) + 1);
  }

  /** The one that `better` puts first: `{text, notes}`. */
  best(better) {
    let best;
    for (const [text, notes] of this.#notes) {
      const one = { text, notes };
      if (!best || better(one, best) || (!better(best, one) && text < best.text)) best = one;
    }
    return best;
  }

  /** The one that is in most notes. */
  mostFrequent() {
    return this.best((one, other) => one.notes > other.notes);
  }

  /** The one whose number of notes is closest to `wanted`. */
  closestTo(wanted) {
    const distance = ({ notes }) => Math.abs(notes - wanted);
    return this.best((one, other) => distance(one) < distance(other));
  }
}

export class Census {
  #step;
  #words = new Tally();
  #compounds = new Tally();
  #neighbours = new Tally();
  #characters = new Tally();
  #pairs = new Tally();
  #links = 0;
  #sampled = 0;

  /** A census of a vault of `notes` notes. */
  constructor(notes) {
    this.#step = Math.max(1, Math.floor(notes / SAMPLE));
  }

  /** Takes note of the `number`-th note. */
  add(number, text) {
    if (number % this.#step !== 0) return;
    this.#sampled += 1;
    const body = bodyOf(text);
    const lower = body.toLowerCase();
    this.#words.add((lower.match(WORD) ?? []).filter((word) => word.length >= 4 && !UNSPACED.test(word)));
    this.#compounds.add((lower.match(COMPOUND) ?? []).filter((word) => !UNSPACED.test(word)));
    this.#neighbours.add(
      [...lower.matchAll(NEIGHBOURS)].map(([, one, two]) => `${one} ${two}`).filter((pair) => !UNSPACED.test(pair)),
    );
    const runs = (body.match(HAN) ?? []).map((run) => [...run]);
    this.#characters.add(runs.flat());
    this.#pairs.add(runs.flatMap((run) => run.slice(1).map((second, at) => run[at] + second)));
    if (body.includes('[[')) this.#links += 1;
  }

  /** What to search for, by kind: `{text, notes}` with the least number of notes that hold it. */
  picks() {
    const common = this.#words.mostFrequent();
    const phrase = this.#neighbours.closestTo(this.#sampled / 50);
    return {
      common,
      prefix: common && { text: common.text.slice(0, 2), notes: common.notes },
      phrase,
      words: phrase && { text: phrase.text.split(' ').reverse().join(' '), notes: phrase.notes },
      compound: this.#compounds.mostFrequent(),
      han: this.#characters.mostFrequent(),
      han_pair: this.#pairs.mostFrequent(),
      symbols: this.#links > 0 ? { text: '[[', notes: this.#links } : undefined,
    };
  }
}
