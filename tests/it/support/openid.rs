//! An OpenID provider in memory. It works as it should until a test changes its script, and it
//! remembers what it was asked for.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use async_trait::async_trait;
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD as BASE64URL},
};
use bytes::Bytes;
use http::{Method, Request, Response, header};
use openidconnect::{
    PrivateSigningKey,
    core::{CoreHmacKey, CoreJwsSigningAlgorithm},
};
use p256::ecdsa::{Signature as EcSignature, SigningKey, signature::Signer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::{Url, form_urlencoded};
use vault_mcp::{
    login::{LoginAttempt, LoginCallback},
    runtime::{FetchError, HttpClient, Limits},
    secret::Secret,
};

/// The issuer of [`Script::honest`] in most tests.
pub(crate) const ISSUER: &str = "https://id.example";
/// How the server under test is registered.
pub(crate) const CLIENT_ID: &str = "vault-mcp";
/// A secret with characters that RFC 6749 section 2.3.1 wants encoded.
pub(crate) const CLIENT_SECRET: &str = "s3cret/+ %:\u{fc}";
/// [`CLIENT_SECRET`], encoded.
const ENCODED_SECRET: &str = "s3cret%2F%2B+%25%3A%C3%BC";
/// Where people come back.
pub(crate) const REDIRECT_URI: &str = "https://vault.example/callback";
/// What the clock shows when the script begins.
pub(crate) const NOW: u64 = 1_800_000_000;
const CODE: &str = "code-of-this-login";
const ACCESS_TOKEN: &str = "access-token-of-this-login";

/// The one-time values that the tests log in with.
pub(crate) fn attempt() -> LoginAttempt {
    LoginAttempt {
        state: Secret::new("state-of-this-login"),
        nonce: Secret::new("nonce-of-this-login"),
        // RFC 7636 appendix B.
        code_verifier: Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    }
}

/// What the provider says. A test changes whatever it is about.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) discovery: Value,
    pub(crate) jwks: Value,
    /// JOSE header of the ID token.
    pub(crate) header: Value,
    pub(crate) claims: Value,
    pub(crate) signature: Signature,
    /// The token response, to which the ID token is added.
    pub(crate) token: Value,
    pub(crate) userinfo: Value,
    /// What endpoints answer instead, by their names in [`Provider::calls`].
    pub(crate) answers: BTreeMap<&'static str, Answer>,
}

/// How the ID token is signed.
#[derive(Clone, Debug)]
pub(crate) enum Signature {
    /// By ES256 with a key of this name.
    Key(&'static str),
    /// By HS256 with these bytes.
    Hmac(Vec<u8>),
    /// Not at all.
    Empty,
    /// This is the whole token.
    Literal(String),
    /// There is no token.
    NoToken,
}

/// An answer out of the ordinary.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// This status, with a page for people.
    Status(u16),
    /// This status and JSON.
    Json(u16, Value),
    /// Status 200 with this body.
    Text(&'static str),
    /// None.
    Fails(FetchError),
}

/// The public half of the key `name`, as the provider publishes it.
pub(crate) fn jwk(name: &str) -> Value {
    let point = signing_key(name).verifying_key().to_sec1_point(false);
    let encoded = |coordinate: Option<_>| BASE64URL.encode(coordinate.expect("not at infinity"));
    json!({
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": name,
        "x": encoded(point.x()), "y": encoded(point.y()),
    })
}

/// Keys are made from their names, so that none has to be kept in the repository.
fn signing_key(name: &str) -> SigningKey {
    SigningKey::from_slice(&Sha256::digest(name)).expect("a scalar of the curve")
}

impl Script {
    /// An honest provider that has logged in `owner@example.test`.
    pub(crate) fn honest(issuer: &str) -> Self {
        Self {
            discovery: json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/userinfo"),
                "jwks_uri": format!("{issuer}/jwks"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            }),
            jwks: json!({ "keys": [jwk("first")] }),
            header: json!({ "alg": "ES256", "kid": "first", "typ": "JWT" }),
            claims: json!({
                "iss": issuer,
                "aud": CLIENT_ID,
                "sub": "subject-1",
                "nonce": "nonce-of-this-login",
                "iat": NOW,
                "exp": NOW + 600,
                "email": "owner@example.test",
                "email_verified": true,
            }),
            signature: Signature::Key("first"),
            token: json!({
                "access_token": ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 600,
            }),
            userinfo: json!({
                "sub": "subject-1", "email": "owner@example.test", "email_verified": true,
            }),
            answers: BTreeMap::new(),
        }
    }

