//! What came of a consent, and the life of its code and its refresh tokens.
//!
//! Everything here is pure: the time is an argument, and a decision is a value. The rules that the
//! stored state has to keep are the methods of this module, and `state` only carries them out.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    redirect_uri::RedirectUri,
    types::{ClientId, CodeChallenge, Scope},
};
use crate::{login::Identity, runtime::Timestamp};

/// A grant: this person lets this client do that much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Who asked, as it was at the time: a client's record may be gone long before its grants.
    pub client: GrantClient,
    /// Who said yes. Kept so that the allowlist can be asked again on every request.
    pub identity: Identity,
    /// The most that its tokens allow.
    pub scope: Scope,
    /// The protected resource that its tokens are for (RFC 8707).
    pub resource: String,
    /// When the person logged in.
    pub created_at: Timestamp,
    /// When it ends, however often it is refreshed.
    pub ends_at: Timestamp,
}

/// The client as a grant remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantClient {
    /// Its identifier.
    pub id: ClientId,
    /// What it calls itself.
    pub name: String,
    /// The redirect URI of the authorization request.
    pub redirect_uri: RedirectUri,
    /// Whether it gets refresh tokens.
    pub may_refresh: bool,
}

impl Grant {
    /// The person as one text, by which grants of one person are found.
    #[must_use]
    pub fn person(&self) -> String {
        self.identity.person()
    }

    /// Whether it is over at `now`, or was made before `revoke_before`.
    #[must_use]
    pub fn is_void(&self, revoke_before: Option<Timestamp>, now: Timestamp) -> bool {
        self.ends_at <= now || revoke_before.is_some_and(|limit| self.created_at < limit)
    }

    /// When an access token issued at `now` expires: never after the grant itself.
    #[must_use]
    pub fn access_expires_at(&self, lifetime: Duration, now: Timestamp) -> Timestamp {
        now.after(lifetime).min(self.ends_at)
    }

    /// When a refresh token issued at `now` expires unless it is used: never after the grant.
    #[must_use]
    pub fn refresh_expires_at(&self, idle: Duration, now: Timestamp) -> Timestamp {
        now.after(idle).min(self.ends_at)
    }
}

/// An authorization code in its life.
#[derive(Clone, Debug)]
pub struct AuthorizationCode {
    /// The challenge that its redeemer has to answer.
    pub challenge: CodeChallenge,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Where it is in its life.
    pub stage: CodeStage,
}

/// Where an authorization code is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeStage {
    /// Not redeemed; this many attempts had something wrong about them.
    Issued {
        /// Failed attempts so far.
        failures: u32,
    },
    /// Redeemed, once.
    Redeemed,
}

impl CodeStage {
    /// The most attempts with something wrong about them. More than one, so that a client's mistake
    /// (or somebody else's attempt) does not cost the person a login; few, so that nothing can be
    /// tried out.
    pub const MAX_FAILURES: u32 = 5;

    /// The stage after an attempt that had something wrong about it; `None` where it was the last
    /// one and the code has to go.
    #[must_use]
    pub const fn after_failure(self) -> Option<Self> {
        match self {
            Self::Issued { failures } if failures + 1 < Self::MAX_FAILURES => Some(Self::Issued {
                failures: failures + 1,
            }),
            Self::Issued { .. } => None,
            Self::Redeemed => Some(Self::Redeemed),
        }
    }
}

/// What was presented along with a code.
#[derive(Clone, Copy, Debug)]
pub struct Redemption<'a> {
    /// The client that authenticated.
    pub client: &'a ClientId,
    /// `redirect_uri`, where one was sent.
    pub redirect_uri: Option<&'a str>,
    /// The challenge of the presented verifier.
    pub challenge: &'a CodeChallenge,
    /// The resource of this server.
    pub resource: &'a str,
}

/// Why a code is not redeemed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeRefusal {
    /// It was redeemed before: the grant with all its tokens has to be revoked
    /// (RFC 6749 section 4.1.2).
    Replayed,
    /// Its time is over.
    Expired,
    /// Another client presented it.
    WrongClient,
    /// The redirect URI is not that of the authorization request.
    WrongRedirectUri,
    /// The verifier does not answer the challenge.
    WrongVerifier,
    /// It was issued for another resource.
    WrongResource,
}

