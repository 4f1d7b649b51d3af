//! Authorization by coverage: every route, every method of the protocol and every tool, with every
//! kind of bad credential.
//!
//! The rows come from the tables that the server itself works by, so nothing can be left out: a
//! route without a request to try it with does not compile, and neither does a tool; a method
//! without parameters to try it with fails. The answers stand in one golden file.

use std::fmt::Write as _;

use http::Method;
use serde_json::{Value, json};
use vault_mcp::{
    base_url::BaseUrl,
    http::routes::{Endpoint, ROUTES, Requirement, Route},
    login::ProviderKind,
    mcp::{Era, METHODS, tools::ToolName},
};

use crate::support::{
    app::{Answer, Post, TestApp},
    oauth::{CLAUDE, LOOPBACK, Tokens},
    recording::Everywhere,
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// What a caller brings, and what the server makes of them.
struct Case {
    name: &'static str,
    app: TestApp<Everywhere>,
    token: Option<String>,
    header: Option<(&'static str, &'static str)>,
    /// Whether the case may get at the vault at all.
    admitted: bool,
}

impl Case {
    async fn send(&self, post: Post) -> Answer {
        let post = match &self.token {
            Some(token) => post.header("authorization", &format!("Bearer {token}")),
            None => post,
        };
        let post = match self.header {
            Some((name, value)) => post.header(name, value),
            None => post,
        };
        let answer = self.app.respond(&post.request()).await;
        let calls = self.app.storage.take_calls();
        assert!(
            self.admitted || calls.is_empty(),
            "{}: {post:?}: {calls:?}",
            self.name
        );
        answer
    }
}

/// Somebody's tokens, by the whole way through consent and login. The client is on somebody's
/// machine, where logins do not replace each other.
async fn sign_in(app: &TestApp<Everywhere>, name: &str, parameters: &[(&str, &str)]) -> Tokens {
    app.server.log_in_as(name);
    let client = app.server.client(LOOPBACK).await;
    let callback = app
        .server
        .authorize_with(&client, LOOPBACK, parameters)
        .await;
    let (_, body) = app
        .server
        .redeem(&client, &callback.one("code"), LOOPBACK)
        .await;
    Tokens::of(&client, &body)
}

/// A token of this very server's state, for another resource.
async fn token_for_another_resource(app: &TestApp<Everywhere>) -> String {
    let other = app.server.redeployed(
        |settings| settings.base_url = BaseUrl::parse("https://other.example").unwrap(),
        "owner@example.test",
    );
    other.log_in_as("owner@example.test");
    let client = other.client(LOOPBACK).await;
    let callback = other
        .authorize_with(&client, LOOPBACK, &[("resource", "")])
        .await;
    let (_, body) = other.redeem(&client, &callback.one("code"), LOOPBACK).await;
    Tokens::of(&client, &body).access
}

/// Every case, over one state: what differs is what is brought, and how the server is deployed.
async fn cases() -> Vec<Case> {
    let app = TestApp::over(Everywhere);
    let owner = "owner@example.test";
    let expired = sign_in(&app, owner, &[]).await.access;
    app.server.wait(3_601);
    let good = sign_in(&app, owner, &[]).await.access;
    let refresh = sign_in(&app, owner, &[]).await.refresh;
    let revoked = sign_in(&app, owner, &[]).await;
    let fields = [
        ("client_id", revoked.client.as_str()),
        ("token", &revoked.access),
    ];
    assert_eq!(app.server.revoke(&fields).await, 200);
    let foreign = token_for_another_resource(&app).await;
    let reading = sign_in(&app, owner, &[("scope", "vault:read")])
        .await
        .access;
    let reader = sign_in(&app, "reader@example.test", &[]).await.access;
    let mut forged = good.clone();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'B' } else { 'A' });

    let same = || app.redeployed(|_| {});
    let case = |name, token: Option<&str>| Case {
        name,
        app: same(),
        token: token.map(str::to_owned),
        header: None,
        admitted: false,
    };
    let removed = app.redeployed(|deployment| deployment.allowlist = "reader@example.test:read");
    let other_issuer = app.redeployed(|deployment| deployment.issuer = "https://other.example");
    let other_provider = app.redeployed(|deployment| deployment.provider = ProviderKind::Google);
    let read_only = app.redeployed(|deployment| deployment.read_only = true);
    vec![
        case("no token", None),
        case("malformed", Some("junk")),
        case("forged", Some(&forged)),
        case("a refresh token", Some(&refresh)),
        case("expired", Some(&expired)),
        case("revoked", Some(&revoked.access)),
        case("other audience", Some(&foreign)),
        Case {
            header: Some(("origin", "https://evil.example")),
            ..case("bad Origin", Some(&good))
        },
        Case {
            header: Some(("host", "evil.example")),
            ..case("bad Host", Some(&good))
        },
        Case {
            app: removed,
            ..case("identity removed", Some(&good))
        },
        Case {
            app: other_issuer,
            ..case("issuer changed", Some(&good))
        },
        Case {
            app: other_provider,
            ..case("provider changed", Some(&good))
        },
        Case {
            admitted: true,
            ..case("grant to read", Some(&reading))
        },
        Case {
            admitted: true,
            ..case("entry to read", Some(&reader))
        },
        Case {
            admitted: true,
            app: read_only,
            ..case("vault to read", Some(&good))
        },
        Case {
            admitted: true,
            ..case("owner", Some(&good))
        },
    ]
}

