//! The tarball.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use vault_mcp_dev::github::CutTarball;
use vault_mcp_dev::{Push, SeedFile, tokens};

use crate::client::{Client, Reply, git, start, start_with};

/// Unpacks with the system's `tar` and returns the top folder's name and its regular files.
fn unpack(archive: &[u8]) -> (String, BTreeMap<String, Vec<u8>>) {
    let dir = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar")
        .args(["-x", "-z", "-f", "-", "-C"])
        .arg(dir.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    tar.stdin.take().unwrap().write_all(archive).unwrap();
    assert!(tar.wait().unwrap().success());
    let mut tops = std::fs::read_dir(dir.path()).unwrap();
    let top = tops.next().unwrap().unwrap();
    assert!(tops.next().is_none(), "one folder holds everything");
    let mut files = BTreeMap::new();
    collect(&top.path(), "", &mut files);
    (top.file_name().into_string().unwrap(), files)
}

fn collect(dir: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file() {
            files.insert(path, std::fs::read(entry.path()).unwrap());
        }
    }
}

/// Follows the redirect as a client must: without the token.
fn follow(client: &Client, redirect: &Reply) -> Reply {
    let target = redirect.header("location");
    client
        .bare("GET", target, &[("user-agent", "x")], b"")
        .unwrap()
}

#[tokio::test]
async fn the_tarball_unpacks_to_the_tree_of_the_commit() {
    let long = format!("{}/Очень длинное имя 日本語.md", "folder/".repeat(30));
    let (github, client) = start_with(vec![
        SeedFile::regular("a.md", b"\xef\xbb\xbfa\r\n\0".to_vec()),
        SeedFile::regular(long.replace("//", "/"), "long"),
        SeedFile::symlink("link.md", "a.md"),
    ])
    .await;
    let head = git(&github, &["rev-parse", "main"]);
    for rest in ["/tarball", "/tarball/main", &format!("/tarball/{head}")] {
        github.reset_requests();
        let redirect = client.get(rest).expect(302);
        let target = redirect.header("location");
        assert!(
            target.contains("/codeload/example/vault/legacy.tar.gz/"),
            "{target}"
        );
        let reply = follow(&client, &redirect).expect(200);
        assert_eq!(reply.header("content-type"), "application/x-gzip");
        let (top, files) = unpack(&reply.bytes);
        assert_eq!(top, format!("example-vault-{}", &head[..7]));
        assert_eq!(files.len(), 2);
        assert_eq!(files["a.md"], b"\xef\xbb\xbfa\r\n\0");
        // Two requests, one of them counted, the second without the token; its ticket is not
        // written down.
        let seen = github.requests();
        assert_eq!([seen[0].counted, seen[1].counted], [true, false]);
        assert_eq!(seen[1].authorization, None);
        assert!(!seen[1].path.contains("token="));
    }
    client.get("/tarball/nothing").expect(404);
}

#[tokio::test]
async fn the_archive_names_the_commit_it_holds() {
    let (github, client) = start(&[("a.md", "one")]).await;
    let redirect = client.get("/tarball/main").expect(302);
    // A push between the two steps: the second one looks the branch up again.
    let pushed = github.push(Push::new().put("a.md", "two")).await.unwrap();
    let archive = follow(&client, &redirect).expect(200).bytes;
    assert_eq!(unpack(&archive).1["a.md"], b"two");
    let mut child = Command::new("git")
        .arg("get-tar-commit-id")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let plain = gunzip(&archive);
    let mut input = child.stdin.take().unwrap();
    // It reads the header alone and may close the pipe after it.
    let _ = input.write_all(&plain);
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap().trim(),
        pushed.to_string()
    );
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let output = Command::new("gzip")
        .arg("-dc")
        .arg("--")
        .stdin(file.reopen().unwrap())
        .output();
    output.unwrap().stdout
}

#[tokio::test]
async fn attributes_leave_files_out_and_change_them() {
    let (_github, client) = start(&[
        (
            ".gitattributes",
            "private/** export-ignore\nstamp.md export-subst\n",
        ),
        ("private/a.md", "secret"),
        ("stamp.md", "$Format:%H$"),
        ("b.md", "b"),
    ])
    .await;
    let archive = follow(&client, &client.get("/tarball")).expect(200).bytes;
    let (_, files) = unpack(&archive);
    assert!(!files.contains_key("private/a.md"));
    assert_ne!(files["stamp.md"], b"$Format:%H$");
    let tree = client.get("/git/trees/main?recursive=1").json();
    assert!(
        tree["tree"]
            .as_array()
            .unwrap()
            .iter()
            .any(|e| e["path"] == "private/a.md")
    );
}

#[tokio::test]
async fn a_download_needs_its_ticket() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    let target = client.get("/tarball").header("location").to_owned();
    let (path, _) = target.split_once("?token=").unwrap();
    let bearer = format!("Bearer {}", tokens::FULL);
    for target in [path.to_owned(), format!("{path}?token=made-up")] {
        let headers = [("user-agent", "x"), ("authorization", &*bearer)];
        client
            .bare("GET", &target, &headers, b"")
            .unwrap()
            .expect(404);
    }
}

#[tokio::test]
async fn the_tarball_endpoint_may_refuse_bearer() {
    let (github, client) = start(&[("a.md", "a")]).await;
    github.switches(|switches| switches.tarball_refuses_bearer = true);
    client.get("/tarball").expect(401);
    let value = format!("token {}", tokens::FULL);
    let headers = [("user-agent", "x"), ("authorization", &*value)];
    client
        .bare("GET", "/repos/example/vault/tarball", &headers, b"")
        .unwrap()
        .expect(302);
    client.get("/contents/a.md").expect(200);
}

#[tokio::test]
async fn a_cut_tarball_ends_early_with_and_without_a_sign() {
    // Letters that hardly compress, so that there is something to cut.
    let mut state = 1_u32;
    let noise: String = (0..20_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'0' + (state >> 26) as u8)
        })
        .collect();
    let (github, client) = start(&[("a.md", &noise)]).await;
    let whole = follow(&client, &client.get("/tarball")).expect(200).bytes;
    assert!(whole.len() > 500);

    let cut = |clean| {
        let cut = CutTarball {
            after_bytes: 500,
            clean,
        };
        github.switches(|switches| switches.cut_tarball = Some(cut));
    };
    cut(true);
    assert_eq!(follow(&client, &client.get("/tarball")).bytes, whole[..500]);
    cut(false);
    let target = client.get("/tarball").header("location").to_owned();
    assert!(
        client
            .bare("GET", &target, &[("user-agent", "x")], b"")
            .is_err()
    );
    github.reset_switches();
    assert_eq!(follow(&client, &client.get("/tarball")).bytes, whole);
}
