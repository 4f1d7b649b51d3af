//! The control interface over HTTP.

use serde_json::{Value, json};
use vault_mcp_dev::Times;

use crate::client::{Client, RAW, Reply, git, start};

fn control(client: &Client, method: &str, name: &str, body: &Value) -> Reply {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    client
        .bare(method, &format!("/__control/{name}"), &[], body.as_bytes())
        .unwrap()
}

#[tokio::test]
async fn the_log_holds_what_was_asked_and_forgets_on_demand() {
    let (github, client) = start(&[("a.md", "a")]).await;
    client.get("/contents/a.md?ref=main").expect(200);
    let log = control(&client, "GET", "requests", &Value::Null)
        .expect(200)
        .json();
    assert_eq!(
        log,
        json!([{
            "number": 0, "method": "GET", "path": "/repos/example/vault/contents/a.md?ref=main",
            "status": 200, "counted": true, "user_agent": "look-alike-test", "token": "full",
            "authorization": "bearer", "conditional": false,
            "operation": "repos/get-content", "refusal": null, "cache_control": null,
        }])
    );
    client.get("/contents/nothing.md").expect(404);
    let log = github.requests();
    assert_eq!(log[1].refusal.as_deref(), Some("NotFound"));
    control(&client, "DELETE", "requests", &Value::Null).expect(204);
    assert_eq!(github.requests(), []);
    client.get("").expect(200);
    assert_eq!(github.requests()[0].number, 2);
}

#[tokio::test]
async fn switches_are_set_whole_and_typos_are_errors() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let set = |body: Value| control(&client, "PUT", "switches", &body);
    let now = set(json!({
        "tip_race": 2, "unauthorized": true, "ref_lag": {"milliseconds": 50},
        "secondary_limit": {"retry_after": 3}, "hang": {"at": "after_commit", "times": 1},
        "renamed": [["example/vault", "example/notes"]],
    }))
    .expect(200)
    .json();
    assert_eq!(
        now,
        control(&client, "GET", "switches", &Value::Null).json()
    );
    assert_eq!(
        [&now["tip_race"], &now["unauthorized"]],
        [&json!(2), &json!(true)]
    );
    github.switches(|switches| assert_eq!(switches.tip_race, Times::Next(2)));
    client.get("").expect(401);
    // What is not named is off.
    let now = set(json!({"secret_scanning": true})).expect(200).json();
    assert_eq!(
        [&now["tip_race"], &now["hang"]],
        [&json!(false), &Value::Null]
    );
    client.get("").expect(200);
    let reply = set(json!({"tiprace": 1})).expect(400);
    assert!(reply.message().contains("unknown field `tiprace`"));
    control(&client, "DELETE", "switches", &Value::Null).expect(204);
    github.switches(|switches| assert!(!switches.secret_scanning));
}

#[tokio::test]
async fn another_device_pushes_bytes_links_and_renames() {
    let (github, client) = start(&[("a.md", "a"), ("b.md", "b")]).await;
    let first = git(&github, &["rev-parse", "main"]);
    let push = |body: Value| control(&client, "POST", "push", &body);
    let commit = push(json!({"message": "phone", "changes": [
        {"put": "bytes.md", "base64": "/wD+"},
        {"put": "link.md", "text": "a.md", "mode": "symlink"},
        {"put": "run.sh", "text": "#!", "mode": "executable"},
        {"rename": "b.md", "to": "c.md"},
        {"delete": "a.md"},
    ]}))
    .expect(200)
    .json()["commit"]
        .clone();
    assert_eq!(commit, git(&github, &["rev-parse", "main"]));
    let modes = git(
        &github,
        &["ls-tree", "--format=%(objectmode) %(path)", "main"],
    );
    assert_eq!(
        modes,
        "100644 bytes.md\n100644 c.md\n120000 link.md\n100755 run.sh"
    );
    assert_eq!(
        client.get_with("/contents/bytes.md", &[RAW]).bytes,
        b"\xff\0\xfe"
    );

    push(json!({"branch": "side/way", "changes": [{"put": "s.md", "text": "s"}]})).expect(200);
    assert_eq!(
        git(&github, &["rev-parse", "side/way^"]),
        commit.as_str().unwrap()
    );
    push(json!({"onto": first, "changes": [{"put": "f.md", "text": "f"}]})).expect(200);
    assert_eq!(git(&github, &["rev-parse", "main^"]), first);
    push(json!({"changes": [{"put": "x.md"}]})).expect(400);
    push(json!({"repository": "example/nothing"})).expect(400);
}

#[tokio::test]
async fn a_repository_can_be_made_anew_or_empty() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    let make = |body: Value| control(&client, "POST", "repositories", &body);
    make(
        json!({"name": "example/vault", "branch": "trunk/1", "files": [
            {"put": "z.md", "text": "z"},
        ]}),
    )
    .expect(200);
    assert_eq!(client.get("").json()["default_branch"], "trunk/1");
    client.get("/contents/a.md").expect(404);
    assert_eq!(
        client.get_with("/contents/z.md", &[RAW]).expect(200).bytes,
        b"z"
    );
    make(json!({"name": "example/vault"})).expect(200);
    client.get("/git/trees/main").expect(409);
    client.put("first.md", "1", &Value::Null).expect(201);
    make(json!({"name": "../up"})).expect(400);
}

/// A page in a browser must not be able to change or read anything here.
#[tokio::test]
async fn web_pages_are_kept_out() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    for headers in [
        [("origin", "https://evil.example"), ("accept", "*/*")],
        [("host", "evil.example"), ("accept", "*/*")],
    ] {
        client
            .bare("POST", "/__control/push", &headers, b"{}")
            .unwrap()
            .expect(403);
    }
    control(&client, "GET", "nothing", &Value::Null).expect(404);
}
