//! Login with Google: the OpenID provider whose issuer is fixed, with an organisation to demand.

use std::rc::Rc;

use async_trait::async_trait;
use url::Url;

use super::{
    Caution, Identity, IdentityProvider, LoggedIn, LoginAttempt, LoginCallback, LoginError,
    ProviderKind,
    oidc::{OidcProvider, OidcSettings, ProviderCache, issuer::Issuer},
};
use crate::{
    runtime::{Clock, HttpClient},
    secret::Secret,
};

/// How we are registered with Google.
#[derive(Clone, Debug)]
pub struct GoogleSettings {
    /// `GOOGLE_CLIENT_ID`.
    pub client_id: String,
    /// `GOOGLE_CLIENT_SECRET`.
    pub client_secret: Secret,
    /// `GOOGLE_HOSTED_DOMAIN`: the Google Workspace or Cloud organisation that people must be of.
    pub hosted_domain: Option<String>,
    /// Where Google sends people back: `PUBLIC_BASE_URL` and `/callback`.
    pub redirect_uri: Url,
}

/// Google, as described in its documentation "OpenID Connect".
#[derive(Debug)]
pub struct GoogleProvider {
    openid: OidcProvider,
    hosted_domain: Option<String>,
}

impl GoogleProvider {
    /// The provider. `cache` belongs to it alone, and is best kept for as long as the isolate
    /// lives.
    #[must_use]
    pub fn new(
        settings: GoogleSettings,
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        cache: ProviderCache,
    ) -> Self {
        // People often have several accounts; without the prompt Google takes the last one used,
        // and whoever is refused with it could never choose another.
        let mut parameters = vec![("prompt", "select_account".to_owned())];
        // Only a hint for the account chooser: the claim is what is checked.
        parameters.extend(settings.hosted_domain.clone().map(|domain| ("hd", domain)));
        let openid = OidcProvider::new(
            OidcSettings {
                issuer: Issuer::google(),
                client_id: settings.client_id,
                client_secret: settings.client_secret,
                allow_unverified_email: false,
                redirect_uri: settings.redirect_uri,
            },
            http,
            clock,
            cache,
        );
        Self {
            openid: openid.specialized(ProviderKind::Google, parameters),
            hosted_domain: settings.hosted_domain,
        }
    }

    /// Whether the claim `hd` satisfies `GOOGLE_HOSTED_DOMAIN`. Domain names have no case.
    fn is_of_organisation(&self, claim: Option<&str>) -> bool {
        self.hosted_domain.as_deref().is_none_or(|demanded| {
            claim.is_some_and(|domain| domain.eq_ignore_ascii_case(demanded))
        })
    }
}

#[async_trait(?Send)]
impl IdentityProvider for GoogleProvider {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Google
    }

    fn display_name(&self) -> String {
        "Google".to_owned()
    }

    fn issuer(&self) -> &str {
        self.openid.issuer()
    }

    async fn authorization_url(&self, attempt: &LoginAttempt) -> Result<Url, LoginError> {
        self.openid.authorization_url(attempt).await
    }

    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<LoggedIn, LoginError> {
        let person = self.openid.log_in(callback, attempt).await?;
        if let Some(unverified) = person.identity.unverified_email() {
            return Err(unverified);
        }
        let organisation = person.hosted_domain.as_deref();
        if !self.is_of_organisation(organisation) {
            return Err(LoginError::OtherOrganisation {
                email: person.identity.name,
            });
        }
        let of_organisation = organisation.is_some_and(|domain| !domain.is_empty());
        let authoritative = of_organisation || is_gmail(&person.identity);
        Ok(LoggedIn {
            identity: person.identity,
            caution: (!authoritative).then_some(Caution::AddressOfAnotherAuthority),
        })
    }
}

/// Whether the address is Google's own.
fn is_gmail(identity: &Identity) -> bool {
    identity.compared_name().ends_with("@gmail.com")
}
