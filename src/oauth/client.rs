//! Clients: what is known of one, and what a registration may say (RFC 7591).

use serde::{Deserialize, Serialize};

use super::{
    redirect_uri::{RedirectHosts, RedirectUri, RedirectUriError},
    settings::StaticClient,
    types::{ClientId, Digest, sha256_base64url},
};

/// A client, whichever way it became known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its identifier.
    pub id: ClientId,
    /// What it calls itself: a claim, to be shown as one.
    pub name: Option<String>,
    /// How it became known.
    pub source: ClientSource,
    /// Its redirect URIs as it stated them. Some may be of no use here: a program may list what it
    /// needs elsewhere.
    pub redirect_uris: Vec<String>,
    /// How it authenticates at the token endpoint.
    pub authentication: ClientAuthentication,
    /// Whether it gets refresh tokens.
    pub may_refresh: bool,
}

/// How a client became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientSource {
    /// The deployer configured it.
    Configured,
    /// It registered itself; nobody vouches for its name.
    Registered,
    /// Its identifier is the URL of a document about it; the URL's host vouches for it.
    Document,
}

/// How a client authenticates at the token and the revocation endpoint (RFC 6749 section 2.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuthentication {
    /// `none`: a public client.
    None,
    /// `client_secret_post`, with the digest of the secret.
    SecretPost(Digest),
    /// `client_secret_basic`, with the digest of the secret.
    SecretBasic(Digest),
    /// Either of both ways, with the digest of the secret: a configured client.
    Secret(Digest),
}

/// A requested redirect URI cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectRefusal {
    /// It may be used by nobody.
    #[error(transparent)]
    Unusable(#[from] RedirectUriError),
    /// It leads to a host that the deployer has not allowed.
    #[error("the redirect URI leads to a host that this server does not allow")]
    HostNotAllowed,
    /// It is not one of the client's.
    #[error("the client has not registered this redirect URI")]
    NotRegistered,
}

impl Client {
    /// The redirect URI of a request, if this client may use it.
    ///
    /// # Errors
    /// [`RedirectRefusal`]; the person must then not be sent there.
    pub fn redirect_uri(
        &self,
        requested: &str,
        hosts: &RedirectHosts,
    ) -> Result<RedirectUri, RedirectRefusal> {
        let uri = RedirectUri::parse(requested)?;
        let registered = self
            .redirect_uris
            .iter()
            .filter_map(|text| RedirectUri::parse(text).ok());
        if !registered
            .into_iter()
            .any(|registered| uri.is_covered_by(&registered))
        {
            return Err(RedirectRefusal::NotRegistered);
        }
        // The deployer's own clients may go where the deployer sent them.
        if self.source != ClientSource::Configured && !hosts.allow(&uri) {
            return Err(RedirectRefusal::HostNotAllowed);
        }
        Ok(uri)
    }

    /// What to call it: the name it claims, on one line and without characters that could make it
    /// look like something else; otherwise its identifier.
    #[must_use]
    pub fn display_name(&self) -> String {
        let name = self.name.as_deref().map(one_line).unwrap_or_default();
        if name.is_empty() {
            one_line(self.id.as_str())
        } else {
            name
        }
    }
}

impl From<&StaticClient> for Client {
    fn from(client: &StaticClient) -> Self {
        Self {
            id: client.id.clone(),
            name: Some(client.name.clone()),
            source: ClientSource::Configured,
            redirect_uris: client
                .redirect_uris
                .iter()
                .map(ToString::to_string)
                .collect(),
            authentication: client
                .secret
                .clone()
                .map_or(ClientAuthentication::None, ClientAuthentication::Secret),
            may_refresh: true,
        }
    }
}

/// At most 100 characters on one line: control characters, line separators, and characters without
/// a width or that turn the direction of text are dropped; runs of white space become one space.
fn one_line(text: &str) -> String {
    let visible = text.chars().filter(|c| {
        let invisible = matches!(*c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}');
        !invisible && (!c.is_control() || c.is_whitespace())
    });
    let line = visible
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    line.chars().take(100).collect()
}

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
    use super::{ClientMetadata, MetadataError, RedirectHosts, Registration, one_line};

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

    #[test]
    fn c5_a_name_is_shown_on_one_line_without_tricks() {
        assert_eq!(one_line("  Claude\n\tCode "), "Claude Code");
        assert_eq!(one_line("evil\u{202e}edualC\u{200b}"), "eviledualC");
        assert_eq!(one_line(&"x".repeat(500)).len(), 100);
    }
}
