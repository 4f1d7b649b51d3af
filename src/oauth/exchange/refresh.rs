//! The grant type `refresh_token` (RFC 6749 section 6): rotated at every use.

use serde::{Deserialize, Serialize};

use super::{Failure, Issued, TokenError};
use crate::{
    oauth::{
        AuthorizationServer,
        parameters::Parameters,
        seal::{Purpose, SealingKey},
        state::{FoundClient, LinkError, Refresh, RefreshRefusal, Refreshed, RepeatedAccess},
        token::{IssuedToken, TokenKind},
        types::Scope,
    },
    runtime::RngError,
    secret::Secret,
};

/// The successors of a refresh token, as they are sealed.
///
/// They are kept so that a token that is presented twice gives the same answer twice. The key comes
/// from the presented token, of which only the digest is stored: without the token, nobody can open
/// them, this server included.
#[derive(Serialize, Deserialize)]
struct Successors {
    access_token: String,
    refresh_token: String,
}

impl Successors {
    fn seal(
        &self,
        presented: &IssuedToken,
        rng: &dyn crate::runtime::Rng,
    ) -> Result<String, RngError> {
        let plain = serde_json::to_vec(self).unwrap_or_default();
        let key = SealingKey::new(presented.secret());
        key.seal(Purpose::Successor, presented.grant().as_str(), &plain, rng)
    }

    fn open(sealed: &str, presented: &IssuedToken) -> Result<Self, LinkError> {
        let key = SealingKey::new(presented.secret());
        let plain = key
            .open(Purpose::Successor, presented.grant().as_str(), sealed)
            .map_err(|error| LinkError(error.to_string()))?;
        serde_json::from_slice(&plain).map_err(|error| LinkError(error.to_string()))
    }
}

impl AuthorizationServer {
    /// Rotates a refresh token. `scope` may ask for less and never gets more; one that names nothing
    /// of ours is ignored, because clients repeat here whatever they asked for at first.
    pub(super) async fn refresh(
        &self,
        parameters: &Parameters,
        found: &FoundClient,
    ) -> Result<Issued, Failure> {
        let token = parameters
            .one("refresh_token")?
            .ok_or(TokenError::Missing("refresh_token"))?;
        if !found.client.may_refresh {
            return Err(TokenError::RefreshNotRegistered.into());
        }
        let scope = parameters.one("scope")?.and_then(Scope::requested);
        let presented =
            IssuedToken::parse_as(TokenKind::Refresh, token, &self.settings.sealing_key)
                .ok_or(TokenError::RefreshUnknown)?;

        let id = presented.grant().clone();
        let (access, refresh, tokens) = self.new_tokens(&id)?;
        let successors = Successors {
            access_token: access.secret().expose().to_owned(),
            refresh_token: refresh.secret().expose().to_owned(),
        };
        let outcome = self
            .state
            .apply(Refresh {
                id: id.clone(),
                token: presented.digest(),
                client: found.client.id.clone(),
                scope,
                resource: self.settings.base_url.resource(),
                successors: tokens,
                sealed: successors.seal(&presented, self.rng.as_ref())?,
                grace: self.settings.lifetimes.refresh_grace,
                on_reuse: self.settings.refresh_reuse,
                revoke_before: self.settings.revoke_before,
            })
            .await?;
        let (grant, pinned, issued, reason) = match outcome {
            Refreshed::Rotated {
                grant,
                pinned,
                scope,
                access_expires_at,
            } => {
                let issued = Issued {
                    access: access.secret().clone(),
                    access_expires_at,
                    refresh: Some(refresh.secret().clone()),
                    scope,
                };
                (grant, pinned, issued, "refreshed")
            }
            Refreshed::Repeated {
                grant,
                pinned,
                sealed,
                access: which,
                scope,
                access_expires_at,
            } => {
                let earlier = Successors::open(&sealed, &presented)?;
                let issued = Issued {
                    access: match which {
                        RepeatedAccess::Sealed => Secret::new(earlier.access_token),
                        RepeatedAccess::Fresh => access.secret().clone(),
                    },
                    access_expires_at,
                    refresh: Some(Secret::new(earlier.refresh_token)),
                    scope,
                };
                (grant, pinned, issued, "refresh_repeated")
            }
            Refreshed::Reused { grant, revoked } => {
                return Err(self.failure(TokenError::RefreshReused { revoked }, &id, &grant));
            }
            Refreshed::Refused(refusal) => {
                let error = match refusal {
                    RefreshRefusal::Unknown => TokenError::RefreshUnknown,
                    RefreshRefusal::Expired
                    | RefreshRefusal::WrongClient
                    | RefreshRefusal::WrongResource => TokenError::Refresh(refusal),
                };
                return Err(Failure {
                    grant: Some(id),
                    ..error.into()
                });
            }
        };
        self.recheck(&id, &grant, pinned).await?;
        self.log_issued(reason, found, &id, &grant);
        Ok(issued)
    }
}
