//! Pins: a name stays with the person who first logged in with it.
//!
//! Names change hands. A login name that was given up can be registered by somebody else, and an
//! address can be given to a successor; the provider's own id stays with the person. So the first
//! login with a name that the allowlist holds ties the name to that id, and from then on the entry
//! means that person: at a login, at a refresh and on every request.

use serde::{Deserialize, Serialize};

use super::Identity;

/// Whom the name of an identity is pinned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinnedTo {
    /// To the person themselves: entries by that name mean them.
    ThisPerson,
    /// To nobody yet. Nobody has logged in with the name while the allowlist held it, and who does
    /// so first decides whom it means.
    Nobody,
    /// To another person: entries by that name mean somebody else.
    SomebodyElse,
}

impl PinnedTo {
    /// What it means for a person with the id `subject` that their name is pinned to `pinned`.
    #[must_use]
    pub fn of(pinned: Option<&str>, subject: &str) -> Self {
        match pinned {
            Some(pinned) if pinned == subject => Self::ThisPerson,
            Some(_) => Self::SomebodyElse,
            None => Self::Nobody,
        }
    }
}

impl Identity {
    /// The name under which a pin is kept: the issuer, and the name in the form in which names are
    /// compared. The same name at two providers is two names.
    #[must_use]
    pub fn pinned_name(&self) -> String {
        format!("{}\n{}", self.issuer, self.compared_name())
    }
}
