//! References, commits, trees and blobs.

use serde_json::json;
use vault_mcp_dev::{LookAlike, Mode, Push, SeedFile};

use crate::client::{Client, RAW, git, start, start_with};

#[tokio::test]
async fn a_blob_is_the_bytes_and_the_name_that_git_has() {
    let bytes = b"\xef\xbb\xbfone\r\n\0\xff\xfe two".to_vec();
    let (github, client) = start_with(vec![SeedFile::regular("a.md", bytes.clone())]).await;
    let sha = git(&github, &["rev-parse", "main:a.md"]);

    assert_eq!(
        client
            .get_with(&format!("/git/blobs/{sha}"), &[RAW])
            .expect(200)
            .bytes,
        bytes
    );

    let blob = client.get(&format!("/git/blobs/{sha}")).expect(200).json();
    assert_eq!(blob["sha"], sha);
    assert_eq!(blob["size"], bytes.len());
    assert_eq!(blob["encoding"], "base64");

    client
        .get(&format!("/git/blobs/{}", "0".repeat(40)))
        .expect(404);
    let malformed = client.get("/git/blobs/abc").expect(422).message();
    assert!(malformed.starts_with("The sha parameter must be exactly 40 characters"));
    // A tree is no blob.
    let tree = git(&github, &["rev-parse", "main^{tree}"]);
    client.get(&format!("/git/blobs/{tree}")).expect(404);
}

#[tokio::test]
async fn base64_has_a_newline_after_every_sixty_characters() {
    let (github, client) = start(&[("a.md", &"x".repeat(100))]).await;
    let sha = git(&github, &["rev-parse", "main:a.md"]);
    let blob = client.get(&format!("/git/blobs/{sha}")).json();
    let lines: Vec<_> = blob["content"]
        .as_str()
        .unwrap()
        .split('\n')
        .map(str::len)
        .collect();
    assert_eq!(lines, [60, 60, 16, 0]);
}

#[tokio::test]
async fn a_recursive_tree_is_what_ls_tree_prints() {
    let link = SeedFile::symlink("z/link.md", "../a.md");
    let module = SeedFile {
        path: "module".to_owned(),
        bytes: b"1234567890123456789012345678901234567890".to_vec(),
        mode: Mode::Submodule,
    };
    let (github, client) = start_with(vec![
        SeedFile::regular("a.md", "a"),
        SeedFile::regular("a/Кот é 日本 #%?+.md", "cat"),
        SeedFile {
            mode: Mode::Executable,
            ..SeedFile::regular("z/run.sh", "#!")
        },
        link,
        module,
    ])
    .await;
    for (query, flags) in [
        ("?recursive=1", &["-r", "-t"][..]),
        ("?recursive=0", &["-r", "-t"]),
        ("", &[]),
    ] {
        let answer = client
            .get(&format!("/git/trees/main{query}"))
            .expect(200)
            .json();
        assert_eq!(answer["truncated"], false);
        let told: Vec<_> = answer["tree"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                let text = |key: &str| entry[key].as_str().unwrap();
                let size = entry["size"]
                    .as_u64()
                    .map_or("-".to_owned(), |size| size.to_string());
                format!(
                    "{} {} {} {size:>7}\t{}",
                    text("mode"),
                    text("type"),
                    text("sha"),
                    text("path")
                )
            })
            .collect();
        let args = [&["ls-tree", "-l", "-z"], flags, &["main"]].concat();
        let real = git(&github, &args);
        let real: Vec<_> = real.split_terminator('\0').collect();
        assert_eq!(told, real, "{query}");
    }
    // By the tree's own name, by the commit's, by nothing that exists.
    let tree = git(&github, &["rev-parse", "main^{tree}"]);
    let commit = git(&github, &["rev-parse", "main"]);
    for name in [&tree, &commit] {
        assert_eq!(
            client.get(&format!("/git/trees/{name}")).expect(200).json()["sha"],
            tree
        );
    }
    client.get("/git/trees/nothing").expect(404);
}

#[tokio::test]
async fn a_branch_may_hold_slashes_and_a_ref_is_exact() {
    let files = vec![SeedFile::regular("a.md", "a")];
    let github = LookAlike::builder()
        .branch("feature/deep/x")
        .seed(files)
        .start()
        .await
        .unwrap();
    let client = Client::of(&github);
    let head = github.head().unwrap().unwrap().to_string();
    let answer = client
        .get("/git/ref/heads/feature/deep/x")
        .expect(200)
        .json();
    assert_eq!(answer["ref"], "refs/heads/feature/deep/x");
    assert_eq!(
        answer["object"],
        json!({
            "sha": head, "type": "commit",
            "url": format!("{}/repos/example/vault/git/commits/{head}", github.url()),
        })
    );
    assert_eq!(
        client
            .get("/git/ref/heads%2Ffeature%2Fdeep%2Fx")
            .expect(200)
            .json(),
        answer
    );
    assert_eq!(client.get("").json()["default_branch"], "feature/deep/x");
    assert_eq!(
        client.get("/commits/feature/deep/x").expect(200).json()["sha"],
        head
    );
    // A commit's name (github/docs#31914), a prefix, another case, a name git refuses.
    for name in [
        &*head,
        "heads/feature",
        "heads/Feature/deep/x",
        "heads/a..b",
        "heads/main",
    ] {
        assert_eq!(
            client
                .get(&format!("/git/ref/{name}"))
                .expect(404)
                .message(),
            "Not Found"
        );
    }
}

