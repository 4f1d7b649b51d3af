//! A backend that runs elsewhere: calls and answers as text.
//!
//! The index lives in an object of its own, reached by messages. [`RemoteStorage`] is its
//! [`VaultStorage`](super::storage::VaultStorage) on the near side; [`answer`] is the far side. Both
//! hold every path against the policy: a witness does not travel, a path does, and it becomes a
//! witness again where it arrives.
//!
//! - `wire`: what travels; `near`: calls go out; `far`: they are answered.

mod far;
mod near;
mod wire;

use std::{fmt, rc::Rc};

use async_trait::async_trait;
use serde::de::DeserializeOwned;

pub use far::answer;
use wire::Call;

use super::{policy::Visible, storage::StorageError};

/// Carries a call to the far side and its answer back.
#[async_trait(?Send)]
pub trait StorageLink {
    /// Has the far side answer `call` by [`answer`].
    ///
    /// # Errors
    /// [`LinkError`]: whether the call had an effect is then unknown.
    async fn call(&self, call: String) -> Result<String, LinkError>;
}

/// The far side cannot be reached, or failed. The text is for the operator's log only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the vault's object is unavailable: {0}")]
pub struct LinkError(pub String);

/// The near side of a backend that runs elsewhere.
#[derive(Clone)]
pub struct RemoteStorage {
    link: Rc<dyn StorageLink>,
}

impl fmt::Debug for RemoteStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStorage").finish_non_exhaustive()
    }
}

impl RemoteStorage {
    /// The backend behind `link`.
    #[must_use]
    pub fn new(link: Rc<dyn StorageLink>) -> Self {
        Self { link }
    }

    async fn call<T: DeserializeOwned>(&self, call: &Call) -> Result<T, StorageError> {
        let body = serde_json::to_string(call).map_err(|error| unexpected(&error))?;
        match self.link.call(body).await {
            Ok(answer) => serde_json::from_str::<Result<T, StorageError>>(&answer)
                .map_err(|error| unexpected(&error))?,
            Err(_) => Err(StorageError::Unavailable {
                outcome_unknown: call.is_mutation(),
            }),
        }
    }
}

fn unexpected(error: &impl fmt::Display) -> StorageError {
    StorageError::Unexpected(error.to_string())
}

/// A witness as it travels.
#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "the shape of a conversion of paths"
)]
fn as_text(path: Visible) -> Option<String> {
    Some(path.as_str().to_owned())
}
