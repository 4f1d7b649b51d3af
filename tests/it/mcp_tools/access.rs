//! F3: who may change what. A challenge where a new login would help; a plain answer where not.

use serde_json::json;
use vault_mcp::{
    login::ProviderKind,
    mcp::{Era, tools::ToolName},
    storage::memory::MemoryStorage,
};

use crate::support::{
    app::{Bearer, Post, TestApp},
    oauth::{Browser, CLAUDE, handle, request},
    recording::Everywhere,
};

fn mutations() -> [(&'static str, serde_json::Value); 2] {
    [
        (
            "write_note",
            json!({ "path": "Note.md", "content": "changed" }),
        ),
        ("delete_note", json!({ "path": "Note.md" })),
    ]
}

fn reading() -> Vec<&'static str> {
    let reading = ToolName::ALL.into_iter().filter(|tool| !tool.is_mutation());
    reading.map(ToolName::as_str).collect()
}

/// Every mutation is answered in both eras as a result that says so, whatever its arguments are.
async fn refuses_in_a_result(bearer: &Bearer<'_>, says: &str) {
    let nonsense = [
        (
            "write_note",
            json!({ "path": "Note.md", "content": "changed", "mode": "move" }),
        ),
        ("delete_note", json!({})),
    ];
    for (tool, arguments) in mutations().into_iter().chain(nonsense) {
        let answer = bearer.call(tool, arguments).await;
        assert_eq!(answer.code(), "READ_ONLY", "{tool}");
        assert!(answer.error().contains(says), "{}", answer.error());
    }
}

#[tokio::test]
async fn f3_the_owner_gets_every_tool() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    let all: Vec<_> = ToolName::ALL.into_iter().map(ToolName::as_str).collect();
    assert_eq!(owner.tools().await, all);
}