    /// Sets a claim of the ID token.
    pub(crate) fn claim(&mut self, name: &str, value: impl Into<Value>) {
        self.claims[name] = value.into();
    }

    /// Leaves claims out of the ID token.
    pub(crate) fn drop_claims(&mut self, names: &[&str]) {
        let claims = self.claims.as_object_mut().expect("claims are an object");
        claims.retain(|name, _| !names.contains(&name.as_str()));
    }

    /// Sets a member of the ID token's header.
    pub(crate) fn header(&mut self, name: &str, value: impl Into<Value>) {
        self.header[name] = value.into();
    }

    /// Sets a member of the discovery document.
    pub(crate) fn discovery(&mut self, name: &str, value: impl Into<Value>) {
        self.discovery[name] = value.into();
    }

    /// Sets a member of the token response.
    pub(crate) fn token(&mut self, name: &str, value: impl Into<Value>) {
        self.token[name] = value.into();
    }

    /// Sets a claim of userinfo.
    pub(crate) fn userinfo(&mut self, name: &str, value: impl Into<Value>) {
        self.userinfo[name] = value.into();
    }

    /// Publishes the keys `names`, and no others.
    pub(crate) fn publish(&mut self, names: &[&str]) {
        self.jwks = json!({ "keys": names.iter().map(|name| jwk(name)).collect::<Vec<_>>() });
    }

    /// Signs with the key `name`, and says so.
    pub(crate) fn sign_with(&mut self, name: &'static str) {
        self.header["kid"] = name.into();
        self.signature = Signature::Key(name);
    }

    /// Lets `endpoint` answer something else.
    pub(crate) fn answer(&mut self, endpoint: &'static str, answer: Answer) {
        self.answers.insert(endpoint, answer);
    }

    fn id_token(&self) -> Option<String> {
        let encoded = |value: &Value| BASE64URL.encode(value.to_string());
        let input = format!("{}.{}", encoded(&self.header), encoded(&self.claims));
        let signature = match &self.signature {
            Signature::Key(name) => {
                let signature: EcSignature = signing_key(name).sign(input.as_bytes());
                signature.to_bytes().to_vec()
            }
            Signature::Hmac(key) => CoreHmacKey::new(key.clone())
                .sign(&CoreJwsSigningAlgorithm::HmacSha256, input.as_bytes())
                .expect("HMAC with SHA-256"),
            Signature::Empty => Vec::new(),
            Signature::Literal(token) => return Some(token.clone()),
            Signature::NoToken => return None,
        };
        Some(format!("{input}.{}", BASE64URL.encode(signature)))
    }
}

/// The provider: its endpoints on one side, the person's browser on the other.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) script: RefCell<Script>,
    calls: RefCell<Vec<&'static str>>,
    challenge: RefCell<Option<String>>,
    /// Whether our credentials came in a header.
    pub(crate) by_header: Cell<Option<bool>>,
}

