//! Dynamic client registration: RFC 7591.

use http::{StatusCode, header};
use serde_json::json;
use vault_mcp::oauth::{
    ClientId, Digest, RedirectHosts, RedirectUri, StaticClient, state::Instance,
};

use crate::support::oauth::{
    CLAUDE, LOOPBACK, Server, VERIFIER, answer, form_request, json_request,
};

fn clients(server: &Server) -> i64 {
    server.objects.rows(Instance::Front, "clients")
}

#[tokio::test]
async fn b7_a_public_client_is_registered_as_claude_code_does_it() {
    let server = Server::new();
    let metadata = json!({
        "client_name": "Claude Code (vault)",
        "redirect_uris": ["http://localhost:55249/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
        "client_name#de": "Claude-Code",
        "software_id": "x",
        "scope": "vault:read vault:write offline_access",
    });
    let response = server
        .oauth
        .register(&json_request(metadata.to_string().as_bytes()))
        .await;
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let (status, body) = answer(&response);
    assert_eq!(status, StatusCode::CREATED);
    let id = body["client_id"].as_str().unwrap();
    assert!(id.starts_with("dcr_"), "{id}");
    assert_eq!(
        body,
        json!({
            "client_id": id,
            "client_id_issued_at": 1_800_000_000,
            "redirect_uris": ["http://localhost:55249/callback"],
            "client_name": "Claude Code (vault)",
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
        })
    );
}

#[tokio::test]
async fn b7_defaults_are_those_of_rfc_7591() {
    let server = Server::new();
    let (status, body) = server.register(&json!({ "redirect_uris": [CLAUDE] })).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(body["token_endpoint_auth_method"], "client_secret_basic");
    assert_eq!(body["response_types"], json!(["code"]));
    assert_eq!(body["client_secret_expires_at"], 0);
    assert!(body["client_secret"].as_str().unwrap().len() >= 43);
    assert!(body.get("registration_client_uri").is_none());
}

#[tokio::test]
async fn b7_what_is_no_registration_is_refused_and_not_kept() {
    let server = Server::new();
    let ok = json!({ "redirect_uris": [CLAUDE] }).to_string();
    for (body, error) in [
        (String::new(), "invalid_client_metadata"),
        ("[]".to_owned(), "invalid_client_metadata"),
        (
            "[[\"https://claude.ai/cb\"]]".to_owned(),
            "invalid_client_metadata",
        ),
        (
            "{\"redirect_uris\":\"https://claude.ai/cb\"}".to_owned(),
            "invalid_client_metadata",
        ),
        ("{}".to_owned(), "invalid_redirect_uri"),
        (
            json!({ "redirect_uris": ["javascript:alert(1)"] }).to_string(),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": ["https://claude.ai/cb#x"] }).to_string(),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": [CLAUDE], "grant_types": ["password"] }).to_string(),
            "invalid_client_metadata",
        ),
    ] {
        let (status, answered) =
            answer(&server.oauth.register(&json_request(body.as_bytes())).await);
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(answered["error"], error, "{body}");
        assert!(answered["error_description"].is_string());
    }
    let mut other_type = json_request(ok.as_bytes());
    other_type
        .headers_mut()
        .insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
    assert_eq!(
        server.oauth.register(&other_type).await.status(),
        StatusCode::BAD_REQUEST
    );

    let large = format!("{{\"x\":\"{}\",{}", "x".repeat(64 * 1024), &ok[1..]);
    let (status, _) = answer(&server.oauth.register(&json_request(large.as_bytes())).await);
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(clients(&server), 0);
}

#[tokio::test]
async fn b8_the_same_registration_is_the_same_client() {
    let server = Server::new();
    let first = server.client("http://localhost:50001/callback").await;
    let second = server.client("http://localhost:50002/callback").await;
    assert_eq!(first, second);
    assert_eq!(clients(&server), 1);
    assert_ne!(
        server.client("http://127.0.0.1:50001/callback").await,
        first
    );
    assert_eq!(clients(&server), 2);
}

#[tokio::test]
async fn b8_a_wiped_client_comes_back_under_the_same_identifier() {
    let id = Server::new().client(CLAUDE).await;
    assert_eq!(Server::new().client(CLAUDE).await, id);
}

#[tokio::test]
async fn b8_a_client_is_kept_as_long_as_it_is_used_and_forgotten_otherwise() {
    let server = Server::new();
    let mut tokens = server.sign_in().await;
    let unused = server.client(LOOPBACK).await;
    for _ in 0..10 {
        server.wait(29 * 24 * 60 * 60);
        let (status, body) = server.refresh(&tokens.client, &tokens.refresh).await;
        if status != StatusCode::OK {
            // The grant's own end, not the client's.
            assert_eq!(body["error"], "invalid_grant");
            break;
        }
        tokens = crate::support::oauth::Tokens::of(&tokens.client, &body);
    }
    let (status, body) = server.refresh(&unused, &tokens.refresh).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_client"))
    );
}

