//! The GitHub backend where GitHub does not answer plainly.

use std::time::Duration;

use vault_mcp::{
    secret::Secret,
    storage::github::{BranchName, Credential, GithubRepository},
    vault::storage::{Denial, Revision, StorageError, VaultStorage},
};
use vault_mcp_dev::{
    LookAlike, SeedFile, Switches, Times,
    github::{Forbidden, PrimaryLimit, RefLag, RuleViolation, SecondaryLimit},
    tokens,
};

use crate::support::{
    github::{AtGithub, repository, storage},
    storage::{Subject, info, list, open_policy, paths, read, run, writable},
};

async fn vault() -> AtGithub {
    AtGithub::start(vec![
        SeedFile::regular("a.md", "one"),
        SeedFile::regular("b.md", "b"),
    ])
    .await
}

/// How many commits the branch has, and what `a.md` holds.
fn history(vault: &AtGithub) -> (usize, String) {
    let count = vault
        .look_alike
        .git(&["rev-list", "--count", "main"])
        .unwrap();
    let content = vault
        .look_alike
        .git(&["show", "main:a.md"])
        .unwrap_or_default();
    (count.trim().parse().unwrap(), content)
}

async fn update_a(vault: &AtGithub) -> Result<(), StorageError> {
    let made = vault
        .storage
        .update(
            &writable("a.md"),
            &Revision::of(b"one"),
            b"two",
            &info("update a"),
        )
        .await?;
    assert_eq!(Some(made.commit.to_string()), tip(vault));
    assert_eq!(
        made.url,
        Some(format!(
            "{}/example/vault/commit/{}",
            vault.look_alike.url(),
            made.commit
        ))
    );
    Ok(())
}

fn tip(vault: &AtGithub) -> Option<String> {
    vault.look_alike.head().unwrap().map(|oid| oid.to_string())
}

#[test]
fn requests_carry_what_github_wants_and_no_more_are_sent_than_needed() {
    run(async {
        let vault = vault().await;
        let head = tip(&vault).unwrap();
        read(&vault.storage, "a.md").await.unwrap();
        let blob = Revision::of(b"one");
        assert_eq!(
            vault.requests(),
            [
                "GET /commits/heads/main 200".to_owned(),
                format!("GET /git/trees/{head}?recursive=1 200"),
                format!("GET /git/blobs/{blob} 200"),
            ]
        );
        for request in vault.look_alike.requests() {
            let agent = concat!("vault-mcp/", env!("CARGO_PKG_VERSION"));
            assert_eq!(request.user_agent.as_deref(), Some(agent));
            assert_eq!(request.authorization.as_deref(), Some("bearer"));
        }
        vault.look_alike.reset_requests();
        update_a(&vault).await.unwrap();
        assert_eq!(vault.requests()[1..], ["PUT /contents/a.md 200"]);
    });
}

#[test]
fn a_commit_carries_the_person_and_the_whole_message() {
    run(async {
        let vault = vault().await;
        let message = info("change a\n\nWhy: ü\n\nClient: test");
        let base = Revision::of(b"one");
        vault
            .storage
            .update(&writable("a.md"), &base, b"two", &message)
            .await
            .unwrap();
        let shown = vault
            .look_alike
            .git(&["log", "-1", "--format=%an|%ae|%cn|%ce|%B"])
            .unwrap();
        let person = "A. Writer|writer@example.test";
        assert_eq!(
            shown.trim_end(),
            format!("{person}|{person}|{}", message.message)
        );
    });
}

#[test]
fn the_default_branch_is_asked_for_once_where_none_is_configured() {
    run(async {
        let look_alike = LookAlike::builder()
            .branch("feature/x-y")
            .seed(vec![SeedFile::regular("a.md", "one")])
            .start()
            .await
            .unwrap();
        let storage = storage(GithubRepository {
            branch: None,
            ..repository(&look_alike)
        });
        read(&storage, "a.md").await.unwrap();
        let base = Revision::of(b"one");
        storage
            .update(&writable("a.md"), &base, b"two", &info("x"))
            .await
            .unwrap();
        let asked = look_alike.requests();
        let asked: Vec<_> = asked.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(
            asked[..2],
            [
                "/repos/example/vault",
                "/repos/example/vault/commits/heads/feature/x-y"
            ]
        );
        assert_eq!(
            asked
                .iter()
                .filter(|path| **path == "/repos/example/vault")
                .count(),
            1
        );
        assert_eq!(
            look_alike.git(&["show", "feature/x-y:a.md"]).unwrap(),
            "two"
        );
    });
}

