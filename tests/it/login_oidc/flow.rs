//! The way of a login: the request, the answer, who sent it, and where our credentials go.

use serde_json::{Value, json};
use vault_mcp::{
    login::{IdentityProvider, LoginCallback, LoginError, ProviderKind, oidc::issuer::Issuer},
    secret::Secret,
};

use super::{Outcome, Setting, TO_ID_TOKEN};
use crate::support::openid::{CLIENT_SECRET, ISSUER, Script, attempt};

#[tokio::test]
async fn d1_the_code_is_bound_to_the_verifier_of_its_own_attempt() {
    let setting = Setting::honest();
    let url = setting
        .login
        .authorization_url(&attempt())
        .await
        .expect("a URL");
    // RFC 7636 appendix B.
    let challenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    assert!(url.as_str().contains(challenge), "{url}");
    assert!(
        !url.as_str().contains(attempt().code_verifier.expose()),
        "{url}"
    );
    let callback = setting.provider.authorize(&url);
    for verifier in [
        "another-verifier-another-verifier-another-verifier",
        "short",
        "",
    ] {
        let mut other = attempt();
        other.code_verifier = Secret::new(verifier);
        let refused = setting.identify(&callback, &other).await;
        assert_eq!(Outcome::from(&refused), Outcome::Untrusted, "{verifier}");
    }
    // Those that no verifier can be are not even sent.
    assert_eq!(setting.provider.calls(), "discovery token");
    setting
        .identify(&callback, &attempt())
        .await
        .expect("a login");
}

#[tokio::test]
async fn d7_the_sender_of_the_answer_is_checked_before_the_code_is_used() {
    let named = |name: &'static str| {
        move |callback: &mut LoginCallback| callback.issuer = Some(name.to_owned())
    };
    for (advertised, unnamed, calls) in [
        (false, Outcome::LoggedIn, "token"),
        (true, Outcome::Untrusted, ""),
    ] {
        let setting = Setting::honest();
        setting.script(|it| {
            it.discovery("authorization_response_iss_parameter_supported", advertised);
        });
        setting.log_in_with(named(ISSUER)).await.expect("a login");
        assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
        for other in ["https://evil.example", "https://id.example/", ""] {
            let refused = setting.log_in_with(named(other)).await;
            assert_eq!(Outcome::from(&refused), Outcome::Untrusted, "{other}");
            assert_eq!(setting.provider.calls(), "", "{other}");
        }
        let result = setting.log_in().await;
        assert_eq!(Outcome::from(&result), unnamed);
        assert_eq!(setting.provider.calls(), calls);
    }
}

#[tokio::test]
async fn c10_who_declines_is_not_logged_in_and_nothing_is_asked_for() {
    let setting = Setting::honest();
    for (error, expected) in [
        ("access_denied", Outcome::Declined),
        ("server_error", Outcome::Unavailable),
    ] {
        let callback = LoginCallback {
            code: Some(Secret::new("code-of-this-login")),
            error: Some(error.to_owned()),
            issuer: Some(ISSUER.to_owned()),
        };
        let declined = setting.identify(&callback, &attempt()).await;
        assert_eq!(Outcome::from(&declined), expected);
    }
    let nothing = setting
        .identify(&LoginCallback::default(), &attempt())
        .await;
    assert_eq!(Outcome::from(&nothing), Outcome::Untrusted);
    assert_eq!(setting.provider.calls(), "");
}

#[tokio::test]
async fn c10_an_error_of_another_sender_is_no_answer() {
    let setting = Setting::honest();
    let callback = LoginCallback {
        code: None,
        error: Some("access_denied".to_owned()),
        issuer: Some("https://evil.example".to_owned()),
    };
    let refused = setting.identify(&callback, &attempt()).await;
    assert!(matches!(refused, Err(LoginError::Untrusted(_))));
}

#[tokio::test]
async fn o9_credentials_go_where_the_provider_wants_them() {
    for (methods, by_header) in [
        (Value::Null, true),
        (json!(["client_secret_post", "client_secret_basic"]), true),
        (json!(["client_secret_post"]), false),
    ] {
        let setting = Setting::honest();
        setting.script(|it| it.discovery("token_endpoint_auth_methods_supported", methods));
        setting.log_in().await.expect("a login");
        assert_eq!(setting.provider.by_header.get(), Some(by_header));
    }
}

#[tokio::test]
async fn o2_issuers_that_end_in_a_slash_work_when_configured_so() {
    const WITH_SLASH: &str = "https://id.example/";
    let mut script = Script::honest(ISSUER);
    script.discovery("issuer", WITH_SLASH);
    script.claim("iss", WITH_SLASH);
    let setting = Setting::new(script, |settings| {
        settings.issuer = Issuer::parse(WITH_SLASH).expect("an issuer");
    });
    let person = setting.log_in().await.expect("a login");
    assert_eq!(person.issuer, WITH_SLASH);
    assert_eq!(person.provider, ProviderKind::Oidc);
    assert_eq!(setting.login.kind(), ProviderKind::Oidc);
    assert_eq!(setting.login.issuer(), WITH_SLASH);
    assert_eq!(setting.login.display_name(), "id.example");
}

#[tokio::test]
async fn d2_nothing_of_the_login_is_printed() {
    let setting = Setting::honest();
    setting.log_in().await.expect("a login");
    let printed = format!("{:?} {:?}", setting.login, attempt());
    for secret in [
        CLIENT_SECRET,
        "access-token-of-this-login",
        "nonce-of-this-login",
        "dBjftJeZ",
    ] {
        assert!(!printed.contains(secret), "{printed}");
    }
}
