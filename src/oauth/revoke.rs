//! `POST /revoke`: token revocation (RFC 7009).

use bytes::Bytes;
use http::StatusCode;

use super::{
    AuthorizationServer,
    answer::JsonError,
    clients::ClientError,
    event::{AuthEvent, Endpoint},
    parameters::{Parameters, ParametersError, Repeated},
    state::{LinkError, RevocableKind, RevokeToken, Revoked},
    token::IssuedToken,
};
use crate::http::{Request, Response, headers};

/// Why nothing was tried.
#[derive(Debug, thiserror::Error)]
enum RevokeError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("token is missing")]
    NoToken,
    #[error(transparent)]
    Unavailable(#[from] LinkError),
}

impl AuthorizationServer {
    /// Revokes a token at its client's request.
    ///
    /// 1. Authenticate the client (RFC 7009 section 2.1).
    /// 2. Recognize the token by its own form; the hint is not needed. What was never issued here is
    ///    as good as revoked (section 2.2).
    /// 3. Revoke: a refresh token takes its whole grant along, an access token goes alone. Another
    ///    client's token stays.
    /// 4. Answer 200 with nothing, whatever came of it.
    pub async fn revoke(&self, request: &Request) -> Response {
        match self.revoke_token(request).await {
            Ok(()) => {
                let mut response = Response::new(Bytes::new());
                headers::no_store(response.headers_mut());
                response
            }
            Err(error) => {
                self.log
                    .record(&AuthEvent::new(Endpoint::Revoke, error.reason()));
                error.into_json().respond()
            }
        }
    }

    async fn revoke_token(&self, request: &Request) -> Result<(), RevokeError> {
        let parameters = Parameters::of_body(request)?;
        if parameters.any_repeated("") {
            return Err(Repeated.into());
        }

        // (1)
        let found = self
            .authenticate_client(request.headers(), &parameters)
            .await?;

        // (2)
        let presented = parameters.one("token")?.ok_or(RevokeError::NoToken)?;
        let token = IssuedToken::parse(presented, &self.settings.sealing_key);
        let Some(token) = token else { return Ok(()) };
        let Some(kind) = RevocableKind::of(token.kind()) else {
            return Ok(());
        };

        // (3)
        let client = found.client.id;
        let revoke = RevokeToken {
            grant: token.grant().clone(),
            token: token.digest(),
            kind,
            client: client.clone(),
        };
        let reason = match self.state.apply(revoke).await? {
            Revoked::Token => "access_token_revoked",
            Revoked::Grant => "grant_revoked",
            Revoked::Foreign => "revocation_foreign",
            Revoked::Unknown => "revocation_unknown",
        };
        let event = AuthEvent::new(Endpoint::Revoke, reason).client(&client);
        self.log.record(&event.grant(token.grant()));
        Ok(())
    }
}

impl RevokeError {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "parameters_unreadable",
            Self::Repeated(_) => "parameter_repeated",
            Self::Client(error) => error.reason(),
            Self::NoToken => "token_missing",
            Self::Unavailable(_) => "state_unavailable",
        }
    }

    fn into_json(self) -> JsonError {
        match self {
            Self::Unreadable(ParametersError::TooLarge) => {
                JsonError::bad_request("invalid_request", &self)
                    .with_status(StatusCode::PAYLOAD_TOO_LARGE)
            }
            Self::Unreadable(
                ParametersError::ContentType | ParametersError::TooMany | ParametersError::NotUtf8,
            )
            | Self::Repeated(_)
            | Self::NoToken => JsonError::bad_request("invalid_request", &self),
            Self::Client(error) => error.into_json(),
            Self::Unavailable(_) => JsonError::unavailable(),
        }
    }
}