impl AuthorizationCode {
    /// Redeems the code for `grant`, or says why not.
    ///
    /// A replay is looked for first: whoever presents a redeemed code, with whatever else, proves
    /// that the code has leaked.
    ///
    /// # Errors
    /// [`CodeRefusal`].
    pub fn redeem(
        self,
        grant: &Grant,
        attempt: &Redemption<'_>,
        now: Timestamp,
    ) -> Result<CodeStage, CodeRefusal> {
        if self.stage == CodeStage::Redeemed {
            return Err(CodeRefusal::Replayed);
        }
        if self.expires_at <= now {
            return Err(CodeRefusal::Expired);
        }
        if *attempt.client != grant.client.id {
            return Err(CodeRefusal::WrongClient);
        }
        if attempt
            .redirect_uri
            .is_some_and(|uri| uri != grant.client.redirect_uri.as_str())
        {
            return Err(CodeRefusal::WrongRedirectUri);
        }
        if attempt.resource != grant.resource {
            return Err(CodeRefusal::WrongResource);
        }
        if !self.challenge.matches(attempt.challenge) {
            return Err(CodeRefusal::WrongVerifier);
        }
        Ok(CodeStage::Redeemed)
    }
}

/// A refresh token in its life.
#[derive(Clone, Copy, Debug)]
pub struct RefreshToken {
    /// When it expires unless it is used.
    pub expires_at: Timestamp,
    /// Where it is in its life.
    pub stage: RefreshStage,
}

/// Where a refresh token is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshStage {
    /// The newest of its grant.
    Current,
    /// Used: it has a successor.
    Rotated {
        /// When it was used first.
        at: Timestamp,
        /// Whether the successor, or an access token issued with it, was ever presented.
        successor_used: bool,
    },
}

/// What presenting a refresh token leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// A successor is issued.
    Rotates,
    /// The successor that was issued before is given again.
    Repeats,
    /// The token leaked: two parties use it.
    Reused,
    /// It was not used in time.
    Expired,
}

