//! Login with Google: what it has beyond any OpenID provider.

use std::{collections::HashMap, rc::Rc};

use serde_json::json;
use url::Url;
use vault_mcp::{
    login::{
        Caution, Identity, IdentityProvider, LoginError, ProviderKind,
        google::{GoogleProvider, GoogleSettings},
        oidc::ProviderCache,
    },
    secret::Secret,
};

use crate::support::{
    clock::ManualClock,
    openid::{CLIENT_ID, CLIENT_SECRET, NOW, Provider, REDIRECT_URI, Script, attempt},
};

const ISSUER: &str = "https://accounts.google.com";

/// The server under test, where it wants people of `domain` only, and Google.
fn setting(domain: Option<&str>, script: Script) -> (GoogleProvider, Rc<Provider>) {
    let provider = Rc::new(Provider::new(script));
    let settings = GoogleSettings {
        client_id: CLIENT_ID.to_owned(),
        client_secret: Secret::new(CLIENT_SECRET),
        hosted_domain: domain.map(str::to_owned),
        redirect_uri: REDIRECT_URI.parse().expect("a URL"),
    };
    let clock = Rc::new(ManualClock::at(NOW));
    let login = GoogleProvider::new(settings, provider.clone(), clock, ProviderCache::default());
    (login, provider)
}

async fn url(domain: Option<&str>) -> Url {
    let (login, _) = setting(domain, Script::honest(ISSUER));
    login.authorization_url(&attempt()).await.expect("a URL")
}

async fn log_in(
    domain: Option<&str>,
    change: impl FnOnce(&mut Script),
) -> (Result<Identity, LoginError>, String) {
    let mut script = Script::honest(ISSUER);
    change(&mut script);
    let (login, provider) = setting(domain, script);
    let url = login.authorization_url(&attempt()).await.expect("a URL");
    let callback = provider.authorize(&url);
    (
        login
            .identify(&callback, &attempt())
            .await
            .map(|login| login.identity),
        provider.calls(),
    )
}

#[tokio::test]
async fn go1_the_person_chooses_an_account_at_googles_fixed_issuer() {
    let (login, _) = setting(None, Script::honest(ISSUER));
    assert_eq!(login.kind(), ProviderKind::Google);
    assert_eq!((login.issuer(), &*login.display_name()), (ISSUER, "Google"));

    let url = url(None).await;
    assert!(
        url.as_str()
            .starts_with("https://accounts.google.com/authorize?"),
        "{url}"
    );
    let asked: HashMap<_, _> = url.query_pairs().into_owned().collect();
    assert_eq!(asked["scope"], "openid email");
    assert_eq!(asked["prompt"], "select_account");
    assert_eq!(asked["nonce"], "nonce-of-this-login");
    assert!(!asked.contains_key("hd"));
}

#[tokio::test]
async fn go1_an_address_counts_only_if_google_says_verified() {
    let (person, calls) = log_in(None, |_| {}).await;
    let person = person.expect("a login");
    assert_eq!(calls, "discovery token jwks");
    assert_eq!(
        person,
        Identity {
            provider: ProviderKind::Google,
            issuer: ISSUER.to_owned(),
            subject: "subject-1".to_owned(),
            name: "owner@example.test".to_owned(),
            name_verified: true,
            display_name: None,
        }
    );

    let (refused, _) = log_in(None, |it| it.claim("email_verified", false)).await;
    let email = Some("owner@example.test".to_owned());
    assert_eq!(
        refused,
        Err(LoginError::UnverifiedEmail {
            email: email.clone(),
            explicit: true
        })
    );

    // Not even for an entry by subject: Google always says it for an account that is one.
    let (refused, calls) = log_in(None, |it| {
        it.drop_claims(&["email_verified"]);
        it.userinfo = json!({ "sub": "subject-1", "email": "owner@example.test" });
    })
    .await;
    assert_eq!(
        refused,
        Err(LoginError::UnverifiedEmail {
            email,
            explicit: false
        })
    );
    assert_eq!(calls, "discovery token jwks userinfo");
}

#[tokio::test]
async fn go1_a_token_of_another_issuer_is_refused() {
    for issuer in [
        "accounts.google.com",
        "https://accounts.google.com/",
        "https://evil.example",
    ] {
        let (refused, _) = log_in(None, |it| it.claim("iss", issuer)).await;
        assert!(matches!(refused, Err(LoginError::Untrusted(_))), "{issuer}");
    }
}

#[tokio::test]
async fn go3_an_address_that_google_does_not_give_out_is_remarked_on() {
    let remark = Some(Caution::AddressOfAnotherAuthority);
    for (email, organisation, expected) in [
        ("owner@gmail.com", None, None),
        ("Owner@GMail.com", None, None),
        ("owner@example.test", Some("example.test"), None),
        ("owner@example.test", None, remark),
        ("owner@example.test", Some(""), remark),
        ("owner@gmail.com.example.test", None, remark),
        ("owner@notgmail.com", None, remark),
        ("gmail.com@example.test", None, remark),
    ] {
        let mut script = Script::honest(ISSUER);
        script.claim("email", email);
        if let Some(domain) = organisation {
            script.claim("hd", domain);
        }
        let (login, provider) = setting(None, script);
        let url = login.authorization_url(&attempt()).await.expect("a URL");
        let callback = provider.authorize(&url);
        let logged_in = login.identify(&callback, &attempt()).await;
        let logged_in = logged_in.expect("a login all the same");
        assert_eq!(logged_in.caution, expected, "{email} {organisation:?}");
    }
}

#[tokio::test]
async fn go2_the_organisation_is_a_hint_in_the_request_and_a_demand_on_the_token() {
    let asked: HashMap<_, _> = url(Some("example.test"))
        .await
        .query_pairs()
        .into_owned()
        .collect();
    assert_eq!(asked["hd"], "example.test");

    for (demanded, claimed, admitted) in [
        (None, None, true),
        (None, Some("example.test"), true),
        (Some("example.test"), Some("example.test"), true),
        (Some("Example.Test"), Some("example.test"), true),
        (Some("example.test"), Some("other.test"), false),
        (Some("example.test"), Some("sub.example.test"), false),
        (Some("example.test"), Some(""), false),
        // A consumer account has no claim, whatever its address looks like.
        (Some("example.test"), None, false),
    ] {
        let (outcome, _) = log_in(demanded, |it| {
            if let Some(domain) = claimed {
                it.claim("hd", domain);
            }
        })
        .await;
        let email = "owner@example.test".to_owned();
        let expected = if admitted {
            Ok(email)
        } else {
            Err(LoginError::OtherOrganisation { email })
        };
        assert_eq!(
            outcome.map(|person| person.name),
            expected,
            "{demanded:?} {claimed:?}"
        );
    }
}
