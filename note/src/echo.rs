//! Showing text from outside without letting it act.

use std::fmt::{self, Write};

use super::path::is_unprintable;

/// The most characters of a text that an echo shows.
const SHOWN: usize = 120;

/// A text as an error message may show it: in double quotes, with quotes, backslashes, control
/// characters, noncharacters and invisible direction marks escaped, cut after 120 characters.
///
/// ```
/// use vault_mcp_note::echo::Echo;
///
/// assert_eq!(Echo("a\nb.md").to_string(), r#""a\u{a}b.md""#);
/// assert_eq!(Echo("café.md").to_string(), r#""café.md""#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Echo<'a>(pub &'a str);

impl fmt::Display for Echo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for (shown, character) in self.0.chars().enumerate() {
            if shown == SHOWN {
                f.write_char('…')?;
                break;
            }
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                _ if is_unprintable(character) || reorders(character) => {
                    write!(f, "\\u{{{:x}}}", u32::from(character))?;
                }
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}

/// Whether a character changes the order in which the text around it is shown (UAX #9). Such a
/// character may stand in a file name; in our own sentence it could make the sentence lie.
fn reorders(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::Echo;

    #[test]
    fn what_could_act_is_escaped() {
        let cases = [
            ("a\0.md", r#""a\u{0}.md""#),
            ("\u{7f}", r#""\u{7f}""#),
            ("\u{85}", r#""\u{85}""#),
            ("\u{fdd0}\u{1ffff}", r#""\u{fdd0}\u{1ffff}""#),
            ("dm.\u{202e}evil", r#""dm.\u{202e}evil""#),
            ("say \"hi\" \\", r#""say \"hi\" \\""#),
        ];
        for (text, echoed) in cases {
            assert_eq!(Echo(text).to_string(), echoed);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let echoed = Echo(&"é".repeat(500)).to_string();
        assert_eq!(echoed, format!("\"{}…\"", "é".repeat(120)));
    }
}
