//! Texts in the form in which a search compares them.

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::ignorable::is_ignorable;

/// A text in the form in which a search compares it, with the way back.
///
/// Folding it again changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    text: String,
    anchors: Vec<Anchor>,
}

/// From `folded` on, offsets in the folded text run along with those in the original, starting at
/// `original`; or, where `fixed`, they all belong to what begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Anchor {
    folded: usize,
    original: usize,
    fixed: bool,
}

/// The folded form of a text, for whoever needs no way back.
///
/// ```
/// use vault_mcp_note::text::fold;
///
/// assert_eq!(fold("STRASSE Straße"), "strasse strasse");
/// assert_eq!(fold("Łódź, Ἀθῆναι, Ёлка"), "lodz, αθηναι, елка");
/// assert_eq!(fold("हिन्दी ភាសាខ្មែរ"), "हिन्दी ភាសាខ្មែរ");
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    Folded::new(text).text
}

impl Folded {
    /// Folds a text.
    #[must_use]
    pub fn new(original: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(original.len()),
            anchors: Vec::new(),
        };
        let mut in_step = true;
        let mut rest = original;
        while !rest.is_empty() {
            let from = original.len() - rest.len();
            let (plain, behind) = rest
                .split_at_checked(ascii_alone(rest))
                .unwrap_or(("", rest));
            if !plain.is_empty() {
                folded.push_ascii(plain, (!in_step).then_some(from));
                in_step = true;
                rest = behind;
                continue;
            }
            let Some(cluster) = next_cluster(rest) else {
                break;
            };
            rest = rest.get(cluster.len()..).unwrap_or_default();
            let start = folded.text.len();
            fold_cluster(cluster, &mut folded.text);
            let produced = folded.text.get(start..).unwrap_or_default();
            let keeps_step = produced.len() == cluster.len()
                && is_one_character(cluster)
                && is_one_character(produced);
            if !keeps_step {
                folded.anchors.push(Anchor {
                    folded: start,
                    original: from,
                    fixed: true,
                });
            } else if !in_step {
                folded.anchors.push(Anchor {
                    folded: start,
                    original: from,
                    fixed: false,
                });
            }
            in_step = keeps_step;
        }
        if !in_step {
            let end = Anchor {
                folded: folded.text.len(),
                original: original.len(),
                fixed: false,
            };
            folded.anchors.push(end);
        }
        folded
    }

    /// Folds characters that stand by themselves; `from` is where they stand in the original, if
    /// they are the first ones since others that run along with it.
    fn push_ascii(&mut self, plain: &str, from: Option<usize>) {
        let start = self.text.len();
        self.anchors.extend(from.map(|original| Anchor {
            folded: start,
            original,
            fixed: false,
        }));
        self.text.push_str(plain);
        if let Some(pushed) = self.text.get_mut(start..) {
            pushed.make_ascii_lowercase();
        }
    }

    /// The folded text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where in the original the characters begin that stand at `offset` in the folded text.
    #[must_use]
    pub fn start_in_original(&self, offset: usize) -> usize {
        // Where nothing came of a cluster, the next one has an anchor at the same offset.
        let after = self
            .anchors
            .partition_point(|anchor| anchor.folded <= offset);
        match after.checked_sub(1).and_then(|last| self.anchors.get(last)) {
            None => offset,
            Some(anchor) if anchor.fixed => anchor.original,
            Some(anchor) => anchor.original + (offset - anchor.folded),
        }
    }

    /// Where in the original the characters end that end at `offset` in the folded text.
    #[must_use]
    pub fn end_in_original(&self, offset: usize) -> usize {
        let after = self
            .anchors
            .partition_point(|anchor| anchor.folded < offset);
        match after.checked_sub(1).and_then(|last| self.anchors.get(last)) {
            None => offset,
            Some(anchor) if anchor.fixed => self
                .anchors
                .get(after)
                .map_or(anchor.original, |next| next.original),
            Some(anchor) => anchor.original + (offset - anchor.folded),
        }
    }
}

/// How many bytes of ASCII a text begins with, but for the last one if others follow: that may have
/// a mark behind it.
fn ascii_alone(text: &str) -> usize {
    let ascii = text.bytes().position(|byte| !byte.is_ascii());
    ascii.map_or(text.len(), |length| length.saturating_sub(1))
}

/// The first character with all that can change how it folds: marks, letters of a Hangul syllable,
/// and what is not seen.
fn next_cluster(text: &str) -> Option<&str> {
    let mut characters = text.char_indices();
    let (_, first) = characters.next()?;
    let end = match text.as_bytes().get(first.len_utf8()) {
        None => text.len(),
        // The common case, without a look at tables.
        Some(next) if next.is_ascii() => first.len_utf8(),
        Some(_) => characters
            .find(|(_, character)| !continues_cluster(*character))
            .map_or(text.len(), |(end, _)| end),
    };
    text.get(..end)
}