#[tokio::test]
async fn b9_the_ceiling_counts_new_registrations_of_everybody_and_known_ones_never() {
    let server = Server::new();
    let known = server.client(CLAUDE).await;
    for number in 1..120 {
        server.client(&format!("https://claude.ai/{number}")).await;
    }
    let metadata = json!({ "redirect_uris": ["https://claude.ai/over"], "token_endpoint_auth_method": "none" });
    let response = server
        .oauth
        .register(&json_request(metadata.to_string().as_bytes()))
        .await;
    assert_eq!(response.headers()[header::RETRY_AFTER], "60");
    let (status, body) = answer(&response);
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert!(body["error"].is_string());
    assert_eq!(clients(&server), 120);
    assert_eq!(server.client(CLAUDE).await, known);

    server.wait(61);
    server.client("https://claude.ai/over").await;
    assert_eq!(clients(&server), 121);
}

#[tokio::test]
async fn b10_a_client_of_another_host_is_refused_unless_the_deployer_allows_it() {
    let metadata = json!({ "redirect_uris": ["https://evil.example/cb"] });
    let server = Server::new();
    let (status, body) = server.register(&metadata).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(body["error"], "invalid_redirect_uri");
    assert_eq!(clients(&server), 0);

    let open = Server::with(|setup| setup.settings.redirect_hosts = RedirectHosts::Any);
    assert_eq!(open.register(&metadata).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn b11_a_configured_client_needs_no_registration() {
    let server = Server::with(|setup| {
        setup.settings.static_clients = vec![StaticClient {
            id: ClientId::parse("desk").unwrap(),
            secret: Some(Digest::of("s3cret")),
            name: "Desk".to_owned(),
            redirect_uris: vec![RedirectUri::parse("https://desk.example/cb").unwrap()],
        }];
    });
    let code = server
        .authorize("desk", "https://desk.example/cb")
        .await
        .one("code");
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "desk"),
        ("code", code.as_str()),
        ("code_verifier", VERIFIER),
    ];
    let (status, body) = server.token(&fields).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_client"))
    );
    let with_secret: Vec<_> = fields
        .iter()
        .copied()
        .chain([("client_secret", "s3cret")])
        .collect();
    let (status, body) = server.token(&with_secret).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(clients(&server), 0);
}

#[tokio::test]
async fn b12_secrets_are_kept_as_digests_and_the_registered_method_is_enforced() {
    let server = Server::new();
    let metadata =
        json!({ "redirect_uris": [CLAUDE], "token_endpoint_auth_method": "client_secret_basic" });
    let (_, body) = server.register(&metadata).await;
    let (id, secret) = (
        body["client_id"].as_str().unwrap(),
        body["client_secret"].as_str().unwrap(),
    );
    assert!(!server.objects.everything().contains(secret));

    let code = server.authorize(id, CLAUDE).await.one("code");
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("code_verifier", VERIFIER),
    ];
    let basic = |id: &str, secret: &str| {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
            .parse()
            .unwrap()
    };

    // By the wrong method.
    let mut posted = fields.to_vec();
    posted.extend([("client_id", id), ("client_secret", secret)]);
    let (status, answered) = server.token(&posted).await;
    assert_eq!(
        (status, &answered["error"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_client"))
    );

    // By two methods at once.
    let mut request = form_request("/token", &posted);
    request
        .headers_mut()
        .insert(header::AUTHORIZATION, basic(id, secret));
    let (status, answered) = answer(&server.oauth.token(&request).await);
    assert_eq!(
        (status, &answered["error"]),
        (StatusCode::BAD_REQUEST, &json!("invalid_request"))
    );

    // With the wrong secret.
    let mut request = form_request("/token", &fields);
    request
        .headers_mut()
        .insert(header::AUTHORIZATION, basic(id, "wrong"));
    let response = server.oauth.token(&request).await;
    assert!(
        response.headers()[header::WWW_AUTHENTICATE]
            .to_str()
            .unwrap()
            .starts_with("Basic ")
    );
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(server.objects.rows(Instance::Grants, "access_tokens"), 0);

    // Right.
    let mut request = form_request("/token", &fields);
    request
        .headers_mut()
        .insert(header::AUTHORIZATION, basic(id, secret));
    assert_eq!(server.oauth.token(&request).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn b12_a_public_client_that_brings_a_secret_is_refused() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let (status, body) = server
        .token(&[
            ("grant_type", "authorization_code"),
            ("client_id", &client),
            ("client_secret", "guess"),
            ("code", &code),
            ("code_verifier", VERIFIER),
        ])
        .await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_client"))
    );
}

#[tokio::test]
async fn e5_an_outage_is_answered_as_one() {
    let server = Server::new();
    server.objects.down.set(true);
    let metadata = json!({ "redirect_uris": [CLAUDE], "token_endpoint_auth_method": "none" });
    let response = server
        .oauth
        .register(&json_request(metadata.to_string().as_bytes()))
        .await;
    assert_eq!(response.headers()[header::RETRY_AFTER], "30");
    let (status, body) = answer(&response);
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(body["error"], "temporarily_unavailable");
}