impl RefreshToken {
    /// What presenting the token at `now` leads to.
    ///
    /// Strict single use would punish the innocent far more often than the thief: several processes
    /// share one stored token and refresh at the same moment, and an answer gets lost on its way
    /// after the token was spent. So within `grace` the same successor is given again to whoever
    /// asks, and without a limit of time as long as nobody has shown to have received it. After
    /// that, the token is in two hands.
    #[must_use]
    pub fn present(self, grace: Duration, now: Timestamp) -> Presented {
        if self.expires_at <= now {
            return Presented::Expired;
        }
        match self.stage {
            RefreshStage::Current => Presented::Rotates,
            RefreshStage::Rotated { at, .. } if now < at.after(grace) => Presented::Repeats,
            RefreshStage::Rotated {
                successor_used: false,
                ..
            } => Presented::Repeats,
            RefreshStage::Rotated {
                successor_used: true,
                ..
            } => Presented::Reused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::login::ProviderKind;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn grant() -> Grant {
        Grant {
            client: GrantClient {
                id: ClientId::parse("dcr_a").unwrap(),
                name: "A".to_owned(),
                redirect_uri: RedirectUri::parse("https://claude.ai/cb").unwrap(),
                may_refresh: true,
            },
            identity: Identity {
                provider: ProviderKind::Oidc,
                issuer: "https://login.example".to_owned(),
                subject: "7".to_owned(),
                name: "owner@example.test".to_owned(),
                name_verified: true,
                display_name: None,
            },
            scope: Scope::ReadWrite,
            resource: "https://vault.example/mcp".to_owned(),
            created_at: at(1_000),
            ends_at: at(10_000),
        }
    }

    fn challenge(letter: &str) -> CodeChallenge {
        CodeChallenge::parse(&letter.repeat(43)).unwrap()
    }

    fn redeem(
        stage: CodeStage,
        change: impl Fn(&mut Redemption<'_>),
    ) -> Result<CodeStage, CodeRefusal> {
        let grant = grant();
        let (id, right) = (grant.client.id.clone(), challenge("a"));
        let code = AuthorizationCode {
            challenge: right.clone(),
            expires_at: at(1_300),
            stage,
        };
        let mut attempt = Redemption {
            client: &id,
            redirect_uri: Some("https://claude.ai/cb"),
            challenge: &right,
            resource: "https://vault.example/mcp",
        };
        change(&mut attempt);
        code.redeem(&grant, &attempt, at(1_299))
    }

    const FRESH: CodeStage = CodeStage::Issued { failures: 0 };

    #[test]
    fn e3_a_code_is_redeemed_with_everything_it_was_issued_for() {
        assert_eq!(redeem(FRESH, |_| {}), Ok(CodeStage::Redeemed));
        assert_eq!(
            redeem(FRESH, |a| a.redirect_uri = None),
            Ok(CodeStage::Redeemed)
        );
        let refused = redeem(FRESH, |a| a.redirect_uri = Some("https://claude.ai/cb/"));
        assert_eq!(refused, Err(CodeRefusal::WrongRedirectUri));
        let refused = redeem(FRESH, |a| a.resource = "https://old.example/mcp");
        assert_eq!(refused, Err(CodeRefusal::WrongResource));
    }

    #[test]
    fn e4_a_redeemed_code_is_a_replay_whatever_comes_with_it() {
        assert_eq!(
            redeem(CodeStage::Redeemed, |_| {}),
            Err(CodeRefusal::Replayed)
        );
        let refused = redeem(CodeStage::Redeemed, |a| {
            a.redirect_uri = Some("https://x.example");
        });
        assert_eq!(refused, Err(CodeRefusal::Replayed));
    }

    #[test]
    fn e3_a_code_expires() {
        let (grant, challenge) = (grant(), challenge("a"));
        let code = AuthorizationCode {
            challenge: challenge.clone(),
            expires_at: at(1_300),
            stage: FRESH,
        };
        let attempt = Redemption {
            client: &grant.client.id,
            redirect_uri: None,
            challenge: &challenge,
            resource: &grant.resource,
        };
        assert_eq!(
            code.redeem(&grant, &attempt, at(1_300)),
            Err(CodeRefusal::Expired)
        );
    }

    #[test]
    fn e3_the_fifth_failure_is_the_end_of_a_code() {
        let mut stage = FRESH;
        for failures in 1..5 {
            stage = stage.after_failure().unwrap();
            assert_eq!(stage, CodeStage::Issued { failures });
        }
        assert_eq!(stage.after_failure(), None);
        assert_eq!(
            CodeStage::Redeemed.after_failure(),
            Some(CodeStage::Redeemed)
        );
    }

    #[test]
    fn e7_e8_e9_what_a_refresh_token_leads_to() {
        let grace = Duration::from_mins(10);
        let rotated = |successor_used| RefreshStage::Rotated {
            at: at(1_000),
            successor_used,
        };
        for (stage, now, expected) in [
            (RefreshStage::Current, 1_000, Presented::Rotates),
            (RefreshStage::Current, 5_000, Presented::Expired),
            (rotated(true), 1_000, Presented::Repeats),
            (rotated(true), 1_599, Presented::Repeats),
            (rotated(true), 1_600, Presented::Reused),
            (rotated(false), 1_600, Presented::Repeats),
            (rotated(false), 4_999, Presented::Repeats),
            (rotated(false), 5_000, Presented::Expired),
            (rotated(true), 5_000, Presented::Expired),
        ] {
            let token = RefreshToken {
                expires_at: at(5_000),
                stage,
            };
            assert_eq!(
                token.present(grace, at(now)),
                expected,
                "{stage:?} at {now}"
            );
        }
    }

    #[test]
    fn e10_no_token_outlives_its_grant() {
        let grant = grant();
        let hour = Duration::from_hours(1);
        assert_eq!(grant.access_expires_at(hour, at(1_000)), at(4_600));
        assert_eq!(grant.access_expires_at(hour, at(9_999)), at(10_000));
        assert_eq!(grant.refresh_expires_at(hour, at(9_999)), at(10_000));
        assert!(!grant.is_void(None, at(9_999)));
        assert!(grant.is_void(None, at(10_000)));
        assert!(grant.is_void(Some(at(1_001)), at(2_000)));
        assert!(!grant.is_void(Some(at(1_000)), at(2_000)));
    }
}
