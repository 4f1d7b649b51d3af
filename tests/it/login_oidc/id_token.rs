//! Claims of ID tokens.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    Outcome::{LoggedIn, Untrusted},
    row, table,
};
use crate::support::openid::{CLIENT_ID, NOW, Signature};

/// `at_hash` of an access token for the algorithms with SHA-256: the digest's left half.
fn at_hash(access_token: &str) -> Value {
    BASE64_URL_SAFE_NO_PAD
        .encode(&Sha256::digest(access_token)[..16])
        .into()
}

#[tokio::test]
async fn o4_an_id_token_is_of_the_issuer_and_for_us() {
    let rows = [
        row("honest", LoggedIn, |_| {}),
        row("iss of another", Untrusted, |it| {
            it.claim("iss", "https://evil.example");
        }),
        row("iss with a slash more", Untrusted, |it| {
            it.claim("iss", "https://id.example/");
        }),
        row("iss in capitals", Untrusted, |it| {
            it.claim("iss", "https://ID.example");
        }),
        row("iss missing", Untrusted, |it| it.drop_claims(&["iss"])),
        row("aud of another", Untrusted, |it| it.claim("aud", "other")),
        row("aud in capitals", Untrusted, |it| {
            it.claim("aud", "VAULT-MCP");
        }),
        row("aud empty", Untrusted, |it| it.claim("aud", json!([]))),
        row("aud missing", Untrusted, |it| it.drop_claims(&["aud"])),
        row("aud ours in a list", LoggedIn, |it| {
            it.claim("aud", json!([CLIENT_ID]));
        }),
        row("several aud, no azp", Untrusted, |it| {
            it.claim("aud", json!([CLIENT_ID, "x"]));
        }),
        row("several aud, azp ours", LoggedIn, |it| {
            it.claim("aud", json!([CLIENT_ID, "x"]));
            it.claim("azp", CLIENT_ID);
        }),
        row("several aud, azp another", Untrusted, |it| {
            it.claim("aud", json!([CLIENT_ID, "x"]));
            it.claim("azp", "x");
        }),
        row("several aud without ours, azp ours", Untrusted, |it| {
            it.claim("aud", json!(["x", "y"]));
            it.claim("azp", CLIENT_ID);
        }),
        row("azp ours", LoggedIn, |it| it.claim("azp", CLIENT_ID)),
        row("azp another", Untrusted, |it| it.claim("azp", "x")),
        row("azp empty", Untrusted, |it| it.claim("azp", "")),
    ];
    table("login_oidc_parties", &rows, |_| {}).await;
}

#[tokio::test]
async fn o4_times_have_a_minute_for_clocks_that_differ() {
    let rows = [
        row("expired 59 s ago", LoggedIn, |it| it.claim("exp", NOW - 59)),
        row("expired 60 s ago", Untrusted, |it| {
            it.claim("exp", NOW - 60);
        }),
        row("expired an hour ago", Untrusted, |it| {
            it.claim("exp", NOW - 3600);
        }),
        row("exp missing", Untrusted, |it| it.drop_claims(&["exp"])),
        row("exp a text", Untrusted, |it| it.claim("exp", "tomorrow")),
        row("exp beyond all calendars", Untrusted, |it| {
            it.claim("exp", 1e300);
        }),
        row("exp and iat with fractions", LoggedIn, |it| {
            it.claim("iat", 1_800_000_000.25);
            it.claim("exp", 1_800_000_600.75);
        }),
        row("issued in 60 s", LoggedIn, |it| it.claim("iat", NOW + 60)),
        row("issued in 61 s", Untrusted, |it| it.claim("iat", NOW + 61)),
        row("iat missing", Untrusted, |it| it.drop_claims(&["iat"])),
        row("valid since an hour", LoggedIn, |it| {
            it.claim("nbf", NOW - 3600);
        }),
        row("valid in 60 s", LoggedIn, |it| it.claim("nbf", NOW + 60)),
        row("valid in 61 s", Untrusted, |it| it.claim("nbf", NOW + 61)),
        row("valid in an hour and a bit", Untrusted, |it| {
            it.claim("nbf", 1_800_003_600.5);
        }),
        row("nbf a text", Untrusted, |it| it.claim("nbf", "now")),
    ];
    table("login_oidc_times", &rows, |_| {}).await;
}

#[tokio::test]
async fn o4_an_id_token_belongs_to_one_login_and_one_person() {
    let rows = [
        row("nonce of another login", Untrusted, |it| {
            it.claim("nonce", "wrong");
        }),
        row("nonce empty", Untrusted, |it| it.claim("nonce", "")),
        row("nonce missing", Untrusted, |it| it.drop_claims(&["nonce"])),
        row("sub missing", Untrusted, |it| it.drop_claims(&["sub"])),
        row("sub empty", Untrusted, |it| it.claim("sub", "")),
        row("sub a number", Untrusted, |it| it.claim("sub", 7)),
        row("sub with a line break", Untrusted, |it| {
            it.claim("sub", "a\nb");
        }),
        row("sub of 255 characters", LoggedIn, |it| {
            it.claim("sub", "s".repeat(255));
        }),
        row("sub of 256 characters", Untrusted, |it| {
            it.claim("sub", "s".repeat(256));
        }),
        row("at_hash right", LoggedIn, |it| {
            it.claim("at_hash", at_hash("access-token-of-this-login"));
        }),
        row("at_hash of another token", Untrusted, |it| {
            it.claim("at_hash", at_hash("another"));
        }),
        row("at_hash empty", Untrusted, |it| it.claim("at_hash", "")),
        row("no ID token", Untrusted, |it| {
            it.signature = Signature::NoToken;
        })
        .asking("discovery token"),
        row("garbage", Untrusted, |it| {
            it.signature = Signature::Literal("not.a.token".into());
        }),
        row("empty", Untrusted, |it| {
            it.signature = Signature::Literal(String::new());
        }),
        row("encrypted", Untrusted, |it| {
            it.signature = Signature::Literal("e30.a.b.c.d".into());
        }),
        row("claims in a list", Untrusted, |it| it.claims = json!([])),
    ];
    table("login_oidc_belonging", &rows, |_| {}).await;
}
