//! Reading files and folders.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use vault_mcp_dev::{Mode, Push, SeedFile};

use crate::client::{RAW, git, start, start_with};

fn decoded(file: &Value) -> Vec<u8> {
    STANDARD
        .decode(file["content"].as_str().unwrap().replace('\n', ""))
        .unwrap()
}

#[tokio::test]
async fn a_file_comes_with_its_content_and_the_sha_that_a_write_takes() {
    let name = "Café 100% #1 a+b? 日本.md";
    let (github, client) = start(&[(name, "text\r\n")]).await;
    let url = "/contents/Caf%C3%A9%20100%25%20%231%20a+b%3F%20%E6%97%A5%E6%9C%AC.md";
    let file = client.get(url).expect(200).json();
    assert_eq!(file["type"], "file");
    assert_eq!(file["path"], name);
    assert_eq!(
        file["sha"],
        git(&github, &["rev-parse", &format!("main:{name}")])
    );
    assert_eq!(decoded(&file), b"text\r\n");

    let raw = client.get_with(url, &[RAW]).expect(200);
    assert_eq!(raw.bytes, b"text\r\n");
    assert_eq!(
        raw.header("content-type"),
        "application/vnd.github.v3.raw; charset=utf-8"
    );
    // Decoded once: `%2520` is a name with a percent sign.
    client.get(&url.replace("%20", "%2520")).expect(404);
    client.get(&format!("{url}/")).expect(404);
}

#[tokio::test]
async fn a_file_over_one_megabyte_has_no_content_in_json() {
    let big = "x".repeat(1024 * 1024 + 1);
    let (_github, client) = start(&[("big.md", &big), ("edge.md", &big[1..])]).await;
    for accept in [
        "application/vnd.github+json",
        "application/vnd.github.object+json",
    ] {
        let file = client
            .get_with("/contents/big.md", &[("accept", accept)])
            .expect(200)
            .json();
        assert_eq!(
            [&file["content"], &file["encoding"], &file["size"]],
            [&json!(""), &json!("none"), &json!(big.len())]
        );
    }
    assert_eq!(
        client
            .get_with("/contents/big.md", &[RAW])
            .expect(200)
            .bytes,
        big.as_bytes()
    );
    assert_eq!(
        decoded(&client.get("/contents/edge.md").json()).len(),
        big.len() - 1
    );
}

#[tokio::test]
async fn a_folder_is_an_array_or_an_object() {
    let (_github, client) = start(&[("dir/a.md", "a"), ("dir/sub/b.md", "b"), ("c.md", "c")]).await;
    let list = client.get("/contents/dir").expect(200).json();
    let facts: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            [
                entry["type"].as_str().unwrap(),
                entry["path"].as_str().unwrap(),
            ]
        })
        .collect();
    assert_eq!(facts, [["file", "dir/a.md"], ["dir", "dir/sub"]]);

    let object = ("accept", "application/vnd.github.object+json");
    let folder = client
        .get_with("/contents/dir", &[object])
        .expect(200)
        .json();
    assert_eq!(folder["type"], "dir");
    assert_eq!(folder["entries"], list);
    assert_eq!(
        client
            .get("/contents")
            .expect(200)
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        client
            .get("/contents/")
            .expect(200)
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
    client.get("/contents/nothing").expect(404);
    client.get("/contents/c.md/below").expect(404);
}

#[tokio::test]
async fn a_listing_stops_at_a_thousand_without_a_sign() {
    let files = (0..1_500)
        .map(|n| SeedFile::regular(format!("{n:04}.md"), "x"))
        .collect();
    let (_github, client) = start_with(files).await;
    let list = client.get("/contents/").expect(200);
    assert_eq!(list.json().as_array().unwrap().len(), 1_000);
    assert!(list.headers.get("link").is_none());
    let tree = client.get("/git/trees/main").expect(200).json();
    assert_eq!(tree["tree"].as_array().unwrap().len(), 1_500);
}

#[tokio::test]
async fn the_ref_says_of_when() {
    let (github, client) = start(&[("a.md", "old")]).await;
    let old = git(&github, &["rev-parse", "main"]);
    github.push(Push::new().put("a.md", "new")).await.unwrap();
    github
        .push(Push::new().put("a.md", "side").branch("side/way"))
        .await
        .unwrap();
    for (query, text) in [
        (String::new(), "new"),
        (format!("?ref={old}"), "old"),
        ("?ref=side/way".to_owned(), "side"),
        ("?ref=refs/heads/side%2Fway".to_owned(), "side"),
    ] {
        let file = client
            .get_with(&format!("/contents/a.md{query}"), &[RAW])
            .expect(200);
        assert_eq!(file.bytes, text.as_bytes(), "{query}");
    }
    assert_eq!(
        client
            .get("/contents/a.md?ref=nothing")
            .expect(404)
            .message(),
        "No commit found for the ref nothing"
    );
}

#[tokio::test]
async fn links_are_followed_inside_the_repository_only() {
    let (_github, client) = start_with(vec![
        SeedFile::regular("real/note.md", "real"),
        SeedFile::symlink("links/inside.md", "../real/note.md"),
        SeedFile::symlink("links/outside.md", "../../etc/passwd"),
        SeedFile::symlink("links/dangling.md", "nothing.md"),
        SeedFile::symlink("links/folder", "../real"),
    ])
    .await;
    let inside = client.get("/contents/links/inside.md").expect(200).json();
    assert_eq!(
        (inside["type"].as_str(), decoded(&inside)),
        (Some("file"), b"real".to_vec())
    );
    for (name, target) in [
        ("outside.md", "../../etc/passwd"),
        ("dangling.md", "nothing.md"),
        ("folder", "../real"),
    ] {
        let link = client
            .get(&format!("/contents/links/{name}"))
            .expect(200)
            .json();
        assert_eq!(
            [&link["type"], &link["target"]],
            [&json!("symlink"), &json!(target)]
        );
        assert_eq!(link.get("content"), None);
    }
    let list = client.get("/contents/links").json();
    assert!(
        list.as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["type"] == "symlink")
    );
}

#[tokio::test]
async fn a_submodule_is_called_a_file_in_old_listings() {
    let (_github, client) = start_with(vec![SeedFile {
        path: "module".to_owned(),
        bytes: b"1234567890123456789012345678901234567890".to_vec(),
        mode: Mode::Submodule,
    }])
    .await;
    assert_eq!(client.get("/contents/").json()[0]["type"], "file");
    let new = ("x-github-api-version", "2026-03-10");
    assert_eq!(
        client.get_with("/contents/", &[new]).json()[0]["type"],
        "submodule"
    );
    assert_eq!(client.get("/contents/module").json()["type"], "submodule");
}