#[tokio::test]
async fn a_commit_object_says_what_cat_file_says() {
    let (github, client) = start(&[("a.md", "a")]).await;
    github
        .push(Push::new().put("b.md", "b").message("two\n\nlines"))
        .await
        .unwrap();
    let head = git(&github, &["rev-parse", "main"]);
    let commit = client
        .get(&format!("/git/commits/{head}"))
        .expect(200)
        .json();
    assert_eq!(commit["sha"], head);
    assert_eq!(
        commit["tree"]["sha"],
        git(&github, &["rev-parse", "main^{tree}"])
    );
    assert_eq!(
        commit["parents"][0]["sha"],
        git(&github, &["rev-parse", "main^"])
    );
    assert_eq!(
        commit["message"].as_str().unwrap().trim_end(),
        git(&github, &["log", "-1", "--format=%B"]).trim_end()
    );
    assert_eq!(
        commit["author"]["date"],
        git(
            &github,
            &[
                "log",
                "-1",
                "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
                "--format=%ad"
            ]
        )
    );
    client
        .get(&format!("/git/commits/{}", "0".repeat(40)))
        .expect(404);
}

#[tokio::test]
async fn a_known_commit_asks_whether_the_branch_has_moved() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let head = git(&github, &["rev-parse", "main"]);
    let sha = ("accept", "application/vnd.github.sha");
    let answer = client.get_with("/commits/main", &[sha]).expect(200);
    assert_eq!(answer.bytes, head.as_bytes());
    assert_eq!(answer.header("etag"), format!("\"{head}\""));

    let known = format!("\"{head}\"");
    client
        .get_with("/commits/main", &[sha, ("if-none-match", &known)])
        .expect(304);
    github.push(Push::new().put("a.md", "b")).await.unwrap();
    client
        .get_with("/commits/main", &[sha, ("if-none-match", &known)])
        .expect(200);

    assert_eq!(
        client.get("/commits/nothing").expect(422).message(),
        "No commit found for SHA: nothing"
    );
}

#[tokio::test]
async fn a_commit_tells_what_it_changed() {
    let (github, client) = start(&[("a.md", "1\n2\n3\n"), ("gone.md", "x\n")]).await;
    github
        .push(
            Push::new()
                .put("a.md", "1\nzwei\n3\n")
                .delete("gone.md")
                .put("new.md", "n\n"),
        )
        .await
        .unwrap();
    let commit = client.get("/commits/main").expect(200).json();
    assert_eq!(
        commit["stats"],
        json!({"total": 4, "additions": 2, "deletions": 2})
    );
    let files = commit["files"].as_array().unwrap();
    let facts: Vec<_> = files
        .iter()
        .map(|file| (&file["filename"], &file["status"]))
        .collect();
    assert_eq!(
        facts,
        [
            (&json!("a.md"), &json!("modified")),
            (&json!("gone.md"), &json!("removed")),
            (&json!("new.md"), &json!("added")),
        ]
    );
    assert_eq!(files[0]["sha"], git(&github, &["rev-parse", "main:a.md"]));
    assert_eq!(files[0]["patch"], "@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3");
    // Its page shows the same to a person, not to a page of another origin.
    let page = commit["html_url"].as_str().unwrap();
    let shown = client
        .bare("GET", page, &[], b"")
        .unwrap()
        .expect(200)
        .bytes;
    assert!(String::from_utf8(shown).unwrap().contains("+zwei"));
    client
        .bare(
            "GET",
            page,
            &[("origin", "https://evil.example"), ("user-agent", "x")],
            b"",
        )
        .unwrap()
        .expect(404);
    // The first commit of all has no parent to differ from.
    let root = git(&github, &["rev-list", "--max-parents=0", "main"]);
    let root = client.get(&format!("/commits/{root}")).expect(200).json();
    assert_eq!(root["files"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn commits_of_a_path_come_in_pages_newest_first() {
    let (github, client) = start(&[("a [x].md", "0"), ("b.md", "0")]).await;
    for round in 1..=4 {
        github
            .push(Push::new().put("a [x].md", round.to_string()))
            .await
            .unwrap();
        github
            .push(Push::new().put("b.md", round.to_string()))
            .await
            .unwrap();
    }
    // The brackets are part of the name, no pattern.
    let expected = git(&github, &["log", "--format=%H", "--", ":(literal)a [x].md"]);
    let expected: Vec<_> = expected.lines().collect();
    assert_eq!(expected.len(), 5);

    let mut told = Vec::new();
    let mut target = "/commits?path=a%20%5Bx%5D.md&per_page=2".to_owned();
    loop {
        let page = client.get(&target).expect(200);
        let commits = page.json();
        told.extend(
            commits
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c["sha"].as_str().unwrap().to_owned()),
        );
        let links = page
            .headers
            .get("link")
            .map(|link| link.to_str().unwrap().to_owned());
        let next = links
            .as_deref()
            .unwrap_or_default()
            .split(", ")
            .find_map(|link| {
                link.strip_suffix(">; rel=\"next\"")?
                    .split_once("/repos/example/vault")
            });
        match next {
            Some((_, rest)) => rest.clone_into(&mut target),
            None => break,
        }
    }
    assert_eq!(told, expected);
    assert_eq!(
        client.get("/commits?path=nothing.md").expect(200).json(),
        json!([])
    );
    client.get("/commits?sha=nothing").expect(404);
}

#[tokio::test]
async fn an_empty_repository_says_so() {
    let (_github, client) = start(&[]).await;
    client.get("").expect(200);
    let zero = "0".repeat(40);
    for rest in [
        "/git/ref/heads/main",
        "/git/trees/main",
        "/commits",
        &format!("/git/blobs/{zero}"),
    ] {
        assert_eq!(
            client.get(rest).expect(409).message(),
            "Git Repository is empty.",
            "{rest}"
        );
    }
    for rest in ["/contents/", "/contents/a.md"] {
        assert_eq!(
            client.get(rest).expect(404).message(),
            "This repository is empty."
        );
    }
}
