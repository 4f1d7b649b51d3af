//! Issuer identifiers: one party, named by one URL, compared character by character.

use url::{Host, Url};

use crate::base_url::is_loopback;

/// The issuer identifier of an OpenID provider (OpenID Connect Discovery section 3), kept as it was
/// written: two that differ in a trailing slash are two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    text: String,
    authority: String,
    loopback: bool,
}

/// Why a text is not the identifier of one issuer; says what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssuerError {
    /// It is not an absolute URL.
    #[error("must be the issuer's URL, such as https://login.example.com")]
    NotAUrl,
    /// It is not `https`, and its host is not loopback.
    #[error("must begin with https:// (http:// is for localhost alone)")]
    NotSecure,
    /// It has a query, a fragment or credentials.
    #[error("must be a URL without query, fragment and credentials")]
    NotPlain,
    /// It is the address of the discovery document.
    #[error("must be the issuer itself, without /.well-known/openid-configuration")]
    DiscoveryDocument,
    /// It has a placeholder in it.
    #[error("must name one tenant: replace what stands in braces by the tenant's id")]
    Template,
    /// It stands for many directories of Microsoft Entra: whoever administers any of them could
    /// claim any e-mail address.
    #[error("must name one tenant: https://login.microsoftonline.com/<tenant id>/v2.0")]
    ManyTenants,
}

/// Hosts of Microsoft Entra, where the first segment of an issuer's path is the tenant.
const ENTRA_HOSTS: [&str; 8] = [
    "login.microsoftonline.com",
    "login.microsoft.com",
    "login.windows.net",
    "sts.windows.net",
    "login.microsoftonline.us",
    "login.partner.microsoftonline.cn",
    "login.chinacloudapi.cn",
    "login.microsoftonline.de",
];

impl Issuer {
    /// Takes the identifier of one issuer.
    ///
    /// # Errors
    /// [`IssuerError`], with what to write instead.
    pub fn parse(text: &str) -> Result<Self, IssuerError> {
        // A URL parser forgives these; a comparison of characters will not.
        if text.contains(|character: char| character.is_whitespace() || character.is_control()) {
            return Err(IssuerError::NotAUrl);
        }
        let lower = text.to_ascii_lowercase();
        if ["{", "}", "%7b", "%7d"]
            .iter()
            .any(|brace| lower.contains(brace))
        {
            return Err(IssuerError::Template);
        }
        let url = Url::parse(text).map_err(|_| IssuerError::NotAUrl)?;
        let host = url.host().ok_or(IssuerError::NotAUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&host) => {}
            "http" => return Err(IssuerError::NotSecure),
            _ => return Err(IssuerError::NotAUrl),
        }
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if url.query().is_some() || url.fragment().is_some() || has_credentials {
            return Err(IssuerError::NotPlain);
        }
        if url.path().contains("/.well-known/") {
            return Err(IssuerError::DiscoveryDocument);
        }
        if is_entra(&host)
            && !url
                .path_segments()
                .is_some_and(|mut path| path.next().is_some_and(is_guid))
        {
            return Err(IssuerError::ManyTenants);
        }
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self {
            text: text.to_owned(),
            authority,
            loopback: is_loopback(&host),
        })
    }

    /// Google's identifier, which never changes.
    pub(in crate::login) fn google() -> Self {
        Self {
            text: "https://accounts.google.com".to_owned(),
            authority: "accounts.google.com".to_owned(),
            loopback: false,
        }
    }

    /// The identifier as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host and, where it is not the scheme's own, port: what people know the provider by.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether the provider runs on this machine. Its endpoints may then use plain http too.
    #[must_use]
    pub const fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Where the discovery document is (OpenID Connect Discovery section 4.1).
    pub(super) fn discovery_url(&self) -> String {
        let base = self.text.strip_suffix('/').unwrap_or(&self.text);
        format!("{base}/.well-known/openid-configuration")
    }
}

