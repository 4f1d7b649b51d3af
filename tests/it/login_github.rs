//! Login with GitHub: whose token it is, and that nothing of it stays behind.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response, header};
use serde_json::{Value, json};
use url::form_urlencoded;
use vault_mcp::{
    login::{
        Identity, IdentityProvider, LoginCallback, LoginError, ProviderKind,
        github::{GithubProvider, GithubSettings},
    },
    runtime::{FetchError, HttpClient, Limits},
    secret::Secret,
};

use crate::support::openid::attempt;

/// What an endpoint answers.
type Answer = Result<(u16, Value), FetchError>;

/// GitHub, as far as a login meets it.
#[derive(Debug)]
struct Github {
    token: Answer,
    user: Answer,
    deletion: Answer,
    requests: RefCell<Vec<Request<Bytes>>>,
}

impl Github {
    fn honest() -> Self {
        let token = json!({ "access_token": "gho_login", "scope": "", "token_type": "bearer" });
        let user =
            json!({ "login": "Octocat", "id": 583_231, "type": "User", "name": " The\u{7} Cat " });
        Self {
            token: Ok((200, token)),
            user: Ok((200, user)),
            deletion: Ok((204, Value::Null)),
            requests: RefCell::default(),
        }
    }

    /// Method and URL of each request since the last call of this.
    fn calls(&self) -> Vec<String> {
        let requests = self.requests.take();
        requests
            .iter()
            .map(|request| format!("{} {}", request.method(), request.uri()))
            .collect()
    }
}

#[async_trait(?Send)]
impl HttpClient for Github {
    async fn send(
        &self,
        request: Request<Bytes>,
        _limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        // GitHub's API answers 403 to anybody who does not say who they are.
        assert_eq!(request.headers()[header::USER_AGENT], "vault-mcp");
        let answer = match (request.method().as_str(), request.uri().path()) {
            ("POST", "/login/oauth/access_token") => &self.token,
            ("GET", path) if path.ends_with("/user") => &self.user,
            ("DELETE", path) if path.ends_with("/applications/Iv1.0123/token") => &self.deletion,
            other => panic!("unexpected request: {other:?}"),
        };
        self.requests.borrow_mut().push(request);
        let (status, body) = answer.clone()?;
        let response = Response::builder()
            .status(status)
            .header(header::CONTENT_TYPE, "application/json");
        Ok(response
            .body(Bytes::from(body.to_string()))
            .expect("an answer"))
    }
}

const EXCHANGE: &str = "POST https://github.com/login/oauth/access_token";
const USER: &str = "GET https://api.github.com/user";
const DELETION: &str = "DELETE https://api.github.com/applications/Iv1.0123/token";

fn provider(github: &Rc<Github>, web_url: &str, api_url: &str) -> GithubProvider {
    let settings = GithubSettings {
        client_id: "Iv1.0123".to_owned(),
        client_secret: Secret::new("client-secret"),
        web_url: web_url.parse().expect("a URL"),
        api_url: api_url.parse().expect("a URL"),
        redirect_uri: "https://vault.example/callback".parse().expect("a URL"),
    };
    GithubProvider::new(settings, github.clone())
}

fn callback(issuer: Option<&str>) -> LoginCallback {
    LoginCallback {
        code: Some(Secret::new("code-of-this-login")),
        issuer: issuer.map(str::to_owned),
        error: None,
    }
}

async fn log_in(change: impl FnOnce(&mut Github)) -> (Result<Identity, LoginError>, Vec<String>) {
    let mut github = Github::honest();
    change(&mut github);
    let github = Rc::new(github);
    let login = provider(&github, "https://github.com", "https://api.github.com");
    (
        login
            .identify(&callback(None), &attempt())
            .await
            .map(|login| login.identity),
        github.calls(),
    )
}

#[tokio::test]
async fn gh1_gh4_the_person_chooses_an_account_and_grants_nothing() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://github.com/", "https://api.github.com/");
    let url = login.authorization_url(&attempt()).await.expect("a URL");
    assert!(
        url.as_str()
            .starts_with("https://github.com/login/oauth/authorize?"),
        "{url}"
    );
    let asked: HashMap<_, _> = url.query_pairs().into_owned().collect();
    let expected = [
        ("response_type", "code"),
        ("client_id", "Iv1.0123"),
        ("redirect_uri", "https://vault.example/callback"),
        ("state", "state-of-this-login"),
        (
            "code_challenge",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ),
        ("code_challenge_method", "S256"),
        ("allow_signup", "false"),
        ("prompt", "select_account"),
    ];
    assert_eq!(
        asked,
        expected
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    );
    assert_eq!(github.calls(), [""; 0]);
}

