//! Signatures of ID tokens, and the keys for them.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{
    Outcome::{self, LoggedIn, Misconfigured, Untrusted},
    Setting, row, shown, table,
};
use crate::support::openid::{CLIENT_SECRET, ISSUER, Script, Signature, jwk};

/// What the provider announces to sign with.
const ALGORITHMS: &str = "id_token_signing_alg_values_supported";

#[tokio::test]
async fn o4_a_signature_is_of_an_accepted_kind() {
    let rows = [
        row("alg none", Untrusted, |it| {
            it.header = json!({ "alg": "none" });
            it.signature = Signature::Empty;
        }),
        row("alg none, advertised", Untrusted, |it| {
            it.discovery(ALGORITHMS, json!(["none", "ES256"]));
            it.header = json!({ "alg": "none" });
            it.signature = Signature::Empty;
        }),
        row("alg NONE", Untrusted, |it| {
            it.header = json!({ "alg": "NONE" });
            it.signature = Signature::Empty;
        }),
        row("HS256 by the client secret", Untrusted, |it| {
            it.header = json!({ "alg": "HS256" });
            it.signature = Signature::Hmac(CLIENT_SECRET.into());
        }),
        row("HS256 by the client secret, advertised", Untrusted, |it| {
            it.discovery(ALGORITHMS, json!(["HS256", "ES256"]));
            it.header = json!({ "alg": "HS256" });
            it.signature = Signature::Hmac(CLIENT_SECRET.into());
        }),
        row("HS256 by the public key", Untrusted, |it| {
            it.header = json!({ "alg": "HS256", "kid": "first" });
            it.signature = Signature::Hmac(jwk("first").to_string().into());
        }),
        row("HS256 by a published secret", Untrusted, |it| {
            it.discovery(ALGORITHMS, json!(["HS256", "ES256"]));
            it.jwks = json!({ "keys": [{ "kty": "oct", "kid": "s", "k": "c2VjcmV0" }] });
            it.header = json!({ "alg": "HS256", "kid": "s" });
            it.signature = Signature::Hmac(b"secret".into());
        }),
        row("nothing but HMAC", Misconfigured, |it| {
            it.discovery(ALGORITHMS, json!(["HS256", "none"]));
        })
        .asking("discovery"),
        row("alg not advertised", Untrusted, |it| {
            it.discovery(ALGORITHMS, json!(["RS256"]));
        }),
        row("alg that nobody knows", Untrusted, |it| {
            it.header("alg", "XX256");
        }),
        row("alg of another kind of key", Untrusted, |it| {
            it.header("alg", "RS256");
        }),
        row("typ missing", LoggedIn, |it| {
            it.header = json!({ "alg": "ES256", "kid": "first" });
        }),
        row("typ of an access token", Untrusted, |it| {
            it.header("typ", "at+jwt");
        }),
        row("typ of a logout token", Untrusted, |it| {
            it.header("typ", "logout+jwt");
        }),
        row("cty of a nested token", Untrusted, |it| {
            it.header("cty", "JWT");
        }),
        row("crit", Untrusted, |it| it.header("crit", json!(["exp"]))),
    ];
    table("login_oidc_algorithms", &rows, |_| {}).await;
}

