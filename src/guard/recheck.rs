//! The same question again, when a change's turn has come.
//!
//! A change may wait for others and for GitHub's pace. What was true when its request arrived may be
//! over by then: the grant was revoked, the entry was taken off the allowlist. So the change carries
//! a permit, and whoever is about to send it shows the permit to a guard with the configuration of
//! that moment.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::Guard;
use crate::{
    http::RequestId,
    login::allowlist::Access,
    oauth::{
        event::{AuthEvent, Endpoint},
        state::ActiveGrant,
        token::GrantId,
        types::Digest,
    },
    vault::permit::{CheckFailed, Permit, PermitCheck},
};

/// What a permit says.
#[derive(Serialize, Deserialize)]
struct Terms {
    /// The grant that the change is made under.
    grant: GrantId,
    /// The digest of the access token that its request brought.
    token: Digest,
    /// The request, for the log.
    request: Option<RequestId>,
}

impl Guard {
    /// What a change under `grant` has to show when its turn has come.
    pub(super) fn permit(&self, grant: &ActiveGrant) -> Permit {
        let terms = Terms {
            grant: grant.grant_id.clone(),
            token: grant.token.clone(),
            request: self.request.clone(),
        };
        // Three texts always serialize; a permit that does not is none.
        Permit::new(serde_json::to_string(&terms).unwrap_or_default())
    }
}

#[async_trait(?Send)]
impl PermitCheck for Guard {
    /// Whether the token's grant still lets its person write. The check costs one call to the object
    /// that keeps grants, and counts as none of the grant's calls.
    async fn is_valid(&self, permit: &Permit) -> Result<bool, CheckFailed> {
        let Ok(terms) = serde_json::from_str::<Terms>(permit.as_str()) else {
            return Ok(false);
        };
        let active = self.state.recheck(&terms.grant, &terms.token).await;
        let active = active.map_err(|error| CheckFailed(error.to_string()))?;
        let valid = active.is_some_and(|grant| self.access(&grant) == Some(Access::ReadWrite));
        if !valid {
            let mut event = AuthEvent::new(Endpoint::Mcp, "change_withdrawn").grant(&terms.grant);
            event.request = terms.request;
            self.log.record(&event);
        }
        Ok(valid)
    }
}
