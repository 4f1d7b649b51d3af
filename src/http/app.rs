//! From a request to its response, by the table of routes.

use std::{fmt, rc::Rc};

use ::http::{HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use serde_json::json as object;

use super::{
    Request, Response, headers, json, origin, pages,
    routes::{self, Endpoint, Route},
};
use crate::{
    base_url::BaseUrl,
    guard::{Admission, Guard},
    mcp::{self, EmptyServer, VaultServer},
    oauth::AuthorizationServer,
    vault::{VaultClient, policy::VaultPolicy, storage::VaultStorage},
};

/// The whole server, for one configuration.
pub struct App {
    base_url: BaseUrl,
    allowed_origins: Vec<String>,
    authorization: AuthorizationServer,
    guard: Guard,
    storage: Rc<dyn VaultStorage>,
    policy: Rc<VaultPolicy>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl App {
    /// A server made of its parts.
    #[must_use]
    pub fn new(
        (base_url, allowed_origins): (BaseUrl, Vec<String>),
        authorization: AuthorizationServer,
        guard: Guard,
        storage: Rc<dyn VaultStorage>,
        policy: Rc<VaultPolicy>,
    ) -> Self {
        Self {
            base_url,
            allowed_origins,
            authorization,
            guard,
            storage,
            policy,
        }
    }

    /// Answers a request. In this order, so that nobody learns more than they may:
    ///
    /// 1. The path: what is not in the table is not there.
    /// 2. A preflight is answered before anything is asked of it.
    /// 3. The host is ours; for the MCP endpoint, so is the origin.
    /// 4. The MCP endpoint asks for a token before it looks at anything else, even the method.
    /// 5. The method; then the endpoint takes over.
    pub async fn respond(&self, request: &Request) -> Response {
        // (1)
        let Some(route) = routes::find(request.uri().path()) else {
            return self.not_found(request);
        };
        // (2)
        if route.cors && request.method() == Method::OPTIONS {
            return headers::preflight();
        }
        let mut response = self.checked(route, request).await;
        if route.cors {
            headers::allow_any_origin(response.headers_mut());
        }
        response
    }

    async fn checked(&self, route: &Route, request: &Request) -> Response {
        // (3)
        if !origin::is_our_host(request, &self.base_url) {
            return forbidden("this server is not reached under that host name");
        }
        if route.endpoint == Endpoint::Mcp
            && !origin::is_trusted_origin(request, &self.base_url, &self.allowed_origins)
        {
            return forbidden("calls from web pages of this origin are not allowed");
        }
        // (4)
        let admission = if route.endpoint == Endpoint::Mcp {
            match self.guard.admit(request).await {
                Admission::Challenged(response) => return response,
                admitted @ (Admission::Admitted(_) | Admission::NotListed) => Some(admitted),
            }
        } else {
            None
        };
        // (5)
        if !is_allowed(route, request.method()) {
            if route.endpoint == Endpoint::Home {
                return self.not_found(request);
            }
            return method_not_allowed(route);
        }
        let response = self.endpoint(route.endpoint, request, admission).await;
        if request.method() == Method::HEAD {
            without_body(response)
        } else {
            response
        }
    }

    async fn endpoint(
        &self,
        endpoint: Endpoint,
        request: &Request,
        admission: Option<Admission>,
    ) -> Response {
        match endpoint {
            Endpoint::Home => pages::home(&self.base_url, &*self.authorization.rng),
            Endpoint::Health => json(StatusCode::OK, &object!({ "status": "ok" })),
            Endpoint::Mcp => match admission {
                Some(Admission::Admitted(principal)) => {
                    if let Some(challenge) = self.guard.step_up(&principal)
                        && mcp::calls_mutation(request)
                    {
                        return challenge;
                    }
                    let vault = VaultClient::new(
                        Rc::clone(&self.storage),
                        Rc::clone(&self.policy),
                        principal.access(),
                        principal.author(),
                    );
                    mcp::respond(VaultServer::new(Rc::new(vault)), request).await
                }
                _ => mcp::respond(EmptyServer, request).await,
            },
            Endpoint::ProtectedResourceMetadata => self.authorization.protected_resource_metadata(),
            Endpoint::AuthorizationServerMetadata => {
                self.authorization.authorization_server_metadata()
            }
            Endpoint::Authorize => self.authorization.authorize(request).await,
            Endpoint::Consent => self.authorization.consent(request).await,
            Endpoint::Callback => self.authorization.callback(request).await,
            Endpoint::Token => self.authorization.token(request).await,
            Endpoint::Register => self.authorization.register(request).await,
            Endpoint::Revoke => self.authorization.revoke(request).await,
            Endpoint::Sessions => self.authorization.sessions(request).await,
            Endpoint::SignIn => self.authorization.sign_in(request).await,
            Endpoint::EndGrants => self.authorization.end_grants(request).await,
            Endpoint::SignOut => self.authorization.sign_out(request).await,
        }
    }

    /// Nothing is there. Whoever posts to the root has left out the endpoint's path.
    fn not_found(&self, request: &Request) -> Response {
        let hint = format!("the MCP endpoint is {}", self.base_url.resource());
        let path = request.uri().path();
        json(
            StatusCode::NOT_FOUND,
            &object!({ "error": "not_found", "error_description": format!("there is no {path}; {hint}") }),
        )
    }
}

/// Whether a route answers a method; `HEAD` is `GET` without the body (RFC 9110 section 9.3.2).
fn is_allowed(route: &Route, method: &Method) -> bool {
    route.methods.contains(method)
        || (*method == Method::HEAD && route.methods.contains(&Method::GET))
}

fn method_not_allowed(route: &Route) -> Response {
    let allowed: Vec<&str> = route.methods.iter().map(Method::as_str).collect();
    let allowed = allowed.join(", ");
    let mut response = json(
        StatusCode::METHOD_NOT_ALLOWED,
        &object!({
            "error": "method_not_allowed",
            "error_description": format!("{} takes {allowed}", route.path),
        }),
    );
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

fn forbidden(description: &str) -> Response {
    json(
        StatusCode::FORBIDDEN,
        &object!({ "error": "forbidden", "error_description": description }),
    )
}

fn without_body(mut response: Response) -> Response {
    *response.body_mut() = Bytes::new();
    response
}
