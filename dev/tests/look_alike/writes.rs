//! `PUT` and `DELETE contents`: the table of statuses, and what git holds afterwards.

use serde_json::{Value, json};
use vault_mcp_dev::{Push, SeedFile};

use crate::client::{Client, RAW, git, start, start_with};

const NONE: Value = Value::Null;

#[tokio::test]
async fn a_write_makes_a_real_commit() {
    let (github, client) = start(&[("a.md", "one"), ("dir/b.md", "b")]).await;
    let before = git(&github, &["rev-parse", "main"]);
    let reply = client
        .put(
            "dir/new%20note.md",
            "hello\n",
            &json!({
                "message": "add a note\n\nBody.",
                "author": {
                    "name": "Ada <x>", "email": "ada@example.test",
                    "date": "2026-02-03T04:05:06+02:00",
                },
                "unknown": true,
            }),
        )
        .expect(201)
        .json();
    let head = git(&github, &["rev-parse", "main"]);
    assert_eq!(reply["commit"]["sha"], head);
    assert_eq!(reply["commit"]["parents"][0]["sha"], before);
    assert_eq!(
        reply["commit"]["tree"]["sha"],
        git(&github, &["rev-parse", "main^{tree}"])
    );
    assert_eq!(
        reply["content"]["sha"],
        git(&github, &["rev-parse", "main:dir/new note.md"])
    );
    assert_eq!(reply["content"]["path"], "dir/new note.md");
    assert_eq!(reply["content"]["size"], 6);
    assert_eq!(git(&github, &["show", "main:dir/new note.md"]), "hello");
    assert_eq!(git(&github, &["show", "main:dir/b.md"]), "b");
    assert_eq!(
        git(&github, &["log", "-1", "--format=%an|%ae|%at|%cn|%B"]),
        "Ada x|ada@example.test|1770084306|example|add a note\n\nBody.\n".trim_end()
    );
    git(&github, &["fsck", "--strict", "--no-dangling"]);
}

#[tokio::test]
async fn the_author_is_the_owner_of_the_token_unless_named() {
    let (github, client) = start(&[("a.md", "one")]).await;
    client.put("b.md", "b", &NONE).expect(201);
    let who = git(&github, &["log", "-1", "--format=%an %ae %cn"]);
    assert!(who.starts_with("example ") && who.ends_with("@users.noreply.github.com example"));
    // The committer alone is also the author; an author alone is not the committer.
    let ada = json!({"name": "Ada", "email": "ada@example.test"});
    client
        .put("c.md", "c", &json!({"committer": ada}))
        .expect(201);
    assert_eq!(git(&github, &["log", "-1", "--format=%an %cn"]), "Ada Ada");
    client.put("d.md", "d", &json!({"author": ada})).expect(201);
    assert_eq!(
        git(&github, &["log", "-1", "--format=%an %cn"]),
        "Ada example"
    );
    // Both name and address, or neither.
    let reply = client
        .put("e.md", "e", &json!({"author": {"name": "Ada"}}))
        .expect(422);
    assert_eq!(
        reply.message(),
        "Invalid request.\n\n\"email\" wasn't supplied."
    );
}

#[tokio::test]
async fn the_status_says_how_the_sha_stands_to_the_path() {
    let (github, client) = start(&[("dir/a.md", "one"), ("b.md", "two")]).await;
    let before = git(&github, &["rev-parse", "main"]);
    let sha = git(&github, &["rev-parse", "main:dir/a.md"]);
    let other = git(&github, &["rev-parse", "main:b.md"]);

    let reply = client.put("dir/a.md", "x", &NONE).expect(422);
    assert_eq!(
        reply.json(),
        json!({
            "message": "Invalid request.\n\n\"sha\" wasn't supplied.",
            "documentation_url":
                "https://docs.github.com/rest/repos/contents#create-or-update-file-contents",
            "status": "422",
        })
    );
    for wrong in ["deadbeef", &"0".repeat(40), &other, &before] {
        let reply = client
            .put("dir/a.md", "x", &json!({"sha": wrong}))
            .expect(409)
            .json();
        assert_eq!(reply["message"], format!("dir/a.md does not match {wrong}"));
        assert_eq!(reply["status"], "409");
        client
            .delete("dir/a.md", &json!({"sha": wrong}))
            .expect(409);
    }
    let reply = client.delete("dir/a.md", &NONE).expect(422).json();
    assert_eq!(
        reply["documentation_url"],
        "https://docs.github.com/rest/repos/contents#delete-a-file"
    );
    client
        .delete("nothing.md", &json!({"sha": sha}))
        .expect(404);
    // The branch is looked for before the sha.
    for method in ["PUT", "DELETE"] {
        let body = json!({
            "message": "m", "content": "eA==", "sha": "deadbeef", "branch": "nothing",
        });
        client.write(method, "dir/a.md", &body).expect(404);
    }
    assert_eq!(
        git(&github, &["rev-parse", "main"]),
        before,
        "a refusal must write nothing"
    );

    client
        .put("dir/a.md", "x", &json!({"sha": sha}))
        .expect(200);
    assert_eq!(git(&github, &["show", "main:dir/a.md"]), "x");
    // A sha for a path that is not there is ignored: a note deleted elsewhere comes back.
    client
        .put("gone.md", "back", &json!({"sha": sha}))
        .expect(201);
    assert_eq!(git(&github, &["show", "main:gone.md"]), "back");
}

