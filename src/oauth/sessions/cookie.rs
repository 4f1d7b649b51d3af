//! The cookie of a person who is signed in, and the token in the forms that they get.

use std::time::Duration;

use http::HeaderMap;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::{
    login::Identity,
    oauth::{
        cookies::Jar,
        seal::{Purpose, SealingKey},
        token::random_base64url,
        types::{Digest, sha256_base64url},
    },
    runtime::{Rng, RngError, Timestamp},
};

/// The cookie's name.
const NAME: &str = "vmcp_session";

/// How long somebody stays signed in. Not renewed by use: it takes a minute to end a grant.
const LIFETIME: Duration = Duration::from_mins(30);

/// A person who is signed in, in one browser: what their cookie holds, sealed.
///
/// The identity in it lets the allowlist be asked without any state. Whether the session was ended
/// before its time only the state knows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Session {
    /// The name of the session: 256 random bits.
    id: String,
    /// Who it is, as the provider vouched for them.
    pub(super) identity: Identity,
    /// When they signed in.
    pub(super) begun_at: Timestamp,
}

impl Session {
    /// A new session of `identity`.
    pub(super) fn begin(
        identity: &Identity,
        now: Timestamp,
        rng: &dyn Rng,
    ) -> Result<Self, RngError> {
        Ok(Self {
            id: random_base64url::<32>(rng)?,
            identity: Identity {
                // Shown nowhere, and the longest member.
                display_name: None,
                ..identity.clone()
            },
            begun_at: now,
        })
    }

    /// The session in `jar`; `None` where there is no cookie, or one that was not made here, or one
    /// whose time is over.
    pub(super) fn read(jar: &Jar<'_>, key: &SealingKey, now: Timestamp) -> Option<Self> {
        let opened = key.open(Purpose::Session, "", jar.value(NAME)?).ok()?;
        let session: Self = serde_json::from_slice(&opened).ok()?;
        (now < session.expires_at()).then_some(session)
    }

    /// Gives the browser the cookie.
    pub(super) fn set(
        &self,
        jar: &Jar<'_>,
        key: &SealingKey,
        rng: &dyn Rng,
        to: &mut HeaderMap,
    ) -> Result<(), RngError> {
        let plain = serde_json::to_vec(self).unwrap_or_default();
        let sealed = key.seal(Purpose::Session, "", &plain, rng)?;
        jar.set(NAME, &sealed, LIFETIME, to);
        Ok(())
    }

    /// Takes the cookie away, if there is one.
    pub(super) fn clear(jar: &Jar<'_>, to: &mut HeaderMap) {
        if jar.value(NAME).is_some() {
            jar.clear(NAME, to);
        }
    }

    /// When it ends.
    pub(super) const fn expires_at(&self) -> Timestamp {
        self.begun_at.after(LIFETIME)
    }

    /// The digest by which the state knows it.
    pub(super) fn digest(&self) -> Digest {
        Digest::of(&self.id)
    }

    /// The token in this session's forms: nobody else's fits, and it tells nothing of the cookie.
    pub(super) fn form_token(&self, key: &SealingKey) -> String {
        sha256_base64url(&key.tag::<32>(Purpose::SessionForm, &self.id))
    }

    /// Whether a form brought this session's token, in constant time.
    pub(super) fn takes(&self, form_token: &str, key: &SealingKey) -> bool {
        self.form_token(key)
            .as_bytes()
            .ct_eq(form_token.as_bytes())
            .into()
    }
}
