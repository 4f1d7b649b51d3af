//! What a client's document may say (draft-ietf-oauth-client-id-metadata-document section 4).

use serde_json::{Map, Value};

use super::url::DocumentUrl;
use crate::oauth::{
    client::{Client, ClientAuthentication, ClientSource},
    redirect_uri::RedirectHosts,
    registration::{ClientMetadata, MetadataError, Registration},
    types::ClientId,
};

/// Why a document is not accepted, although it could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::oauth) enum DocumentError {
    /// It is about another client.
    #[error("client_id in the document is not the document's own URL")]
    OtherClient,
    /// It has no name for the client.
    #[error("client_name is missing")]
    NoName,
    /// It holds a secret, which everybody can read there.
    #[error("the document holds a secret")]
    Secret,
    /// The client does not offer to be a public client, the only kind that a document can make.
    #[error("the client cannot use the authentication method none")]
    AuthMethod,
    /// A member has another type than it should have.
    #[error("a member of the document has the wrong type")]
    Malformed,
    /// The rest is as in a registration.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

/// Members of a JSON Web Key that are private (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1).
const PRIVATE_KEY_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// The client that a document describes.
///
/// # Errors
/// [`DocumentError`].
pub(in crate::oauth) fn check(
    id: &ClientId,
    url: &DocumentUrl,
    mut document: Map<String, Value>,
    hosts: &RedirectHosts,
) -> Result<Client, DocumentError> {
    if document.get("client_id").and_then(Value::as_str) != Some(url.as_str()) {
        return Err(DocumentError::OtherClient);
    }
    let name = document.get("client_name").and_then(Value::as_str);
    if name.is_none_or(|name| name.trim().is_empty()) {
        return Err(DocumentError::NoName);
    }
    if holds_a_secret(&document) {
        return Err(DocumentError::Secret);
    }
    if !may_be_public(&document) {
        return Err(DocumentError::AuthMethod);
    }
    document.insert("token_endpoint_auth_method".to_owned(), "none".into());
    let metadata: ClientMetadata =
        serde_json::from_value(document.into()).map_err(|_| DocumentError::Malformed)?;
    let registration = Registration::check(metadata, hosts)?;
    Ok(Client {
        id: id.clone(),
        redirect_uris: registration.comparable_redirect_uris(),
        name: registration.client_name,
        source: ClientSource::Document,
        authentication: ClientAuthentication::None,
        may_refresh: registration.may_refresh,
    })
}

fn holds_a_secret(document: &Map<String, Value>) -> bool {
    let secret_member = document
        .keys()
        .any(|name| name.starts_with("client_secret"));
    let keys = document
        .get("jwks")
        .and_then(|jwks| jwks.get("keys"))
        .and_then(Value::as_array);
    let private_key = keys.into_iter().flatten().any(|key| {
        PRIVATE_KEY_MEMBERS
            .iter()
            .any(|member| key.get(member).is_some())
    });
    secret_member || private_key
}

/// Whether the client can do without authentication. It may prefer a signed assertion and still
/// list `none` beside it, as `ChatGPT` does; a secret that both sides know is never possible.
fn may_be_public(document: &Map<String, Value>) -> bool {
    let preferred = document
        .get("token_endpoint_auth_method")
        .and_then(Value::as_str);
    let offered = document
        .get("token_endpoint_auth_methods_supported")
        .and_then(Value::as_array);
    match preferred {
        None | Some("none") => true,
        Some(method) if method.starts_with("client_secret") => false,
        Some(_) => offered.is_some_and(|methods| methods.iter().any(|method| method == "none")),
    }
}