#[tokio::test]
async fn a_deletion_takes_emptied_folders_along() {
    let (github, client) = start(&[("a/b/c.md", "c"), ("d.md", "d")]).await;
    let sha = git(&github, &["rev-parse", "main:a/b/c.md"]);
    let reply = client
        .delete("a/b/c.md", &json!({"sha": sha}))
        .expect(200)
        .json();
    assert_eq!(reply["content"], NONE);
    assert_eq!(reply["commit"]["sha"], git(&github, &["rev-parse", "main"]));
    assert_eq!(
        git(&github, &["ls-tree", "-r", "-t", "--name-only", "main"]),
        "d.md"
    );
    // Even the last file can go.
    let sha = git(&github, &["rev-parse", "main:d.md"]);
    client.delete("d.md", &json!({"sha": sha})).expect(200);
    assert_eq!(git(&github, &["ls-tree", "main"]), "");
    client.put("new.md", "n", &NONE).expect(201);
    git(&github, &["fsck", "--strict", "--no-dangling"]);
}

#[tokio::test]
async fn the_first_write_of_an_empty_repository_makes_its_branch() {
    let (github, client) = start(&[]).await;
    client
        .put("a.md", "x", &json!({"branch": "other"}))
        .expect(404);
    let reply = client.put("deep/a.md", "x", &NONE).expect(201).json();
    assert_eq!(reply["commit"]["parents"], json!([]));
    assert_eq!(
        git(&github, &["log", "--format=%H", "main"]),
        reply["commit"]["sha"]
    );
}

#[tokio::test]
async fn bodies_and_paths_are_checked() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let before = git(&github, &["rev-parse", "main"]);
    let contents = "/repos/example/vault/contents";
    let send = |path: &str, body: &str| {
        client.send("PUT", &format!("{contents}/{path}"), &[], body.as_bytes())
    };
    assert_eq!(
        send("b.md", "{").expect(400).message(),
        "Problems parsing JSON"
    );
    send("b.md", "[]").expect(400);
    for (body, member) in [
        (json!({"content": "eA=="}), "message"),
        (json!({"message": "m"}), "content"),
    ] {
        let message = send("b.md", &body.to_string()).expect(422).message();
        assert_eq!(
            message,
            format!("Invalid request.\n\n\"{member}\" wasn't supplied.")
        );
    }
    send("b.md", r#"{"message":"m","content":7}"#).expect(422);
    for bad in ["a", "!!!!", "eA=", "_-8="] {
        let body = json!({"message": "m", "content": bad});
        let message = send("b.md", &body.to_string()).expect(422).message();
        assert_eq!(message, "content is not valid Base64", "{bad}");
    }
    let good = r#"{"message":"m","content":"eA=="}"#;
    let slash = send("/b.md", good).expect(422);
    assert_eq!(slash.message(), "path cannot start with a slash");
    for path in [
        "../b.md",
        "x/./b.md",
        "x/%2e%2e/b.md",
        "x//b.md",
        ".git/b.md",
        "x/.GIT/b.md",
    ] {
        let reply = send(path, good).expect(422).json();
        assert_eq!(
            reply["message"], "path contains a malformed path component",
            "{path}"
        );
        let error = json!([{"resource": "Commit", "field": "path", "code": "invalid"}]);
        assert_eq!(reply["errors"], error);
    }
    send("x/", good).expect(404);
    assert_eq!(
        git(&github, &["rev-parse", "main"]),
        before,
        "a refusal must write nothing"
    );
    // White space in base64 is fine, and empty content is a note too.
    client
        .write(
            "PUT",
            "b.md",
            &json!({"message": "m", "content": " eH\nh4\r\n eA== "}),
        )
        .expect(201);
    assert_eq!(git(&github, &["show", "main:b.md"]), "xxxx");
    client.put("empty.md", "", &NONE).expect(201);
    assert_eq!(
        client
            .get_with("/contents/empty.md", &[RAW])
            .expect(200)
            .bytes,
        b""
    );
}

