//! Names of notes, all the way: from a request's JSON through the index and GitHub's URLs into git, and back.

use serde_json::json;
use vault_mcp::storage::index::VaultIndex;
use vault_mcp_dev::SeedFile;

use crate::support::{
    app::{Bearer, TestApp},
    index::{AtIndex, note},
    storage::{open_policy, run},
};

/// Names that were encoded twice or not at all, cut, folded, made into slugs or sent elsewhere.
const NAMES: [&str; 22] = [
    "My Notes/Café.md",
    "My Notes/Cafe\u{301}.md",
    "50% plan.md",
    "100%25.md",
    "a%3Db.md",
    "%2ehidden-like.md",
    "C# notes.md",
    "#inbox/a.md",
    "a+b.md",
    "a b & c=d; e,f.md",
    "it's (1) @2 $3 !.md",
    "🗺️ Map.md",
    "👩\u{200d}🍳 Menu.md",
    "日本語/メモ.md",
    "笔记 系统.md",
    "한국어.md",
    "ភាសាខ្មែរ.md",
    "हिन्दी.md",
    "Заметка.md",
    "العربية.md",
    "Note.MD",
    "Note.markdown",
];

/// Names that some platform cannot hold: they are not made, and stay within reach where they are.
const UNCREATABLE: [&str; 5] = [
    "What is this?.md",
    "a*b.md",
    "Q: why & how?.md",
    "aux.md",
    "say \"hi\" <b>|.md",
];

/// What stands in every text below and nowhere else.
const WORD: &str = "zqwordqz";

struct Place {
    vault: AtIndex,
    app: TestApp<VaultIndex>,
}

impl Place {
    async fn with(files: Vec<SeedFile>) -> Self {
        let vault = AtIndex::built(files).await;
        let app = TestApp::over(vault.reopened(open_policy()));
        Self { vault, app }
    }

    /// What git has at `path`, without going through a shell or a URL.
    fn in_git(&self, path: &str) -> Option<String> {
        self.vault
            .look_alike
            .git(&["show", &format!("main:{path}")])
            .ok()
    }

    /// The names of all files, as git has them.
    fn names(&self) -> Vec<String> {
        let listed = self
            .vault
            .look_alike
            .git(&["ls-tree", "-r", "-z", "--name-only", "main"])
            .unwrap();
        listed
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The changes that were sent to GitHub since the last question: their paths, percent-decoded once.
    fn changed(&self) -> Vec<String> {
        let requests = self.vault.look_alike.requests();
        self.vault.look_alike.reset_requests();
        requests
            .iter()
            .filter(|request| request.method != "GET")
            .map(|request| {
                let encoded = request.path.strip_prefix("/repos/example/vault/contents/");
                let encoded = encoded.expect(&request.path);
                assert!(!encoded.contains(['?', '#', '+', ' ']), "{encoded}");
                let decoded = percent_encoding::percent_decode_str(encoded);
                decoded.decode_utf8().unwrap().into_owned()
            })
            .collect()
    }

    /// Listing, reading and searching all know `path` by this name, with `text`.
    async fn assert_known(&self, owner: &Bearer<'_>, path: &str, text: &str) {
        let listing = owner.call("list_notes", json!({})).await.facts();
        let listed = listing["notes"].as_array().unwrap();
        assert!(listed.iter().any(|note| note["path"] == path), "{listing}");
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let within = owner.call("list_notes", json!({ "dir": dir })).await;
        assert_eq!(within.facts()["dir"], dir);
        let read = owner.call("read_note", json!({ "path": path })).await;
        assert_eq!(
            (&read.facts()["path"], read.texts()),
            (&json!(path), &[text.to_owned()][..])
        );
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let name = stem.rsplit('/').next().unwrap();
        for query in [WORD, &format!("\"{}\"", name.replace('"', "\"\""))] {
            let found = owner
                .call("search_notes", json!({ "query": query, "dir": dir }))
                .await
                .facts();
            let hits = found["hits"].as_array().unwrap();
            assert!(
                hits.iter().any(|hit| hit["path"] == path),
                "{query}: {found}"
            );
        }
    }
}

#[test]
fn every_tool_carries_every_name_to_git_and_back() {
    run(async {
        let place = Place::with(vec![note("Index.md", "x")]).await;
        let owner = place.app.owner().await;
        for path in NAMES {
            // Two notes a minute are far below GitHub's pace.
            place.vault.clock.advance(std::time::Duration::from_mins(1));
            let text = format!("{WORD} {path}\n");
            let create = json!({ "path": path, "content": text, "mode": "create" });
            let made = owner.call("write_note", create).await.facts();
            assert_eq!(
                (&made["path"], &made["created"]),
                (&json!(path), &json!(true))
            );
            assert_eq!(place.in_git(path), Some(text.clone()), "{path}");
            assert_eq!(place.changed(), [path]);
            place.assert_known(&owner, path, &text).await;
            let changed = format!("{WORD} again\n");
            let update = json!({
                "path": path, "content": changed, "expected_revision": made["revision"],
            });
            owner.call("write_note", update).await.facts();
            assert_eq!(place.changed(), [path]);
            place.assert_known(&owner, path, &changed).await;
            let gone = owner.call("delete_note", json!({ "path": path })).await;
            assert_eq!(gone.facts()["path"], path);
            assert_eq!(place.changed(), [path]);
            assert_eq!(place.names(), ["Index.md"]);
        }
    });
}

#[test]
fn names_that_cannot_be_made_are_served_changed_and_deleted() {
    run(async {
        let files = UNCREATABLE.iter().map(|path| note(path, WORD));
        let place = Place::with(files.collect()).await;
        let owner = place.app.owner().await;
        for path in UNCREATABLE {
            place.vault.clock.advance(std::time::Duration::from_mins(1));
            place.assert_known(&owner, path, WORD).await;
            let update = json!({ "path": path, "content": "changed\n" });
            owner.call("write_note", update.clone()).await.facts();
            assert_eq!(place.in_git(path).as_deref(), Some("changed\n"), "{path}");
            owner
                .call("delete_note", json!({ "path": path }))
                .await
                .facts();
            assert_eq!(place.changed(), [path, path]);
            assert_eq!(
                owner.call("write_note", update).await.code(),
                "INVALID_PATH"
            );
            assert_eq!(place.changed(), [""; 0]);
        }
        assert_eq!(place.names(), [""; 0]);
    });
}