/// A plausible request to a route. It is not complete where that would take a browser: what is
/// shown is who is let through to the endpoint's own checks.
fn request_to(route: &Route) -> Post {
    let post = match route.endpoint {
        Endpoint::Mcp => Post::legacy("ping", &json!({})),
        Endpoint::Home
        | Endpoint::Health
        | Endpoint::ProtectedResourceMetadata
        | Endpoint::AuthorizationServerMetadata
        | Endpoint::Authorize
        | Endpoint::Callback
        | Endpoint::Sessions => Post::raw(""),
        Endpoint::Consent
        | Endpoint::Token
        | Endpoint::Revoke
        | Endpoint::SignIn
        | Endpoint::EndGrants
        | Endpoint::SignOut => {
            Post::raw("").header("content-type", "application/x-www-form-urlencoded")
        }
        Endpoint::Register => Post::json(&json!({ "redirect_uris": [CLAUDE] })),
        Endpoint::Webhook => Post::json(&json!({ "ref": "refs/heads/main" })),
    };
    post.to(route.path).method(&route.methods[0])
}

/// Parameters that fit a method.
fn parameters_of(method: &str) -> Value {
    match method {
        "completion/complete" => json!({
            "ref": { "type": "ref/resource", "uri": "vault://note/{path}" },
            "argument": { "name": "path", "value": "N" },
        }),
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        }),
        "logging/setLevel" => json!({ "level": "info" }),
        "ping"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "server/discover"
        | "tools/list" => json!({}),
        "prompts/get" => json!({
            "name": "summarize_note", "arguments": { "path": "Note.md" },
        }),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            json!({ "uri": "vault://note/Note.md" })
        }
        "subscriptions/listen" => json!({ "notifications": { "toolsListChanged": true } }),
        "tools/call" => json!({ "name": "read_note", "arguments": { "path": "Note.md" } }),
        unknown => panic!("{unknown} has no parameters to try it with: add its row"),
    }
}

/// Arguments that fit a tool.
fn arguments_of(tool: ToolName) -> Value {
    match tool {
        ToolName::ListNotes | ToolName::VaultOverview => json!({}),
        ToolName::SearchNotes => json!({ "query": "here" }),
        ToolName::ReadNote | ToolName::NoteHistory | ToolName::DeleteNote => {
            json!({ "path": "Note.md" })
        }
        ToolName::WriteNote => json!({ "path": "Note.md", "content": "changed" }),
    }
}

/// What came of a request; of a list, how much is on it.
fn outcome(answer: &Answer) -> String {
    let outcome = answer.outcome();
    if outcome != "ok" {
        return outcome;
    }
    let message: Value = serde_json::from_str(answer.text()).unwrap_or_default();
    let lists = ["tools", "resources", "resourceTemplates", "prompts"];
    let counted = lists.into_iter().find_map(|list| {
        let items = message["result"][list].as_array()?;
        Some(format!("{} {list}", items.len()))
    });
    counted.unwrap_or(outcome)
}

