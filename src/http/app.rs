//! From a request to its response, by the table of routes.

use std::{fmt, rc::Rc, time::Duration};

use ::http::{HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use serde_json::json as object;

use super::{
    Request, RequestId, Response, Webhook, body, headers, json, origin, pages,
    routes::{self, Endpoint, Route},
};
use crate::{
    base_url::BaseUrl,
    guard::{Admission, Guard},
    mcp::{self, VaultServer},
    oauth::AuthorizationServer,
    runtime::ByteStream,
    vault::{VaultClient, policy::VaultPolicy, storage::VaultStorage},
};

/// The whole server, for one configuration.
pub struct App {
    base_url: BaseUrl,
    allowed_origins: Vec<String>,
    /// Used by way of [`App::named`] alone.
    unnamed: (AuthorizationServer, Guard),
    storage: Rc<dyn VaultStorage>,
    policy: Rc<VaultPolicy>,
    webhook: Option<Webhook>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl App {
    /// A server made of its parts. It takes deliveries of a webhook once it is
    /// [told how](Self::with_webhook).
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
            unnamed: (authorization, guard),
            storage,
            policy,
            webhook: None,
        }
    }

    /// The same server, which takes deliveries of `webhook` too.
    #[must_use]
    pub fn with_webhook(mut self, webhook: Option<Webhook>) -> Self {
        self.webhook = webhook;
        self
    }

    /// Answers a request. In this order, so that nobody learns more than they may:
    ///
    /// 1. The path: what is not in the table is not there.
    /// 2. A preflight is answered before anything is asked of it.
    /// 3. The host is ours; for the MCP endpoint, so is the origin.
    /// 4. The MCP endpoint asks for a token before it looks at anything else, even the method.
    /// 5. The method; then the endpoint takes over.
    ///
    /// Whatever is logged on the way names the request.
    pub async fn respond(&self, request: &Request) -> Response {
        self.dispatch(request, None).await
    }

    /// The same for a request whose body is still on its way. What the webhook refuses, it refuses
    /// with the body unread; every other endpoint gets its body whole, up to a limit.
    pub async fn answer(&self, request: ::http::Request<ByteStream>) -> Response {
        let (head, body) = request.into_parts();
        let route = routes::find(head.uri.path());
        if route.is_some_and(|route| route.endpoint == Endpoint::Webhook) {
            let head = Request::from_parts(head, Bytes::new());
            return self.dispatch(&head, Some(body)).await;
        }
        match body::collect(body, body::MAX_REQUEST_BODY).await {
            Ok(body) => self.respond(&Request::from_parts(head, body)).await,
            Err(mut refusal) => {
                if route.is_some_and(|route| route.cors) {
                    headers::allow_any_origin(refusal.headers_mut());
                }
                refusal
            }
        }
    }

    async fn dispatch(&self, request: &Request, rest: Option<ByteStream>) -> Response {
        // (1)
        let Some(route) = self.route(request) else {
            return self.not_found(request);
        };
        // (2)
        if route.cors && request.method() == Method::OPTIONS {
            return headers::preflight();
        }
        let mut response = self.named(request).checked(route, request, rest).await;
        if route.cors {
            headers::allow_any_origin(response.headers_mut());
        }
        response
    }

    /// The route of a request. That of a webhook that is not set up is not there.
    fn route(&self, request: &Request) -> Option<&'static Route> {
        routes::find(request.uri().path())
            .filter(|route| route.endpoint != Endpoint::Webhook || self.webhook.is_some())
    }

    /// The parts that log, for one request.
    fn named(&self, request: &Request) -> Named<'_> {
        let (authorization, guard) = &self.unnamed;
        let id = RequestId::of(request, &*authorization.rng);
        Named {
            app: self,
            authorization: authorization.of_request(&id),
            guard: guard.of_request(&id),
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

/// The server as one request meets it: whatever is logged names the request.
struct Named<'a> {
    app: &'a App,
    authorization: AuthorizationServer,
    guard: Guard,
}

impl Named<'_> {
    async fn checked(
        &self,
        route: &Route,
        request: &Request,
        rest: Option<ByteStream>,
    ) -> Response {
        let base_url = &self.app.base_url;
        // (3)
        if !origin::is_our_host(request, base_url) {
            return forbidden("this server is not reached under that host name");
        }
        if route.endpoint == Endpoint::Mcp
            && !origin::is_trusted_origin(request, base_url, &self.app.allowed_origins)
        {
            return forbidden("calls from web pages of this origin are not allowed");
        }
        // (4)
        let admission = if route.endpoint == Endpoint::Mcp {
            match self.guard.admit(request).await {
                Admission::Challenged(response) => return response,
                admitted @ (Admission::Admitted(_)
                | Admission::Hurried { .. }
                | Admission::NotListed) => Some(admitted),
            }
        } else {
            None
        };
        // (5)
        if !is_allowed(route, request.method()) {
            if route.endpoint == Endpoint::Home {
                return self.app.not_found(request);
            }
            return method_not_allowed(route);
        }
        if let (Endpoint::Webhook, Some(webhook)) = (route.endpoint, &self.app.webhook) {
            let body = rest.unwrap_or_else(|| body::whole(request.body().clone()));
            return webhook
                .receive(request.headers(), body, &*self.app.storage)
                .await;
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
            Endpoint::Home => pages::home(&self.app.base_url, &*self.authorization.rng),
            Endpoint::Health => json(StatusCode::OK, &object!({ "status": "ok" })),
            Endpoint::Mcp => match admission {
                Some(Admission::Admitted(principal)) => {
                    if principal.could_be_granted_more() && mcp::calls_mutation(request) {
                        return self.guard.step_up(&principal);
                    }
                    let vault = VaultClient::new(
                        Rc::clone(&self.app.storage),
                        Rc::clone(&self.app.policy),
                        principal.access(),
                        principal.author(),
                    );
                    mcp::respond(VaultServer::new(Rc::new(vault)), request).await
                }
                Some(Admission::Hurried { retry_after }) if mcp::calls_tool(request) => {
                    mcp::respond(VaultServer::hurried(retry_after), request).await
                }
                Some(Admission::Hurried { retry_after }) => too_many_requests(retry_after),
                Some(Admission::Challenged(response)) => response,
                Some(Admission::NotListed) | None => {
                    mcp::respond(VaultServer::empty(), request).await
                }
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
            // Taken before, with its body unread.
            Endpoint::Webhook => self.app.not_found(request),
        }
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

/// RFC 6585 section 4.
fn too_many_requests(retry_after: Duration) -> Response {
    let mut response = json(
        StatusCode::TOO_MANY_REQUESTS,
        &object!({
            "error": "too_many_requests",
            "error_description": "this connection has made too many calls; go on slowly",
        }),
    );
    headers::retry_after(response.headers_mut(), retry_after);
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
