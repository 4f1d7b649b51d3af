//! Consent that a browser remembers. Off unless the deployer turns it on (`REMEMBER_CONSENT`).
//!
//! A cookie says that somebody agreed, in this browser, to exactly this request: the same client, the
//! same redirect URI, the same resource, the same scope. The cookie opens for nothing else. It also
//! says who that was and whether they let the client read only. Who comes now is known only after the
//! login, so the callback compares, and shows the consent page to anybody else.
//!
//! What answers to a program on somebody's own computer is never remembered: any program there can
//! ask under any name.

use http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::{
    AuthorizationServer, cookies::Jar, login_transaction::ClientLogin,
    request::AuthorizationRequest, seal::Purpose, state::CONSENT_MEMORY, types::Digest,
};
use crate::{login::Identity, runtime::Timestamp};

const PREFIX: &str = "vmcp_remembered_";

/// The most remembered consents of one browser; the oldest give way.
const MAX_REMEMBERED: usize = 8;

/// What was agreed to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The digest of who agreed.
    pub(super) person: Digest,
    /// Whether they let the client read only.
    pub(super) read_only: bool,
    /// When they did.
    pub(super) given_at: Timestamp,
}

impl AuthorizationServer {
    /// Whether a consent to `request` may be remembered at all.
    pub(super) fn may_remember(&self, request: &AuthorizationRequest) -> bool {
        self.settings.remember_consent && !request.reply_to.redirect_uri.is_loopback()
    }

    /// What this browser remembers of `request`.
    pub(super) fn remembered(
        &self,
        jar: &Jar<'_>,
        request: &AuthorizationRequest,
    ) -> Option<Memory> {
        if !self.may_remember(request) {
            return None;
        }
        let opened = self
            .settings
            .sealing_key
            .open(
                Purpose::RememberedConsent,
                &self.context(request),
                jar.value(&name(request))?,
            )
            .ok()?;
        let memory: Memory = serde_json::from_slice(&opened).ok()?;
        let void = self
            .settings
            .revoke_before
            .is_some_and(|limit| memory.given_at < limit);
        let over = memory.given_at.after(CONSENT_MEMORY) <= self.clock.now();
        (!void && !over).then_some(memory)
    }

    /// Has the browser remember that `identity` agreed to `login`. Without randomness it does not,
    /// and the person is asked again.
    pub(super) fn remember(
        &self,
        jar: &Jar<'_>,
        login: &ClientLogin,
        identity: &Identity,
        to: &mut HeaderMap,
    ) {
        if !self.may_remember(&login.request) {
            return;
        }
        let memory = Memory {
            person: Digest::of(&identity.person()),
            read_only: login.read_only,
            given_at: self.clock.now(),
        };
        let plain = serde_json::to_vec(&memory).unwrap_or_default();
        let sealed = self.settings.sealing_key.seal(
            Purpose::RememberedConsent,
            &self.context(&login.request),
            &plain,
            self.rng.as_ref(),
        );
        let Ok(sealed) = sealed else { return };
        // Browsers send the cookies that they got first before the others (RFC 6265 section 5.4).
        let present = jar.beginning_with(PREFIX);
        let surplus = (present.len() + 1).saturating_sub(MAX_REMEMBERED);
        for (id, _) in present.iter().take(surplus) {
            jar.clear(&format!("{PREFIX}{id}"), to);
        }
        jar.set(&name(&login.request), &sealed, CONSENT_MEMORY, to);
    }

    /// All that a remembered consent is bound to.
    fn context(&self, request: &AuthorizationRequest) -> String {
        let bound = (
            &request.client,
            request.reply_to.redirect_uri.as_str(),
            self.settings.base_url.resource(),
            request.scope,
        );
        serde_json::to_string(&bound).unwrap_or_default()
    }
}

/// Has the browser forget what it may remember of `request`'s client at this redirect URI.
pub(super) fn forget(jar: &Jar<'_>, request: &AuthorizationRequest, to: &mut HeaderMap) {
    let name = name(request);
    if jar.value(&name).is_some() {
        jar.clear(&name, to);
    }
}

/// Has the browser forget every consent.
pub(super) fn forget_all(jar: &Jar<'_>, to: &mut HeaderMap) {
    for (id, _) in jar.beginning_with(PREFIX) {
        jar.clear(&format!("{PREFIX}{id}"), to);
    }
}

/// One cookie for each client and redirect URI: the last decision about them is the one that counts.
fn name(request: &AuthorizationRequest) -> String {
    let redirect_uri = request.reply_to.redirect_uri.as_str();
    let of = Digest::of(&format!("{}\n{redirect_uri}", request.client));
    format!("{PREFIX}{}", of.as_str().get(..12).unwrap_or_default())
}
