//! How long discovery document and keys are used, and what an outage of their source does.

use std::time::Duration;

use vault_mcp::{login::IdentityProvider, runtime::FetchError};

use super::{Outcome, Setting, TO_ID_TOKEN};
use crate::support::openid::{Answer, NOW, attempt};

/// A setting in which somebody has just logged in, and whose ID tokens do not expire.
async fn warm() -> Setting {
    let setting = Setting::honest();
    setting.script(|it| it.claim("exp", NOW + 999_999));
    setting.log_in().await.expect("a first login");
    assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
    setting
}

#[tokio::test]
async fn o7_documents_are_used_for_an_hour() {
    let setting = warm().await;
    setting.clock.advance(Duration::from_secs(3_599));
    setting.log_in().await.expect("a login with what is known");
    assert_eq!(setting.provider.calls(), "token");
    setting.clock.advance(Duration::from_secs(1));
    setting.log_in().await.expect("a login after an hour");
    assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
}

#[tokio::test]
async fn o7_a_new_key_is_looked_for_once_in_thirty_seconds() {
    let setting = warm().await;
    setting.script(|it| it.sign_with("stolen"));
    for (calls, wait) in [("token jwks", 29), ("token", 1), ("token jwks", 30)] {
        let refused = setting.log_in().await;
        assert_eq!(Outcome::from(&refused), Outcome::Untrusted);
        assert_eq!(setting.provider.calls(), calls);
        setting.clock.advance(Duration::from_secs(wait));
    }

    setting.script(|it| {
        it.publish(&["second"]);
        it.sign_with("second");
    });
    setting
        .log_in()
        .await
        .expect("a login with the provider's new key");
    assert_eq!(setting.provider.calls(), "token jwks");
    // The old key is gone with the old document.
    setting.script(|it| it.sign_with("first"));
    let refused = setting.log_in().await;
    assert_eq!(Outcome::from(&refused), Outcome::Untrusted);
    assert_eq!(setting.provider.calls(), "token");
}

#[tokio::test]
async fn o7_a_new_key_that_cannot_be_fetched_is_an_outage_not_a_forgery() {
    let setting = warm().await;
    setting.script(|it| {
        it.sign_with("second");
        it.answer("jwks", Answer::Status(503));
    });
    let result = setting.log_in().await;
    assert_eq!(Outcome::from(&result), Outcome::Unavailable);
    assert_eq!(setting.provider.calls(), "token jwks");
    // Nor is it one where the known keys are only a stand-in.
    setting.clock.advance(Duration::from_hours(2));
    let result = setting.log_in().await;
    assert_eq!(Outcome::from(&result), Outcome::Unavailable);
    assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
}

#[tokio::test]
async fn o8_the_last_good_documents_outlive_an_outage_by_a_day() {
    for fault in [
        Answer::Status(500),
        Answer::Status(404),
        Answer::Fails(FetchError::Timeout),
        Answer::Text("<html>"),
    ] {
        let setting = warm().await;
        setting.script(|it| {
            it.answer("discovery", fault.clone());
            it.answer("jwks", fault.clone());
        });
        for hours in [2, 21] {
            setting.clock.advance(Duration::from_hours(hours));
            setting.log_in().await.expect("a login during an outage");
            // Both the authorization request and the answer look for a newer description.
            assert_eq!(setting.provider.calls(), "discovery discovery token jwks");
        }
        setting.clock.advance(Duration::from_hours(1));
        setting
            .log_in()
            .await
            .expect_err("nothing is known any more");
        assert_eq!(setting.provider.calls(), "discovery");
    }
}

#[tokio::test]
async fn o8_a_description_that_is_wrong_is_no_outage() {
    let setting = warm().await;
    setting.clock.advance(Duration::from_hours(1));
    setting.script(|it| it.discovery("issuer", "https://evil.example"));
    let refused = setting.log_in().await;
    assert_eq!(Outcome::from(&refused), Outcome::Untrusted);
    assert_eq!(setting.provider.calls(), "discovery");
}

#[tokio::test]
async fn o8_keys_are_fetched_anew_where_the_provider_moves_them() {
    let setting = Setting::honest();
    setting.script(|it| it.claim("exp", NOW + 9_999));
    let url = setting
        .login
        .authorization_url(&attempt())
        .await
        .expect("a URL");
    let callback = setting.provider.authorize(&url);
    setting.clock.advance(Duration::from_mins(5));
    setting
        .login
        .identify(&callback, &attempt())
        .await
        .expect("a login");
    assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
    // The description is an hour old now, the keys are not.
    setting.clock.advance(Duration::from_mins(55));
    setting.script(|it| {
        it.discovery("jwks_uri", "https://id.example/moved");
        it.publish(&["second"]);
        it.sign_with("second");
    });
    setting
        .log_in()
        .await
        .expect("a login with the keys from their new place");
    assert_eq!(setting.provider.calls(), TO_ID_TOKEN);
}
