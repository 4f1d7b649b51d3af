//! Where a list goes on: opaque cursors, tied to the query and the commit they were made for.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{error::VaultError, storage::CommitId};

/// The version of the format. A cursor of another version is refused.
const VERSION: u8 = 1;

/// The longest cursor that is looked at, in characters: a path of the greatest length, encoded.
const MAX_CURSOR: usize = 12_000;

/// A place in the answer to one query at one commit.
///
/// On the wire it is base64url of a JSON object `{"v":1,"commit":…,"after":…,"query":…}`. It is
/// neither secret nor signed: it grants nothing, because whatever it names is judged like an
/// argument. Clients must not read it, and it may change with any release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The commit whose state the list shows.
    pub commit: CommitId,
    /// The position of the last element that was shown.
    pub after: String,
}

/// The query that a cursor belongs to, as a short digest of the arguments that shape the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryFingerprint(String);

/// A text that is no cursor of the query it was given with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// It is no cursor, or one of another version.
    #[error("is not a cursor of this server")]
    Unreadable,
    /// It was made for other arguments.
    #[error("belongs to other arguments; repeat those it was given for")]
    OtherQuery,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    v: u8,
    commit: CommitId,
    after: String,
    query: QueryFingerprint,
}

impl QueryFingerprint {
    /// The fingerprint of a query: the tool's name and its arguments, in a fixed order.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            // The length in front keeps ("a", "bc") and ("ab", "c") apart.
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        Self(URL_SAFE_NO_PAD.encode(digest.get(..9).unwrap_or_default()))
    }
}

impl Cursor {
    /// The cursor as a client gets it.
    #[must_use]
    pub fn encode(&self, query: &QueryFingerprint) -> String {
        let wire = serde_json::json!({
            "v": VERSION,
            "commit": self.commit,
            "after": self.after,
            "query": query,
        });
        URL_SAFE_NO_PAD.encode(wire.to_string())
    }

    /// The cursor of a list whose positions are numbers, if a client brought one back with `query`,
    /// and the number of elements that were shown before.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a text that is no such cursor.
    pub(super) fn brought_back(
        text: Option<&str>,
        query: &QueryFingerprint,
    ) -> Result<(Option<Self>, usize), VaultError> {
        let Some(cursor) = Self::given(text, query)? else {
            return Ok((None, 0));
        };
        let offset = cursor.after.parse();
        let offset = offset.map_err(|_| VaultError::invalid("cursor", &CursorError::Unreadable))?;
        Ok((Some(cursor), offset))
    }

    /// The cursor that a client brought back with `query`, if it brought one.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a text that is no such cursor.
    pub(super) fn given(
        text: Option<&str>,
        query: &QueryFingerprint,
    ) -> Result<Option<Self>, VaultError> {
        text.map(|text| Self::decode(text, query))
            .transpose()
            .map_err(|error| VaultError::invalid("cursor", &error))
    }

    /// Reads a cursor that a client brought back with `query`.
    ///
    /// # Errors
    /// [`CursorError`].
    pub fn decode(text: &str, query: &QueryFingerprint) -> Result<Self, CursorError> {
        if text.len() > MAX_CURSOR {
            return Err(CursorError::Unreadable);
        }
        let json = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| CursorError::Unreadable)?;
        let wire: Wire = serde_json::from_slice(&json).map_err(|_| CursorError::Unreadable)?;
        if wire.v != VERSION {
            return Err(CursorError::Unreadable);
        }
        if wire.query != *query {
            return Err(CursorError::OtherQuery);
        }
        Ok(Self {
            commit: wire.commit,
            after: wire.after,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, CursorError, QueryFingerprint, URL_SAFE_NO_PAD};
    use crate::vault::storage::CommitId;
    use base64::Engine;

    fn cursor() -> Cursor {
        Cursor {
            commit: CommitId::parse(&"ab".repeat(20)).unwrap(),
            after: "a/é \".md".to_owned(),
        }
    }

    #[test]
    fn a_cursor_survives_the_wire() {
        let query = QueryFingerprint::of(&["list", "a"]);
        assert_eq!(
            Cursor::decode(&cursor().encode(&query), &query),
            Ok(cursor())
        );
    }

    #[test]
    fn a_cursor_serves_its_own_query_only() {
        let query = QueryFingerprint::of(&["list", "a", "bc"]);
        let other = QueryFingerprint::of(&["list", "ab", "c"]);
        assert_ne!(query, other);
        assert_eq!(
            Cursor::decode(&cursor().encode(&query), &other),
            Err(CursorError::OtherQuery)
        );
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let query = QueryFingerprint::of(&[]);
        let good = cursor().encode(&query);
        let mut json = String::from_utf8(URL_SAFE_NO_PAD.decode(&good).unwrap()).unwrap();
        json = json.replace("\"v\":1", "\"v\":2");
        let other_version = URL_SAFE_NO_PAD.encode(json);
        let huge = "A".repeat(50_000);
        for text in ["", "10", "!", good.split_at(9).0, &other_version, &huge] {
            assert_eq!(
                Cursor::decode(text, &query),
                Err(CursorError::Unreadable),
                "{text}"
            );
        }
    }
}
