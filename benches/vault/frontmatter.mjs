/** A note's text without the YAML between two lines of `---` at its start. */
export const bodyOf = (text) => text.replace(/^\ufeff?---\r?\n(?:[\s\S]*?\r?\n)?---\r?\n/, '');