fn continues_cluster(character: char) -> bool {
    is_combining_mark(character)
        || is_ignorable(character)
        || matches!(character, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

fn is_one_character(cluster: &str) -> bool {
    cluster.chars().nth(1).is_none()
}

fn fold_cluster(cluster: &str, output: &mut String) {
    let mut characters = cluster.chars();
    let Some(first) = characters.next() else {
        return;
    };
    if is_one_character(cluster) {
        if first.is_ascii() {
            output.push(first.to_ascii_lowercase());
            return;
        }
        if folds_to_itself(first) {
            output.push(first);
            return;
        }
    }
    // Canonical caseless matching (The Unicode Standard, section 3.13, D145) decomposes first.
    let decomposed = cluster
        .chars()
        .filter(|c| !is_ignorable(*c))
        .nfd()
        .default_case_fold();
    let mut base_takes_accents = false;
    let without_accents = decomposed.filter(|character| {
        if is_combining_mark(*character) {
            return !base_takes_accents;
        }
        base_takes_accents = is_accented_script(*character);
        true
    });
    let plain = without_accents.flat_map(|character| match plain_form(character) {
        "" => [Some(character), None],
        letters => {
            let mut letters = letters.chars();
            [letters.next(), letters.next()]
        }
    });
    output.extend(plain.flatten().nfc());
}

/// Letters without case and decomposition that make up most of the texts they are found in.
fn folds_to_itself(character: char) -> bool {
    matches!(
        character,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}' | '\u{ac00}'..='\u{d7a3}' | '\u{e01}'..='\u{e30}'
            | '\u{3b1}'..='\u{3c1}' | '\u{3c3}'..='\u{3c9}' | '\u{430}'..='\u{438}'
            | '\u{43a}'..='\u{44f}' | '\u{1780}'..='\u{17b3}' | '\u{5d0}'..='\u{5ea}' | '\u{627}'..='\u{64a}'
    )
}

/// Whether a letter is Latin, Greek or Cyrillic: marks on it are accents.
fn is_accented_script(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || matches!(
            letter,
            '\u{c0}'..='\u{2af}'
                | '\u{370}'..='\u{52f}'
                | '\u{1c80}'..='\u{1c8f}'
                | '\u{1d00}'..='\u{1dbf}'
                | '\u{1e00}'..='\u{1fff}'
                | '\u{2c60}'..='\u{2c7f}'
                | '\u{2de0}'..='\u{2dff}'
                | '\u{a640}'..='\u{a69f}'
                | '\u{a720}'..='\u{a7ff}'
                | '\u{ab30}'..='\u{ab6f}'
        )
}

/// What people type for letters whose stroke or ligature does not decompose, and for the
/// typographic forms of quotes and hyphens. Empty for every other character.
fn plain_form(character: char) -> &'static str {
    match character {
        'ø' => "o",
        'ł' => "l",
        'đ' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        '‘' | '’' | 'ʼ' => "'",
        '“' | '”' => "\"",
        '‐' | '‑' => "-",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{Folded, fold};

    #[test]
    fn case_and_accents_of_three_scripts() {
        for (text, folded) in [
            ("Éclair ÉCLAIR e\u{301}clair", "eclair eclair eclair"),
            ("STRASSE straße", "strasse strasse"),
            ("Łódź Ørsted Đà Nẵng", "lodz orsted da nang"),
            ("İstanbul Iğdır", "istanbul igdir"),
            ("Æsir œuvre", "aesir oeuvre"),
            ("ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ"),
            ("Ёлка Йод", "елка иод"),
            ("ﬁn", "fin"),
            ("l’été “ici” e‑mail", "l'ete \"ici\" e-mail"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn marks_of_other_scripts_are_kept() {
        for text in ["हिन्दी", "ភាសាខ្មែរ", "ภาษาไทย", "עִבְרִית", "العَرَبِيَّة", "தமிழ்"]
        {
            assert_eq!(fold(text), text);
        }
        assert_eq!(fold("か\u{3099}"), "が");
        assert_eq!(fold("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_ne!(fold("が"), fold("か"));
    }

    #[test]
    fn what_is_not_seen_is_left_out() {
        assert_eq!(fold("co\u{ad}operate"), "cooperate");
        assert_eq!(fold("می\u{200c}خواهم"), "میخواهم");
        assert_eq!(fold("🗺\u{fe0f}"), "🗺");
        assert_eq!(fold("\u{feff}\u{200b}"), "");
    }

    #[test]
    fn offsets_lead_back() {
        let original = "aÉb ßc 日本e\u{301}\u{ad}x\u{feff}";
        let folded = Folded::new(original);
        assert_eq!(folded.as_str(), "aeb ssc 日本ex");
        let back = |part: &str| {
            let start = folded.as_str().find(part).unwrap();
            let range = folded.start_in_original(start)..folded.end_in_original(start + part.len());
            original.get(range).unwrap()
        };
        for (part, whole) in [
            ("a", "a"),
            ("aeb", "aÉb"),
            ("eb", "Éb"),
            ("s", "ß"),
            ("sc", "ßc"),
            ("b s", "b ß"),
            ("日", "日"),
            ("本e", "本e\u{301}\u{ad}"),
            ("ex", "e\u{301}\u{ad}x\u{feff}"),
            ("x", "x\u{feff}"),
        ] {
            assert_eq!(back(part), whole, "{part}");
        }
        assert_eq!(folded.start_in_original(0), 0);
        let end = folded.as_str().len();
        assert_eq!(folded.start_in_original(end), original.len());
    }
}