#[tokio::test]
async fn gh2_the_person_is_whoever_the_token_belongs_to() {
    let (person, calls) = log_in(|_| {}).await;
    assert_eq!(
        person,
        Ok(Identity {
            provider: ProviderKind::Github,
            issuer: "https://github.com".to_owned(),
            subject: "583231".to_owned(),
            name: "Octocat".to_owned(),
            name_verified: true,
            display_name: Some("The Cat".to_owned()),
        })
    );
    assert_eq!(calls, [EXCHANGE, USER, DELETION]);
}

#[tokio::test]
async fn gh2_gh4_gh5_each_request_carries_what_it_needs_and_no_more() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://github.com", "https://api.github.com");
    login
        .identify(&callback(None), &attempt())
        .await
        .expect("a login");
    let requests = github.requests.take();
    let header = |index: usize, name: &str| {
        requests[index]
            .headers()
            .get(name)
            .map(|value| value.to_str().expect("text").to_owned())
    };

    let form: HashMap<_, _> = form_urlencoded::parse(requests[0].body())
        .into_owned()
        .collect();
    let expected = [
        ("grant_type", "authorization_code"),
        ("code", "code-of-this-login"),
        (
            "code_verifier",
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ),
        ("client_id", "Iv1.0123"),
        ("client_secret", "client-secret"),
        ("redirect_uri", "https://vault.example/callback"),
    ];
    assert_eq!(
        form,
        expected
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    );
    assert_eq!(header(0, "accept").as_deref(), Some("application/json"));
    assert_eq!(header(0, "authorization"), None);

    assert_eq!(
        header(1, "authorization").as_deref(),
        Some("Bearer gho_login")
    );
    // base64("Iv1.0123:client-secret")
    let basic = "Basic SXYxLjAxMjM6Y2xpZW50LXNlY3JldA==";
    assert_eq!(header(2, "authorization").as_deref(), Some(basic));
    for index in [1, 2] {
        assert_eq!(
            header(index, "accept").as_deref(),
            Some("application/vnd.github+json")
        );
        assert_eq!(
            header(index, "x-github-api-version").as_deref(),
            Some("2022-11-28")
        );
    }
    let deleted: Value = serde_json::from_slice(requests[2].body()).expect("JSON");
    assert_eq!(deleted, json!({ "access_token": "gho_login" }));
}

#[tokio::test]
async fn gh1_errors_come_with_status_200_and_end_the_login() {
    for (code, misconfigured) in [
        ("bad_verification_code", false),
        ("unverified_user_email", false),
        ("incorrect_client_credentials", true),
        ("redirect_uri_mismatch", true),
    ] {
        let (refused, calls) = log_in(|it| {
            let body = json!({ "error": code, "error_description": "…", "error_uri": "…" });
            it.token = Ok((200, body));
        })
        .await;
        match refused {
            Err(LoginError::Misconfigured(_)) => assert!(misconfigured, "{code}"),
            Err(LoginError::Untrusted(text)) => assert!(text.ends_with(code), "{text}"),
            other => panic!("{code}: {other:?}"),
        }
        assert_eq!(calls, [EXCHANGE], "{code}");
    }
    for body in [
        json!({}),
        json!([]),
        json!({ "access_token": "" , "token_type": 7 }),
    ] {
        let (refused, calls) = log_in(|it| it.token = Ok((200, body))).await;
        assert!(matches!(refused, Err(LoginError::Untrusted(_))));
        assert_eq!(calls, [EXCHANGE]);
    }
}

#[tokio::test]
async fn gh2_only_a_person_is_logged_in_and_the_token_goes_either_way() {
    for (member, value) in [
        ("type", json!("Organization")),
        ("type", json!("Bot")),
        ("type", json!("user")),
        ("type", Value::Null),
        ("id", json!(0)),
        ("id", json!("583231")),
        ("id", json!(-1)),
        ("id", Value::Null),
        ("login", json!("")),
        ("login", json!("dependabot[bot]")),
        ("login", json!("octo cat")),
        ("login", Value::Null),
    ] {
        let (refused, calls) = log_in(|it| {
            if let Ok((_, user)) = &mut it.user {
                user[member] = value.clone();
            }
        })
        .await;
        assert!(
            matches!(refused, Err(LoginError::Untrusted(_))),
            "{member} {value}"
        );
        assert_eq!(calls, [EXCHANGE, USER, DELETION], "{member} {value}");
    }
}