#[test]
fn a_race_with_another_commit_is_run_again() {
    run(async {
        let vault = vault().await;
        vault
            .look_alike
            .switches(|switches| switches.tip_race = Times::Next(3));
        update_a(&vault).await.unwrap();
        assert_eq!(history(&vault).1, "two");
        vault
            .look_alike
            .switches(|switches| switches.tip_race = Times::Always);
        let base = Revision::of(b"b");
        let lost = vault
            .storage
            .update(&writable("b.md"), &base, b"x", &info("x"))
            .await;
        assert_eq!(
            lost.unwrap_err(),
            StorageError::Unavailable {
                outcome_unknown: false
            }
        );
        assert_eq!(vault.look_alike.git(&["show", "main:b.md"]).unwrap(), "b");
    });
}

/// Every kind of change, with the switch that hides what became of it: it ends as one commit, after
/// at most so many requests to make it.
async fn with_lost_answers(change: impl Fn(&mut Switches), most_sent: usize) {
    for kind in ["create", "update", "delete"] {
        let vault = vault().await;
        vault.look_alike.switches(&change);
        let (base, note) = (Revision::of(b"b"), writable("b.md"));
        let made = match kind {
            "create" => {
                vault
                    .storage
                    .create(&open_policy(), &writable("c.md"), b"c", &info("create"))
                    .await
            }
            "update" => {
                vault
                    .storage
                    .update(&note, &base, b"bb", &info("update"))
                    .await
            }
            _ => vault.storage.delete(&note, &base, &info("delete")).await,
        };
        vault.look_alike.reset_switches();
        assert_eq!(
            Some(made.expect(kind).commit.to_string()),
            tip(&vault),
            "{kind}"
        );
        assert_eq!(history(&vault).0, 2, "{kind}");
        let sent = vault
            .requests()
            .iter()
            .filter(|line| !line.starts_with("GET"))
            .count();
        assert!(sent <= most_sent, "{kind}: {:?}", vault.requests());
        let listing = list(&vault.storage, "", None).await.unwrap();
        let expected: &[&str] = match kind {
            "create" => &["a.md", "b.md", "c.md"],
            "update" => &["a.md", "b.md"],
            _ => &["a.md"],
        };
        assert_eq!(paths(&listing), expected, "{kind}");
    }
}

#[test]
fn a_change_that_was_made_but_not_answered_is_found() {
    run(with_lost_answers(
        |switches| switches.fail_after_commit = Times::Next(1),
        1,
    ));
}

#[test]
fn a_change_that_was_not_made_is_sent_once_more() {
    run(with_lost_answers(
        |switches| switches.fail_before_commit = Times::Next(1),
        2,
    ));
}

#[test]
fn a_change_that_was_made_is_found_behind_a_lagging_branch() {
    // So many looks are from before the change: it is sent again and refused, and found later or
    // later still.
    for lagging in 3..8 {
        run(with_lost_answers(
            |switches| {
                switches.fail_after_commit = Times::Next(1);
                switches.ref_lag = Some(RefLag::Reads(lagging));
            },
            2,
        ));
    }
}

#[test]
fn a_change_that_may_have_been_made_is_never_called_a_conflict() {
    run(async {
        let vault = vault().await;
        vault.look_alike.switches(|switches| {
            switches.fail_after_commit = Times::Next(1);
            switches.ref_lag = Some(RefLag::Milliseconds(60_000));
        });
        let unknown = StorageError::Unavailable {
            outcome_unknown: true,
        };
        assert_eq!(update_a(&vault).await.unwrap_err(), unknown);
        assert_eq!(history(&vault), (2, "two".to_owned()));
    });
}

#[test]
fn an_outcome_that_cannot_be_found_out_is_said_to_be_unknown() {
    run(async {
        let vault = vault().await;
        vault
            .look_alike
            .switches(|switches| switches.fail_before_commit = Times::Always);
        let lost = update_a(&vault).await.unwrap_err();
        assert_eq!(
            lost,
            StorageError::Unavailable {
                outcome_unknown: true
            }
        );
        assert_eq!(history(&vault), (1, "one".to_owned()));
        let puts = vault
            .requests()
            .iter()
            .filter(|line| line.starts_with("PUT"))
            .count();
        assert_eq!(puts, 2, "sent once, and once more");
    });
}

