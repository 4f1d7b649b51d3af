//! The cookies that tie a consent and a login to one browser: one cookie a transaction, so that two
//! tabs do not disturb each other.

use std::fmt::Write as _;

use cookie::{Cookie, SameSite, time::Duration};
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};

use super::{token::random_base64url, types::Digest};
use crate::{
    base_url::BaseUrl,
    runtime::{Rng, RngError, Timestamp},
};

/// How long a transaction of either phase may take.
pub(super) const LIFETIME: std::time::Duration = std::time::Duration::from_mins(10);

/// The most transaction cookies of one browser; the oldest give way. Browsers and servers limit the
/// length of the header that carries them all.
const MAX_COOKIES: usize = 8;

/// What a cookie ties to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// A consent form that was shown.
    Consent,
    /// A login that was begun.
    Login,
}

impl Phase {
    const ALL: [Self; 2] = [Self::Consent, Self::Login];

    /// With `__Host-` a browser takes the cookie from this very host only, over https only, so that
    /// no neighbouring subdomain can plant one (RFC 6265bis section 4.1.3.2). Plain http on
    /// loopback cannot have that.
    const fn prefix(self, base: &BaseUrl) -> &'static str {
        match (self, base.is_loopback()) {
            (Self::Consent, false) => "__Host-vmcp_consent_",
            (Self::Consent, true) => "vmcp_consent_",
            (Self::Login, false) => "__Host-vmcp_login_",
            (Self::Login, true) => "vmcp_login_",
        }
    }
}

/// The value of a transaction cookie: when it was made, and a secret.
#[derive(Debug)]
pub(super) struct Binding {
    value: String,
}

impl Binding {
    /// A new value.
    pub(super) fn generate(now: Timestamp, rng: &dyn Rng) -> Result<Self, RngError> {
        let secret = random_base64url::<32>(rng)?;
        Ok(Self {
            value: format!("{}.{secret}", now.unix_seconds()),
        })
    }

    /// All that is kept of it on this side.
    pub(super) fn digest(&self) -> Digest {
        Digest::of(&self.value)
    }
}

/// The transaction cookies of a request.
#[derive(Debug)]
pub(super) struct Cookies<'a> {
    base: &'a BaseUrl,
    /// Name and value.
    present: Vec<(String, String)>,
}

impl<'a> Cookies<'a> {
    /// Reads them out of a request's headers.
    pub(super) fn read(headers: &HeaderMap, base: &'a BaseUrl) -> Self {
        let ours = |name: &str| {
            Phase::ALL
                .iter()
                .any(|phase| name.starts_with(phase.prefix(base)))
        };
        let present = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|header| header.to_str().ok())
            .flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            .filter(|cookie| ours(cookie.name()))
            .map(|cookie| (cookie.name().to_owned(), cookie.value().to_owned()))
            .collect();
        Self { base, present }
    }

    /// The digest of the cookie of transaction `id`, if the browser has it.
    pub(super) fn digest(&self, phase: Phase, id: &str) -> Option<Digest> {
        let name = self.name(phase, id);
        let (_, value) = self.present.iter().find(|(present, _)| *present == name)?;
        Some(Digest::of(value))
    }

    /// Gives the browser the cookie of transaction `id`, and takes the oldest away where there would
    /// be more than [`MAX_COOKIES`].
    pub(super) fn set(&self, phase: Phase, id: &str, binding: &Binding, to: &mut HeaderMap) {
        let mut by_age: Vec<_> = self.present.iter().collect();
        by_age.sort_by_key(|(_, value)| std::cmp::Reverse(made_at(value)));
        for (name, _) in by_age.iter().skip(MAX_COOKIES - 1) {
            self.write(name.clone(), String::new(), Duration::ZERO, to);
        }
        let lifetime = Duration::try_from(LIFETIME).unwrap_or(Duration::ZERO);
        self.write(self.name(phase, id), binding.value.clone(), lifetime, to);
    }

    /// Takes the cookie of transaction `id` away.
    pub(super) fn clear(&self, phase: Phase, id: &str, to: &mut HeaderMap) {
        self.write(self.name(phase, id), String::new(), Duration::ZERO, to);
    }

    fn name(&self, phase: Phase, id: &str) -> String {
        let mut name = phase.prefix(self.base).to_owned();
        // Writing to a string does not fail.
        let _ = name.write_str(id);
        name
    }

    fn write(&self, name: String, value: String, max_age: Duration, to: &mut HeaderMap) {
        let cookie = Cookie::build((name, value))
            .path("/")
            .http_only(true)
            .secure(!self.base.is_loopback())
            // Lax, not Strict: the login provider sends the person back from another site.
            .same_site(SameSite::Lax)
            .max_age(max_age)
            .build();
        if let Ok(header) = HeaderValue::try_from(cookie.to_string()) {
            to.append(SET_COOKIE, header);
        }
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
