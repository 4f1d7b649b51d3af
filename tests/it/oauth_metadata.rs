//! Discovery: RFC 9728 and RFC 8414, as clients in use read them.

use http::{StatusCode, header};
use serde_json::json;

use crate::support::oauth::{Server, answer};

#[test]
fn a1_the_protected_resource_metadata() {
    let response = Server::new().oauth.protected_resource_metadata();
    let (status, body) = answer(&response);
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        body,
        json!({
            "resource": "https://vault.example/mcp",
            "authorization_servers": ["https://vault.example"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["vault:read", "vault:write"],
            "resource_name": "Test vault",
        })
    );
}

#[test]
fn a3_a4_the_authorization_server_metadata_with_every_endpoint_at_the_root() {
    let response = Server::new().oauth.authorization_server_metadata();
    let (status, body) = answer(&response);
    assert_eq!(status, StatusCode::OK);
    let methods = json!(["none", "client_secret_post", "client_secret_basic"]);
    assert_eq!(
        body,
        json!({
            "issuer": "https://vault.example",
            "authorization_endpoint": "https://vault.example/authorize",
            "token_endpoint": "https://vault.example/token",
            "registration_endpoint": "https://vault.example/register",
            "revocation_endpoint": "https://vault.example/revoke",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "scopes_supported": ["vault:read", "vault:write", "offline_access"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true,
            "protected_resources": ["https://vault.example/mcp"],
        })
    );
}

#[test]
fn a3_a_vault_that_nobody_may_write_to_offers_reading_only() {
    let server = Server::with(|setup| setup.settings.read_only_vault = true);
    let (_, resource) = answer(&server.oauth.protected_resource_metadata());
    assert_eq!(resource["scopes_supported"], json!(["vault:read"]));
    let (_, metadata) = answer(&server.oauth.authorization_server_metadata());
    assert_eq!(
        metadata["scopes_supported"],
        json!(["vault:read", "offline_access"])
    );
}

#[test]
fn a8_the_documents_may_be_cached_for_five_minutes() {
    let server = Server::new();
    for response in [
        server.oauth.protected_resource_metadata(),
        server.oauth.authorization_server_metadata(),
    ] {
        assert_eq!(
            response.headers()[header::CACHE_CONTROL],
            "public, max-age=300"
        );
        assert!(!response.headers().contains_key(header::PRAGMA));
    }
}
