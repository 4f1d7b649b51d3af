//! What a client may state about itself when it registers (RFC 7591 section 2).

use serde::{Deserialize, Serialize};

use super::{
    redirect_uri::{RedirectHosts, RedirectUri},
    types::{ClientId, sha256_base64url},
};

/// The metadata that a client states about itself. Members that are not listed are ignored, and so
/// are names in other languages (`client_name#de`).
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ClientMetadata {
    /// `redirect_uris`.
    pub redirect_uris: Option<Vec<String>>,
    /// `client_name`.
    pub client_name: Option<String>,
    /// `token_endpoint_auth_method`.
    pub token_endpoint_auth_method: Option<String>,
    /// `grant_types`.
    pub grant_types: Option<Vec<String>>,
    /// `response_types`.
    pub response_types: Option<Vec<String>>,
}

/// A registration that this server can honour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The redirect URIs as they were stated.
    pub redirect_uris: Vec<String>,
    /// The client's name.
    pub client_name: Option<String>,
    /// How the client will authenticate.
    pub method: AuthMethod,
    /// Whether the client uses refresh tokens.
    pub may_refresh: bool,
}

/// The values of `token_endpoint_auth_method` that this server supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// `none`.
    None,
    /// `client_secret_post`.
    ClientSecretPost,
    /// `client_secret_basic`.
    ClientSecretBasic,
}

/// Why a registration cannot be honoured (RFC 7591 section 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// There is no redirect URI, or there are too many.
    #[error("redirect_uris must list 1 to 20 URIs of at most 2048 bytes")]
    RedirectUris,
    /// None of the redirect URIs can be used.
    #[error(
        "no redirect URI can be used: they must be https on a host that this server allows, or \
         http on a loopback host"
    )]
    NoUsableRedirectUri,
    /// The authentication method is not supported.
    #[error("token_endpoint_auth_method must be none, client_secret_post or client_secret_basic")]
    AuthMethod,
    /// The grant types lack the one that there is.
    #[error("grant_types must include authorization_code")]
    GrantTypes,
    /// The response types lack the one that there is.
    #[error("response_types must include code")]
    ResponseTypes,
    /// The name is too long.
    #[error("client_name must have at most 200 characters")]
    Name,
}

impl Registration {
    /// Checks what a client states about itself.
    ///
    /// What is absent takes the defaults of RFC 7591 section 2, but for `grant_types`: a client
    /// that names none gets refresh tokens too, because many that need them forget to say so.
    ///
    /// # Errors
    /// [`MetadataError`].
    pub fn check(metadata: ClientMetadata, hosts: &RedirectHosts) -> Result<Self, MetadataError> {
        let redirect_uris = metadata.redirect_uris.unwrap_or_default();
        if !(1..=20).contains(&redirect_uris.len()) || redirect_uris.iter().any(|u| u.len() > 2048)
        {
            return Err(MetadataError::RedirectUris);
        }
        let usable = |text: &String| RedirectUri::parse(text).is_ok_and(|uri| hosts.allow(&uri));
        if !redirect_uris.iter().any(usable) {
            return Err(MetadataError::NoUsableRedirectUri);
        }
        let method = match metadata.token_endpoint_auth_method.as_deref() {
            Some("none") => AuthMethod::None,
            Some("client_secret_post") => AuthMethod::ClientSecretPost,
            Some("client_secret_basic") | None => AuthMethod::ClientSecretBasic,
            Some(_) => return Err(MetadataError::AuthMethod),
        };
        let includes = |list: &[String], value| list.iter().any(|item| item == value);
        let may_refresh = match &metadata.grant_types {
            None => true,
            Some(types) if !includes(types, "authorization_code") => {
                return Err(MetadataError::GrantTypes);
            }
            Some(types) => includes(types, "refresh_token"),
        };
        if metadata
            .response_types
            .is_some_and(|types| !includes(&types, "code"))
        {
            return Err(MetadataError::ResponseTypes);
        }
        let client_name = metadata.client_name.filter(|name| !name.trim().is_empty());
        if client_name
            .as_ref()
            .is_some_and(|name| name.chars().count() > 200)
        {
            return Err(MetadataError::Name);
        }
        Ok(Self {
            redirect_uris,
            client_name,
            method,
            may_refresh,
        })
    }

