//! The discovery document (OpenID Connect Discovery section 3), and what we take from it.

use oauth2::{AuthType, AuthUrl, TokenUrl};
use openidconnect::{
    AdditionalProviderMetadata, JsonWebKeySetUrl, ProviderMetadata, UserInfoUrl,
    core::{
        CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClientAuthMethod, CoreGrantType,
        CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm,
        CoreJwsSigningAlgorithm, CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
    },
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::issuer::{Issuer, IssuerError};
use crate::{
    base_url::is_loopback,
    login::{LoginError, upstream::parse_json},
};

/// Signatures that an ID token may have. Never `none`; never an HMAC, whose key would be the client
/// secret, or worse, a public key taken for one.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What a login has to know of its provider. Every part was checked.
#[derive(Clone, Debug)]
pub(super) struct Discovered {
    pub(super) authorization_endpoint: AuthUrl,
    pub(super) token_endpoint: TokenUrl,
    pub(super) userinfo_endpoint: Option<UserInfoUrl>,
    pub(super) jwks_uri: JsonWebKeySetUrl,
    /// Signatures that both the provider and we use.
    pub(super) algorithms: Vec<CoreJwsSigningAlgorithm>,
    /// Where our credentials go at the token endpoint.
    pub(super) client_authentication: AuthType,
    /// Whether authorization responses name their sender (RFC 9207 section 3).
    pub(super) names_itself: bool,
}

/// Why a discovery document is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DiscoveryError {
    /// It is no discovery document.
    #[error("the discovery document cannot be read")]
    Unreadable,
    /// Its issuer and the configured one differ in a trailing slash.
    #[error("set OIDC_ISSUER to exactly {exact}")]
    Slash {
        /// What the provider calls itself.
        exact: String,
    },
    /// Its issuer stands for many.
    #[error("the discovery document is that of many tenants: OIDC_ISSUER {0}")]
    ManyIssuers(IssuerError),
    /// Its issuer is another one.
    #[error("the discovery document names another issuer than OIDC_ISSUER")]
    OtherIssuer,
    /// An endpoint is not `https`.
    #[error("the provider's {0} does not begin with https://")]
    Insecure(&'static str),
    /// There is no token endpoint, so no code grant.
    #[error("the provider has no token endpoint")]
    NoTokenEndpoint,
    /// The provider signs ID tokens in no way that we verify.
    #[error("the provider signs ID tokens with none of the algorithms that are accepted here")]
    NoAlgorithm,
    /// The provider takes no client secret.
    #[error("the provider accepts neither client_secret_basic nor client_secret_post")]
    NoClientAuthentication,
}

impl From<DiscoveryError> for LoginError {
    fn from(error: DiscoveryError) -> Self {
        let text = error.to_string();
        match error {
            DiscoveryError::Unreadable => Self::Unavailable(text),
            DiscoveryError::OtherIssuer | DiscoveryError::Insecure(_) => Self::Untrusted(text),
            DiscoveryError::Slash { .. }
            | DiscoveryError::ManyIssuers(_)
            | DiscoveryError::NoTokenEndpoint
            | DiscoveryError::NoAlgorithm
            | DiscoveryError::NoClientAuthentication => Self::Misconfigured(text),
        }
    }
}

impl Discovered {
    /// Takes from `document` what a login at `issuer` needs.
    pub(super) fn parse(document: &[u8], issuer: &Issuer) -> Result<Self, DiscoveryError> {
        let metadata: Metadata = parse_json(document).ok_or(DiscoveryError::Unreadable)?;
        check_issuer(metadata.issuer(), issuer)?;
        let token_endpoint = metadata
            .token_endpoint()
            .ok_or(DiscoveryError::NoTokenEndpoint)?
            .clone();

        let secure = |name, url: &Url| {
            let secure = url.scheme() == "https"
                || url.scheme() == "http"
                    && issuer.is_loopback()
                    && url.host().is_some_and(|host| is_loopback(&host));
            if secure {
                Ok(())
            } else {
                Err(DiscoveryError::Insecure(name))
            }
        };
        secure(
            "authorization_endpoint",
            metadata.authorization_endpoint().url(),
        )?;
        secure("token_endpoint", token_endpoint.url())?;
        secure("jwks_uri", metadata.jwks_uri().url())?;
        if let Some(userinfo) = metadata.userinfo_endpoint() {
            secure("userinfo_endpoint", userinfo.url())?;
        }

        let advertised = metadata.id_token_signing_alg_values_supported();
        let algorithms: Vec<_> = ALGORITHMS
            .into_iter()
            .filter(|algorithm| advertised.contains(algorithm))
            .collect();
        if algorithms.is_empty() {
            return Err(DiscoveryError::NoAlgorithm);
        }
        Ok(Self {
            authorization_endpoint: metadata.authorization_endpoint().clone(),
            token_endpoint,
            userinfo_endpoint: metadata.userinfo_endpoint().cloned(),
            jwks_uri: metadata.jwks_uri().clone(),
            algorithms,
            client_authentication: client_authentication(
                metadata
                    .token_endpoint_auth_methods_supported()
                    .map(Vec::as_slice),
            )?,
            names_itself: metadata
                .additional_metadata()
                .authorization_response_iss_parameter_supported
                .unwrap_or(false),
        })
    }
}

/// Compares issuers character by character, and finds out what to say where they differ.
fn check_issuer(claimed: &str, configured: &Issuer) -> Result<(), DiscoveryError> {
    let configured = configured.as_str();
    if claimed == configured {
        return Ok(());
    }
    if let Err(error @ (IssuerError::Template | IssuerError::ManyTenants)) = Issuer::parse(claimed)
    {
        return Err(DiscoveryError::ManyIssuers(error));
    }
    if claimed.trim_end_matches('/') == configured.trim_end_matches('/') {
        return Err(DiscoveryError::Slash {
            exact: claimed.to_owned(),
        });
    }
    Err(DiscoveryError::OtherIssuer)
}

/// How we authenticate: by HTTP Basic where the provider says nothing, which is the default of
/// OpenID Connect Core section 9.
fn client_authentication(
    methods: Option<&[CoreClientAuthMethod]>,
) -> Result<AuthType, DiscoveryError> {
    match methods {
        None => Ok(AuthType::BasicAuth),
        Some(methods) if methods.contains(&CoreClientAuthMethod::ClientSecretBasic) => {
            Ok(AuthType::BasicAuth)
        }
        Some(methods) if methods.contains(&CoreClientAuthMethod::ClientSecretPost) => {
            Ok(AuthType::RequestBody)
        }
        Some(_) => Err(DiscoveryError::NoClientAuthentication),
    }
}

/// The document as the `openidconnect` crate reads it, with what RFC 9207 adds.
type Metadata = ProviderMetadata<
    ResponseIssuer,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// RFC 9207 section 3.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ResponseIssuer {
    authorization_response_iss_parameter_supported: Option<bool>,
}