#[tokio::test]
async fn d4_an_outage_of_github_is_told_apart_from_a_refusal() {
    let failing = || Ok((502, Value::Null));
    let down = |outcome| matches!(outcome, Err(LoginError::Unavailable(_)));
    for token in [
        failing(),
        Ok((429, Value::Null)),
        Ok((302, Value::Null)),
        Err(FetchError::Timeout),
    ] {
        let (outcome, calls) = log_in(|it| it.token = token).await;
        assert!(down(outcome));
        assert_eq!(calls, [EXCHANGE]);
    }
    for user in [
        failing(),
        Ok((403, Value::Null)),
        Ok((301, Value::Null)),
        Err(FetchError::TooLarge),
    ] {
        let (outcome, calls) = log_in(|it| it.user = user).await;
        assert!(down(outcome));
        assert_eq!(calls, [EXCHANGE, USER, DELETION]);
    }
    let (refused, calls) = log_in(|it| it.user = Ok((401, Value::Null))).await;
    assert!(matches!(refused, Err(LoginError::Untrusted(_))));
    assert_eq!(calls, [EXCHANGE, USER, DELETION]);
}

#[tokio::test]
async fn gh4_a_token_that_cannot_be_deleted_does_not_lock_anybody_out() {
    for deletion in [
        Ok((404, Value::Null)),
        Ok((500, Value::Null)),
        Err(FetchError::Timeout),
    ] {
        let (person, calls) = log_in(|it| it.deletion = deletion).await;
        assert!(person.is_ok());
        assert_eq!(calls, [EXCHANGE, USER, DELETION]);
    }
}

#[tokio::test]
async fn gh6_a_token_of_a_github_app_serves_alike() {
    let (person, calls) = log_in(|it| {
        it.token = Ok((
            200,
            json!({
                "access_token": "ghu_login", "token_type": "bearer", "scope": "", "expires_in": 28_800,
                "refresh_token": "ghr_login", "refresh_token_expires_in": 15_811_200,
            }),
        ));
    })
    .await;
    assert_eq!(person.expect("a login").subject, "583231");
    assert_eq!(calls, [EXCHANGE, USER, DELETION]);
}

#[tokio::test]
async fn d7_github_names_itself_by_its_own_issuer() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://github.com", "https://api.github.com");
    for issuer in [None, Some("https://github.com/login/oauth")] {
        login
            .identify(&callback(issuer), &attempt())
            .await
            .expect("a login");
        assert_eq!(github.calls().len(), 3);
    }
    for issuer in [
        "https://github.com",
        "https://github.com/login/oauth/",
        "https://evil.example",
        "",
    ] {
        let refused = login.identify(&callback(Some(issuer)), &attempt()).await;
        assert!(matches!(refused, Err(LoginError::Untrusted(_))), "{issuer}");
        assert_eq!(github.calls(), [""; 0], "{issuer}");
    }
}

#[tokio::test]
async fn c10_who_declines_is_not_logged_in_and_nothing_is_asked_for() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://github.com", "https://api.github.com");
    let declined = |error: &str| LoginCallback {
        error: Some(error.to_owned()),
        ..callback(None)
    };
    assert_eq!(
        login.identify(&declined("access_denied"), &attempt()).await,
        Err(LoginError::Declined("access_denied".to_owned()))
    );
    let refused = login
        .identify(&declined("redirect_uri_mismatch"), &attempt())
        .await;
    assert!(matches!(refused, Err(LoginError::Misconfigured(text)) if text.contains("/callback")));
    assert_eq!(github.calls(), [""; 0]);
}

#[tokio::test]
async fn gh1_an_enterprise_server_is_asked_at_its_own_addresses() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://ghe.example", "https://ghe.example/api/v3");
    assert_eq!(login.issuer(), "https://ghe.example");
    let issuer = Some("https://ghe.example/login/oauth");
    let person = login
        .identify(&callback(issuer), &attempt())
        .await
        .expect("a login");
    assert_eq!(person.identity.issuer, "https://ghe.example");
    assert_eq!(
        github.calls(),
        [
            "POST https://ghe.example/login/oauth/access_token",
            "GET https://ghe.example/api/v3/user",
            "DELETE https://ghe.example/api/v3/applications/Iv1.0123/token",
        ]
    );
}

#[tokio::test]
async fn d2_nothing_of_the_login_is_printed() {
    let github = Rc::new(Github::honest());
    let login = provider(&github, "https://github.com", "https://api.github.com");
    let printed = format!("{login:?}");
    assert!(!printed.contains("client-secret"), "{printed}");
}