    /// The identifier of a public client that registers this: always the same for the same
    /// registration, whatever port a loopback redirect URI happens to have.
    ///
    /// Programs register anew at every start and connectors at every connection. This way they do
    /// not add up, and a client that remembers its identifier comes back with the same one even
    /// after the registrations were lost.
    #[must_use]
    pub fn public_id(&self) -> Option<ClientId> {
        #[derive(Serialize)]
        struct Canonical<'a> {
            version: u8,
            redirect_uris: Vec<String>,
            client_name: Option<&'a str>,
            may_refresh: bool,
        }
        let canonical = Canonical {
            version: 1,
            redirect_uris: self.comparable_redirect_uris(),
            client_name: self.client_name.as_deref(),
            may_refresh: self.may_refresh,
        };
        let json = serde_json::to_string(&canonical).ok()?;
        let hash = sha256_base64url(json.as_bytes());
        ClientId::parse(&format!("dcr_{}", hash.get(..32)?))
    }

    /// The redirect URIs in the form in which they are kept: sorted, each once, loopback ones
    /// without their port.
    #[must_use]
    pub fn comparable_redirect_uris(&self) -> Vec<String> {
        let mut uris: Vec<String> = self
            .redirect_uris
            .iter()
            .map(|text| {
                RedirectUri::parse(text)
                    .map_or_else(|_| text.clone(), |uri| uri.without_loopback_port())
            })
            .collect();
        uris.sort_unstable();
        uris.dedup();
        uris
    }
}

#[cfg(test)]
mod tests {
    use super::{ClientMetadata, MetadataError, RedirectHosts, Registration};

    fn check(json: &str) -> Result<Registration, MetadataError> {
        let metadata: ClientMetadata = serde_json::from_str(json).unwrap();
        Registration::check(metadata, &RedirectHosts::default())
    }

    #[test]
    fn b8_the_identifier_depends_on_nothing_that_changes_from_start_to_start() {
        let id = |json| check(json).unwrap().public_id().unwrap();
        let first = id(r#"{"redirect_uris":["http://localhost:1/cb"],"client_name":"A"}"#);
        let again = id(r#"{"redirect_uris":["http://localhost:2/cb"],"client_name":"A","x":1}"#);
        assert_eq!(first, again);
        for other in [
            r#"{"redirect_uris":["http://localhost:1/cb"],"client_name":"B"}"#,
            r#"{"redirect_uris":["http://localhost:1/other"],"client_name":"A"}"#,
            r#"{"redirect_uris":["http://127.0.0.1:1/cb"],"client_name":"A"}"#,
        ] {
            assert_ne!(first, id(other), "{other}");
        }
        assert!(first.as_str().starts_with("dcr_") && first.as_str().len() == 36);
    }

    #[test]
    fn b7_registrations_that_cannot_be_honoured_are_refused() {
        let uri = r#""redirect_uris":["https://claude.ai/cb"]"#;
        for (json, error) in [
            ("{}".to_owned(), MetadataError::RedirectUris),
            (
                r#"{"redirect_uris":[]}"#.to_owned(),
                MetadataError::RedirectUris,
            ),
            (
                r#"{"redirect_uris":["cursor://cb"]}"#.to_owned(),
                MetadataError::NoUsableRedirectUri,
            ),
            (
                r#"{"redirect_uris":["https://evil.example/cb"]}"#.to_owned(),
                MetadataError::NoUsableRedirectUri,
            ),
            (
                format!(r#"{{{uri},"token_endpoint_auth_method":"private_key_jwt"}}"#),
                MetadataError::AuthMethod,
            ),
            (
                format!(r#"{{{uri},"grant_types":["implicit"]}}"#),
                MetadataError::GrantTypes,
            ),
            (
                format!(r#"{{{uri},"response_types":["token"]}}"#),
                MetadataError::ResponseTypes,
            ),
            (
                format!(r#"{{{uri},"client_name":"{}"}}"#, "x".repeat(201)),
                MetadataError::Name,
            ),
        ] {
            assert_eq!(check(&json), Err(error), "{json}");
        }
    }

    #[test]
    fn b6_a_registration_may_list_what_it_cannot_use_here() {
        let json = r#"{"redirect_uris":["cursor://cb","https://claude.ai/cb"]}"#;
        assert_eq!(check(json).unwrap().redirect_uris.len(), 2);
    }
}
