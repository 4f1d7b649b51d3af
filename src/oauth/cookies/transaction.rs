//! The cookies that tie a consent and a login to one browser: one cookie a transaction, so that two
//! tabs do not disturb each other.

use std::fmt;

use http::HeaderMap;

use super::Jar;
use crate::{
    oauth::{token::random_base64url, types::Digest},
    runtime::{Rng, RngError, Timestamp},
};

/// How long a transaction of any phase may take.
pub(in crate::oauth) const LIFETIME: std::time::Duration = std::time::Duration::from_mins(10);

/// The most transaction cookies of one browser; the oldest give way. Browsers and servers limit the
/// length of the header that carries them all.
const MAX_COOKIES: usize = 8;

/// What a cookie ties to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::oauth) enum Phase {
    /// A consent form that was shown.
    Consent,
    /// A login that was begun for a client.
    Login,
    /// A login that was begun for the person's own session.
    SignIn,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Consent, Self::Login, Self::SignIn];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Consent => "vmcp_consent_",
            Self::Login => "vmcp_login_",
            Self::SignIn => "vmcp_signin_",
        }
    }

    fn name(self, id: &str) -> String {
        format!("{}{id}", self.prefix())
    }
}

/// The value of a transaction cookie: when it was made, and a secret.
pub(in crate::oauth) struct Binding {
    value: String,
}

impl fmt::Debug for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Binding([redacted])")
    }
}

impl Binding {
    /// A new value.
    pub(in crate::oauth) fn generate(now: Timestamp, rng: &dyn Rng) -> Result<Self, RngError> {
        let secret = random_base64url::<32>(rng)?;
        Ok(Self {
            value: format!("{}.{secret}", now.unix_seconds()),
        })
    }

    /// One whose secret is the transaction itself, sealed: then nothing is kept on this side.
    pub(in crate::oauth) fn carrying(sealed: &str, now: Timestamp) -> Self {
        Self {
            value: format!("{}.{sealed}", now.unix_seconds()),
        }
    }

    /// What such a value carries.
    pub(in crate::oauth) fn carried_by(value: &str) -> &str {
        value.split_once('.').map_or("", |(_, sealed)| sealed)
    }

    /// All that is kept of it on this side.
    pub(in crate::oauth) fn digest(&self) -> Digest {
        Digest::of(&self.value)
    }
}

/// The transaction cookies of a request.
#[derive(Debug)]
pub(in crate::oauth) struct TransactionCookies<'a>(&'a Jar<'a>);

impl<'a> TransactionCookies<'a> {
    /// Those in `jar`.
    pub(in crate::oauth) const fn of(jar: &'a Jar<'a>) -> Self {
        Self(jar)
    }

    /// The value of the cookie of transaction `id`, if the browser has it.
    pub(in crate::oauth) fn value(&self, phase: Phase, id: &str) -> Option<&str> {
        self.0.value(&phase.name(id))
    }

    /// The digest of that value.
    pub(in crate::oauth) fn digest(&self, phase: Phase, id: &str) -> Option<Digest> {
        self.value(phase, id).map(Digest::of)
    }

    /// Gives the browser the cookie of transaction `id`, and takes the oldest away where there would
    /// be more than [`MAX_COOKIES`].
    pub(in crate::oauth) fn set(
        &self,
        phase: Phase,
        id: &str,
        binding: &Binding,
        to: &mut HeaderMap,
    ) {
        let mut by_age: Vec<_> = Phase::ALL
            .into_iter()
            .flat_map(|phase| {
                let present = self.0.beginning_with(phase.prefix());
                present
                    .into_iter()
                    .map(move |(id, value)| (made_at(value), phase.name(id)))
            })
            .collect();
        by_age.sort_by_key(|(made_at, _)| std::cmp::Reverse(*made_at));
        for (_, name) in by_age.iter().skip(MAX_COOKIES - 1) {
            self.0.clear(name, to);
        }
        self.0.set(&phase.name(id), &binding.value, LIFETIME, to);
    }

    /// Takes the cookie of transaction `id` away.
    pub(in crate::oauth) fn clear(&self, phase: Phase, id: &str, to: &mut HeaderMap) {
        self.0.clear(&phase.name(id), to);
    }
}

/// When a cookie says it was made. Anybody can write anything there; at worst their own browser
/// forgets one of its transactions too early.
fn made_at(value: &str) -> u64 {
    value
        .split_once('.')
        .and_then(|(time, _)| time.parse().ok())
        .unwrap_or(0)
}
