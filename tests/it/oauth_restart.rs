//! E4, E7, E8, E9: what is decided once stays decided, whoever races and whatever is restarted.
//!
//! An object that is put out of memory comes back with its database and nothing else. Each race runs
//! with the object restarted at every point in its middle, over one database file.

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::Value;
use vault_mcp::oauth::state::Instance;

use crate::support::oauth::{CLAUDE, Server, Tokens, VERIFIER};

const RACERS: usize = 50;

/// A server whose objects are restarted after every so many transitions, or not by themselves.
fn server(every: Option<usize>) -> Server {
    let server = Server::with(|setup| setup.on_disk = true);
    if let Some(every) = every {
        server.objects.restart_every(every);
    }
    server
}

/// No restart, one after every transition, and a few in the middle.
const RESTARTS: [Option<usize>; 4] = [None, Some(1), Some(7), Some(24)];

fn pairs(client: &str, answers: &[(StatusCode, Value)]) -> Vec<Tokens> {
    let granted = answers.iter().filter(|(status, _)| *status == 200);
    granted.map(|(_, body)| Tokens::of(client, body)).collect()
}

async fn race_of_refreshes(server: &Server, tokens: &Tokens) -> Vec<Tokens> {
    let racers = (0..RACERS).map(|_| server.refresh(&tokens.client, &tokens.refresh));
    let pairs = pairs(&tokens.client, &join_all(racers).await);
    assert_eq!(pairs.len(), RACERS, "every one gets tokens");
    pairs
}

async fn is_alive(server: &Server, tokens: &Tokens) -> bool {
    server.access(&tokens.access).await.is_some()
}

async fn refusal(server: &Server, tokens: &Tokens) -> String {
    let (status, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    format!(
        "{} {}",
        status.as_u16(),
        body["error"].as_str().unwrap_or("-")
    )
}

#[tokio::test]
async fn e4_of_fifty_redemptions_one_succeeds_and_its_tokens_are_dead() {
    for every in RESTARTS {
        let server = server(every);
        let (client, code) = server.code(CLAUDE).await;
        let racers = (0..RACERS).map(|_| server.redeem(&client, &code, CLAUDE));
        let answers = join_all(racers).await;
        let granted = pairs(&client, &answers);
        assert_eq!(granted.len(), 1, "{every:?}");
        for (status, body) in &answers {
            assert!(*status == 200 || body["error"] == "invalid_grant", "{body}");
        }
        server.objects.restart();
        assert!(!is_alive(&server, &granted[0]).await, "{every:?}");
        assert_eq!(refusal(&server, &granted[0]).await, "400 invalid_grant");
        for table in ["grants", "codes", "access_tokens", "refresh_tokens"] {
            assert_eq!(server.objects.rows(Instance::Grants, table), 0, "{table}");
        }
    }
}

#[tokio::test]
async fn e7_of_fifty_refreshes_all_get_one_successor() {
    for every in RESTARTS {
        let server = server(every);
        let tokens = server.sign_in().await;
        let pairs = race_of_refreshes(&server, &tokens).await;
        assert!(pairs.iter().all(|pair| *pair == pairs[0]), "{every:?}");
        assert_eq!(server.objects.rows(Instance::Grants, "refresh_tokens"), 2);
        assert_eq!(server.objects.rows(Instance::Grants, "access_tokens"), 2);
        server.objects.restart();
        assert!(is_alive(&server, &pairs[0]).await, "{every:?}");
        // And the fifty programs go on together from there.
        let next = race_of_refreshes(&server, &pairs[0]).await;
        assert!(next.iter().all(|pair| *pair == next[0]), "{every:?}");
        assert_ne!(next[0].refresh, pairs[0].refresh);
    }
}

#[tokio::test]
async fn e8_after_the_grace_an_unused_successor_is_given_again() {
    for every in RESTARTS {
        let server = server(every);
        let tokens = server.sign_in().await;
        let first = race_of_refreshes(&server, &tokens).await[0].clone();
        for _ in 0..3 {
            server.wait(601);
            server.objects.restart();
            let again = race_of_refreshes(&server, &tokens).await;
            assert!(again.iter().all(|pair| pair.refresh == first.refresh));
        }
        assert!(is_alive(&server, &first).await, "{every:?}");
    }
}

#[tokio::test]
async fn e9_after_the_grace_a_used_successor_ends_the_family() {
    for every in RESTARTS {
        for by_access in [true, false] {
            let server = server(every);
            let tokens = server.sign_in().await;
            let second = race_of_refreshes(&server, &tokens).await[0].clone();
            let newest = if by_access {
                assert!(is_alive(&server, &second).await);
                second
            } else {
                race_of_refreshes(&server, &second).await[0].clone()
            };
            server.wait(601);
            server.objects.restart();
            let thieves = (0..RACERS).map(|_| refusal(&server, &tokens));
            for refused in join_all(thieves).await {
                assert_eq!(refused, "400 invalid_grant", "{every:?}");
            }
            server.objects.restart();
            assert!(!is_alive(&server, &newest).await, "{every:?}");
            assert_eq!(refusal(&server, &newest).await, "400 invalid_grant");
            assert_eq!(server.objects.rows(Instance::Grants, "grants"), 0);
        }
    }
}

/// Whatever a restart falls between: a code is redeemed, an answer lost, a token revoked.
#[tokio::test]
async fn e12_a_revocation_survives_a_restart() {
    let server = server(None);
    let tokens = server.sign_in().await;
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.access),
    ];
    assert_eq!(server.revoke(&fields).await, 200);
    server.objects.restart();
    assert!(!is_alive(&server, &tokens).await);
    assert_eq!(refusal(&server, &tokens).await, "200 -");
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.refresh),
    ];
    assert_eq!(server.revoke(&fields).await, 200);
    server.objects.restart();
    assert_eq!(refusal(&server, &tokens).await, "400 invalid_grant");
}

/// Attempts are counted in the database, not in memory: a restart gives nobody five more.
#[tokio::test]
async fn e3_failed_attempts_at_a_code_survive_a_restart() {
    let server = server(Some(1));
    let (client, code) = server.code(CLAUDE).await;
    let wrong = "w".repeat(43);
    for verifier in [wrong.as_str(); 5].into_iter().chain([VERIFIER]) {
        let (status, body) = server
            .token(&[
                ("grant_type", "authorization_code"),
                ("client_id", &client),
                ("code", &code),
                ("code_verifier", verifier),
                ("redirect_uri", CLAUDE),
            ])
            .await;
        assert_eq!(
            (status.as_u16(), &body["error"]),
            (400, &"invalid_grant".into())
        );
    }
}
