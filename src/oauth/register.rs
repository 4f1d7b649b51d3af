//! `POST /register`: dynamic client registration (RFC 7591).

use http::{StatusCode, header::CONTENT_TYPE};
use serde::Serialize;

use super::{
    AuthorizationServer,
    answer::JsonError,
    client::{Client, ClientAuthentication, ClientSource},
    clients::UNUSED_LIFETIME,
    event::{AuthEvent, Endpoint},
    registration::{AuthMethod, ClientMetadata, MetadataError, Registration},
    state::{LinkError, RegisterClient, Registered},
    token::random_base64url,
    types::{ClientId, Digest},
};
use crate::{
    http::{Request, Response, json},
    runtime::RngError,
};

/// The most bytes of a registration.
const MAX_BODY: usize = 64 * 1024;

/// What a client is told about its registration (RFC 7591 section 3.2.1). There is no way to manage
/// it afterwards, so no `registration_client_uri`.
#[derive(Serialize)]
struct ClientInformation<'a> {
    client_id: &'a ClientId,
    client_id_issued_at: u64,
    redirect_uris: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    client_name: Option<&'a str>,
    token_endpoint_auth_method: AuthMethod,
    grant_types: &'a [&'static str],
    response_types: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// 0: it does not expire. Required beside a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<u64>,
}

/// Why a client is not registered.
#[derive(Debug, thiserror::Error)]
enum RegisterError {
    #[error("the body must be application/json")]
    ContentType,
    #[error("the registration is too large")]
    TooLarge,
    #[error("the body must be a JSON object of client metadata")]
    Malformed,
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    #[error("too many registrations at the moment")]
    TooMany { retry_after: u64 },
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl AuthorizationServer {
    /// Registers a client.
    ///
    /// 1. Read the metadata: a JSON object of at most 64 KiB. Members that mean nothing here are
    ///    ignored.
    /// 2. Check it ([`Registration::check`]).
    /// 3. Choose the identifier. A public client always gets the same one for the same metadata
    ///    ([`Registration::public_id`]); a confidential one gets a new one, and a secret that is
    ///    shown this once.
    /// 4. Keep it, if the ceiling allows.
    /// 5. Answer 201 with all that was registered.
    pub async fn register(&self, request: &Request) -> Response {
        match self.register_client(request).await {
            Ok(response) => response,
            Err(error) => {
                let event = AuthEvent::new(Endpoint::Register, error.reason());
                self.log.record(&event.detail(&error));
                error.into_json().respond()
            }
        }
    }

    async fn register_client(&self, request: &Request) -> Result<Response, RegisterError> {
        // (1)
        let metadata = read(request)?;

        // (2)
        let registration = Registration::check(metadata, &self.settings.redirect_hosts)?;

        // (3)
        let (id, secret) = self.identify(&registration)?;
        let digest = || secret.as_deref().map_or_else(|| Digest::of(""), Digest::of);
        let client = Client {
            id: id.clone(),
            name: registration.client_name.clone(),
            source: ClientSource::Registered,
            redirect_uris: registration.comparable_redirect_uris(),
            authentication: match registration.method {
                AuthMethod::None => ClientAuthentication::None,
                AuthMethod::ClientSecretPost => ClientAuthentication::SecretPost(digest()),
                AuthMethod::ClientSecretBasic => ClientAuthentication::SecretBasic(digest()),
            },
            may_refresh: registration.may_refresh,
        };

        // (4)
        let expires_at = self.clock.now().after(UNUSED_LIFETIME);
        let issued_at = match self
            .state
            .apply(RegisterClient { client, expires_at })
            .await?
        {
            Registered::Since(time) => time,
            Registered::Refused { retry_after } => {
                return Err(RegisterError::TooMany { retry_after });
            }
        };
        self.log
            .record(&AuthEvent::new(Endpoint::Register, "client_registered").client(&id));

        // (5)
        let grant_types: &[&str] = if registration.may_refresh {
            &["authorization_code", "refresh_token"]
        } else {
            &["authorization_code"]
        };
        let information = ClientInformation {
            client_id: &id,
            client_id_issued_at: issued_at.unix_seconds(),
            redirect_uris: &registration.redirect_uris,
            client_name: registration.client_name.as_deref(),
            token_endpoint_auth_method: registration.method,
            grant_types,
            response_types: ["code"],
            client_secret_expires_at: secret.as_ref().map(|_| 0),
            client_secret: secret,
        };
        Ok(json(StatusCode::CREATED, &information))
    }

    fn identify(
        &self,
        registration: &Registration,
    ) -> Result<(ClientId, Option<String>), RegisterError> {
        let rng = self.rng.as_ref();
        if registration.method == AuthMethod::None {
            let id = registration.public_id().ok_or(RegisterError::Malformed)?;
            return Ok((id, None));
        }
        let id = format!("dcr_{}", random_base64url::<24>(rng)?);
        let id = ClientId::parse(&id).ok_or(RegisterError::Malformed)?;
        Ok((
            id,
            Some(format!("vmcp_cs_1.{}", random_base64url::<32>(rng)?)),
        ))
    }
}

fn read(request: &Request) -> Result<ClientMetadata, RegisterError> {
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_json = content_type.is_some_and(|value| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    });
    if !is_json {
        return Err(RegisterError::ContentType);
    }
    if request.body().len() > MAX_BODY {
        return Err(RegisterError::TooLarge);
    }
    // An array would pass for an object: serde reads structs from sequences too.
    let members: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(request.body()).map_err(|_| RegisterError::Malformed)?;
    serde_json::from_value(members.into()).map_err(|_| RegisterError::Malformed)
}

impl RegisterError {
    const fn reason(&self) -> &'static str {
        match self {
            Self::ContentType | Self::TooLarge | Self::Malformed => "registration_unreadable",
            Self::Metadata(_) => "registration_refused",
            Self::TooMany { .. } => "registrations_too_many",
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
        }
    }

    fn into_json(self) -> JsonError {
        match self {
            Self::ContentType | Self::Malformed => {
                JsonError::bad_request("invalid_client_metadata", &self)
            }
            Self::TooLarge => JsonError::bad_request("invalid_client_metadata", &self)
                .with_status(StatusCode::PAYLOAD_TOO_LARGE),
            Self::Metadata(error) => match error {
                MetadataError::RedirectUris | MetadataError::NoUsableRedirectUri => {
                    JsonError::bad_request("invalid_redirect_uri", &error)
                }
                MetadataError::AuthMethod
                | MetadataError::GrantTypes
                | MetadataError::ResponseTypes
                | MetadataError::Name => JsonError::bad_request("invalid_client_metadata", &error),
            },
            Self::TooMany { retry_after } => JsonError {
                status: StatusCode::TOO_MANY_REQUESTS,
                retry_after: Some(retry_after),
                ..JsonError::bad_request("temporarily_unavailable", &self)
            },
            Self::Unavailable(_) | Self::Rng(_) => JsonError::unavailable(),
        }
    }
}
