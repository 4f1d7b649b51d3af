//! `POST /token`: the token endpoint (RFC 6749 section 3.2).

mod code;
mod error;
mod refresh;

use http::StatusCode;
use serde::Serialize;

use self::error::TokenError;
use super::{
    AuthorizationServer,
    event::{AuthEvent, Endpoint, Pseudonym},
    grant::Grant,
    parameters::{Parameters, Repeated},
    state::{FoundClient, NewTokens, RevokeGrant},
    token::{GrantId, IssuedToken, TokenKind},
    types::{ClientId, Scope, check_resource},
};
use crate::{
    http::{Request, Response, json},
    login::pin::PinnedTo,
    runtime::{RngError, Timestamp},
    secret::Secret,
};

/// A successful answer (RFC 6749 section 5.1).
#[derive(Serialize)]
struct TokenResponse<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
    scope: Scope,
}

/// What is handed out.
struct Issued {
    access: Secret,
    access_expires_at: Timestamp,
    refresh: Option<Secret>,
    scope: Scope,
}

/// An error with what it is about.
struct Failure {
    error: TokenError,
    client: Option<ClientId>,
    grant: Option<GrantId>,
    person: Option<Pseudonym>,
}

impl<E: Into<TokenError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            client: None,
            grant: None,
            person: None,
        }
    }
}

impl AuthorizationServer {
    /// Issues tokens for a code or for a refresh token.
    ///
    /// 1. Read the form. No parameter stands there twice.
    /// 2. Tell the grant types apart.
    /// 3. Authenticate the client. One that is unknown gets 401 `invalid_client`, upon which clients
    ///    register anew (RFC 6749 section 5.2).
    /// 4. Check `resource`, where there is one (RFC 8707 section 2.2). A wrong one costs nothing.
    /// 5. Redeem the code, or rotate the refresh token.
    /// 6. Ask the allowlist again: it may have changed since the login. A person who is not on it
    ///    any more gets nothing, and the grant ends.
    /// 7. Answer with the tokens.
    ///
    /// An outage answers 503 and never anything that makes a client drop its tokens.
    pub async fn token(&self, request: &Request) -> Response {
        match self.issue(request).await {
            Ok(issued) => self.answer(&issued),
            Err(failure) => {
                let mut event = AuthEvent::new(Endpoint::Token, failure.error.reason());
                event.client = failure.client;
                event.grant = failure.grant;
                event.person = failure.person;
                if let TokenError::Unavailable(error) = &failure.error {
                    event = event.detail(error);
                }
                self.log.record(&event);
                failure.error.into_json().respond()
            }
        }
    }

    async fn issue(&self, request: &Request) -> Result<Issued, Failure> {
        // (1) Repeated resources are told apart from other repetitions in step 4.
        let parameters = Parameters::of_body(request)?;
        if parameters.any_repeated("resource") {
            return Err(Repeated.into());
        }

        // (2)
        let code = match parameters.one("grant_type")? {
            Some("authorization_code") => true,
            Some("refresh_token") => false,
            Some(_) => return Err(TokenError::UnsupportedGrantType.into()),
            None => return Err(TokenError::NoGrantType.into()),
        };

        // (3)
        let found = self
            .authenticate_client(request.headers(), &parameters)
            .await?;
        let about = |failure: Failure| Failure {
            client: Some(found.client.id.clone()),
            ..failure
        };

        // (4)
        check_resource(&parameters.values("resource"), &self.settings.base_url)
            .map_err(|error| about(error.into()))?;

        // (5) and (6)
        let issued = if code {
            self.redeem_code(&parameters, &found).await
        } else {
            self.refresh(&parameters, &found).await
        };
        let issued = issued.map_err(about)?;
        if let Err(error) = self.keep_client(&found).await {
            let event = AuthEvent::new(Endpoint::Token, "state_unavailable");
            self.log
                .record(&event.client(&found.client.id).detail(&error));
        }
        Ok(issued)
    }

    /// (6)
    async fn recheck(&self, id: &GrantId, grant: &Grant, pinned: PinnedTo) -> Result<(), Failure> {
        if self.allowed_scope(&grant.identity, pinned).is_some() {
            return Ok(());
        }
        self.state.apply(RevokeGrant { grant: id.clone() }).await?;
        Err(self.failure(TokenError::NotAllowed, id, grant))
    }

    /// (7)
    fn answer(&self, issued: &Issued) -> Response {
        let now = self.clock.now().unix_seconds();
        let body = TokenResponse {
            access_token: issued.access.expose(),
            token_type: "Bearer",
            expires_in: issued.access_expires_at.unix_seconds().saturating_sub(now),
            refresh_token: issued.refresh.as_ref().map(Secret::expose),
            scope: issued.scope,
        };
        json(StatusCode::OK, &body)
    }

    /// A new access token and a new refresh token of a grant, and what the state needs of them.
    fn new_tokens(&self, id: &GrantId) -> Result<(IssuedToken, IssuedToken, NewTokens), RngError> {
        let rng = self.rng.as_ref();
        let key = &self.settings.sealing_key;
        let access = IssuedToken::generate(TokenKind::Access, id, key, rng)?;
        let refresh = IssuedToken::generate(TokenKind::Refresh, id, key, rng)?;
        let tokens = NewTokens {
            access: access.digest(),
            refresh: refresh.digest(),
            access_lifetime: self.settings.lifetimes.access,
            refresh_idle: self.settings.lifetimes.refresh_idle,
        };
        Ok((access, refresh, tokens))
    }

    /// `error`, about a grant and its person.
    fn failure(&self, error: TokenError, id: &GrantId, grant: &Grant) -> Failure {
        let person = Pseudonym::of(&grant.identity, &self.settings.sealing_key);
        Failure {
            grant: Some(id.clone()),
            person: Some(person),
            ..error.into()
        }
    }

    fn log_issued(&self, reason: &'static str, found: &FoundClient, id: &GrantId, grant: &Grant) {
        let person = Pseudonym::of(&grant.identity, &self.settings.sealing_key);
        let event = AuthEvent::new(Endpoint::Token, reason).client(&found.client.id);
        self.log.record(&event.grant(id).person(person));
    }
}
