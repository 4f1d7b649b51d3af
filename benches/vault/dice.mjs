/** Chance that comes out the same on every machine: the generator xorshift32 (Marsaglia, "Xorshift RNGs", 2003). */
export class Dice {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0 || 1;
  }

  /** A number from 0 up to, and without, 1. */
  roll() {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, and without, `count`. */
  below(count) {
    return Math.floor(this.roll() * count);
  }

  /** Any of a list, each as likely as the others. */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** Any of a list, the n-th about as likely as 1/n: how often words are used (Zipf's law). */
  pickByRank(list) {
    return list[Math.floor(list.length ** this.roll()) - 1];
  }

  /** A number of the log-normal distribution with this mean: how long notes are. */
  logNormal(mean, sigma) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.roll())) * Math.cos(2 * Math.PI * this.roll());
    return mean * Math.exp(sigma * normal - sigma ** 2 / 2);
  }
}