fn is_entra(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => ENTRA_HOSTS.contains(&name.trim_end_matches('.')),
        Host::Ipv4(_) | Host::Ipv6(_) => false,
    }
}

/// Whether `text` is a GUID in its usual form, `8-4-4-4-12` hexadecimal digits.
fn is_guid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{IssuerError::*, *};

    #[test]
    fn o1_the_discovery_document_is_below_the_issuer() {
        for (issuer, discovery, authority) in [
            (
                "https://id.example",
                "https://id.example/.well-known/openid-configuration",
                "id.example",
            ),
            (
                "https://id.example/",
                "https://id.example/.well-known/openid-configuration",
                "id.example",
            ),
            (
                "https://id.example:8443/realms/a",
                "https://id.example:8443/realms/a/.well-known/openid-configuration",
                "id.example:8443",
            ),
            (
                "http://localhost:8788",
                "http://localhost:8788/.well-known/openid-configuration",
                "localhost:8788",
            ),
        ] {
            let parsed = Issuer::parse(issuer).unwrap();
            assert_eq!(parsed.as_str(), issuer);
            assert_eq!(parsed.discovery_url(), discovery);
            assert_eq!(parsed.authority(), authority);
            assert_eq!(parsed.is_loopback(), issuer.starts_with("http://"));
        }
    }

    #[test]
    fn go1_googles_issuer_is_what_its_text_says() {
        assert_eq!(
            Issuer::parse(Issuer::google().as_str()),
            Ok(Issuer::google())
        );
    }

    #[test]
    fn o3_an_issuer_is_one_party() {
        const TENANT: &str = "72f988bf-86f1-41af-91ab-2d7cd011db47";
        for (text, expected) in [
            (
                &*format!("https://login.microsoftonline.com/{TENANT}/v2.0"),
                Ok(()),
            ),
            (&*format!("https://sts.windows.net/{TENANT}/"), Ok(())),
            ("https://example.ciamlogin.com/common/v2.0", Ok(())),
            ("https://id.example/common/v2.0", Ok(())),
            (
                "https://login.microsoftonline.com/common/v2.0",
                Err(ManyTenants),
            ),
            (
                "https://login.microsoftonline.com/Organizations/v2.0",
                Err(ManyTenants),
            ),
            (
                "https://LOGIN.microsoftonline.com/consumers/v2.0",
                Err(ManyTenants),
            ),
            (
                "https://login.microsoftonline.com./common/v2.0",
                Err(ManyTenants),
            ),
            (
                "https://login.microsoftonline.com//common/v2.0",
                Err(ManyTenants),
            ),
            ("https://login.microsoftonline.com", Err(ManyTenants)),
            (
                "https://login.microsoftonline.us/common/v2.0",
                Err(ManyTenants),
            ),
            // A domain name is an alias; tokens carry the id.
            (
                "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0",
                Err(ManyTenants),
            ),
            (
                "https://login.microsoftonline.com/{tenantid}/v2.0",
                Err(Template),
            ),
            (
                "https://login.microsoftonline.com/%7Btenantid%7D/v2.0",
                Err(Template),
            ),
            ("https://{host}/", Err(Template)),
            ("http://id.example", Err(NotSecure)),
            ("http://localhost.id.example", Err(NotSecure)),
            ("http://127.0.0.1:8788", Ok(())),
            ("http://[::1]:8788", Ok(())),
            ("ftp://id.example", Err(NotAUrl)),
            ("id.example", Err(NotAUrl)),
            ("", Err(NotAUrl)),
            (" https://id.example", Err(NotAUrl)),
            ("https://id.exa\nmple", Err(NotAUrl)),
            ("https://id.example?x=1", Err(NotPlain)),
            ("https://id.example?", Err(NotPlain)),
            ("https://id.example#x", Err(NotPlain)),
            ("https://user@id.example", Err(NotPlain)),
            (
                "https://id.example/.well-known/openid-configuration",
                Err(DiscoveryDocument),
            ),
        ] {
            assert_eq!(Issuer::parse(text).map(drop), expected, "{text}");
        }
    }
}
