//! Faults.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vault_mcp_dev::github::{Hang, HangPoint, RefLag, RuleViolation};
use vault_mcp_dev::{Push, Times};

use crate::client::{git, start};

#[tokio::test]
async fn a_lost_race_leaves_the_winner_and_can_be_retried() {
    let (github, client) = start(&[("a.md", "one")]).await;
    let before = git(&github, &["rev-parse", "main"]);
    let sha = git(&github, &["rev-parse", "main:a.md"]);
    github.switches(|switches| switches.tip_race = Times::Next(1));
    let update = json!({"sha": sha});
    let reply = client.put("a.md", "two", &update).expect(409);
    let winner = git(&github, &["rev-parse", "main"]);
    assert_eq!(
        reply.message(),
        format!("is at {winner} but expected {before}")
    );
    assert_eq!(git(&github, &["show", "main:a.md"]), "one");
    let reply = client.put("a.md", "two", &update).expect(200).json();
    assert_eq!(reply["commit"]["parents"][0]["sha"], winner);
}

#[tokio::test]
async fn a_server_error_hides_whether_the_commit_was_made() {
    let (github, client) = start(&[("a.md", "one")]).await;
    github.switches(|switches| switches.fail_before_commit = Times::Next(1));
    client.put("b.md", "b", &Value::Null).expect(502);
    client.get("/contents/b.md").expect(404);
    github.switches(|switches| switches.fail_after_commit = Times::Next(1));
    client.put("b.md", "b", &Value::Null).expect(502);
    client.get("/contents/b.md").expect(200);
    assert_eq!(git(&github, &["rev-list", "--count", "main"]), "2");

    github.switches(|switches| switches.fail_reads = Times::Always);
    client.get("/contents/a.md").expect(502);
    client.put("c.md", "c", &Value::Null).expect(201);
}

