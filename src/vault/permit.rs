//! Whether a change may still be made when its turn has come.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// What a change shows when its turn has come. Whoever gave it knows what it says; to the vault and
/// its backends it is a text. The default is no permit at all.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permit(String);

impl Permit {
    /// A permit that says `text`.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// What it says.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit(…)")
    }
}

/// Says whether permits are still good. It is asked immediately before a change is sent upstream,
/// and again before it is sent once more.
#[async_trait(?Send)]
pub trait PermitCheck: fmt::Debug {
    /// Whether `permit` still allows a change. A permit that cannot be read allows none.
    ///
    /// # Errors
    /// [`CheckFailed`] where nobody can be asked; the change must not be made then.
    async fn is_valid(&self, permit: &Permit) -> Result<bool, CheckFailed>;
}

/// A permit could not be checked. The text is for the operator's log only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the permit could not be checked: {0}")]
pub struct CheckFailed(pub String);
