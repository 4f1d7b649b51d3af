//! Whatever is sent to the authorization server: no panic, an answer of the right kind, nothing
//! written, and never a status that blames the server.
//!
//! Texts are made of what requests and attacks on them are made of, and of anything at all. What
//! counts is what holds for every one of them, so each parser is held to a plain statement of what
//! it lets through.

use bytes::Bytes;
use http::{Method, Request as HttpRequest, StatusCode, header};
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;
use vault_mcp::{
    base_url::BaseUrl,
    http::{Request, Response},
    oauth::{
        RedirectUri, SealingKey,
        token::{IssuedToken, TokenKind},
        types::{
            ClientId, ClientState, CodeChallenge, CodeVerifier, Digest, Scope, check_resource,
        },
    },
    secret::Secret,
};

use crate::support::{
    app::{Post, TestApp},
    oauth::{BASE, Browser, CLAUDE, LOOPBACK, Server, json_request, request, text},
};

/// Texts out of pieces that mean something somewhere in this protocol.
fn text_of(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9]{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn uri() -> impl Strategy<Value = String> {
    text_of(&[
        "https://",
        "http://",
        "claude.ai",
        "localhost",
        "127.0.0.1",
        "127.1",
        "[::1]",
        "0x7f.1",
        ":",
        ":443",
        ":8080",
        "/",
        "//",
        "\\",
        "@",
        "user:pass@",
        "#",
        "#frag",
        "?",
        "?a=b",
        "&",
        "..",
        "/../",
        "%2e",
        "%00",
        "%",
        "javascript:",
        "data:",
        "cursor://",
        "*",
        "*.",
        "\t",
        "\n",
        " ",
        ".evil.example",
        "/api/mcp/auth_callback",
    ])
}

/// A form or query: names that are read somewhere, in any number.
fn fields() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![
        8 => prop::sample::select(&[
            "grant_type", "client_id", "client_secret", "code", "code_verifier", "redirect_uri",
            "refresh_token", "scope", "resource", "token", "token_type_hint", "handle",
            "decision", "read_only", "state", "iss", "error", "response_type", "code_challenge",
            "code_challenge_method", "grant", "form",
        ][..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let value = prop_oneof![
        4 => prop::sample::select(&[
            "authorization_code", "refresh_token", "approve", "deny", "on", "S256", "plain",
            "code", "vault:read vault:write", "https://vault.example/mcp", "", "dcr_",
            "vmcp_ac_1.", "vmcp_rt_1.", "https://claude.ai/api/mcp/auth_callback",
        ][..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec((name, value), 0..8)
}

/// A body: a form, a form that is broken somewhere, or anything.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let encoded = fields().prop_map(|fields| {
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish()
            .into_bytes()
    });
    prop_oneof![
        4 => encoded,
        1 => text_of(&["&", "=", "%", "%zz", "%ff", "+", "code", "token", ";", "\0"])
            .prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        uri().prop_map(Value::from),
        prop::sample::select(
            &[
                "none",
                "client_secret_post",
                "client_secret_basic",
                "private_key_jwt",
                "authorization_code",
                "refresh_token",
                "code",
                CLAUDE,
                LOOPBACK,
                "Name",
            ][..]
        )
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Client metadata with some of its members replaced, added or taken away.
fn metadata() -> impl Strategy<Value = Value> {
    let member = prop::sample::select(
        &[
            "client_id",
            "client_name",
            "redirect_uris",
            "token_endpoint_auth_method",
            "grant_types",
            "response_types",
            "client_secret",
            "jwks",
            "client_name#de",
            "logo_uri",
            "scope",
        ][..],
    );
    prop::collection::vec((member, prop::option::of(json_value())), 0..4).prop_map(|changes| {
        let mut document = json!({
            "client_id": DOCUMENT,
            "client_name": "A client",
            "redirect_uris": [LOOPBACK],
            "token_endpoint_auth_method": "none",
        });
        for (name, value) in changes {
            match value {
                Some(value) => document[name] = value,
                None => {
                    document.as_object_mut().unwrap().remove(name);
                }
            }
        }
        document
    })
}

const DOCUMENT: &str = "https://client.dev/oauth/client.json";

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

/// An answer that blames whoever asked, in the form that the endpoint speaks.
fn is_refusal(response: &Response, json: bool) -> Result<(), TestCaseError> {
    let status = response.status();
    prop_assert!(status.is_client_error(), "{status}: {}", text(response));
    if json {
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        prop_assert!(body["error"].is_string(), "{body}");
    }
    prop_assert!(!response.headers().contains_key(header::LOCATION));
    Ok(())
}

fn form(path: &str, body: Vec<u8>, cookie: &[u8]) -> Option<Request> {
    HttpRequest::builder()
        .method(Method::POST)
        .uri(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ORIGIN, BASE)
        .header(
            header::COOKIE,
            header::HeaderValue::from_bytes(cookie).ok()?,
        )
        .body(Bytes::from(body))
        .ok()
}

/// Cookies: ours by name, with anything in them, and anything.
fn cookie() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        text_of(&[
            "__Host-vmcp_",
            "consent_",
            "login_",
            "session",
            "=",
            ";",
            "; ",
            "\"",
            ",",
            " ",
            "1.",
            "AAAA",
            "__Secure-",
            "%3D",
        ])
        .prop_map(String::into_bytes),
        prop::collection::vec(0x20_u8..=0xff, 0..100),
    ]
}

proptest! {
    #[test]
    fn b5_b6_a_redirect_uri_is_kept_as_it_came_or_refused(text in uri()) {
        if let Ok(uri) = RedirectUri::parse(&text) {
            prop_assert_eq!(uri.as_str(), text.as_str(), "compared letter for letter");
            let url = Url::parse(&text).unwrap();
            let host = url.host_str().unwrap();
            let local = ["localhost", "[::1]"].contains(&host) || host.starts_with("127.");
            prop_assert!(url.scheme() == "https" || (url.scheme() == "http" && local), "{text}");
            prop_assert!(url.fragment().is_none() && url.username().is_empty(), "{text}");
            prop_assert!(url.password().is_none() && !text.contains(['*', '\\', '\n', '\t', ' ']));
            prop_assert_eq!(uri.is_loopback(), url.scheme() == "http" && local);
            // Where somebody is sent is where they were to be sent, with something added.
            let target = Url::parse(&uri.with_parameters(&[("code", "c&d"), ("state", "é")])).unwrap();
            prop_assert_eq!(target.origin(), url.origin());
            prop_assert_eq!(target.path(), url.path());
            let code = target.query_pairs().filter(|(name, _)| name == "code").last();
            prop_assert_eq!(code.unwrap().1, "c&d");
        }
    }

    #[test]
    fn b5_only_a_loopback_port_is_ignored(text in uri(), other in uri()) {
        let (Ok(asked), Ok(registered)) = (RedirectUri::parse(&text), RedirectUri::parse(&other)) else {
            return Ok(());
        };
        prop_assert!(asked.is_covered_by(&asked));
        if asked.is_covered_by(&registered) && text != other {
            prop_assert!(asked.is_loopback() && registered.is_loopback());
            let portless = |text: &str| {
                let mut url = Url::parse(text).unwrap();
                url.set_port(None).unwrap();
                url
            };
            prop_assert_eq!(portless(&text), portless(&other));
        }
    }

    #[test]
    fn c2_a_scope_is_what_its_words_say(text in text_of(&[
        "vault:read", "vault:write", " ", "  ", "\t", "offline_access", "claudeai", ":", "vault",
    ])) {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let expected = if words.contains(&"vault:write") {
            Some(Scope::ReadWrite)
        } else {
            words.contains(&"vault:read").then_some(Scope::Read)
        };
        prop_assert_eq!(Scope::requested(&text), expected, "{:?}", text);
    }

    #[test]
    fn c3_a_resource_is_ours_or_refused(values in prop::collection::vec(text_of(&[
        "https://vault.example", "HTTPS://VAULT.example", "https://", "vault.example", "/mcp", "/",
        "/MCP", "#", "#x", "?", ":443", "http://", ".evil.example", "@", "//", "%6dcp", "..",
    ]), 0..3)) {
        let base = BaseUrl::parse(BASE).unwrap();
        let ours = |text: &str| {
            let split = text.split_at_checked(BASE.len());
            split.is_some_and(|(origin, path)| {
                origin.eq_ignore_ascii_case(BASE) && ["", "/", "/mcp", "/mcp/"].contains(&path)
            })
        };
        let expected = match values.as_slice() {
            [] => true,
            [one] => ours(one),
            _ => false,
        };
        prop_assert_eq!(check_resource(&values, &base).is_ok(), expected, "{:?}", values);
    }

    #[test]
    fn small_texts_are_kept_as_they_came(text in any::<String>()) {
        for kept in [
            ClientId::parse(&text).map(|id| id.as_str().to_owned()),
            ClientState::parse(&text).map(|state| state.as_str().to_owned()),
            Digest::parse(&text).map(|digest| digest.as_str().to_owned()),
        ].into_iter().flatten() {
            prop_assert_eq!(kept, text.as_str());
        }
        let unreserved = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
        let verifier = CodeVerifier::parse(&text);
        prop_assert_eq!(verifier.is_some(), (43..=128).contains(&text.len()) && unreserved(&text));
    }

    #[test]
    fn c1_a_verifier_answers_its_own_challenge_alone(one in "[A-Za-z0-9._~-]{43,128}", two in "[A-Za-z0-9._~-]{43,128}") {
        let challenge = |text: &str| CodeVerifier::parse(text).unwrap().challenge();
        prop_assert!(challenge(&one).matches(&challenge(&one)));
        prop_assert_eq!(challenge(&one).matches(&challenge(&two)), one == two);
        prop_assert!(CodeChallenge::parse(&one).is_some());
    }

    #[test]
    fn e13_a_token_that_differs_in_one_place_is_none(at in 0_usize..200, replacement in any::<char>(), cut in any::<bool>()) {
        let key = SealingKey::new(&Secret::new("0123456789abcdef0123456789abcdef"));
        let server = Server::new();
        let id = vault_mcp::oauth::token::GrantId::generate(&*server.rng).unwrap();
        let token = IssuedToken::generate(TokenKind::Access, &id, &key, &*server.rng).unwrap();
        let good = token.secret().expose();
        prop_assert!(IssuedToken::parse(good, &key).is_some());
        let at = at % good.len();
        let mut characters: Vec<char> = good.chars().collect();
        if cut { characters.truncate(at) } else { characters[at] = replacement }
        let changed: String = characters.into_iter().collect();
        prop_assert_eq!(IssuedToken::parse(&changed, &key).is_some(), changed == good);
    }

    #[test]
    fn e13_texts_that_look_like_tokens_are_none(text in text_of(&[
        "vmcp_at_1.", "vmcp_rt_1.", "vmcp_ac_1.", "vmcp_", ".", "_", "1", "AAAAAAAAAAAAAAAAAAAAAA",
    ])) {
        let key = SealingKey::new(&Secret::new("0123456789abcdef0123456789abcdef"));
        prop_assert!(IssuedToken::parse(&text, &key).is_none());
    }

    #[test]
    fn c7_what_was_not_sealed_here_does_not_open(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        use vault_mcp::oauth::seal::Purpose;
        let key = SealingKey::new(&Secret::new("0123456789abcdef0123456789abcdef"));
        for sealed in [text, URL_SAFE_NO_PAD.encode(bytes)] {
            prop_assert!(key.open(Purpose::Consent, "", &sealed).is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn e1_any_form_is_refused_and_leaves_nothing(body in body(), cookie in cookie()) {
        let server = Server::new();
        let before = server.footprint();
        block_on(async {
            for path in ["/token", "/revoke"] {
                let Some(request) = form(path, body.clone(), &cookie) else { return Ok(()) };
                let response = match path {
                    "/token" => server.oauth.token(&request).await,
                    _ => server.oauth.revoke(&request).await,
                };
                is_refusal(&response, true)?;
                prop_assert_eq!(&response.headers()[header::CACHE_CONTROL], "no-store");
            }
            Ok(())
        })?;
        prop_assert_eq!(server.footprint(), before);
    }

    #[test]
    fn c7_any_form_and_any_cookie_give_no_consent(body in body(), cookie in cookie()) {
        let app = TestApp::of(&[("Note.md", "x")]);
        let before = app.server.footprint();
        block_on(async {
            for path in ["/consent", "/sessions/end", "/sessions/sign-out"] {
                let Some(mut request) = form(path, body.clone(), &cookie) else { return Ok(()) };
                request.headers_mut().insert(header::HOST, "vault.example".parse().unwrap());
                let answer = app.respond(&request).await;
                let status = answer.status();
                prop_assert!(!status.is_server_error() && status != StatusCode::OK, "{path}: {status}");
                let to = answer.header("location").unwrap_or(BASE);
                prop_assert!(to.starts_with('/') || to.starts_with(BASE), "{path}: {to}");
            }
            for path in ["/callback", "/sessions"] {
                let query = String::from_utf8_lossy(&body);
                let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
                for target in [path.to_owned(), format!("{path}?{query}"), format!("{path}?state=x&code={query}")] {
                    let mut post = Post::raw("").method(&Method::GET).to(&target).request();
                    let Ok(value) = header::HeaderValue::from_bytes(&cookie) else { return Ok(()) };
                    post.headers_mut().insert(header::COOKIE, value);
                    let answer = app.respond(&post).await;
                    prop_assert!(!answer.status().is_server_error(), "{target}: {}", answer.status());
                    prop_assert!(!answer.text().contains("owner@example.test"));
                }
            }
            Ok(())
        })?;
        prop_assert_eq!(app.server.footprint(), before);
        prop_assert_eq!(app.server.provider.identified.get(), 0);
    }

    #[test]
    fn c1_any_authorization_request_is_shown_redirected_to_its_client_or_refused(fields in fields(), redirect in uri()) {
        let server = Server::new();
        block_on(async {
            let client = server.client(CLAUDE).await;
            let before = server.footprint();
            let extra: Vec<(&str, &str)> = fields.iter()
                .filter(|(name, _)| name != "client_id" && name != "redirect_uri")
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            for uri in [CLAUDE, redirect.as_str()] {
                let response = Browser::new(&server).authorize(&request(&client, uri, &extra)).await;
                let status = response.status();
                let location = response.headers().get(header::LOCATION);
                if let Some(location) = location {
                    let location = location.to_str().unwrap();
                    prop_assert_eq!(status, StatusCode::SEE_OTHER);
                    prop_assert!(uri == CLAUDE && location.starts_with(CLAUDE), "{location}");
                    prop_assert!(location.contains("error="), "{location}");
                } else if status == StatusCode::OK {
                    prop_assert_eq!(uri, CLAUDE);
                } else {
                    is_refusal(&response, false)?;
                }
            }
            prop_assert_eq!(server.footprint(), before);
            Ok(())
        })?;
    }

    #[test]
    fn b7_any_registration_is_taken_by_the_rules_or_refused(metadata in metadata(), raw in prop::collection::vec(any::<u8>(), 0..60)) {
        let server = Server::new();
        block_on(async {
            is_refusal(&server.oauth.register(&json_request(&raw)).await, true)?;
            let response = server.oauth.register(&json_request(metadata.to_string().as_bytes())).await;
            if response.status() != StatusCode::CREATED {
                return is_refusal(&response, true);
            }
            let answer: Value = serde_json::from_slice(response.body()).unwrap();
            let uris = answer["redirect_uris"].as_array().unwrap();
            let usable = |uri: &Value| uri.as_str().is_some_and(|uri| RedirectUri::parse(uri).is_ok());
            prop_assert!(uris.iter().any(usable), "{answer}");
            prop_assert!(answer["client_id"].as_str().unwrap().starts_with("dcr_"));
            let method = answer["token_endpoint_auth_method"].as_str().unwrap();
            prop_assert!(["none", "client_secret_post", "client_secret_basic"].contains(&method));
            prop_assert_eq!(answer["client_secret"].is_string(), method != "none");
            Ok(())
        })?;
    }

    #[test]
    fn b2_any_document_makes_its_own_client_or_none(document in metadata(), raw in prop::collection::vec(any::<u8>(), 0..60), status in 200_u16..600) {
        block_on(async {
            let garbage = String::from_utf8_lossy(&raw).into_owned();
            for (status, body) in [(status, document.to_string()), (200, garbage), (200, document.to_string())] {
                // A good document is remembered, so each is published to a server of its own.
                let server = Server::new();
                server.web.publish(DOCUMENT, status, "no-store", &body);
                let page = Browser::new(&server).authorize(&request(DOCUMENT, LOOPBACK, &[])).await;
                if page.status() != StatusCode::OK {
                    prop_assert!(
                        page.status().is_client_error() || page.status() == StatusCode::SERVICE_UNAVAILABLE,
                        "{}", page.status()
                    );
                    prop_assert!(!page.headers().contains_key(header::LOCATION));
                    continue;
                }
                prop_assert_eq!(status, 200);
                let document: Value = serde_json::from_str(&body).unwrap();
                prop_assert_eq!(&document["client_id"], DOCUMENT);
                prop_assert!(document["client_name"].as_str().is_some_and(|name| !name.is_empty()));
                prop_assert!(document["client_secret"].is_null());
                let uris = document["redirect_uris"].as_array().unwrap();
                prop_assert!(!uris.is_empty());
                let html = text(&page);
                prop_assert!(!html.contains("<script") && !html.contains("<img"));
            }
            Ok(())
        })?;
    }

    #[test]
    fn f1_f2_any_bearer_header_is_challenged(value in prop_oneof![
        text_of(&["Bearer", "bearer", " ", "Basic", "vmcp_at_1.", ",", "=", "\"", "."]).prop_map(String::into_bytes),
        prop::collection::vec(0x20_u8..=0xff, 0..100),
    ]) {
        let app = TestApp::of(&[("Note.md", "x")]);
        block_on(async {
            let mut request = Post::legacy("ping", &json!({})).request();
            let Ok(value) = header::HeaderValue::from_bytes(&value) else { return Ok(()) };
            request.headers_mut().insert(header::AUTHORIZATION, value);
            let answer = app.respond(&request).await;
            prop_assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
            prop_assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer realm="));
            prop_assert!(app.server.objects.calls.borrow().is_empty(), "junk costs no call");
            prop_assert!(app.storage.take_calls().is_empty());
            Ok(())
        })?;
    }
}
