//! Every tool on every path of [`HOSTILE_PATHS`], over HTTP: from the JSON of a request to the code
//! of the answer.
//!
//! Everything exists in the vault behind, so whatever is refused is refused for its path. The table
//! is a snapshot, and a refusal is held to have cost nothing: no call reached the vault.

use std::fmt::Write as _;

use serde_json::{Value, json};
use vault_mcp::mcp::{Era, tools::ToolName};

use crate::support::{
    app::{Bearer, Post, TestApp, ToolAnswer},
    hostile_paths::{HOSTILE_PATHS, long_paths},
    recording::Everywhere,
};

/// A call of `tool` that is right, but for the path.
fn arguments(tool: ToolName, path: &str) -> Value {
    match tool {
        ToolName::ListNotes => json!({ "dir": path }),
        ToolName::SearchNotes => json!({ "query": "here", "dir": path }),
        // It has no arguments: a path is one too many.
        ToolName::ReadNote
        | ToolName::NoteHistory
        | ToolName::DeleteNote
        | ToolName::VaultOverview => json!({ "path": path }),
        ToolName::WriteNote => json!({ "path": path, "content": "new\n" }),
    }
}

/// What a tool answers: the code of its error, or a tick.
async fn cell(app: &TestApp<Everywhere>, owner: &Bearer<'_>, tool: ToolName, path: &str) -> String {
    let mut codes = Vec::new();
    for era in [Era::Legacy, Era::Modern] {
        let post = Post::call(era, tool.as_str(), &arguments(tool, path));
        let answer = owner.send(&post).await;
        let result = answer.result();
        let calls = app.storage.take_calls();
        if result["isError"] == true {
            // A folder that may be listed can hold nothing that may be shown.
            let looked = matches!(tool, ToolName::ListNotes | ToolName::SearchNotes);
            assert!(calls.is_empty() || looked, "{tool:?} {path:?}: {calls:?}");
            let code = ToolAnswer::of(&result).code().to_owned();
            codes.push(if calls.is_empty() {
                code
            } else {
                format!("∅ {code}")
            });
        } else {
            assert!(
                !calls.is_empty(),
                "{tool:?} {path:?} was answered without the vault"
            );
            codes.push("✔".to_owned());
        }
    }
    assert_eq!(codes[0], codes[1], "{tool:?} {path:?}");
    codes.remove(0)
}

async fn line(app: &TestApp<Everywhere>, owner: &Bearer<'_>, shown: &str, path: &str) -> String {
    let mut line = format!("{shown:<52}");
    for tool in ToolName::ALL {
        write!(line, "{:<16}", cell(app, owner, tool, path).await).unwrap();
    }
    line.trim_end().to_owned()
}

#[tokio::test]
async fn what_every_tool_makes_of_every_path() {
    let app = TestApp::deployed(Everywhere, |deployment| {
        deployment.denied = "Private/, Café/Geheim";
    });
    let owner = app.owner().await;
    let mut table = format!("{:<52}", "");
    for tool in ToolName::ALL {
        write!(table, "{:<16}", tool.as_str()).unwrap();
    }
    let mut table = format!("{}\n", table.trim_end());
    for (group, paths) in HOSTILE_PATHS {
        writeln!(table, "\n# {group}").unwrap();
        for path in *paths {
            // Printable ASCII, so that what differs can be seen in any editor.
            let shown = format!("{path:?}").replace("\\'", "'");
            writeln!(table, "{}", line(&app, &owner, &shown, path).await).unwrap();
        }
    }
    writeln!(table, "\n# lengths").unwrap();
    for (name, path) in long_paths() {
        writeln!(table, "{}", line(&app, &owner, name, &path).await).unwrap();
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("mcp_hostile_paths", table));
}

/// What a write would do to a note plays no part in whether it may be done.
#[tokio::test]
async fn every_way_to_write_is_refused_alike() {
    let app = TestApp::deployed(Everywhere, |deployment| {
        deployment.denied = "Private/, Café/Geheim";
    });
    let owner = app.owner().await;
    let ways = [
        json!({ "mode": "create", "content": "new" }),
        json!({ "mode": "append", "content": "new" }),
        json!({ "mode": "prepend", "content": "new" }),
        json!({ "mode": "edit", "edits": [{ "old": "here", "new": "there" }] }),
        json!({ "mode": "restore", "at": "1".repeat(40) }),
        json!({ "content": "new", "dry_run": true }),
        json!({ "frontmatter": { "set": { "status": "new" } } }),
    ];
    let mut refused = 0;
    app.storage.take_calls();
    for path in HOSTILE_PATHS.iter().flat_map(|(_, paths)| *paths) {
        let answer = owner
            .call("write_note", arguments(ToolName::WriteNote, path))
            .await;
        if !app.storage.take_calls().is_empty() {
            continue;
        }
        refused += 1;
        for way in &ways {
            let mut arguments = way.clone();
            arguments["path"] = json!(path);
            let other = owner.call("write_note", arguments).await;
            assert_eq!(other.error(), answer.error(), "{way} {path:?}");
            assert_eq!(app.storage.take_calls(), [""; 0], "{way} {path:?}");
        }
    }
    assert!(refused > 100, "{refused}");
}

/// JSON can spell what is no text: half of a surrogate pair.
#[tokio::test]
async fn a_path_that_is_no_text_does_not_get_past_the_parser() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    for tool in ToolName::ALL {
        for path in ["\\ud800.md", "a\\udfff/b.md", "\\udc00\\ud800.md"] {
            let call = arguments(tool, "PATH").to_string().replace("PATH", path);
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
                 \"params\":{{\"name\":\"{}\",\"arguments\":{call}}}}}",
                tool.as_str()
            );
            assert_eq!(owner.send(&Post::raw(body)).await.failure(), (400, -32700));
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

/// JSON's other spellings of a character are the character.
#[tokio::test]
async fn an_escaped_path_is_judged_like_a_plain_one() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
                {\"name\":\"read_note\",\"arguments\":{\"path\":\"\\u002e\\u002e\\u002fx.md\"}}}";
    let answer = owner.send(&Post::raw(body)).await;
    assert_eq!(ToolAnswer::of(&answer.result()).code(), "INVALID_PATH");
    assert_eq!(app.storage.take_calls(), [""; 0]);
}
