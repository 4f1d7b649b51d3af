//! The documents by which clients find their way (RFC 9728, RFC 8414).

use http::StatusCode;
use serde::Serialize;

use super::AuthorizationServer;
use crate::http::{Response, headers, json};

/// The protected resource metadata (RFC 9728 section 2).
#[derive(Serialize)]
struct ProtectedResource<'a> {
    resource: String,
    authorization_servers: [&'a str; 1],
    bearer_methods_supported: [&'static str; 1],
    // Without `offline_access`: some clients ask people for every scope that stands here.
    scopes_supported: &'static [&'static str],
    resource_name: &'a str,
}

/// The authorization server metadata (RFC 8414 section 2). What does not apply is left out: some
/// clients refuse a member that is null.
#[derive(Serialize)]
struct Server<'a> {
    issuer: &'a str,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: String,
    revocation_endpoint: String,
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    code_challenge_methods_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    revocation_endpoint_auth_methods_supported: [&'static str; 3],
    scopes_supported: Vec<&'static str>,
    authorization_response_iss_parameter_supported: bool,
    client_id_metadata_document_supported: bool,
    protected_resources: [String; 1],
}

/// `none` has to be among them: without it, hosted clients ignore client metadata documents.
const AUTH_METHODS: [&str; 3] = ["none", "client_secret_post", "client_secret_basic"];

impl AuthorizationServer {
    /// `GET /.well-known/oauth-protected-resource` and `…/mcp`: what the MCP endpoint is, and who
    /// issues tokens for it.
    #[must_use]
    pub fn protected_resource_metadata(&self) -> Response {
        let base = &self.settings.base_url;
        document(&ProtectedResource {
            resource: base.resource(),
            authorization_servers: [base.origin()],
            bearer_methods_supported: ["header"],
            scopes_supported: self.settings.widest_scope().values(),
            resource_name: &self.settings.resource_name,
        })
    }

    /// `GET /.well-known/oauth-authorization-server` and `…/mcp`: where the endpoints are and what
    /// they can do.
    ///
    /// The endpoints are at the root of the origin: some clients go there whatever stands here.
    #[must_use]
    pub fn authorization_server_metadata(&self) -> Response {
        let base = &self.settings.base_url;
        let mut scopes = self.settings.widest_scope().values().to_vec();
        // Clients that want to stay connected ask for it where it is offered. It changes nothing:
        // every client that can use a refresh token gets one.
        scopes.push("offline_access");
        document(&Server {
            issuer: base.origin(),
            authorization_endpoint: base.join("/authorize"),
            token_endpoint: base.join("/token"),
            registration_endpoint: base.join("/register"),
            revocation_endpoint: base.join("/revoke"),
            response_types_supported: ["code"],
            response_modes_supported: ["query"],
            grant_types_supported: ["authorization_code", "refresh_token"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: AUTH_METHODS,
            revocation_endpoint_auth_methods_supported: AUTH_METHODS,
            scopes_supported: scopes,
            authorization_response_iss_parameter_supported: true,
            client_id_metadata_document_supported: true,
            protected_resources: [base.resource()],
        })
    }
}

fn document<T: Serialize>(body: &T) -> Response {
    let mut response = json(StatusCode::OK, body);
    response.headers_mut().remove(http::header::PRAGMA);
    headers::public_for_five_minutes(response.headers_mut());
    response
}
