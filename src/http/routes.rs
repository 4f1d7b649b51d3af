//! The one table of routes: path, methods, and what each requires of the caller.

use ::http::Method;

/// What answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The page that says how to connect.
    Home,
    /// Whether the server is up.
    Health,
    /// The MCP endpoint.
    Mcp,
    /// RFC 9728, protected resource metadata.
    ProtectedResourceMetadata,
    /// RFC 8414, authorization server metadata.
    AuthorizationServerMetadata,
    /// RFC 6749 section 3.1, the authorization endpoint.
    Authorize,
    /// The decision on the consent page.
    Consent,
    /// Where the login provider sends people back to.
    Callback,
    /// RFC 6749 section 3.2, the token endpoint.
    Token,
    /// RFC 7591, dynamic client registration.
    Register,
    /// RFC 7009, token revocation.
    Revoke,
    /// The page on which a person sees their own grants.
    Sessions,
    /// Where that page sends people to log in.
    SignIn,
    /// Where that page's forms end grants.
    EndGrants,
    /// Where that page's form ends the person's session.
    SignOut,
    /// Where GitHub tells of pushes, if it is set up to.
    Webhook,
}

/// What a caller has to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing: the answer holds nothing that is not public.
    Nothing,
    /// A request of a known client, checked by the endpoint itself.
    Client,
    /// The browser that a consent was shown to, proved by a cookie and a sealed handle.
    Browser,
    /// A person who is signed in and may enter, proved by a sealed cookie; for a change also by a
    /// token in the form. Others are offered to log in, or refused.
    Session,
    /// A bearer token, whatever the method.
    Bearer,
    /// A signature over the body, by a secret that only GitHub has.
    Signature,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The path, compared exactly.
    pub path: &'static str,
    /// What answers.
    pub endpoint: Endpoint,
    /// The methods that are answered; `HEAD` goes with `GET`, `OPTIONS` with `cors`.
    pub methods: &'static [Method],
    /// What the caller has to bring.
    pub requirement: Requirement,
    /// Whether scripts of other origins may read the answers (Fetch standard, CORS).
    pub cors: bool,
}

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];

/// Every route. The authorization server's endpoints are at the root: some clients build these
/// paths themselves, whatever the metadata says.
pub const ROUTES: &[Route] = &[
    public("/", Endpoint::Home, false),
    public("/healthz", Endpoint::Health, false),
    // Some clients add a slash. It is the same endpoint: a redirect would lose the body.
    bearer("/mcp"),
    bearer("/mcp/"),
    // At the root and under the resource's path: clients look at either (RFC 9728 section 3.1).
    public(
        "/.well-known/oauth-protected-resource",
        Endpoint::ProtectedResourceMetadata,
        true,
    ),
    public(
        "/.well-known/oauth-protected-resource/mcp",
        Endpoint::ProtectedResourceMetadata,
        true,
    ),
    public(
        "/.well-known/oauth-authorization-server",
        Endpoint::AuthorizationServerMetadata,
        true,
    ),
    public(
        "/.well-known/oauth-authorization-server/mcp",
        Endpoint::AuthorizationServerMetadata,
        true,
    ),
    // Pages: no script of another origin has any business here.
    page("/authorize", GET, Endpoint::Authorize, Requirement::Client),
    page("/consent", POST, Endpoint::Consent, Requirement::Browser),
    page("/callback", GET, Endpoint::Callback, Requirement::Browser),
    page("/sessions", GET, Endpoint::Sessions, Requirement::Session),
    page(
        "/sessions/sign-in",
        POST,
        Endpoint::SignIn,
        Requirement::Nothing,
    ),
    page(
        "/sessions/end",
        POST,
        Endpoint::EndGrants,
        Requirement::Session,
    ),
    page(
        "/sessions/sign-out",
        POST,
        Endpoint::SignOut,
        Requirement::Session,
    ),
    client("/token", Endpoint::Token, Requirement::Client),
    client("/register", Endpoint::Register, Requirement::Nothing),
    client("/revoke", Endpoint::Revoke, Requirement::Client),
    // For GitHub's servers, never for a page.
    Route {
        path: "/webhook/github",
        endpoint: Endpoint::Webhook,
        methods: POST,
        requirement: Requirement::Signature,
        cors: false,
    },
];

/// The route of a path.
#[must_use]
pub fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.path == path)
}

const fn public(path: &'static str, endpoint: Endpoint, cors: bool) -> Route {
    Route {
        path,
        endpoint,
        methods: GET,
        requirement: Requirement::Nothing,
        cors,
    }
}

const fn page(
    path: &'static str,
    methods: &'static [Method],
    endpoint: Endpoint,
    requirement: Requirement,
) -> Route {
    Route {
        path,
        endpoint,
        methods,
        requirement,
        cors: false,
    }
}

const fn bearer(path: &'static str) -> Route {
    Route {
        path,
        endpoint: Endpoint::Mcp,
        methods: POST,
        requirement: Requirement::Bearer,
        cors: true,
    }
}

const fn client(path: &'static str, endpoint: Endpoint, requirement: Requirement) -> Route {
    Route {
        path,
        endpoint,
        methods: POST,
        requirement,
        cors: true,
    }
}
