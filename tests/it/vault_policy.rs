//! The policy as a table: every operation on every path of [`HOSTILE_PATHS`].
//!
//! The tables are snapshots, so that a change of policy shows as a difference that can be read. A
//! refusal is also held to have cost nothing: no call may have reached the backend.

use std::{fmt::Write, rc::Rc};

use vault_mcp::{
    login::allowlist::Access,
    storage::memory::MemoryStorage,
    vault::{
        VaultClient, VaultError,
        client::{DeleteRequest, ListRequest},
        commit::Author,
        path::DirPath,
        policy::{VaultPolicy, parse_prefixes},
        storage::VaultStorage,
    },
};

use crate::support::{
    hostile_paths::{HOSTILE_PATHS, long_paths},
    recording::{Everywhere, Recording},
    vaults::{all_of, create, overwrite},
};

/// What a client can do with a path.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Read,
    /// List the folder that is called so.
    List,
    /// Overwrite the note that is there.
    Write,
    Delete,
    /// Make a note where there is none.
    Create,
}

const OPERATIONS: [Operation; 5] = [
    Operation::Read,
    Operation::List,
    Operation::Write,
    Operation::Delete,
    Operation::Create,
];

/// A vault in which everything exists, and one in which nothing does, under one policy.
struct Vaults {
    everywhere: Rc<Recording<Everywhere>>,
    nowhere: Rc<Recording<MemoryStorage>>,
    policy: Rc<VaultPolicy>,
    access: Access,
}

impl Vaults {
    fn new(allowed: &str, denied: &str) -> Self {
        let policy = VaultPolicy::new(
            parse_prefixes(allowed).unwrap(),
            &parse_prefixes(denied).unwrap(),
            false,
        );
        Self {
            everywhere: Recording::new(Everywhere),
            nowhere: Recording::new(MemoryStorage::empty()),
            policy: Rc::new(policy),
            access: Access::ReadWrite,
        }
    }

    fn client(&self, storage: Rc<dyn VaultStorage>) -> VaultClient {
        let author = Author::new("A. Writer", "writer@example.test", "Test");
        VaultClient::new(storage, Rc::clone(&self.policy), self.access, author)
    }

    /// What an operation on a path answers, and how many calls reached the backend.
    async fn try_out(&self, operation: Operation, path: &str) -> (Result<(), VaultError>, usize) {
        let storage: Rc<dyn VaultStorage> = match operation {
            Operation::Create => Rc::<Recording<MemoryStorage>>::clone(&self.nowhere),
            Operation::Read | Operation::List | Operation::Write | Operation::Delete => {
                Rc::<Recording<Everywhere>>::clone(&self.everywhere)
            }
        };
        let client = self.client(storage);
        let answer = match operation {
            Operation::Read => client.read(path, None).await.map(drop),
            Operation::List => {
                let request = ListRequest {
                    limit: 10,
                    ..all_of(path)
                };
                client.list(&request).await.map(drop)
            }
            Operation::Write => client.write(&overwrite(path, "new\n")).await.map(drop),
            Operation::Delete => {
                let request = DeleteRequest {
                    path,
                    expected_revision: None,
                    message: None,
                };
                client.delete(&request).await.map(drop)
            }
            Operation::Create => {
                // Every path is tried in a vault that the paths before it left no trace in.
                let answer = client.write(&create(path, "new\n")).await.map(drop);
                self.nowhere.inner().push(std::collections::BTreeMap::clear);
                answer
            }
        };
        let calls = self.everywhere.take_calls().len() + self.nowhere.take_calls().len();
        (answer, calls)
    }

    /// One line of the table.
    async fn line(&self, shown: &str, path: &str) -> String {
        let mut line = format!("{shown:<48}");
        for operation in OPERATIONS {
            let (answer, calls) = self.try_out(operation, path).await;
            let cell = match answer {
                Ok(()) => {
                    assert!(
                        calls > 0,
                        "{operation:?} {path:?} was answered without the backend"
                    );
                    "✔".to_owned()
                }
                // The policy lets the folder be listed, and nothing in it is shown.
                Err(error) if calls > 0 && self.policy_lets_list(operation, path) => {
                    format!("∅ {}", error.code().as_str())
                }
                Err(error) => {
                    // A name that cannot be created is looked up first: it may exist.
                    let looked_up = matches!(operation, Operation::Create)
                        && self.try_out(Operation::Write, path).await.0.is_ok();
                    assert!(
                        calls == 0 || looked_up,
                        "{operation:?} {path:?} reached the backend"
                    );
                    format!("✘ {}", error.code().as_str())
                }
            };
            write!(line, "{cell:<15}").unwrap();
        }
        line.trim_end().to_owned()
    }

    fn policy_lets_list(&self, operation: Operation, path: &str) -> bool {
        matches!(operation, Operation::List)
            && DirPath::parse(path).is_ok_and(|dir| self.policy.dir(&dir).is_ok())
    }

