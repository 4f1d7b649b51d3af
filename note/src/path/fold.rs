//! Comparing without regard to letter case and normalization.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// The form of `text` in which texts are compared that differ only in letter case or in Unicode
/// normalization: full case folding and NFC.
///
/// Equality of folds is canonical caseless matching (The Unicode Standard, section 3.13, D145):
/// the text is decomposed before folding, because the folding of U+0345 depends on it. The fold is
/// stable: folding it again changes nothing.
///
/// ```
/// use vault_mcp_note::path::fold;
///
/// assert_eq!(fold("STRASSE"), fold("straße"));
/// assert_eq!(fold("Cafe\u{301}.md"), fold("CAFÉ.MD"));
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    // The common case: `nfd` and `nfc` cost a hundred times as much.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().nfd().default_case_fold().nfc().collect()
}
