//! Cookies: how every one of ours is named, read and written.

mod transaction;

use cookie::{Cookie, SameSite, time::Duration};
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};

pub(super) use self::transaction::{Binding, LIFETIME, Phase, TransactionCookies};
use crate::base_url::BaseUrl;

/// The cookies of this server, as one request brought them.
#[derive(Clone, Debug)]
pub(super) struct Jar<'a> {
    base: &'a BaseUrl,
    /// Full name and value.
    present: Vec<(String, String)>,
}

impl<'a> Jar<'a> {
    /// Reads the cookies out of a request's headers.
    pub(super) fn read(headers: &HeaderMap, base: &'a BaseUrl) -> Self {
        let present = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|header| header.to_str().ok())
            .flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            .map(|cookie| (cookie.name().to_owned(), cookie.value().to_owned()))
            .collect();
        Self { base, present }
    }

    /// The value of the cookie `name`, if the browser has it.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let name = self.full_name(name);
        let (_, value) = self.present.iter().find(|(present, _)| *present == name)?;
        Some(value)
    }

    /// What follows `prefix` in the names of the cookies that begin so, and their values.
    pub(super) fn beginning_with(&self, prefix: &str) -> Vec<(&str, &str)> {
        let prefix = self.full_name(prefix);
        self.present
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(&prefix)?, value.as_str())))
            .collect()
    }

    /// Gives the browser the cookie `name`.
    pub(super) fn set(
        &self,
        name: &str,
        value: &str,
        lifetime: std::time::Duration,
        to: &mut HeaderMap,
    ) {
        let cookie = Cookie::build((self.full_name(name), value))
            .path("/")
            .http_only(true)
            .secure(!self.base.is_loopback())
            // Lax, not Strict: the login provider sends the person back from another site.
            .same_site(SameSite::Lax)
            .max_age(Duration::try_from(lifetime).unwrap_or(Duration::ZERO))
            .build();
        if let Ok(header) = HeaderValue::try_from(cookie.to_string()) {
            to.append(SET_COOKIE, header);
        }
    }

    /// Takes the cookie `name` away.
    pub(super) fn clear(&self, name: &str, to: &mut HeaderMap) {
        self.set(name, "", std::time::Duration::ZERO, to);
    }

    /// With `__Host-` a browser takes the cookie from this very host only, over https only, so that
    /// no neighbouring subdomain can plant one (RFC 6265bis section 4.1.3.2). Plain http on
    /// loopback cannot have that.
    fn full_name(&self, name: &str) -> String {
        let prefix = if self.base.is_loopback() {
            ""
        } else {
            "__Host-"
        };
        format!("{prefix}{name}")
    }
}
