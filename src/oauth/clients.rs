//! Finding a client by its identifier, and having it prove who it is (RFC 6749 section 2.3).

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, header::AUTHORIZATION};
use percent_encoding::percent_decode_str;

use super::{
    AuthorizationServer,
    answer::JsonError,
    client::{Client, ClientAuthentication, ClientSource},
    document::DocumentUrl,
    parameters::{Parameters, Repeated},
    state::{FindClient, FoundClient, KeepClient, LinkError},
    types::{ClientId, Digest},
};
use crate::secret::Secret;

/// How long a registration is kept that nobody uses.
pub(super) const UNUSED_LIFETIME: Duration = Duration::from_hours(30 * 24);
/// How long one is kept after its last use, at least.
const USED_LIFETIME: Duration = Duration::from_hours(90 * 24);
/// How often a use is written down.
const USE_INTERVAL: Duration = Duration::from_hours(24);

/// How a request says who the client is.
#[derive(Debug)]
struct Credentials {
    id: ClientId,
    proof: Proof,
}

#[derive(Debug)]
enum Proof {
    None,
    Post(Secret),
    Basic(Secret),
}

/// Why a client is not believed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    /// A parameter stands there twice.
    #[error(transparent)]
    Repeated(#[from] Repeated),
    /// There is no client identifier.
    #[error("the client has to identify itself")]
    Missing,
    /// It authenticates in two ways at once, or as two clients (RFC 6749 section 2.3).
    #[error("the client must use one authentication method only")]
    TwoMethods,
    /// The header `Authorization` cannot be read.
    #[error("the Authorization header must hold client_id and client_secret by HTTP Basic")]
    Malformed,
    /// There is no such client.
    #[error("unknown client: register again")]
    Unknown {
        /// Whether it used HTTP Basic.
        basic: bool,
    },
    /// The secret is wrong, or the method is not the one that it registered.
    #[error("client authentication failed")]
    Refused {
        /// Whether it used HTTP Basic.
        basic: bool,
    },
    /// The state cannot be reached.
    #[error(transparent)]
    Unavailable(#[from] LinkError),
}

impl AuthorizationServer {
    /// The client of that identifier, if there is one.
    ///
    /// One with a document is not looked up here: what counts after the authorization request is
    /// what its grants remember of it, so that a document that cannot be fetched breaks no refresh.
    pub(super) async fn find_client(
        &self,
        id: &ClientId,
    ) -> Result<Option<FoundClient>, LinkError> {
        if DocumentUrl::parse(id, &self.settings.base_url).is_some() {
            return Ok(Some(FoundClient {
                client: Client::with_document(id),
                used_at: None,
            }));
        }
        if let Some(client) = self
            .settings
            .static_clients
            .iter()
            .find(|client| client.id == *id)
        {
            return Ok(Some(FoundClient {
                client: client.into(),
                used_at: None,
            }));
        }
        self.state.apply(FindClient { id: id.clone() }).await
    }

    /// The client that a request to the token or the revocation endpoint comes from.
    pub(super) async fn authenticate_client(
        &self,
        headers: &HeaderMap,
        parameters: &Parameters,
    ) -> Result<FoundClient, ClientError> {
        let Credentials { id, proof } = credentials(headers, parameters)?;
        let basic = matches!(proof, Proof::Basic(_));
        let found = self
            .find_client(&id)
            .await?
            .ok_or(ClientError::Unknown { basic })?;
        if found.client.accepts(&proof) {
            Ok(found)
        } else {
            Err(ClientError::Refused { basic })
        }
    }

    /// Keeps a registration for longer that has just been given tokens: at least as long as the
    /// refresh token can live. The tokens are issued already, so a failure here is only logged.
    pub(super) async fn keep_client(&self, found: &FoundClient) -> Result<(), LinkError> {
        let now = self.clock.now();
        let noted = found
            .used_at
            .is_some_and(|used_at| now < used_at.after(USE_INTERVAL));
        if found.client.source != ClientSource::Registered || noted {
            return Ok(());
        }
        let lifetime = USED_LIFETIME.max(self.settings.lifetimes.refresh_idle + 2 * USE_INTERVAL);
        let keep = KeepClient {
            id: found.client.id.clone(),
            expires_at: now.after(lifetime),
        };
        self.state.apply(keep).await
    }
}

impl Client {
    /// A client of which only the identifier is known, and that by its kind it is public.
    fn with_document(id: &ClientId) -> Self {
        Self {
            id: id.clone(),
            name: None,
            source: ClientSource::Document,
            redirect_uris: Vec::new(),
            authentication: ClientAuthentication::None,
            may_refresh: true,
        }
    }

    /// Whether `proof` is given in the way that the client registered, and right. A public client
    /// that brings a secret is confused with another one and is refused.
    fn accepts(&self, proof: &Proof) -> bool {
        let right = |secret: &Secret, digest: &Digest| Digest::of(secret.expose()).matches(digest);
        match (&self.authentication, proof) {
            (ClientAuthentication::None, Proof::None) => true,
            (ClientAuthentication::SecretPost(digest), Proof::Post(secret))
            | (ClientAuthentication::SecretBasic(digest), Proof::Basic(secret))
            | (ClientAuthentication::Secret(digest), Proof::Post(secret) | Proof::Basic(secret)) => {
                right(secret, digest)
            }
            (ClientAuthentication::None, Proof::Post(_) | Proof::Basic(_))
            | (ClientAuthentication::SecretPost(_), Proof::None | Proof::Basic(_))
            | (ClientAuthentication::SecretBasic(_), Proof::None | Proof::Post(_))
            | (ClientAuthentication::Secret(_), Proof::None) => false,
        }
    }
}

fn credentials(headers: &HeaderMap, parameters: &Parameters) -> Result<Credentials, ClientError> {
    let id = parameters.one("client_id")?;
    let secret = parameters.one("client_secret")?.map(Secret::new);
    let mut authorization = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = authorization.next() else {
        let id = id.ok_or(ClientError::Missing)?;
        let id = ClientId::parse(id).ok_or(ClientError::Unknown { basic: false })?;
        return Ok(Credentials {
            id,
            proof: secret.map_or(Proof::None, Proof::Post),
        });
    };
    let (basic_id, basic_secret) = header
        .to_str()
        .ok()
        .and_then(basic)
        .ok_or(ClientError::Malformed)?;
    if secret.is_some() || authorization.next().is_some() || id.is_some_and(|id| id != basic_id) {
        return Err(ClientError::TwoMethods);
    }
    let id = ClientId::parse(&basic_id).ok_or(ClientError::Unknown { basic: true })?;
    Ok(Credentials {
        id,
        proof: Proof::Basic(basic_secret),
    })
}

/// Identifier and secret in a header `Authorization: Basic`. Both are form-encoded inside it
/// (RFC 6749 section 2.3.1).
fn basic(header: &str) -> Option<(String, Secret)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    let form_decoded = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode_str(&spaced)
            .decode_utf8()
            .ok()
            .map(String::from)
    };
    Some((form_decoded(id)?, Secret::new(form_decoded(secret)?)))
}

