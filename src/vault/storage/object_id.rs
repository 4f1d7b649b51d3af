//! Names of git objects.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A git object id in SHA-1 form: 40 lower-case hexadecimal digits.
macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses 40 hexadecimal digits; capitals become lower case, as git prints them.
            ///
            /// # Errors
            /// [`NotAnObjectId`] for anything else.
            pub fn parse(text: &str) -> Result<Self, NotAnObjectId> {
                if text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    Ok(Self(text.to_ascii_lowercase()))
                } else {
                    Err(NotAnObjectId)
                }
            }

            /// The 40 digits.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAnObjectId;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

object_id! {
    /// The revision of a note: the git blob id of its bytes.
    Revision
}
object_id! {
    /// The id of a commit.
    CommitId
}

impl Revision {
    /// The revision that git gives to `content`: SHA-1 over `blob <length>\0` and the bytes.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(git_hash("blob", content))
    }
}

impl CommitId {
    /// The id that git gives to the commit object `object`.
    #[must_use]
    pub fn of(object: &[u8]) -> Self {
        Self(git_hash("commit", object))
    }
}

/// The id of a git object of some kind, as 40 hexadecimal digits.
fn git_hash(kind: &str, content: &[u8]) -> String {
    use sha1::{Digest, Sha1};
    use std::fmt::Write;

    let mut hash = Sha1::new();
    hash.update(format!("{kind} {}\0", content.len()));
    hash.update(content);
    let mut hex = String::with_capacity(40);
    for byte in hash.finalize() {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// A text that is not a git object id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a git object id: expected 40 hexadecimal digits")]
pub struct NotAnObjectId;