#[test]
fn a_lagging_branch_does_not_hide_own_changes() {
    run(async {
        let vault = vault().await;
        read(&vault.storage, "a.md").await.unwrap();
        vault
            .look_alike
            .switches(|switches| switches.ref_lag = Some(RefLag::Milliseconds(60_000)));
        update_a(&vault).await.unwrap();
        assert_eq!(
            read(&vault.storage, "a.md")
                .await
                .unwrap()
                .note
                .unwrap()
                .content,
            b"two"
        );
        vault
            .storage
            .create(&open_policy(), &writable("c.md"), b"c", &info("c"))
            .await
            .unwrap();
        let base = Revision::of(b"c");
        vault
            .storage
            .update(&writable("c.md"), &base, b"cc", &info("c"))
            .await
            .unwrap();
        let listing = list(&vault.storage, "", None).await.unwrap();
        assert_eq!(paths(&listing), ["a.md", "b.md", "c.md"]);
    });
}

#[test]
fn a_tree_that_github_cuts_is_read_whole() {
    run(async {
        let files: Vec<_> = (0..40)
            .map(|n| SeedFile::regular(format!("folder {}/sub/{n}.md", n % 4), format!("{n}")))
            .chain([SeedFile::regular("root.md", "r")])
            .collect();
        let vault = AtGithub::start(files).await;
        let whole = list(&vault.storage, "", None).await.unwrap();
        assert_eq!(whole.entries.len(), 41);
        vault
            .look_alike
            .switches(|switches| switches.tree_truncate_at = Some(12));
        assert_eq!(list(&vault.storage, "", None).await.unwrap(), whole);
    });
}

#[test]
fn a_renamed_repository_is_followed() {
    run(async {
        let vault = vault().await;
        vault.look_alike.switches(|switches| {
            switches.renamed = vec![("example/vault".into(), "example/new-name".into())];
        });
        vault
            .storage
            .create(&open_policy(), &writable("c.md"), b"c", &info("c"))
            .await
            .unwrap();
        assert_eq!(vault.look_alike.git(&["show", "main:c.md"]).unwrap(), "c");
        // The first answer told the number that stays: nothing else was redirected.
        let redirects = |status| {
            vault
                .requests()
                .iter()
                .filter(|line| line.ends_with(status))
                .count()
        };
        assert_eq!((redirects("301"), redirects("307")), (1, 0));
    });
}

async fn refused_update(change: impl Fn(&mut Switches)) -> StorageError {
    let vault = vault().await;
    vault.look_alike.switches(&change);
    let refused = update_a(&vault).await.unwrap_err();
    vault.look_alike.reset_switches();
    assert_eq!(history(&vault), (1, "one".to_owned()));
    refused
}

#[test]
fn each_refusal_names_its_remedy() {
    run(async {
        let archived = |switches: &mut Switches| switches.archived = vec!["example/vault".into()];
        assert_eq!(
            refused_update(archived).await,
            StorageError::Denied(Denial::Archived)
        );
        let checks =
            |switches: &mut Switches| switches.rule_violation = Some(RuleViolation::RequiredChecks);
        assert_eq!(
            refused_update(checks).await,
            StorageError::Denied(Denial::ProtectedBranch)
        );
        let ruleset =
            |switches: &mut Switches| switches.rule_violation = Some(RuleViolation::Ruleset);
        let StorageError::Denied(Denial::RuleViolation(text)) = refused_update(ruleset).await
        else {
            panic!("a ruleset refuses otherwise");
        };
        assert!(
            text.starts_with("Repository rule violations found"),
            "{text}"
        );
        let unauthorized = |switches: &mut Switches| switches.unauthorized = Times::Always;
        assert_eq!(
            refused_update(unauthorized).await,
            StorageError::Denied(Denial::BadCredentials)
        );
        let sso = |switches: &mut Switches| switches.forbidden = Some(Forbidden::Sso);
        assert_eq!(
            refused_update(sso).await,
            StorageError::Denied(Denial::SingleSignOn)
        );
        let missing = |switches: &mut Switches| switches.missing = vec!["example/vault".into()];
        assert_eq!(
            refused_update(missing).await,
            StorageError::Denied(Denial::RepositoryNotFound)
        );
        let limit = |switches: &mut Switches| {
            switches.secondary_limit = Some(SecondaryLimit {
                retry_after: Some(37),
                writes_only: true,
                ..SecondaryLimit::default()
            });
        };
        let retry_after = Duration::from_secs(37);
        assert_eq!(
            refused_update(limit).await,
            StorageError::RateLimited { retry_after }
        );
        let hourly =
            |switches: &mut Switches| switches.primary_limit = Some(PrimaryLimit::default());
        let StorageError::RateLimited { retry_after } = refused_update(hourly).await else {
            panic!("an hourly limit refuses otherwise");
        };
        assert!(
            (590..=600).contains(&retry_after.as_secs()),
            "{retry_after:?}"
        );
    });
}

