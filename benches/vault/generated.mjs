/** A vault in thirteen languages, written by code: the same bytes on every machine. */
import { Dice } from './dice.mjs';
import { LANGUAGES } from './languages.mjs';

const SEED = 20_261_130;
/** How many words a language has. */
const VOCABULARY = 5_000;
/** The mean of the notes' sizes, in bytes, and the spread of their logarithms. */
const MEAN_BYTES = 9_900;
const SPREAD = 0.9;
const LARGEST = 300_000;

const words = (text) => text.split(' ');

function vocabulary(language, dice) {
  const syllables = words(language.syllables);
  const made = new Set(words(language.common));
  while (made.size < VOCABULARY)
    made.add(Array.from({ length: 2 + dice.below(3) }, () => dice.pick(syllables)).join(''));
  return [...made];
}

const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/** One who writes in one language. */
class Writer {
  constructor(language, dice) {
    Object.assign(this, { stop: '.', comma: ',', ...language });
    this.words = vocabulary(language, dice);
  }

  word(dice) {
    const word = dice.pickByRank(this.words);
    return !this.unspaced && dice.roll() < 0.01 ? `${word}-${dice.pickByRank(this.words)}` : word;
  }

  sentence(dice) {
    const parts = Array.from({ length: 5 + dice.below(14) }, () => {
      const word = this.word(dice);
      const chance = dice.roll();
      if (chance < 0.02) return `[[${word}]]`;
      if (chance < 0.03) return `**${word}**`;
      return chance < 0.1 ? word + this.comma : word;
    });
    const last = this.word(dice);
    return capitalized([...parts, last].join(this.unspaced ? '' : ' ')) + this.stop;
  }

  paragraph(dice) {
    const sentences = (count) => Array.from({ length: count }, () => this.sentence(dice));
    const chance = dice.roll();
    if (chance < 0.12) return `## ${this.title(dice)}`;
    if (chance < 0.3) return sentences(2 + dice.below(5)).map((text) => `- ${text}`).join('\n');
    if (chance < 0.36) return sentences(2 + dice.below(3)).map((text) => `- [ ] ${text}`).join('\n');
    if (chance < 0.4) return sentences(1).map((text) => `> ${text}`).join('\n');
    return sentences(2 + dice.below(6)).join(this.unspaced ? '' : ' ');
  }

  title(dice) {
    const parts = Array.from({ length: 2 + dice.below(3) }, () => dice.pick(this.words));
    return capitalized(parts.join(this.unspaced ? '' : ' '));
  }
}

/** Two digits. */
const two = (number) => String(number).padStart(2, '0');

/** The first `count` notes of the vault, each `{path, text}`. */
export function* generatedNotes(count) {
  const dice = new Dice(SEED);
  const writers = LANGUAGES.map((language) => new Writer(language, dice));
  const byShare = writers.flatMap((writer) => Array(writer.share).fill(writer));
  for (let number = 0; number < count; number += 1) {
    const writer = dice.pick(byShare);
    const title = writer.title(dice);
    const created = `${2019 + dice.below(8)}-${two(1 + dice.below(12))}-${two(1 + dice.below(28))}`;
    const tags = [dice.pickByRank(writer.words), dice.pickByRank(writer.words)];
    const parts = [`---\ncreated: ${created}\ntags: [${tags.join(', ')}]\n---\n# ${title}`];
    const target = Math.min(dice.logNormal(MEAN_BYTES, SPREAD), LARGEST);
    for (let bytes = 0; bytes < target;) {
      const paragraph = writer.paragraph(dice);
      bytes += Buffer.byteLength(paragraph) + 2;
      parts.push(paragraph);
    }
    const path = `${writer.name}/${created.slice(0, 7)}/${title} ${number}.md`;
    yield { path, text: `${parts.join('\n\n')}\n` };
  }
}