#[tokio::test]
async fn a_branch_that_trails_answers_with_the_previous_commit() {
    let (github, client) = start(&[("a.md", "one")]).await;
    let tip = |rest: &str, pointer: &str| {
        client
            .get(rest)
            .expect(200)
            .json()
            .pointer(pointer)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    let old = git(&github, &["rev-parse", "main"]);
    let new = github
        .push(Push::new().put("a.md", "two"))
        .await
        .unwrap()
        .to_string();

    github.switches(|switches| switches.ref_lag = Some(RefLag::Reads(3)));
    assert_eq!(tip("/git/ref/heads/main", "/object/sha"), old);
    assert_eq!(tip("/commits/main", "/sha"), old);
    assert_eq!(tip("/contents/a.md", "/content"), "b25l\n");
    assert_eq!(tip("/git/ref/heads/main", "/object/sha"), new);

    // A tarball of the branch trails too: its folder is named after the commit it holds.
    let target = client.get("/tarball/main").header("location").to_owned();
    for (lag, holds) in [(Some(RefLag::Reads(1)), &old), (None, &new)] {
        github.switches(|switches| switches.ref_lag = lag);
        let reply = client
            .bare("GET", &target, &[("user-agent", "x")], b"")
            .unwrap()
            .expect(200);
        assert!(reply.header("content-disposition").contains(&holds[..7]));
    }

    let wait = Duration::from_millis(1_500);
    let lag = u64::try_from(wait.as_millis()).unwrap();
    let pushed = Instant::now();
    let newer = github
        .push(Push::new().put("a.md", "three"))
        .await
        .unwrap()
        .to_string();
    github.switches(|switches| switches.ref_lag = Some(RefLag::Milliseconds(lag)));
    assert_ne!(tip("/git/ref/heads/main", "/object/sha"), newer);
    // A commit asked for by its own name does not trail, and neither does what a write builds on.
    assert_eq!(tip(&format!("/commits/{newer}"), "/sha"), newer);
    let written = client.put("b.md", "b", &Value::Null).expect(201).json();
    assert_eq!(written["commit"]["parents"][0]["sha"], newer);
    let written = written["commit"]["sha"].as_str().unwrap().to_owned();
    std::thread::sleep(wait.saturating_sub(pushed.elapsed()) + wait);
    assert_eq!(tip("/git/ref/heads/main", "/object/sha"), written);
}

#[tokio::test]
async fn a_tree_can_be_cut_and_walked() {
    let (github, client) = start(&[("a/1.md", "1"), ("a/2.md", "2"), ("b.md", "b")]).await;
    github.switches(|switches| switches.tree_truncate_at = Some(2));
    let cut = client.get("/git/trees/main?recursive=1").expect(200).json();
    assert_eq!(
        [
            &cut["truncated"],
            &json!(cut["tree"].as_array().unwrap().len())
        ],
        [&json!(true), &json!(2)]
    );
    let root = client.get("/git/trees/main").expect(200).json();
    assert_eq!(root["truncated"], false);
    let sub = root["tree"][0]["sha"].as_str().unwrap();
    let sub = client
        .get(&format!("/git/trees/{sub}?recursive=1"))
        .expect(200)
        .json();
    assert_eq!(sub["truncated"], false);
    github.switches(|switches| switches.listing_cap = Some(1));
    assert_eq!(
        client.get("/contents/a").json().as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn rules_refuse_commits_for_good() {
    let (github, client) = start(&[("a.md", "one")]).await;
    for (rule, text) in [
        (RuleViolation::Ruleset, "Repository rule violations found"),
        (
            RuleViolation::RequiredChecks,
            "Could not update file: 2 of 2 required status checks",
        ),
    ] {
        github.switches(|switches| switches.rule_violation = Some(rule));
        let reply = client.put("b.md", "b", &Value::Null).expect(409);
        assert!(reply.message().starts_with(text));
    }
    github.reset_switches();
    github.switches(|switches| switches.secret_scanning = true);
    let secret = format!("key: ghp_{}", "a1B2".repeat(9));
    let reply = client.put("b.md", &secret, &Value::Null).expect(409).json();
    let found = reply["metadata"]["secret_scanning"]["bypass_placeholders"]
        .as_array()
        .unwrap();
    assert_eq!(found[0]["token_type"], "GITHUB_PERSONAL_ACCESS_TOKEN");
    assert!(!reply.to_string().contains("a1B2"));
    client
        .put("b.md", "the prefix ghp_ alone is no token", &Value::Null)
        .expect(201);
    assert_eq!(git(&github, &["rev-list", "--count", "main"]), "2");
}

#[tokio::test]
async fn a_request_can_stop_before_and_after_its_commit() {
    let (github, client) = start(&[("a.md", "one")]).await;
    let hang = |at| {
        let hang = Hang {
            at,
            times: Times::Next(1),
            milliseconds: None,
        };
        github.switches(|switches| switches.hang = Some(hang));
    };
    // A client that gives up at once: the request is in the log, without a status.
    let give_up = |method: &str, rest: &str, body: &Value| {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_millis(700)))
            .build()
            .into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/repos/example/vault{rest}", github.url()))
            .header(
                "authorization",
                format!("token {}", vault_mcp_dev::tokens::FULL),
            )
            .body(body.to_string())
            .unwrap();
        assert!(agent.run(request).is_err());
        assert_eq!(github.requests().last().unwrap().status, None);
    };
    let body = json!({"message": "m", "content": "eA=="});
    hang(HangPoint::Request);
    give_up("PUT", "/contents/b.md", &body);
    hang(HangPoint::BeforeCommit);
    give_up("PUT", "/contents/b.md", &body);
    assert_eq!(git(&github, &["rev-list", "--count", "main"]), "1");
    hang(HangPoint::AfterCommit);
    give_up("PUT", "/contents/b.md", &body);
    assert_eq!(git(&github, &["show", "main:b.md"]), "x");
    client.get("/contents/b.md").expect(200);

    let pause = Hang {
        at: HangPoint::Request,
        times: Times::Always,
        milliseconds: Some(30),
    };
    github.switches(|switches| switches.hang = Some(pause));
    let start = Instant::now();
    client.get("").expect(200);
    assert!(start.elapsed() >= Duration::from_millis(30));
}

/// The client goes away in the middle of a write: GitHub makes the commit all the same.
#[tokio::test]
async fn a_write_is_made_when_its_client_has_gone() {
    let (github, client) = start(&[("a.md", "one")]).await;
    let pause = Hang {
        at: HangPoint::BeforeCommit,
        times: Times::Next(1),
        milliseconds: Some(400),
    };
    github.switches(|switches| switches.hang = Some(pause));
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_millis(200)))
        .build()
        .into();
    let request = ureq::http::Request::builder()
        .method("PUT")
        .uri(format!(
            "{}/repos/example/vault/contents/b.md",
            github.url()
        ))
        .header(
            "authorization",
            format!("token {}", vault_mcp_dev::tokens::FULL),
        )
        .body(json!({"message": "m", "content": "eA=="}).to_string())
        .unwrap();
    assert!(agent.run(request).is_err());
    drop(agent);
    let patience = Instant::now();
    while client.get("/contents/b.md").status != 200 {
        assert!(
            patience.elapsed() < Duration::from_secs(10),
            "the commit never came"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}