/// The answers to one request: outcomes in the order in which they first occur, with their cases.
type Outcomes = Vec<(String, Vec<&'static str>)>;

async fn outcomes(cases: &[Case], post: &Post) -> Outcomes {
    let mut outcomes = Outcomes::new();
    for case in cases {
        let outcome = outcome(&case.send(post.clone()).await);
        match outcomes.iter_mut().find(|(there, _)| *there == outcome) {
            Some((_, names)) => names.push(case.name),
            None => outcomes.push((outcome, vec![case.name])),
        }
    }
    outcomes
}

/// One part of the golden file. Requests with the same answers stand together.
async fn part(title: &str, cases: &[Case], requests: Vec<(String, Post)>) -> String {
    let mut groups: Vec<(Outcomes, Vec<String>)> = Vec::new();
    for (name, post) in requests {
        let outcomes = outcomes(cases, &post).await;
        match groups.iter_mut().find(|(there, _)| *there == outcomes) {
            Some((_, names)) => names.push(name),
            None => groups.push((outcomes, vec![name])),
        }
    }
    let mut text = format!("# {title}\n");
    for (outcomes, names) in groups {
        text.push('\n');
        for name in names {
            writeln!(text, "{name}").unwrap();
        }
        for (outcome, cases) in outcomes {
            writeln!(text, "    {outcome:<24} {}", cases.join(", ")).unwrap();
        }
    }
    text
}

#[tokio::test]
async fn f4_every_route_method_and_tool_with_every_kind_of_credential() {
    let cases = cases().await;
    let routes = ROUTES.iter().map(|route| {
        let Route {
            path,
            methods,
            requirement,
            ..
        } = route;
        let name = format!("{} {path} (requires {requirement:?})", methods[0]);
        (name, request_to(route))
    });
    let methods = METHODS.iter().flat_map(|method| {
        let parameters = parameters_of(method.name);
        ERAS.map(|era| {
            let name = format!("{} ({era:?})", method.name);
            (name, Post::of(era, method.name, &parameters))
        })
    });
    let tools = ToolName::ALL.into_iter().flat_map(|tool| {
        ERAS.map(|era| {
            let name = format!("{} ({era:?})", tool.as_str());
            (name, Post::call(era, tool.as_str(), &arguments_of(tool)))
        })
    });
    let table = [
        part("routes", &cases, routes.collect()).await,
        part("methods", &cases, methods.collect()).await,
        part("tools", &cases, tools.collect()).await,
    ];
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("guard_coverage", table.join("\n")));
}

/// What the table shows, as rules, so that no careless acceptance of a new snapshot can break them.
#[tokio::test]
async fn f1_f2_f4_the_rules_behind_the_table() {
    for case in &cases().await {
        let posts = METHODS
            .iter()
            .flat_map(|method| {
                ERAS.map(|era| Post::of(era, method.name, &parameters_of(method.name)))
            })
            .chain(ToolName::ALL.into_iter().flat_map(|tool| {
                ERAS.map(|era| Post::call(era, tool.as_str(), &arguments_of(tool)))
            }));
        for post in posts {
            let answer = case.send(post).await;
            let outcome = answer.outcome();
            match case.name {
                "no token" => assert_eq!(outcome, "401 unauthorized"),
                "malformed" | "forged" | "a refresh token" | "expired" | "revoked"
                | "other audience" => {
                    assert_eq!(outcome, "401 invalid_token", "{}", case.name);
                }
                "bad Origin" | "bad Host" => assert_eq!(outcome, "403 forbidden", "{}", case.name),
                "identity removed" | "issuer changed" | "provider changed" => {
                    // As if there were no vault, and never a challenge: a new login changes nothing.
                    assert_eq!(answer.header("www-authenticate"), None, "{}", case.name);
                    let text = answer.text();
                    for given in [
                        "\"content\"",
                        "\"contents\"",
                        "\"messages\"",
                        "\"completion\"",
                        "\"uriTemplate\"",
                        "\"instructions\"",
                        "\"inputSchema\"",
                    ] {
                        assert!(!text.contains(given), "{}: {text}", case.name);
                    }
                }
                _ => assert_ne!(answer.status(), 401, "{}", case.name),
            }
        }
    }
}

/// What asks for a bearer token asks for it before anything else, whatever the method.
#[tokio::test]
async fn f7_routes_that_require_a_token_challenge_every_method() {
    let app = TestApp::over(Everywhere);
    let guarded = ROUTES
        .iter()
        .filter(|route| route.requirement == Requirement::Bearer);
    let mut count = 0;
    for route in guarded {
        assert_eq!(route.endpoint, Endpoint::Mcp);
        count += 1;
        for method in [
            Method::GET,
            Method::POST,
            Method::DELETE,
            Method::PUT,
            Method::HEAD,
        ] {
            let post = request_to(route).method(&method);
            let answer = app.anonymous().send(&post).await;
            assert_eq!(answer.status(), 401, "{method} {}", route.path);
            assert_eq!(
                answer.header("www-authenticate"),
                Some(
                    "Bearer realm=\"mcp\", resource_metadata=\
                     \"https://vault.example/.well-known/oauth-protected-resource/mcp\", \
                     scope=\"vault:read vault:write\""
                )
            );
        }
    }
    assert_eq!(count, 2);
    let endpoints = ROUTES
        .iter()
        .filter(|route| route.endpoint == Endpoint::Mcp);
    assert_eq!(
        endpoints.count(),
        count,
        "every way to the endpoint is guarded"
    );
}