#[test]
fn a_secret_in_a_note_is_refused_by_kind_without_being_shown() {
    run(async {
        let vault = vault().await;
        vault
            .look_alike
            .switches(|switches| switches.secret_scanning = true);
        let body = format!(
            "my token: ghp_{}\n",
            "a1B2c3D4e5".repeat(4).get(..36).unwrap()
        );
        let refused = vault
            .storage
            .create(
                &open_policy(),
                &writable("c.md"),
                body.as_bytes(),
                &info("x"),
            )
            .await;
        let Err(StorageError::Denied(Denial::SecretFound(kinds))) = refused else {
            panic!("{refused:?}");
        };
        assert!(!kinds.is_empty() && !kinds.contains("ghp_"), "{kinds}");
        assert_eq!(history(&vault).0, 1);
    });
}

#[test]
fn tokens_and_branches_that_do_not_fit_are_told_apart() {
    run(async {
        let vault = vault().await;
        let with = |token: &str| {
            let credential = Credential::Token(Secret::new(token));
            storage(GithubRepository {
                credential,
                ..repository(&vault.look_alike)
            })
        };
        let denied = |denial| StorageError::Denied(denial);
        let expired = read(&with(tokens::EXPIRED), "a.md").await.unwrap_err();
        assert_eq!(expired, denied(Denial::BadCredentials));
        let other = read(&with(tokens::OTHER_REPOSITORY), "a.md")
            .await
            .unwrap_err();
        assert_eq!(other, denied(Denial::RepositoryNotFound));
        for hidden in [false, true] {
            vault
                .look_alike
                .switches(|switches| switches.not_found_for_permission = hidden);
            let reader = with(tokens::READ_ONLY);
            assert!(read(&reader, "a.md").await.unwrap().note.is_some());
            let base = Revision::of(b"one");
            let update = reader
                .update(&writable("a.md"), &base, b"x", &info("x"))
                .await;
            assert_eq!(
                update.unwrap_err(),
                denied(Denial::MissingPermission),
                "{hidden}"
            );
            let delete = reader.delete(&writable("a.md"), &base, &info("x")).await;
            assert_eq!(
                delete.unwrap_err(),
                denied(Denial::MissingPermission),
                "{hidden}"
            );
        }
        let gone = storage(GithubRepository {
            branch: Some(BranchName::parse("gone").unwrap()),
            ..repository(&vault.look_alike)
        });
        let branch = denied(Denial::BranchNotFound);
        assert_eq!(read(&gone, "a.md").await.unwrap_err(), branch);
        let create = gone
            .create(&open_policy(), &writable("c.md"), b"c", &info("x"))
            .await;
        assert_eq!(create.unwrap_err(), branch);
    });
}

#[test]
fn reads_that_fail_say_so() {
    run(async {
        let vault = vault().await;
        vault
            .look_alike
            .switches(|switches| switches.fail_reads = Times::Always);
        let down = StorageError::Unavailable {
            outcome_unknown: false,
        };
        assert_eq!(read(&vault.storage, "a.md").await.unwrap_err(), down);
        assert_eq!(list(&vault.storage, "", None).await.unwrap_err(), down);
        assert_eq!(update_a(&vault).await.unwrap_err(), down);
    });
}

#[test]
fn a_note_that_goes_between_look_and_change_comes_back_and_is_said_to() {
    run(async {
        let vault = vault().await;
        read(&vault.storage, "b.md").await.unwrap();
        // The branch is read as it was before the push, the change meets it as it is.
        vault
            .look_alike
            .switches(|switches| switches.ref_lag = Some(RefLag::Reads(1)));
        vault.push(&[("b.md", None)]).await;
        let base = Revision::of(b"b");
        let made = vault
            .storage
            .update(&writable("b.md"), &base, b"bb", &info("x"))
            .await
            .unwrap();
        assert!(made.recreated);
        assert_eq!(vault.look_alike.git(&["show", "main:b.md"]).unwrap(), "bb");
    });
}
