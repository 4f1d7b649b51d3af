//! `note_history` over the index and a real git repository: who, when and what, and nothing of what
//! is hidden.

mod diff;
mod hidden;

use serde_json::{Value, json};
use vault_mcp::{
    storage::index::VaultIndex,
    vault::{
        policy::{VaultPolicy, parse_prefixes},
        storage::Revision,
    },
};
use vault_mcp_dev::{Change, Mode, Push, SeedFile};

use crate::support::{
    app::{Bearer, TestApp},
    index::{AtIndex, note},
    storage::run,
};

struct Place {
    vault: AtIndex,
    app: TestApp<VaultIndex>,
}

impl Place {
    /// A vault in which `Private` is denied, at the commits that `pushes` make.
    async fn with(files: Vec<SeedFile>, pushes: Vec<Push>) -> Self {
        let vault = AtIndex::start(files).await;
        for push in pushes {
            vault.push_unseen(push).await;
        }
        let denied = parse_prefixes("Private").unwrap();
        let index = vault.reopened(VaultPolicy::new(Vec::new(), &denied, false));
        index.work().await.unwrap();
        let app = TestApp::deployed(index, |deployment| deployment.denied = "Private");
        vault.look_alike.reset_requests();
        Self { vault, app }
    }

    fn git(&self, args: &[&str]) -> String {
        self.vault.look_alike.git(args).unwrap().trim().to_owned()
    }
}

async fn history(owner: &Bearer<'_>, path: &str) -> Value {
    owner
        .call("note_history", json!({ "path": path }))
        .await
        .facts()
}

fn messages(facts: &Value) -> Vec<Option<&str>> {
    let commits = facts["commits"].as_array().unwrap().iter();
    commits.map(|commit| commit["message"].as_str()).collect()
}

#[test]
fn a_history_says_who_when_and_what() {
    run(async {
        let moment = 1_796_000_000;
        let long = format!("Subject\n\n{}\nVault-Client: x\n", "a line\n".repeat(30));
        let place = Place::with(
            vec![note("Home/Boiler.md", "one\n"), note("Other.md", "x")],
            vec![
                Push::new()
                    .put("Home/Boiler.md", "two\n")
                    .message(long)
                    .at(moment),
                Push::new().put("Other.md", "y"),
            ],
        )
        .await;
        let owner = place.app.owner().await;
        let facts = history(&owner, "Home/Boiler.md").await;
        let newest = &facts["commits"][0];
        assert_eq!(newest["sha"], place.git(&["rev-parse", "main~1"]));
        assert_eq!(newest["when"], "2026-11-30T00:53:20Z");
        assert_eq!(newest["change"], "changed");
        assert_eq!(newest["revision"], json!(Revision::of(b"two\n")));
        let message = newest["message"].as_str().unwrap();
        assert!(
            message.starts_with("Subject\n\na line\n") && message.ends_with('…'),
            "{message}"
        );
        assert!(message.lines().count() <= 6 && !message.contains("Vault-Client"));
        assert_eq!(
            newest["who"],
            place.git(&["log", "-1", "--format=%an", "main~1"])
        );
        // Somebody's address is nobody's business.
        let address = place.git(&["log", "-1", "--format=%ae", "main~1"]);
        assert!(!facts.to_string().contains(&address), "{facts}");
        assert_eq!(facts["commits"][1]["change"], "added");
        assert_eq!(facts["head"], place.git(&["rev-parse", "main"]));
        assert_eq!(facts["next_cursor"], Value::Null);
        assert_eq!(facts["commits"].as_array().unwrap().len(), 2);
        // One list, and one commit at a time.
        assert_eq!(place.vault.counted(), 3);
    });
}

#[test]
fn pages_go_on_from_one_state_and_cost_what_they_show() {
    run(async {
        let pushes = (1..8).map(|n| {
            Push::new()
                .put("a.md", format!("{n}\n"))
                .message(format!("{n}"))
        });
        let place = Place::with(vec![note("a.md", "0\n")], pushes.collect()).await;
        let owner = place.app.owner().await;
        let mut arguments = json!({ "path": "a.md", "limit": "3" });
        let mut seen = Vec::new();
        loop {
            let facts = owner.call("note_history", arguments.clone()).await.facts();
            let commits = facts["commits"].as_array().unwrap();
            assert!(
                place.vault.counted() <= commits.len() + 3,
                "a look at the branch, a list, the commits"
            );
            seen.extend(
                messages(&facts)
                    .into_iter()
                    .map(|message| message.unwrap().to_owned()),
            );
            place
                .vault
                .push_unseen(Push::new().put("a.md", format!("later {}", seen.len())))
                .await;
            place.vault.grow_old();
            owner.call("list_notes", json!({})).await.facts();
            place.vault.look_alike.reset_requests();
            match facts["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = json!(cursor),
                None => break,
            }
        }
        assert_eq!(seen[..7], ["7", "6", "5", "4", "3", "2", "1"]);
        assert_eq!(seen.len(), 8);
        for (change, value) in [
            ("limit", json!(4)),
            ("path", json!("b.md")),
            ("cursor", json!("x")),
        ] {
            let mut other = arguments.clone();
            other[change] = value;
            let answer = owner.call("note_history", other).await;
            assert_eq!(answer.code(), "INVALID_ARGUMENT", "{change}");
        }
        for limit in [json!(0), json!(31), json!(-1), json!("many")] {
            let answer = owner
                .call("note_history", json!({ "path": "a.md", "limit": limit }))
                .await;
            assert_eq!(answer.code(), "INVALID_ARGUMENT", "{limit}");
        }
    });
}