impl ClientError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Repeated(_) => "parameter_repeated",
            Self::Missing => "client_missing",
            Self::TwoMethods => "client_two_methods",
            Self::Malformed => "client_malformed",
            Self::Unknown { .. } => "client_unknown",
            Self::Refused { .. } => "client_refused",
            Self::Unavailable(_) => "state_unavailable",
        }
    }

    /// The answer.
    pub(super) fn into_json(self) -> JsonError {
        match self {
            Self::Repeated(_) | Self::TwoMethods => {
                JsonError::bad_request("invalid_request", &self)
            }
            Self::Missing => JsonError::invalid_client(&self, false),
            Self::Malformed => JsonError::invalid_client(&self, true),
            Self::Unknown { basic } | Self::Refused { basic } => {
                JsonError::invalid_client(&self, basic)
            }
            Self::Unavailable(_) => JsonError::unavailable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::basic;

    #[test]
    fn b12_basic_credentials_are_form_decoded() {
        let (id, secret) = basic("basic YSUzQWI6cyUyQit4").unwrap();
        assert_eq!((id.as_str(), secret.expose()), ("a:b", "s+ x"));
        for header in ["Bearer YTpi", "Basic", "Basic !!!", "Basic YWI="] {
            assert!(basic(header).is_none(), "{header}");
        }
    }
}
