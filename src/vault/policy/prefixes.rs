//! The comma-separated lists in which prefixes are configured.

use crate::vault::{
    echo::Echo,
    path::{DirPath, PathError},
};

/// An entry of a list of prefixes that is no path. The entry is named: prefixes are no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {position} is {}: {source}", Echo(entry))]
pub struct PrefixError {
    /// Which entry, counted from 1.
    pub position: usize,
    /// The entry, without the white space around it.
    pub entry: String,
    /// What is wrong with it.
    pub source: PathError,
}

/// Parses a comma-separated list of prefixes, such as `Projects/, Daily`.
///
/// White space around an entry is dropped, and one trailing slash is allowed. A list without any
/// text has no entries; an entry without text in a list that has some is an error, because an empty
/// prefix would be the whole vault. A folder whose name holds a comma cannot be written here.
///
/// ```
/// use vault_mcp::vault::policy::parse_prefixes;
///
/// let prefixes = parse_prefixes("Projects/, Daily notes")?;
/// assert_eq!(prefixes.len(), 2);
/// assert_eq!(
///     parse_prefixes("Projects, ../x").unwrap_err().to_string(),
///     r#"entry 2 is "../x": segment 1 is ".."; dot segments are not resolved"#
/// );
/// # Ok::<(), vault_mcp::vault::policy::PrefixError>(())
/// ```
///
/// # Errors
/// [`PrefixError`] for the first entry that is no path.
pub fn parse_prefixes(list: &str) -> Result<Vec<DirPath>, PrefixError> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let entries = list.split(',').map(str::trim).enumerate();
    entries
        .map(|(index, entry)| {
            let parsed = if entry.is_empty() {
                Err(PathError::Empty)
            } else {
                DirPath::parse(entry)
            };
            parsed.map_err(|source| PrefixError {
                position: index + 1,
                entry: entry.to_owned(),
                source,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::parse_prefixes;

    fn parsed(list: &str) -> Vec<String> {
        parse_prefixes(list)
            .unwrap()
            .into_iter()
            .map(String::from)
            .collect()
    }

    #[test]
    fn white_space_and_one_trailing_slash_are_dropped() {
        assert_eq!(
            parsed(" Projects/ ,Daily notes,a/b "),
            ["Projects", "Daily notes", "a/b"]
        );
        assert_eq!(parsed(""), [""; 0]);
        assert_eq!(parsed(" \n"), [""; 0]);
    }

    #[test]
    fn an_entry_that_would_be_the_whole_vault_is_an_error() {
        for list in [",", "a,", ",a", "a,,b", "/", "a, /", "."] {
            assert!(parse_prefixes(list).is_err(), "{list:?}");
        }
    }

    #[test]
    fn the_error_names_the_entry() {
        let error = parse_prefixes("ok, /Private/").unwrap_err();
        assert_eq!((error.position, error.entry.as_str()), (2, "/Private/"));
    }
}