#[tokio::test]
async fn o4_o7_a_signature_is_by_a_key_of_the_provider() {
    let rows = [
        row("by another key", Untrusted, |it| {
            it.signature = Signature::Key("stolen");
        }),
        row("empty", Untrusted, |it| it.signature = Signature::Empty),
        row("by a key in the header", Untrusted, |it| {
            it.header("jwk", jwk("stolen"));
            it.signature = Signature::Key("stolen");
        }),
        row("by a key that the header points to", Untrusted, |it| {
            it.header("jku", "https://evil.example/jwks");
            it.sign_with("stolen");
        }),
        row("kid of no key", Untrusted, |it| it.sign_with("stolen")),
        row("no kid, one key", LoggedIn, |it| {
            it.header = json!({ "alg": "ES256" });
        }),
        row("no kid, two keys", Untrusted, |it| {
            it.header = json!({ "alg": "ES256" });
            it.publish(&["first", "second"]);
        }),
        row("no kid, one key for signatures", LoggedIn, |it| {
            it.header = json!({ "alg": "ES256" });
            it.publish(&["first", "second"]);
            it.jwks["keys"][1]["use"] = "enc".into();
        }),
        row("key for encryption", Untrusted, |it| {
            it.jwks["keys"][0]["use"] = "enc".into();
        }),
        row("key for ES384", Untrusted, |it| {
            it.jwks["keys"][0]["alg"] = "ES384".into();
        }),
        row("key without use and alg", LoggedIn, |it| {
            let key = it.jwks["keys"][0].as_object_mut().expect("a key");
            key.retain(|name, _| name != "use" && name != "alg");
        }),
        row("key off the curve", Untrusted, |it| {
            it.jwks["keys"][0]["y"] = "AAAA".into();
        }),
        row("no keys", Untrusted, |it| it.publish(&[])),
        row("keys in rotation", LoggedIn, |it| {
            it.publish(&["first", "second"]);
            it.sign_with("second");
        }),
        row("keys of kinds that nobody knows", LoggedIn, |it| {
            it.jwks = json!({ "keys": [{ "kty": "AKP", "alg": "ML-DSA-65" }, 7, jwk("first")] });
        }),
    ];
    table("login_oidc_keys", &rows, |_| {}).await;
}

/// The tokens were made by `jose` and Node's own cryptography, see `tests/fixtures/openid`.
#[tokio::test]
async fn o4_every_accepted_signature_of_another_implementation_is_verified() {
    let fixture: Value =
        serde_json::from_str(include_str!("../../fixtures/openid/jose.json")).expect("JSON");
    let tokens = fixture["tokens"].as_object().expect("tokens");
    assert_eq!(tokens.len(), 9);
    for (algorithm, token) in tokens {
        let token = token.as_str().expect("a token");
        let log_in = async |token: &str| {
            let mut script = Script::honest(ISSUER);
            script.discovery(ALGORITHMS, json!(tokens.keys().collect::<Vec<_>>()));
            script.jwks = fixture["jwks"].clone();
            script.token("access_token", fixture["access_token"].clone());
            script.signature = Signature::Literal(token.to_owned());
            Setting::new(script, |_| {}).log_in().await
        };
        let person = log_in(token).await;
        assert_eq!(
            Outcome::from(&person),
            LoggedIn,
            "{algorithm}: {}",
            shown(&person)
        );

        let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else {
            panic!("{algorithm}: no signed token");
        };
        for (fault, forged) in [
            (
                "a bit of the signature",
                format!("{header}.{claims}.{}", with_a_bit_flipped(signature)),
            ),
            (
                "a claim",
                format!("{header}.{}.{signature}", with_another_address(claims)),
            ),
            (
                "cut",
                format!("{header}.{claims}.{}", &signature[..signature.len() - 4]),
            ),
            ("unsigned", format!("{header}.{claims}.")),
        ] {
            let refused = log_in(&forged).await;
            assert_eq!(Outcome::from(&refused), Untrusted, "{algorithm}, {fault}");
        }
    }
}

fn decoded(part: &str) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64url")
}

fn with_a_bit_flipped(signature: &str) -> String {
    let mut signature = decoded(signature);
    signature[0] ^= 1;
    BASE64_URL_SAFE_NO_PAD.encode(signature)
}

fn with_another_address(claims: &str) -> String {
    let mut claims: Value = serde_json::from_slice(&decoded(claims)).expect("claims");
    claims["email"] = "stranger@example.test".into();
    BASE64_URL_SAFE_NO_PAD.encode(claims.to_string())
}