#[tokio::test]
async fn a_link_stays_a_link_and_gets_the_text() {
    let (github, client) = start_with(vec![SeedFile::symlink("link.md", "target.md")]).await;
    let sha = git(&github, &["rev-parse", "main:link.md"]);
    client
        .put("link.md", "# A note", &json!({"sha": sha}))
        .expect(200);
    assert!(git(&github, &["ls-tree", "main", "link.md"]).starts_with("120000 blob"));
    assert_eq!(
        git(&github, &["cat-file", "-p", "main:link.md"]),
        "# A note"
    );
}

#[tokio::test]
async fn bytes_arrive_as_they_were_sent() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let bytes = b"\xef\xbb\xbf---\r\nt: 1\r\n---\r\n\xff\0end";
    client.put("b.md", bytes, &NONE).expect(201);
    assert_eq!(
        client.get_with("/contents/b.md", &[RAW]).expect(200).bytes,
        bytes
    );
    assert_eq!(
        git(&github, &["cat-file", "-s", "main:b.md"]),
        bytes.len().to_string()
    );
}

/// Writes at the same time really conflict (GitHub docs, "Create or update file contents"), and
/// what was acknowledged is in the history.
#[tokio::test]
async fn parallel_writes_conflict_and_lose_nothing() {
    let (github, _) = start(&[("a.md", "a")]).await;
    let url = github.url();
    let statuses: Vec<(u16, String, String)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                scope.spawn(move || {
                    let client = Client::new(url, Some(vault_mcp_dev::tokens::FULL));
                    (0..12)
                        .map(|round| {
                            let path = format!("w{writer}-{round}.md");
                            let reply = client.put(&path, &path, &NONE);
                            let text = match reply.status {
                                201 => reply.json()["commit"]["sha"].as_str().unwrap().to_owned(),
                                _ => reply.message(),
                            };
                            (reply.status, path, text)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    let history = git(&github, &["rev-list", "main"]);
    let files = git(&github, &["ls-tree", "--name-only", "main"]);
    let mut made = 0;
    for (status, path, text) in &statuses {
        let there = files.lines().any(|file| file == path);
        match status {
            201 => {
                made += 1;
                assert!(
                    there && history.contains(text),
                    "{path} was acknowledged and is lost"
                );
            }
            409 => {
                assert!(!there, "{path} was refused and is there");
                let (at, expected) = text
                    .strip_prefix("is at ")
                    .unwrap()
                    .split_once(" but expected ")
                    .unwrap();
                assert_ne!(at, expected);
            }
            other => panic!("{path}: {other} {text}"),
        }
    }
    assert!(made < statuses.len(), "no two of {made} writes met");
    assert_eq!(history.lines().count(), made + 1);
}

#[tokio::test]
async fn a_push_from_elsewhere_is_seen_at_once() {
    let (github, client) = start(&[("a.md", "a"), ("b.md", "b")]).await;
    let commit = github
        .push(
            Push::new()
                .put("новое \"имя\"\\.md", "x\ny")
                .delete("a.md")
                .rename("b.md", "dir/c.md")
                .message("from the phone"),
        )
        .await
        .unwrap();
    assert_eq!(
        client.get("/git/ref/heads/main").json()["object"]["sha"],
        commit.to_string()
    );
    let tree = client.get("/git/trees/main?recursive=1").json();
    let paths: Vec<_> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["path"])
        .collect();
    assert_eq!(paths, ["dir", "dir/c.md", "новое \"имя\"\\.md"]);
    assert_eq!(
        git(&github, &["log", "-1", "--format=%s"]),
        "from the phone"
    );
    assert!(
        github
            .push(Push::new().rename("nothing.md", "x.md"))
            .await
            .is_err()
    );
}
