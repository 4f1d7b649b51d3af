//! What clients of a backend can rely on, through the policy and over the wire between the Worker
//! and the object that keeps the vault.

use std::rc::Rc;

use async_trait::async_trait;
use futures_util::future::join_all;
use vault_mcp::{
    login::allowlist::Access,
    vault::{
        VaultClient, VaultError,
        client::TextChange,
        commit::Author,
        edit::Edit,
        remote::{self, LinkError, RemoteStorage, StorageLink},
    },
};

use super::{Start, content, note};
use crate::support::{
    storage::{Subject, open_policy},
    vaults::change,
};

/// The wire: what is called on this side is answered by the vault on the other.
struct Wire(Rc<dyn Subject>);

#[async_trait(?Send)]
impl StorageLink for Wire {
    async fn call(&self, call: String) -> Result<String, LinkError> {
        remote::answer(&call, self.0.storage(), &open_policy()).await
    }
}

fn client(vault: &Rc<dyn Subject>, name: &str) -> VaultClient {
    let storage = RemoteStorage::new(Rc::new(Wire(Rc::clone(vault))));
    let author = Author::new(name, "writer@example.test", "Test client");
    let policy = Rc::new(open_policy());
    VaultClient::new(Rc::new(storage), policy, Access::ReadWrite, author)
}

/// Makes a change, and does as it is told where it is asked to wait or to try again.
async fn write(vault: &Rc<dyn Subject>, name: &str, text: TextChange<'_>) {
    let client = client(vault, name);
    for _ in 0..200 {
        match client.write(&change("log.md", text)).await {
            Ok(_) => return,
            Err(VaultError::RateLimited { retry_after }) => vault.wait(retry_after).await,
            Err(
                VaultError::Conflict { .. }
                | VaultError::UpstreamUnavailable {
                    outcome_unknown: false,
                    ..
                },
            ) => tokio::task::yield_now().await,
            Err(error) => panic!("{name}: {error}"),
        }
    }
    panic!("{name} never got through");
}

pub(super) async fn twenty_clients_append_to_one_note_at_once(start: impl Start) {
    let vault = start(vec![note("log.md", "# Log\r\n")]).await;
    let appended = (0..20).map(async |n| {
        let content = format!("- line {n}");
        let text = TextChange::Append {
            content: &content,
            section: None,
        };
        write(&vault, &content, text).await;
    });
    join_all(appended).await;
    let text = String::from_utf8(content(vault.storage(), "log.md").await).unwrap();
    let mut lines: Vec<&str> = text.split_terminator("\r\n").collect();
    lines.sort_unstable();
    let mut expected: Vec<_> = (0..20).map(|n| format!("- line {n}")).collect();
    expected.push("# Log".to_owned());
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// Edits quote what they replace, so each is made in what the others have left.
pub(super) async fn twenty_clients_edit_one_note_at_once(start: impl Start) {
    let tasks: Vec<_> = (0..20).map(|n| format!("- [ ] task {n}.\r\n")).collect();
    let todo = tasks.concat();
    let vault = start(vec![note("log.md", todo.clone())]).await;
    let edited = (0..20).map(async |n| {
        let old = format!("- [ ] task {n}.");
        let new = format!("- [x] task {n}.");
        let edits = [Edit {
            old: &old,
            new: &new,
            all: false,
        }];
        write(
            &vault,
            &new,
            TextChange::Edit {
                edits: &edits,
                section: None,
            },
        )
        .await;
    });
    join_all(edited).await;
    let text = String::from_utf8(content(vault.storage(), "log.md").await).unwrap();
    assert_eq!(text, todo.replace("[ ]", "[x]"));
}
