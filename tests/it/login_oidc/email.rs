//! The e-mail address: in which document it is, and whether anybody vouches for it.

use serde_json::{Value, json};
use vault_mcp::login::LoginError;

use super::{
    Outcome::{self, LoggedIn, Unavailable, Untrusted, Unverified, UnverifiedEmail},
    Row, Setting, TO_USERINFO, row, table,
};
use crate::support::openid::{Answer, Script};

/// Has to end alike whether `OIDC_ALLOW_UNVERIFIED_EMAIL` is set or not.
const ROWS: [Row; 20] = [
    row("email_verified \"true\"", LoggedIn, |it| {
        it.claim("email_verified", "true");
    }),
    row("email_verified false", UnverifiedEmail, |it| {
        it.claim("email_verified", false);
    }),
    row("email_verified \"false\"", UnverifiedEmail, |it| {
        it.claim("email_verified", "false");
    }),
    row("email_verified 1", Untrusted, |it| {
        it.claim("email_verified", 1);
    }),
    row("email_verified \"yes\"", Untrusted, |it| {
        it.claim("email_verified", "yes");
    }),
    row("email in capitals", LoggedIn, |it| {
        it.claim("email", "Owner@Example.TEST");
    }),
    row("userinfo alone has both", LoggedIn, |it| {
        it.drop_claims(&["email", "email_verified"]);
    })
    .asking(TO_USERINFO),
    row("userinfo alone has email_verified", LoggedIn, |it| {
        it.drop_claims(&["email_verified"]);
    })
    .asking(TO_USERINFO),
    row("userinfo alone has email", LoggedIn, |it| {
        it.drop_claims(&["email"]);
    })
    .asking(TO_USERINFO),
    row("userinfo says false", UnverifiedEmail, |it| {
        it.drop_claims(&["email_verified"]);
        it.userinfo("email_verified", false);
    })
    .asking(TO_USERINFO),
    row(
        "ID token says false, userinfo true",
        UnverifiedEmail,
        |it| {
            it.drop_claims(&["email"]);
            it.claim("email_verified", false);
        },
    )
    .asking(TO_USERINFO),
    row("userinfo is about another person", Untrusted, |it| {
        it.drop_claims(&["email_verified"]);
        it.userinfo("sub", "subject-2");
    })
    .asking(TO_USERINFO),
    row("userinfo has another address", Untrusted, |it| {
        it.drop_claims(&["email_verified"]);
        it.userinfo("email", "other@example.test");
    })
    .asking(TO_USERINFO),
    row("userinfo refuses the token", Untrusted, |it| {
        it.drop_claims(&["email"]);
        it.answer("userinfo", Answer::Status(403));
    })
    .asking(TO_USERINFO),
    row("userinfo fails", Unavailable, |it| {
        it.drop_claims(&["email"]);
        it.answer("userinfo", Answer::Status(503));
    })
    .asking(TO_USERINFO),
    row("userinfo redirects", Unavailable, |it| {
        it.drop_claims(&["email"]);
        it.answer("userinfo", Answer::Status(302));
    })
    .asking(TO_USERINFO),
    row("userinfo is a signed token", Untrusted, |it| {
        it.drop_claims(&["email"]);
        it.answer("userinfo", Answer::Text("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"));
    })
    .asking(TO_USERINFO),
    // It would make a header of its own out of the request to userinfo.
    row("access token with a line break", Untrusted, |it| {
        it.drop_claims(&["email"]);
        it.token("access_token", "a\r\nX-Evil: 1");
    }),
    row("no email at all", Unverified, |it| {
        it.drop_claims(&["email", "email_verified"]);
        it.userinfo = json!({ "sub": "subject-1" });
    })
    .asking(TO_USERINFO),
    row("email is a user name", Unverified, |it| {
        it.claim("email", "owner");
        it.userinfo("email", "owner");
    })
    .asking(TO_USERINFO),
];

fn nobody_says_verified(it: &mut Script) {
    it.drop_claims(&["email_verified"]);
    it.userinfo = json!({ "sub": "subject-1", "email": "owner@example.test" });
}

/// What the setting is for: addresses about whose verification nothing is said.
const fn silent_rows(outcome: Outcome) -> [Row; 3] {
    [
        row("nobody says email_verified", outcome, nobody_says_verified).asking(TO_USERINFO),
        row("userinfo is silent", outcome, |it| {
            it.drop_claims(&["email_verified"]);
            it.userinfo = json!({ "sub": "subject-1" });
        })
        .asking(TO_USERINFO),
        row("there is no userinfo", outcome, |it| {
            it.drop_claims(&["email_verified"]);
            it.discovery("userinfo_endpoint", Value::Null);
        }),
    ]
}

#[tokio::test]
async fn o5_o6_only_a_vouched_for_address_counts() {
    let rows = [&ROWS[..], &silent_rows(Unverified)].concat();
    table("login_oidc_email", &rows, |_| {}).await;
}

#[tokio::test]
async fn o6_the_setting_admits_silence_and_nothing_else() {
    let rows = [&ROWS[..], &silent_rows(LoggedIn)].concat();
    let allow = |settings: &mut vault_mcp::login::oidc::OidcSettings| {
        settings.allow_unverified_email = true;
    };
    table("login_oidc_email_allowed_unverified", &rows, allow).await;
}

#[tokio::test]
async fn o6_a_person_without_a_vouched_for_address_is_told_so() {
    let setting = Setting::honest();
    setting.script(nobody_says_verified);
    let person = setting
        .log_in()
        .await
        .expect("somebody whom an entry by subject can admit");
    let email = Some("owner@example.test".to_owned());
    let told = LoginError::UnverifiedEmail {
        email,
        explicit: false,
    };
    assert_eq!(person.unverified_email(), Some(told));
    let verified = Setting::honest().log_in().await.expect("a login");
    assert_eq!(verified.unverified_email(), None);
}
