//! `write_note` with `dry_run`: the same checks and the same answer, and nothing is done.

use serde_json::{Value, json};
use vault_mcp::{
    login::allowlist::Access,
    vault::{client::WriteOutcome, client::WriteRequest},
};

use crate::support::{
    app::TestApp,
    index::{AtIndex, note},
    vaults::{overwrite, vault},
};

/// What both answers must agree in.
fn told(facts: &Value) -> Value {
    let mut facts = facts.clone();
    let all = facts.as_object_mut().unwrap();
    for differs in ["dry_run", "commit", "commit_url"] {
        all.remove(differs);
    }
    facts
}

#[tokio::test]
async fn what_is_tried_is_told_like_what_is_done() {
    let app = TestApp::of(&[("Boat.md", "one\ntwo\n"), ("Old.md", "x")]);
    let owner = app.owner().await;
    let first = app.storage.inner().head();
    for arguments in [
        json!({ "path": "New.md", "content": "x" }),
        json!({ "path": "C# notes.md", "mode": "create", "content": "x" }),
        json!({ "path": "Daily/1.md", "mode": "append", "content": "x" }),
        json!({ "path": "Boat.md", "mode": "append", "content": "three" }),
        json!({ "path": "Boat.md", "mode": "edit", "edits": [{ "old": "two", "new": "2" }] }),
        json!({ "path": "boat.md", "content": "all\n" }),
        json!({ "path": "Boat.md", "content": "all\n" }),
        json!({ "path": "Boat.md", "mode": "restore", "at": first }),
        // What is refused is refused alike.
        json!({ "path": "Boat.md", "mode": "create", "content": "x" }),
        json!({ "path": "OLD.md", "mode": "create", "content": "x" }),
        json!({ "path": "Old.md/x.md", "content": "x" }),
        json!({ "path": "What?.md", "content": "x" }),
        json!({ "path": "CLAUDE.md", "content": "x" }),
        json!({ "path": "Boat.md", "mode": "edit", "edits": [{ "old": "gone", "new": "x" }] }),
        json!({ "path": "Boat.md", "content": "x", "expected_revision": "1".repeat(40) }),
        json!({ "path": "Boat.md", "content": "x".repeat(1_000_001) }),
    ] {
        let before = app.storage.inner().head();
        app.storage.take_calls();
        let mut trial = arguments.clone();
        trial["dry_run"] = json!(true);
        let tried = owner.call("write_note", trial).await;
        let calls = app.storage.take_calls();
        let reads = |call: &String| call.starts_with("read ") || call.starts_with("list");
        assert!(calls.iter().all(reads), "{arguments}: {calls:?}");
        assert_eq!(app.storage.inner().head(), before, "{arguments}");
        let done = owner.call("write_note", arguments.clone()).await;
        let shown: String = arguments.to_string().chars().take(100).collect();
        if done.is_error() {
            assert_eq!(tried.error(), done.error(), "{shown}");
            continue;
        }
        assert_eq!(told(&tried.facts()), told(&done.facts()), "{shown}");
        assert_eq!(tried.texts(), done.texts(), "{shown}");
        if tried.facts().get("unchanged").is_none() {
            assert_eq!(tried.facts()["dry_run"], true, "{shown}");
            assert_eq!(tried.facts()["commit"], json!(before), "{shown}");
        }
    }
}

/// Over the index, a trial asks GitHub nothing that changes anything, and spends no pace.
#[test]
fn a_trial_sends_nothing_to_github() {
    crate::support::storage::run(async {
        let at_index = AtIndex::built(vec![note("a.md", "one\n")]).await;
        let head = at_index.head();
        let app = TestApp::over(at_index.guarded(std::rc::Rc::new(Nobody)));
        let owner = app.owner().await;
        for n in 0..200 {
            let path = if n % 2 == 0 { "a.md" } else { "New.md" };
            let arguments = json!({ "path": path, "content": format!("{n}\n"), "dry_run": true });
            let facts = owner.call("write_note", arguments).await.facts();
            assert_eq!(facts["dry_run"], true);
        }
        let sent = at_index.requests();
        assert!(
            sent.iter().all(|request| request.starts_with("GET ")),
            "{sent:?}"
        );
        assert_eq!(at_index.head(), head);
        assert_eq!(at_index.counted(), 0);
    });
}

/// Nobody's changes are let through; a trial makes none.
#[derive(Debug)]
struct Nobody;

#[async_trait::async_trait(?Send)]
impl vault_mcp::vault::permit::PermitCheck for Nobody {
    async fn is_valid(
        &self,
        _permit: &vault_mcp::vault::permit::Permit,
    ) -> Result<bool, vault_mcp::vault::permit::CheckFailed> {
        Ok(false)
    }
}

#[tokio::test]
async fn who_may_not_write_may_not_try() {
    let vault = vault(&[("a.md", "x")]);
    let trial = WriteRequest {
        dry_run: true,
        ..overwrite("a.md", "y")
    };
    let reader = vault.client_under("", "", Access::ReadOnly);
    let refused = reader.write(&trial).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "READ_ONLY");
    let tried = vault.client().write(&trial).await.unwrap();
    assert!(
        matches!(tried.outcome, WriteOutcome::Planned { .. }),
        "{tried:?}"
    );
}
