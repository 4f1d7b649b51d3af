//! Clients: what is known of one, and where its answers may go.

use serde::{Deserialize, Serialize};

use super::{
    redirect_uri::{RedirectHosts, RedirectUri, RedirectUriError},
    settings::StaticClient,
    types::{ClientId, Digest},
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

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn c5_a_name_is_shown_on_one_line_without_tricks() {
        assert_eq!(one_line("  Claude\n\tCode "), "Claude Code");
        assert_eq!(one_line("evil\u{202e}edualC\u{200b}"), "eviledualC");
        assert_eq!(one_line(&"x".repeat(500)).len(), 100);
    }
}
