//! The hourly limit and the secondary ones.

use serde_json::{Value, json};
use vault_mcp_dev::github::{PrimaryLimit, SecondaryLimit};
use vault_mcp_dev::{Times, tokens};

use crate::client::{Client, start};

#[tokio::test]
async fn the_tokens_of_a_user_share_an_hour() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let reader = Client::new(github.url(), Some(tokens::READ_ONLY));
    let first = client.get("");
    assert_eq!(first.header("x-ratelimit-limit"), "5000");
    assert_eq!(first.header("x-ratelimit-remaining"), "4999");
    assert_eq!(first.header("x-ratelimit-resource"), "core");
    let second = reader.get("/contents/nothing").expect(404);
    assert_eq!(second.header("x-ratelimit-used"), "2");
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let reset: u64 = second.header("x-ratelimit-reset").parse().unwrap();
    assert!((1..=3_600).contains(&(reset - now.as_secs())));
    // Asking for the limit is free.
    let rate = client
        .send("GET", "/rate_limit", &[], b"")
        .expect(200)
        .json();
    assert_eq!(rate["rate"]["remaining"], 4_998);
    assert_eq!(github.counted_requests(), 2);
    let nobody = Client::new(github.url(), None);
    assert_eq!(nobody.get("").header("x-ratelimit-limit"), "60");
}

#[tokio::test]
async fn a_used_up_hour_says_when_it_ends() {
    let (github, client) = start(&[("a.md", "a")]).await;
    for status in [403, 429] {
        let limit = PrimaryLimit {
            status,
            reset_in: 120,
        };
        github.switches(|switches| switches.primary_limit = Some(limit));
        let reply = client.get("/contents/a.md").expect(status);
        assert_eq!(reply.header("x-ratelimit-remaining"), "0");
        assert_eq!(reply.header("x-ratelimit-used"), "5000");
        assert!(reply.headers.get("retry-after").is_none());
        assert!(
            reply
                .message()
                .starts_with("API rate limit exceeded for user ID ")
        );
        client.put("b.md", "b", &Value::Null).expect(status);
    }
    github.reset_switches();
    client.get("/contents/a.md").expect(200);
    client.get("/contents/b.md").expect(404);
}

#[tokio::test]
async fn secondary_limits_come_with_and_without_a_time() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let set = |limit| github.switches(|switches| switches.secondary_limit = Some(limit));
    set(SecondaryLimit {
        status: 429,
        retry_after: Some(7),
        times: Times::Next(2),
        writes_only: true,
    });
    client.get("/contents/a.md").expect(200);
    let reply = client.put("b.md", "b", &Value::Null).expect(429);
    assert_eq!(reply.header("retry-after"), "7");
    assert_ne!(reply.header("x-ratelimit-remaining"), "0");
    assert!(
        reply
            .message()
            .starts_with("You have exceeded a secondary rate limit.")
    );
    client.delete("a.md", &json!({})).expect(429);
    client.put("b.md", "b", &Value::Null).expect(201);

    set(SecondaryLimit {
        retry_after: None,
        ..SecondaryLimit::default()
    });
    let reply = client.get("").expect(403);
    assert!(reply.headers.get("retry-after").is_none());
}
