//! The way from the Worker to the two objects.

use std::{fmt, rc::Rc};

use async_trait::async_trait;

use super::{ActiveGrant, CheckAccess, Instance, Transition};
use crate::{
    oauth::{
        seal::SealingKey,
        settings::OauthSettings,
        token::{GrantId, IssuedToken, TokenKind},
        types::Digest,
    },
    runtime::Timestamp,
};

/// Carries a transition to its object and the outcome back.
#[async_trait(?Send)]
pub trait AuthStateLink: fmt::Debug {
    /// Has `instance` carry out the transition named `transition` with the JSON in `body`
    /// ([`dispatch`](super::dispatch)), and returns its outcome as JSON.
    ///
    /// # Errors
    /// [`LinkError`]: whether the transition took place is then unknown.
    async fn call(
        &self,
        instance: Instance,
        transition: &str,
        body: String,
    ) -> Result<String, LinkError>;
}

/// The state cannot be reached, or failed. The text is for the operator's log only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the authorization state is unavailable: {0}")]
pub struct LinkError(pub String);

/// The authorization state as the rest of the server sees it.
#[derive(Clone, Debug)]
pub struct AuthState {
    link: Rc<dyn AuthStateLink>,
    key: SealingKey,
    resource: String,
    revoke_before: Option<Timestamp>,
}

impl AuthState {
    /// The state behind `link`.
    #[must_use]
    pub fn new(link: Rc<dyn AuthStateLink>, settings: &OauthSettings) -> Self {
        Self {
            link,
            key: settings.sealing_key.clone(),
            resource: settings.base_url.resource(),
            revoke_before: settings.revoke_before,
        }
    }

    /// The grant behind an access token that a call presented. The call counts: where the grant has
    /// made too many, [`ActiveGrant::retry_after`] says so.
    ///
    /// `None` means that the token is none of ours, expired, revoked or for another resource. A
    /// token whose checksum is wrong costs no call; any other costs exactly one, and a revocation
    /// is therefore effective on the very next request. Whether the person may still enter is for
    /// the caller to ask.
    ///
    /// # Errors
    /// [`LinkError`]; the token may well be good then.
    pub async fn admit_call(&self, token: &str) -> Result<Option<ActiveGrant>, LinkError> {
        let Some(token) = IssuedToken::parse_as(TokenKind::Access, token, &self.key) else {
            return Ok(None);
        };
        let mut check = self.check_access(token.grant(), &token.digest());
        check.counts = true;
        self.apply(check).await
    }

    /// The grant behind an access token that was good a moment ago, as it is now. This is no call.
    ///
    /// # Errors
    /// [`LinkError`]; the token may well be good then.
    pub async fn recheck(
        &self,
        grant: &GrantId,
        token: &Digest,
    ) -> Result<Option<ActiveGrant>, LinkError> {
        self.apply(self.check_access(grant, token)).await
    }

    fn check_access(&self, grant: &GrantId, token: &Digest) -> CheckAccess {
        CheckAccess {
            grant: grant.clone(),
            token: token.clone(),
            resource: self.resource.clone(),
            revoke_before: self.revoke_before,
            counts: false,
        }
    }

    /// Has the right object carry out `transition`.
    pub(crate) async fn apply<T: Transition>(
        &self,
        transition: T,
    ) -> Result<T::Outcome, LinkError> {
        let unreadable = |error: serde_json::Error| LinkError(format!("{}: {error}", T::NAME));
        let body = serde_json::to_string(&transition).map_err(unreadable)?;
        let outcome = self.link.call(T::INSTANCE, T::NAME, body).await?;
        serde_json::from_str(&outcome).map_err(unreadable)
    }
}
