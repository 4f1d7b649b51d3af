//! What a character is to a search.

use unicode_normalization::char::is_combining_mark;

/// What a character is to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Part of a word: general categories L, N, M and Co, of scripts that are written with spaces.
    Word,
    /// Part of a run of a script that is written without spaces, or whose words grow by what is
    /// attached to them (Hangul).
    Unspaced,
    /// Anything else: punctuation, symbols, white space.
    Other,
}

/// The class of a character.
#[must_use]
pub fn class(character: char) -> Class {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Other
        };
    }
    if !is_part_of_words(character) {
        Class::Other
    } else if is_unspaced(character) {
        Class::Unspaced
    } else {
        Class::Word
    }
}

/// Whether a character is of general category L, N, M or Co.
fn is_part_of_words(character: char) -> bool {
    // The standard library's "alphabetic" is L, Nl, marks, and the circled letters, which are
    // symbols (So).
    let is_circled = matches!(
        character,
        '\u{24b6}'..='\u{24e9}'
            | '\u{1f130}'..='\u{1f149}'
            | '\u{1f150}'..='\u{1f169}'
            | '\u{1f170}'..='\u{1f189}'
    );
    let is_private = matches!(
        character,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}'
    );
    (character.is_alphanumeric() && !is_circled) || is_combining_mark(character) || is_private
}

/// Blocks of Unicode whose scripts are written without spaces between words (line breaking classes
/// ID, CJ and SA), and Hangul.
fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{0e00}'..='\u{0eff}'         // Thai, Lao
            | '\u{1000}'..='\u{109f}'   // Burmese
            | '\u{1100}'..='\u{11ff}'   // Hangul letters
            | '\u{1780}'..='\u{17ff}'   // Khmer
            | '\u{1950}'..='\u{19df}'   // Tai Le, New Tai Lue
            | '\u{1a20}'..='\u{1aaf}'   // Tai Tham
            | '\u{2e80}'..='\u{2fdf}'   // radicals
            | '\u{3005}'..='\u{3007}'   // iteration mark, zero
            | '\u{3021}'..='\u{303c}'   // Hangzhou numerals, Kana repetition marks
            | '\u{3040}'..='\u{31ff}'   // Hiragana, Katakana, Bopomofo, Hangul letters
            | '\u{3400}'..='\u{4dbf}'   // Han
            | '\u{4e00}'..='\u{9fff}'   // Han
            | '\u{a000}'..='\u{a4cf}'   // Yi
            | '\u{a960}'..='\u{a97f}'   // Hangul letters
            | '\u{a9e0}'..='\u{a9ff}'   // Burmese
            | '\u{aa60}'..='\u{aadf}'   // Burmese, Tai Viet
            | '\u{ac00}'..='\u{d7ff}'   // Hangul
            | '\u{f900}'..='\u{faff}'   // Han
            | '\u{ff66}'..='\u{ffdc}'   // half-width Katakana and Hangul
            | '\u{11700}'..='\u{1174f}' // Ahom
            | '\u{16fe0}'..='\u{18cff}' // Tangut, Khitan
            | '\u{1aff0}'..='\u{1b2ff}' // Kana, Nüshu
            | '\u{20000}'..='\u{3ffff}' // Han
    )
}

#[cfg(test)]
mod tests {
    use super::{Class, class};

    #[test]
    fn letters_digits_and_marks_are_words() {
        for character in "aZ9éßĦжΩאبहि्٣५Ⅷ²½ՀაⲀ𝒜\u{301}\u{94d}\u{e000}".chars()
        {
            assert_eq!(class(character), Class::Word, "{character:?}");
        }
    }

    #[test]
    fn scripts_without_spaces() {
        for character in "日本語々〇ひカｶーㄅ한ㄱกำໄខ្មែရ္ꀀ𠀀".chars()
        {
            assert_eq!(class(character), Class::Unspaced, "{character:?}");
        }
    }

    #[test]
    fn all_else_only_divides() {
        for character in " \n\t.,-_'#/[]()+*^$\"。、「」・～©€☃🗺Ⓐ♫\0".chars() {
            assert_eq!(class(character), Class::Other, "{character:?}");
        }
    }
}
