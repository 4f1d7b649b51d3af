//! The look-alike as a process.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use vault_mcp_dev::tokens;

use crate::client::{Client, RAW};

struct Process {
    child: Child,
    url: String,
}

impl Process {
    fn start(state: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_look-alike"))
            .args(["--port", "0", "--state"])
            .arg(state)
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line
            .trim()
            .strip_prefix("ready ")
            .unwrap_or_else(|| panic!("{line:?}"));
        Self {
            url: url.to_owned(),
            child,
        }
    }

    fn client(&self) -> Client {
        Client::new(&self.url, Some(tokens::FULL))
    }

    /// Asks it to end, and expects that it does, in good order.
    fn end(mut self) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        let patience = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(
                patience.elapsed() < Duration::from_secs(10),
                "it did not end"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_written_is_there_after_a_restart() {
    let state = tempfile::tempdir().unwrap();
    let process = Process::start(state.path(), &[]);
    let index = process
        .client()
        .get_with("/contents/Index.md", &[RAW])
        .expect(200)
        .bytes;
    assert!(!index.is_empty(), "the sample vault is served");
    process
        .client()
        .put("kept.md", "kept", &Value::Null)
        .expect(201);
    let empty = process
        .client()
        .send("GET", "/repos/example/empty", &[], b"");
    assert_eq!(empty.status, 404, "the token reaches the vault alone");
    process.end();

    let process = Process::start(state.path(), &[]);
    process.client().get("/contents/kept.md").expect(200);
    process.end();

    let process = Process::start(state.path(), &["--fresh"]);
    process.client().get("/contents/kept.md").expect(404);
    process.end();
}

/// Path, bytes and time of change of everything below a folder.
fn snapshot(dir: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        let changed = dir.metadata().unwrap().modified().unwrap();
        found.insert(dir.to_string_lossy().into_owned(), (Vec::new(), changed));
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            if about.is_dir() {
                open.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(
                    path.to_string_lossy().into_owned(),
                    (bytes, about.modified().unwrap()),
                );
            }
        }
    }
    found
}

#[test]
fn a_persons_vault_is_copied_and_never_written() {
    let vault = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = vault.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("note.md", "crlf\r\n");
    put("Ünïcode 日本.md", "u");
    put(".obsidian/app.json", "{}");
    put(".gitignore", "secret/\n");
    put("secret/key.md", "ignored, as git would");
    put("by-exclude.md", "ignored too");
    let git = |args: &[&str]| {
        let status = Command::new("git")
            .arg("-C")
            .arg(vault.path())
            .args(args)
            .status();
        assert!(status.unwrap().success());
    };
    git(&["init", "--quiet"]);
    put(".git/info/exclude", "by-exclude.md\n");
    std::os::unix::fs::symlink("note.md", vault.path().join("link.md")).unwrap();
    let before = snapshot(vault.path());

    let state = tempfile::tempdir().unwrap();
    let folder = vault.path().to_str().unwrap();
    let process = Process::start(state.path(), &["--vault", folder]);
    let client = process.client();
    let tree = client.get("/git/trees/main?recursive=1").expect(200).json();
    let entries: Vec<_> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["type"] == "blob")
        .map(|entry| format!("{} {}", entry["mode"], entry["path"]).replace('"', ""))
        .collect();
    assert_eq!(
        entries,
        [
            "100644 .gitignore",
            "100644 .obsidian/app.json",
            "120000 link.md",
            "100644 note.md",
            "100644 Ünïcode 日本.md",
        ]
    );
    assert_eq!(
        client.get_with("/contents/note.md", &[RAW]).bytes,
        b"crlf\r\n"
    );
    client.put("new.md", "n", &Value::Null).expect(201);
    process.end();
    assert!(snapshot(vault.path()) == before, "the folder has changed");

    // The sample vault has a copy of its own, and this one is still there afterwards.
    let process = Process::start(state.path(), &[]);
    process.client().get("/contents/new.md").expect(404);
    process.end();
    let process = Process::start(state.path(), &["--vault", folder]);
    process.client().get("/contents/new.md").expect(200);
    process.end();
}

#[test]
fn wrong_arguments_are_named() {
    for (args, text) in [
        (&["--port", "x", "--state", "s"][..], "not a port: x"),
        (&["--port", "1"], "--state is missing"),
        (&["--port", "1", "--state"], "--state needs a value"),
        (&["--nothing"], "unknown argument --nothing"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_look-alike"))
            .args(args)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(text) && told.contains("usage:"), "{told}");
    }
    let state = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_look-alike"))
        .args(["--port", "0", "--vault", "/nothing/here", "--state"])
        .arg(state.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("cannot read /nothing/here")
    );
}