#[tokio::test]
async fn f3_a_grant_to_read_of_somebody_who_could_write_is_challenged_for_the_full_set() {
    let app = TestApp::over(Everywhere);
    let reading_only = app.owner_reading().await;
    assert_eq!(reading_only.tools().await, reading());
    for era in [Era::Legacy, Era::Modern] {
        for (tool, arguments) in mutations() {
            let post = Post::call(era, tool, &arguments);
            let answer = reading_only.send(&post).await;
            assert_eq!(answer.outcome(), "403 insufficient_scope", "{tool}");
            assert_eq!(
                answer.header("www-authenticate"),
                Some(
                    "Bearer realm=\"mcp\", \
                     resource_metadata=\"https://vault.example/.well-known/oauth-protected-resource/mcp\", \
                     scope=\"vault:read vault:write\", error=\"insufficient_scope\", \
                     error_description=\"this connection may only read; connect again and allow changes\""
                )
            );
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        }
        // Arguments that could not be meant are challenged as well: what they are is not looked at.
        let nonsense = Post::call(era, "delete_note", &json!({ "path": 7 }));
        assert_eq!(reading_only.send(&nonsense).await.status(), 403);
        // A message that is none is no call.
        let broken =
            Post::call(era, "delete_note", &json!({})).header("content-type", "text/plain");
        assert_eq!(reading_only.send(&broken).await.failure().0, 415);
        let unknown = Post::call(era, "rename_note", &json!({}));
        assert_eq!(reading_only.send(&unknown).await.failure(), (200, -32602));
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
    let arguments = json!({ "path": "Note.md" });
    reading_only.call("read_note", arguments).await.facts();
}

#[tokio::test]
async fn f3_an_entry_that_may_read_only_is_never_challenged() {
    let app = TestApp::over(Everywhere);
    let reader = app.reader().await;
    assert_eq!(reader.tools().await, reading());
    refuses_in_a_result(&reader, "this login may only read").await;
    assert_eq!(app.storage.take_calls(), [""; 0]);
    reader.call("list_notes", json!({})).await.facts();
}

#[tokio::test]
async fn f3_a_vault_that_is_read_only_is_so_for_everybody_and_challenges_nobody() {
    let app = TestApp::deployed(Everywhere, |deployment| deployment.read_only = true);
    for bearer in [
        app.owner().await,
        app.owner_reading().await,
        app.reader().await,
    ] {
        assert_eq!(bearer.tools().await, reading());
        refuses_in_a_result(&bearer, "the vault is read-only").await;
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
    let challenge = app
        .anonymous()
        .send(&Post::legacy("ping", &json!({})))
        .await;
    let challenge = challenge.header("www-authenticate").unwrap();
    assert!(challenge.ends_with(", scope=\"vault:read\""), "{challenge}");
}

/// Access is the least of token, allowlist and vault as they are now.
#[tokio::test]
async fn f3_a_downgrade_bites_on_the_next_call() {
    let app = TestApp::over(Everywhere);
    let token = app.owner().await.token().to_owned();

    let downgraded = app.redeployed(|deployment| deployment.allowlist = "owner@example.test:read");
    let owner = downgraded.bearer(token.as_str());
    assert_eq!(owner.tools().await, reading());
    refuses_in_a_result(&owner, "this login may only read").await;

    let twice = app.redeployed(|deployment| {
        deployment.allowlist = "owner@example.test sub:subject-of-owner@example.test:read";
    });
    assert_eq!(twice.bearer(token.as_str()).tools().await, reading());

    let read_only = app.redeployed(|deployment| deployment.read_only = true);
    let owner = read_only.bearer(token.as_str());
    assert_eq!(owner.tools().await, reading());
    refuses_in_a_result(&owner, "the vault is read-only").await;
    assert_eq!(app.storage.take_calls(), [""; 0]);

    let restored = app.bearer(token.as_str());
    assert_eq!(restored.tools().await.len(), ToolName::ALL.len());
}

/// A grant does not grow with the allowlist.
#[tokio::test]
async fn f3_an_upgrade_of_an_entry_does_not_widen_an_old_grant() {
    let app = TestApp::over(Everywhere);
    let token = app.reader().await.token().to_owned();
    let upgraded = app.redeployed(|deployment| {
        deployment.allowlist = "owner@example.test reader@example.test";
    });
    let reader = upgraded.bearer(token);
    assert_eq!(reader.tools().await, reading());
    for (tool, arguments) in mutations() {
        let answer = reader
            .send(&Post::call(Era::Modern, tool, &arguments))
            .await;
        assert_eq!(answer.outcome(), "403 insufficient_scope", "{tool}");
    }
}

/// F4: whoever is not on the list gets a server that offers nothing, and nothing else tells them
/// that there is a vault behind it.
#[tokio::test]
async fn f4_somebody_who_was_taken_off_the_list_gets_nothing_at_all() {
    let app = TestApp::of(&[("Note.md", "secret")]);
    let token = app.owner().await.token().to_owned();
    for (case, gone) in [
        (
            "removed",
            app.redeployed(|deployment| deployment.allowlist = "reader@example.test"),
        ),
        (
            "empty list",
            app.redeployed(|deployment| deployment.allowlist = ""),
        ),
        (
            "other issuer",
            app.redeployed(|deployment| deployment.issuer = "https://other.example"),
        ),
        (
            "other provider",
            app.redeployed(|deployment| deployment.provider = ProviderKind::Google),
        ),
    ] {
        let owner = gone.bearer(token.as_str());
        assert_eq!(owner.tools().await, [""; 0], "{case}");
        for era in [Era::Legacy, Era::Modern] {
            for tool in ToolName::ALL {
                let post = Post::call(era, tool.as_str(), &json!({ "path": "Note.md" }));
                assert_eq!(owner.send(&post).await.failure(), (200, -32602), "{case}");
            }
        }
        let discovered = owner
            .result(Era::Modern, "server/discover", &json!({}))
            .await;
        assert_eq!(discovered.get("instructions"), None, "{case}");
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

#[tokio::test]
async fn f4_nobody_at_all_is_let_in_by_an_empty_list() {
    let app = TestApp::deployed(MemoryStorage::empty(), |deployment| {
        deployment.allowlist = "";
    });
    app.server.log_in_as("owner@example.test");
    let client = app.server.client(CLAUDE).await;
    let mut browser = Browser::new(&app.server);
    let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
    let handle = handle(&page);
    let sent = browser.decide(&handle, &[("decision", "approve")]).await;
    let back = browser.come_back(&sent).await;
    assert_eq!(back.status(), 403);
    assert_eq!(
        app.server.footprint()[2..],
        [0; 5],
        "no grant, code or token"
    );
}