impl AdditionalProviderMetadata for ResponseIssuer {}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{DiscoveryError::*, *};

    const ISSUER: &str = "https://id.example";
    const TENANT: &str =
        "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0";

    fn parse(issuer: &str, change: impl FnOnce(&mut Value)) -> Result<Discovered, DiscoveryError> {
        let mut document = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "userinfo_endpoint": format!("{issuer}/userinfo"),
            "jwks_uri": format!("{issuer}/jwks"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        });
        change(&mut document);
        let issuer = Issuer::parse(issuer).unwrap();
        Discovered::parse(document.to_string().as_bytes(), &issuer)
    }

    fn refusal(change: impl FnOnce(&mut Value)) -> DiscoveryError {
        parse(ISSUER, change).unwrap_err()
    }

    #[test]
    fn o2_issuers_are_compared_exactly() {
        let claiming = |configured: &str, claimed: &str| {
            parse(configured, |document| document["issuer"] = claimed.into()).map(drop)
        };
        assert_eq!(claiming(ISSUER, ISSUER), Ok(()));
        for (configured, claimed) in [
            (ISSUER, "https://id.example/"),
            ("https://id.example/", "https://id.example"),
        ] {
            let error = claiming(configured, claimed).unwrap_err();
            assert_eq!(
                error,
                Slash {
                    exact: claimed.into()
                }
            );
            assert_eq!(
                error.to_string(),
                format!("set OIDC_ISSUER to exactly {claimed}")
            );
        }
        for claimed in [
            "https://evil.example",
            "https://ID.example",
            "https://id.example/a",
            "http://id.example",
        ] {
            assert_eq!(claiming(ISSUER, claimed), Err(OtherIssuer), "{claimed}");
        }
        assert_eq!(claiming(TENANT, TENANT), Ok(()));
        // What the document of Entra's shared endpoints says.
        let shared = "https://login.microsoftonline.com/{tenantid}/v2.0";
        assert_eq!(
            claiming(TENANT, shared),
            Err(ManyIssuers(IssuerError::Template))
        );
        let shared = "https://login.microsoftonline.com/common/v2.0";
        assert_eq!(
            claiming(TENANT, shared),
            Err(ManyIssuers(IssuerError::ManyTenants))
        );
    }

    #[test]
    fn o4_the_accepted_algorithms_are_ours_and_the_providers() {
        let algorithms = |advertised: Value| {
            parse(ISSUER, |document| {
                document["id_token_signing_alg_values_supported"] = advertised;
            })
            .map(|discovered| json!(discovered.algorithms))
        };
        let all = json!([
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"
        ]);
        assert_eq!(algorithms(all.clone()), Ok(all));
        assert_eq!(
            algorithms(json!(["none", "HS256", "ES256"])),
            Ok(json!(["ES256"]))
        );
        assert_eq!(
            algorithms(json!(["ES256", "ML-DSA-65"])),
            Ok(json!(["ES256"]))
        );
        for none in [
            json!([]),
            json!(["none"]),
            json!(["HS256", "HS512"]),
            json!(["ES512"]),
        ] {
            assert_eq!(algorithms(none), Err(NoAlgorithm));
        }
    }

    #[test]
    fn o8_endpoints_are_https_unless_the_issuer_is_this_machine() {
        for name in [
            "authorization_endpoint",
            "token_endpoint",
            "jwks_uri",
            "userinfo_endpoint",
        ] {
            for url in [
                "http://id.example/x",
                "http://localhost/x",
                "ftp://id.example/x",
            ] {
                assert_eq!(
                    refusal(|document| document[name] = url.into()),
                    Insecure(name),
                    "{url}"
                );
            }
            let local = |url: &str| {
                parse("http://localhost:8788", |document| {
                    document[name] = url.into();
                })
                .map(drop)
            };
            assert_eq!(local("http://127.0.0.1:8788/x"), Ok(()));
            assert_eq!(local("https://id.example/x"), Ok(()));
            assert_eq!(local("http://id.example/x"), Err(Insecure(name)));
        }
    }

    #[test]
    fn o9_the_client_authenticates_as_the_provider_asks() {
        let method = |methods: Value| {
            parse(ISSUER, |document| {
                document["token_endpoint_auth_methods_supported"] = methods;
            })
            .map(|discovered| matches!(discovered.client_authentication, AuthType::BasicAuth))
        };
        for (methods, by_header) in [
            (Value::Null, Ok(true)),
            (json!(["client_secret_basic"]), Ok(true)),
            (
                json!(["client_secret_post", "client_secret_basic"]),
                Ok(true),
            ),
            (json!(["private_key_jwt", "client_secret_post"]), Ok(false)),
            (
                json!(["private_key_jwt", "tls_client_auth"]),
                Err(NoClientAuthentication),
            ),
            (json!(["none"]), Err(NoClientAuthentication)),
            (json!([]), Err(NoClientAuthentication)),
        ] {
            assert_eq!(method(methods.clone()), by_header, "{methods}");
        }
    }

    #[test]
    fn d7_an_advertised_response_issuer_is_noticed() {
        for (advertised, expected) in [
            (Value::Null, false),
            (json!(false), false),
            (json!(true), true),
        ] {
            let discovered = parse(ISSUER, |document| {
                document["authorization_response_iss_parameter_supported"] = advertised;
            });
            assert_eq!(discovered.unwrap().names_itself, expected);
        }
    }

    #[test]
    fn o8_a_document_that_lacks_what_a_login_needs_is_not_used() {
        for name in ["issuer", "authorization_endpoint", "jwks_uri"] {
            assert_eq!(
                refusal(|document| document[name] = Value::Null),
                Unreadable,
                "{name}"
            );
        }
        assert_eq!(
            refusal(|document| document["token_endpoint"] = Value::Null),
            NoTokenEndpoint
        );
        assert_eq!(refusal(|document| *document = json!([])), Unreadable);
        assert!(
            parse(ISSUER, |document| document["userinfo_endpoint"] =
                Value::Null)
            .is_ok()
        );
    }
}
