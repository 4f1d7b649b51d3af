//! Identifiers that are URLs of documents, and which of them this server is willing to fetch.

use url::{Host, Url};

use crate::{base_url::BaseUrl, oauth::types::ClientId};

/// A client identifier that is the URL of a document about the client
/// (draft-ietf-oauth-client-id-metadata-document section 3).
///
/// Anybody can make this server fetch such a URL, so it must lead to the public internet and
/// nowhere else. Invariants: `https` on the default port; a host name with a dot in it that is
/// neither an address, nor this server, nor reserved for local use; a path; no fragment, no user
/// information; and spelled exactly as a URL parser spells it, so that there are no dot segments
/// and no second way to write the same client.
///
/// What a name resolves to is not looked at here: Workers do not resolve names themselves, and the
/// compatibility flag `global_fetch_strictly_public` keeps their `fetch` on the public internet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::oauth) struct DocumentUrl(Url);

/// Endings of host names that never belong on the public internet (RFC 6761, RFC 6762, RFC 8375,
/// RFC 9476, ICANN's reservation of `internal`), and those that people use at home all the same.
const LOCAL: [&str; 12] = [
    "localhost",
    "local",
    "internal",
    "home.arpa",
    "alt",
    "invalid",
    "test",
    "example",
    "onion",
    "lan",
    "home",
    "corp",
];

impl DocumentUrl {
    /// The identifier as a URL to fetch; `None` where an invariant does not hold.
    pub(in crate::oauth) fn parse(id: &ClientId, base: &BaseUrl) -> Option<Self> {
        let url = Url::parse(id.as_str()).ok()?;
        let Some(Host::Domain(host)) = url.host() else {
            return None;
        };
        let own = base.authority() == host;
        let local = LOCAL.iter().any(|ending| {
            host.strip_suffix(ending)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        let plain = url.as_str() == id.as_str()
            && url.scheme() == "https"
            && url.port().is_none()
            && url.path() != "/"
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        let public = host.contains('.') && !host.ends_with('.') && !own && !local;
        (plain && public).then_some(Self(url))
    }

    /// The URL, which is the identifier byte for byte.
    pub(in crate::oauth) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::{BaseUrl, ClientId, DocumentUrl};

    fn parse(text: &str) -> Option<DocumentUrl> {
        let base = BaseUrl::parse("https://vault.example.com").unwrap();
        DocumentUrl::parse(&ClientId::parse(text).unwrap(), &base)
    }

    #[test]
    fn b1_documents_of_real_clients_are_fetched() {
        for text in [
            "https://claude.ai/oauth/mcp-oauth-client-metadata",
            "https://claude.ai/oauth/claude-code-client-metadata",
            "https://chatgpt.com/oauth/IbUR3zxyNQ16/client.json",
            "https://client.dev/x?version=1",
        ] {
            assert_eq!(parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn b1_b3_what_is_no_public_document_is_not_fetched() {
        for text in [
            "dcr_abc",
            "http://client.dev/x",
            "https://client.dev",
            "https://client.dev/",
            "https://client.dev/x#y",
            "https://me@client.dev/x",
            "https://me:pw@client.dev/x",
            "https://client.dev:8443/x",
            "https://client.dev:443/x",
            "https://client.dev/a/../x",
            "https://client.dev/a/%2e%2e/x",
            "https://client.dev/./x",
            "HTTPS://client.dev/x",
            "https://Client.dev/x",
            "https://client.dev./x",
            "https:client.dev/x",
            "https:///client.dev/x",
            "https://client.dev\\x",
            "https://127.0.0.1/x",
            "https://2130706433/x",
            "https://0x7f.1/x",
            "https://[::1]/x",
            "https://[fd00::1]/x",
            "https://169.254.169.254/latest",
            "https://localhost/x",
            "https://a.localhost/x",
            "https://metadata.google.internal/x",
            "https://printer.local/x",
            "https://router.home.arpa/x",
            "https://intranet/x",
            "https://vault.example.com/x",
            "ftp://client.dev/x",
            "data:application/json,{}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