    async fn table(&self) -> String {
        let mut table = format!(
            "{:<48}{:<15}{:<15}{:<15}{:<15}create\n",
            "", "read", "list", "write", "delete"
        );
        for (group, paths) in HOSTILE_PATHS {
            writeln!(table, "\n# {group}").unwrap();
            for path in *paths {
                writeln!(table, "{}", self.line(&escaped(path), path).await).unwrap();
            }
        }
        writeln!(table, "\n# lengths").unwrap();
        for (name, path) in long_paths() {
            writeln!(table, "{}", self.line(name, &path).await).unwrap();
        }
        table
    }
}

/// A path as the table shows it: what cannot be seen is escaped.
fn escaped(path: &str) -> String {
    let mut shown = String::from("\"");
    for character in path.chars() {
        let unseen = character.is_control()
            || matches!(
                u32::from(character),
                0x300..=0x36f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfe0f
                    | 0xfdd0..=0xfdef | 0xfeff | 0xfffe..=0xffff | 0x1_fffe..=0x1_ffff
                    | 0x10_fffe..=0x10_ffff
            );
        if unseen || character == '"' {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown.push('"');
    shown
}

/// Holds a table against `tests/snapshots`.
fn assert_table(name: &str, table: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.bind(|| insta::assert_snapshot!(name, table));
}

#[tokio::test]
async fn what_an_open_vault_refuses() {
    let vaults = Vaults::new("", "Private/, Café/Geheim");
    assert_table("open_vault", &vaults.table().await);
}

#[test]
fn the_table_is_long_enough_and_has_no_line_twice() {
    let mut paths: Vec<&str> = HOSTILE_PATHS
        .iter()
        .flat_map(|(_, paths)| paths.iter().copied())
        .collect();
    let count = paths.len();
    assert!(count >= 150, "{count} paths");
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count);
}

#[tokio::test]
async fn what_a_vault_with_prefixes_refuses() {
    let vaults = Vaults::new("Projects/, Daily/2026, Index.md", "Projects/Private");
    let mut table = format!(
        "{:<48}{:<15}{:<15}{:<15}{:<15}create\n",
        "", "read", "list", "write", "delete"
    );
    for path in [
        "",
        "a.md",
        "Index.md",
        "index.md",
        "Index.md/a.md",
        "Projects",
        "Projects/",
        "Projects/a.md",
        "Projects/b/c.md",
        "projects/a.md",
        "Projects2/a.md",
        "Projects.md",
        "Projects-private/x.md",
        "a/Projects/b.md",
        "Projects/Private",
        "Projects/Private/x.md",
        "Projects/private/x.md",
        "Projects/PRIVATE/deep/x.md",
        "Projects/Private.md",
        "Projects/Privateer/x.md",
        "Projects/../Daily/x.md",
        "Projects/../private/secret.md",
        "Projects\\..\\private\\x.md",
        "Projects/.hidden/x.md",
        "Daily",
        "Daily/2026",
        "Daily/2026/11/30.md",
        "Daily/2027/01/01.md",
        "Daily/2026.md",
        "Daily/a.md",
        "daily",
    ] {
        writeln!(table, "{}", vaults.line(&escaped(path), path).await).unwrap();
    }
    assert_table("vault_with_prefixes", &table);
}

#[tokio::test]
async fn a_reader_changes_nothing_whatever_the_path() {
    let mut vaults = Vaults::new("", "Private/");
    vaults.access = Access::ReadOnly;
    for (_, paths) in HOSTILE_PATHS {
        for path in *paths {
            for operation in [Operation::Write, Operation::Delete, Operation::Create] {
                let (answer, calls) = vaults.try_out(operation, path).await;
                let code = answer.unwrap_err().code().as_str();
                assert_eq!((code, calls), ("READ_ONLY", 0), "{operation:?} {path:?}");
            }
        }
    }
    assert_eq!(vaults.try_out(Operation::Read, "a.md").await.0, Ok(()));
}

#[tokio::test]
async fn hidden_and_missing_are_the_same_answer() {
    let vaults = Vaults::new("", "Private/");
    let nothing: Rc<dyn VaultStorage> = Rc::<Recording<MemoryStorage>>::clone(&vaults.nowhere);
    let everything: Rc<dyn VaultStorage> = Rc::<Recording<Everywhere>>::clone(&vaults.everywhere);
    let hidden = vaults
        .client(everything)
        .read("Private/x.md", None)
        .await
        .unwrap_err();
    let missing = vaults
        .client(nothing)
        .read("Public/x.md", None)
        .await
        .unwrap_err();
    assert_eq!(
        hidden.to_string().replace("Private", "P"),
        missing.to_string().replace("Public", "P")
    );
    assert_eq!(hidden.code(), missing.code());
}