/// A cursor is not signed: what it names is judged.
#[test]
fn a_cursor_leads_to_no_commit_outside_the_branch_and_to_no_hidden_path() {
    run(async {
        let place = Place::with(
            vec![note("a.md", "0\n"), note("Private/x.md", "secret")],
            vec![
                Push::new().put("a.md", "1\n"),
                Push::new()
                    .branch("other")
                    .put("a.md", "secret\n")
                    .message("secret"),
            ],
        )
        .await;
        let owner = place.app.owner().await;
        let first = json!({ "path": "a.md", "limit": 1 });
        let facts = owner.call("note_history", first).await.facts();
        let cursor = facts["next_cursor"].as_str().unwrap();
        let forged = |from: &str, to: &str| {
            use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
            let json = String::from_utf8(BASE64.decode(cursor).unwrap()).unwrap();
            assert!(json.contains(from), "{json}");
            let cursor = BASE64.encode(json.replace(from, to));
            json!({ "path": "a.md", "limit": 1, "cursor": cursor })
        };
        let head = place.git(&["rev-parse", "main"]);
        let elsewhere = place.git(&["rev-parse", "other"]);
        let answer = owner.call("note_history", forged(&head, &elsewhere)).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENT");
        place.vault.look_alike.reset_requests();
        for hidden in ["1/Private/x.md", "1/.git/x.md"] {
            let answer = owner.call("note_history", forged("1/a.md", hidden)).await;
            assert_eq!(answer.code(), "NOT_FOUND");
        }
        for broken in ["a.md", "/a.md", "x/a.md", "1/../a.md"] {
            assert_ne!(
                owner
                    .call("note_history", forged("1/a.md", broken))
                    .await
                    .code(),
                ""
            );
        }
        assert_eq!(place.vault.requests(), [""; 0]);
    });
}

#[test]
fn a_deleted_note_has_a_history_and_a_path_that_never_was_has_none() {
    run(async {
        let place = Place::with(
            vec![
                note("Gone.md", "last words\n"),
                note("Here.md", "x"),
                note("Private/Note.md", "y"),
            ],
            vec![Push::new().delete("Gone.md").message("tidy up")],
        )
        .await;
        let owner = place.app.owner().await;
        let facts = history(&owner, "Gone.md").await;
        let changes: Vec<_> = facts["commits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|commit| &commit["change"])
            .collect();
        assert_eq!(changes, ["deleted", "added"]);
        assert_eq!(facts["commits"][0].get("revision"), None);
        // A twin of what is there is found, and named.
        assert_eq!(history(&owner, "HERE.md").await["path"], "Here.md");
        let refusal = async |path: &str| {
            let answer = owner.call("note_history", json!({ "path": path })).await;
            answer.error().replace(path, "PATH")
        };
        let missing = refusal("Never.md").await;
        assert!(missing.starts_with("NOT_FOUND: "), "{missing}");
        place.vault.look_alike.reset_requests();
        for hidden in [
            "Private/Note.md",
            "private/note.md",
            ".git/x.md",
            ".trash/Gone.md",
            "Private/never.md",
        ] {
            assert_eq!(refusal(hidden).await, missing, "{hidden}");
        }
        assert_eq!(place.vault.requests(), [""; 0], "a refusal costs nothing");
    });
}

#[test]
fn names_and_links_have_the_history_that_is_theirs() {
    run(async {
        let link = |path: &str| {
            Change::Put(SeedFile {
                path: path.to_owned(),
                mode: Mode::Symlink,
                bytes: b"Private/x.md".to_vec(),
            })
        };
        let odd = "a b+c & d#e?f=100%25/日本.md";
        let text = "a text that is long enough to be known again by git\n".repeat(10);
        let place = Place::with(
            vec![note(odd, "1\n"), note("Old name.md", text.as_str())],
            vec![
                Push::new().put(odd, "2\n"),
                Push::new().rename("Old name.md", "New name.md"),
                Push::new().change(link("Link.md")),
            ],
        )
        .await;
        let owner = place.app.owner().await;
        assert_eq!(
            history(&owner, odd).await["commits"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
        let renamed = history(&owner, "New name.md").await;
        assert_eq!(renamed["commits"][0]["renamed_from"], "Old name.md");
        assert_eq!(renamed["commits"][0]["change"], "added");
        let before = history(&owner, "Old name.md").await;
        assert_eq!(before["commits"][0]["change"], "deleted");
        let answer = owner
            .call("note_history", json!({ "path": "Link.md" }))
            .await;
        assert_eq!(answer.code(), "NOT_FOUND");
    });
}