impl Provider {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            script: RefCell::new(script),
            calls: RefCell::default(),
            challenge: RefCell::default(),
            by_header: Cell::default(),
        }
    }

    /// What was asked for since the last call of this: `discovery`, `jwks`, `token`, `userinfo`.
    pub(crate) fn calls(&self) -> String {
        self.calls.take().join(" ")
    }

    /// Sends the person there and back: checks the authorization request, and answers it.
    pub(crate) fn authorize(&self, url: &Url) -> LoginCallback {
        let asked: HashMap<_, _> = url.query_pairs().into_owned().collect();
        let text = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
        for (name, expected) in [
            ("response_type", "code"),
            ("client_id", CLIENT_ID),
            ("redirect_uri", REDIRECT_URI),
            ("scope", "openid email"),
            ("state", "state-of-this-login"),
            ("nonce", "nonce-of-this-login"),
            ("code_challenge_method", "S256"),
        ] {
            assert_eq!(text(name), expected, "{name} of {url}");
        }
        self.challenge
            .replace(Some(text("code_challenge").to_owned()));
        LoginCallback {
            code: Some(Secret::new(CODE)),
            ..LoginCallback::default()
        }
    }

    fn token(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let form: HashMap<_, _> = form_urlencoded::parse(request.body())
            .into_owned()
            .collect();
        let text = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let basic = format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{CLIENT_ID}:{ENCODED_SECRET}"))
        );
        let by_header = request
            .headers()
            .get(header::AUTHORIZATION)
            .is_some_and(|it| *it == *basic);
        let by_body = text("client_id") == CLIENT_ID && text("client_secret") == CLIENT_SECRET;
        // RFC 6749 section 2.3: one method, not two.
        if by_header == by_body {
            return answer(401, &json!({ "error": "invalid_client" }));
        }
        self.by_header.set(Some(by_header));
        let challenge = BASE64URL.encode(Sha256::digest(text("code_verifier")));
        if text("grant_type") != "authorization_code"
            || text("code") != CODE
            || text("redirect_uri") != REDIRECT_URI
            || self.challenge.borrow().as_ref() != Some(&challenge)
        {
            return answer(400, &json!({ "error": "invalid_grant" }));
        }
        let script = self.script.borrow();
        let mut body = script.token.clone();
        if let Some(id_token) = script.id_token() {
            body["id_token"] = id_token.into();
        }
        answer(200, &body)
    }

    fn userinfo(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let script = self.script.borrow();
        let expected = format!(
            "Bearer {}",
            script.token["access_token"].as_str().unwrap_or_default()
        );
        match request.headers().get(header::AUTHORIZATION) {
            Some(credential) if *credential == *expected => answer(200, &script.userinfo),
            _ => answer(401, &json!({ "error": "invalid_token" })),
        }
    }

    /// The name of the endpoint that a request is for. A request for anything else is a defect of
    /// the server under test.
    fn endpoint(&self, request: &Request<Bytes>) -> &'static str {
        let script = self.script.borrow();
        let uri = request.uri().to_string();
        let is = |name: &str| script.discovery[name].as_str() == Some(&uri);
        match *request.method() {
            Method::GET if uri.ends_with("/.well-known/openid-configuration") => "discovery",
            Method::GET if is("jwks_uri") => "jwks",
            Method::GET if is("userinfo_endpoint") => "userinfo",
            Method::POST if is("token_endpoint") => "token",
            _ => panic!("unexpected request: {} {uri}", request.method()),
        }
    }
}

fn answer(status: u16, body: &Value) -> Response<Bytes> {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Bytes::from(body.to_string()))
        .expect("an answer")
}

#[async_trait(?Send)]
impl HttpClient for Provider {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        // D4, and what GitHub's API and some firewalls ask for.
        assert_eq!(
            limits,
            Limits {
                timeout: Duration::from_secs(10),
                max_body: 256 * 1024
            }
        );
        assert_eq!(request.headers()[header::USER_AGENT], "vault-mcp");
        let endpoint = self.endpoint(&request);
        self.calls.borrow_mut().push(endpoint);
        let special = self.script.borrow().answers.get(endpoint).cloned();
        let response = match special {
            Some(Answer::Status(status)) => Response::builder()
                .status(status)
                .header(header::LOCATION, "https://id.example/elsewhere")
                .body(Bytes::from_static(b"<html>"))
                .expect("an answer"),
            Some(Answer::Json(status, body)) => answer(status, &body),
            Some(Answer::Text(text)) => Response::new(Bytes::from(text)),
            Some(Answer::Fails(error)) => return Err(error),
            None => match endpoint {
                "discovery" => answer(200, &self.script.borrow().discovery),
                "jwks" => answer(200, &self.script.borrow().jwks),
                "token" => self.token(&request),
                _ => self.userinfo(&request),
            },
        };
        if response.body().len() > limits.max_body {
            return Err(FetchError::TooLarge);
        }
        Ok(response)
    }
}
