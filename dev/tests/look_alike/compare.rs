//! Comparisons.

use serde_json::{Value, json};
use vault_mcp_dev::{Oid, Push, RunningLookAlike};

use crate::client::{Client, git, start};

fn facts(answer: &Value) -> Vec<[String; 2]> {
    let files = answer["files"].as_array().unwrap().iter();
    files
        .map(|file| ["status", "filename"].map(|key| file[key].as_str().unwrap().to_owned()))
        .collect()
}

fn compare(client: &Client, base: &impl ToString, head: &impl ToString) -> Value {
    let range = format!("/compare/{}...{}", base.to_string(), head.to_string());
    client.get(&range).expect(200).json()
}

fn head(github: &RunningLookAlike) -> Oid {
    github.head().unwrap().unwrap()
}

#[tokio::test]
async fn what_a_push_changed_is_listed_with_blobs_and_old_names() {
    let long = (0..40)
        .map(|n| format!("line {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let (github, client) = start(&[("a.md", "1\n"), ("gone.md", "x\n"), ("old.md", &long)]).await;
    let base = head(&github);
    github
        .push(Push::new().put("a.md", "2\n").delete("gone.md"))
        .await
        .unwrap();
    let pushed = Push::new()
        .rename("old.md", "dir/new.md")
        .put("ü.md", "ü\n");
    let tip = github.push(pushed).await.unwrap();

    let answer = compare(&client, &base, &tip);
    assert_eq!(answer["status"], "ahead");
    assert_eq!([&answer["ahead_by"], &answer["behind_by"]], [2, 0]);
    assert_eq!(answer["base_commit"]["sha"], base.to_string());
    assert_eq!(answer["merge_base_commit"]["sha"], base.to_string());
    let commits = answer["commits"].as_array().unwrap();
    assert_eq!(commits[1]["sha"], tip.to_string(), "oldest first");
    let list = |status: &str, path: &str| [status.to_owned(), path.to_owned()];
    assert_eq!(
        facts(&answer),
        [
            list("modified", "a.md"),
            list("renamed", "dir/new.md"),
            list("removed", "gone.md"),
            list("added", "ü.md"),
        ]
    );
    let files = &answer["files"];
    assert_eq!(files[0]["sha"], git(&github, &["rev-parse", "main:a.md"]));
    assert_eq!(files[0]["patch"], "@@ -1 +1 @@\n-1\n+2");
    assert_eq!(files[1]["previous_filename"], "old.md");
    assert_eq!(
        files[1]["sha"],
        git(&github, &["rev-parse", "main:dir/new.md"])
    );
    assert_eq!([&files[1]["changes"], &files[0]["changes"]], [0, 2]);
    assert_eq!(
        files[2]["sha"],
        git(&github, &["rev-parse", &format!("{base}:gone.md")])
    );
}

#[tokio::test]
async fn the_status_says_how_the_two_stand() {
    let (github, client) = start(&[("a.md", "1")]).await;
    let base = head(&github);
    let left = github.push(Push::new().put("left.md", "l")).await.unwrap();
    let right = github
        .push(Push::new().put("right.md", "r").forced_onto(base))
        .await
        .unwrap();
    assert_eq!(head(&github), right, "a forced push moves the branch");

    let same = compare(&client, &base, &base);
    assert_eq!(
        [&same["status"], &same["files"]],
        [&json!("identical"), &json!([])]
    );
    let back = compare(&client, &right, &base);
    assert_eq!(
        [&back["status"], &back["files"]],
        [&json!("behind"), &json!([])]
    );
    let parted = compare(&client, &left, &"main");
    assert_eq!(parted["status"], "diverged");
    assert_eq!([&parted["ahead_by"], &parted["behind_by"]], [1, 1]);
    assert_eq!(facts(&parted), [["added", "right.md"].map(str::to_owned)]);
    assert_eq!(parted["merge_base_commit"]["sha"], base.to_string());
}

#[tokio::test]
async fn a_base_that_is_gone_is_not_found() {
    let (github, client) = start(&[("a.md", "1")]).await;
    let first = head(&github);
    let lost = github.push(Push::new().put("b.md", "b")).await.unwrap();
    github
        .push(Push::new().put("c.md", "c").forced_onto(first))
        .await
        .unwrap();
    let tip = head(&github);
    compare(&client, &lost, &tip);
    git(&github, &["prune", "--expire=now"]);
    client.get(&format!("/compare/{lost}...{tip}")).expect(404);
    client
        .get(&format!("/compare/{}...main", "0".repeat(40)))
        .expect(404);
    client.get("/compare/main").expect(404);
    // Histories that have nothing in common.
    let tree = git(&github, &["rev-parse", "main^{tree}"]);
    let orphan = git(&github, &["commit-tree", &tree, "-m", "alone"]);
    let reply = client.get(&format!("/compare/{orphan}...main")).expect(404);
    assert_eq!(
        reply.message(),
        format!("No common ancestor between {orphan} and main.")
    );
}

#[tokio::test]
async fn the_list_of_files_ends_at_three_hundred_and_only_on_the_first_page() {
    let (github, client) = start(&[("a.md", "1")]).await;
    let base = head(&github);
    let many = (0..310).fold(Push::new(), |push, n| push.put(format!("{n:03}.md"), "x"));
    github.push(many).await.unwrap();
    assert_eq!(facts(&compare(&client, &base, &"main")).len(), 300);
    let second = client
        .get(&format!("/compare/{base}...main?page=2&per_page=1"))
        .json();
    assert_eq!(second["files"], json!([]));
    github.switches(|switches| switches.compare_cap = Some(3));
    assert_eq!(facts(&compare(&client, &base, &"main")).len(), 3);
}
