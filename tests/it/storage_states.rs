//! Every state that a repository or a credential can be in, as the model sees it: list, read,
//! search, write and delete, through the index. What is refused has changed nothing; and neither
//! answer, error nor database holds a secret, whatever GitHub does.

use std::{fmt::Write, rc::Rc};

use serde_json::{Value, json};
use vault_mcp::{
    runtime::{Sql, SqlValue},
    secret::Secret,
    storage::{
        github::{AppId, AppKey, BranchName, Credential, GithubApp, GithubRepository},
        index::VaultIndex,
    },
};
use vault_mcp_dev::{
    LookAlike, RunningLookAlike, SeedFile, Switches, Times, app,
    github::{CutTarball, Forbidden, PrimaryLimit, RefLag, RuleViolation, SecondaryLimit},
    tokens,
};

use crate::support::{
    app::{TestApp, ToolAnswer},
    github::repository,
    index::{MovingClock, open},
    sqlite::HostSql,
    storage::{list, open_policy, run},
};

/// What a tool is to answer: nothing special, or this code and these words.
#[derive(Clone, Copy, Debug)]
enum Expect {
    Answer,
    Refusal(&'static str, &'static str),
}

use Expect::{Answer, Refusal};

/// The five calls, in this order: each on a note that the vault has, but for the search.
const CALLS: [&str; 5] = [
    "list_notes",
    "read_note",
    "search_notes",
    "write_note",
    "delete_note",
];

fn arguments(tool: &str) -> Value {
    match tool {
        "list_notes" => json!({}),
        "search_notes" => json!({ "query": "word" }),
        "write_note" => json!({ "path": "Note.md", "content": "another word" }),
        "delete_note" => json!({ "path": "Old.md" }),
        _ => json!({ "path": "Note.md" }),
    }
}

/// A vault at the look-alike behind an index that knows nothing yet, behind the whole server.
struct World {
    look_alike: RunningLookAlike,
    sql: Rc<HostSql>,
    app: TestApp<VaultIndex>,
}

impl World {
    async fn start(
        plan: impl FnOnce(LookAlike) -> LookAlike,
        change: impl FnOnce(&mut GithubRepository),
    ) -> Self {
        let builder = LookAlike::builder().seed(vec![
            SeedFile::regular("Note.md", "a word"),
            SeedFile::regular("Old.md", "old"),
        ]);
        let look_alike = plan(builder).start().await.unwrap();
        let sql = Rc::new(HostSql::in_memory());
        let mut repository = repository(&look_alike);
        change(&mut repository);
        let clock = Rc::new(MovingClock::default());
        let index = open(repository, open_policy(), &sql, &clock);
        let app = TestApp::over(index);
        Self {
            look_alike,
            sql,
            app,
        }
    }

    async fn call(&self, tool: &str) -> ToolAnswer {
        self.app.owner().await.call(tool, arguments(tool)).await
    }

    /// How many commits there are, on whatever branch.
    fn commits(&self) -> String {
        let counted = self.look_alike.git(&["rev-list", "--count", "--all"]);
        counted.unwrap().trim().to_owned()
    }

    /// All that is in the database, as text.
    fn database(&self) -> String {
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
        let mut all = String::new();
        for table in self.sql.exec(tables, &[]).unwrap() {
            let rows = format!("SELECT * FROM \"{}\"", table.text(0).unwrap());
            for row in self.sql.exec(&rows, &[]).unwrap() {
                for value in row.0 {
                    let text = match value {
                        SqlValue::Text(text) => text,
                        SqlValue::Blob(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                        other @ (SqlValue::Null | SqlValue::Integer(_) | SqlValue::Real(_)) => {
                            format!("{other:?}")
                        }
                    };
                    all.push_str(&text);
                    all.push('\n');
                }
            }
        }
        all
    }
}

/// Fails where `text` holds a token, or a line of a key.
fn assert_no_secret(text: &str, place: &str) {
    let tokens = ["github_pat_", "ghs_", "PRIVATE KEY", "eyJhbGciOi"];
    let key = app::PRIVATE_KEY.lines().filter(|line| line.len() > 40);
    for secret in tokens.into_iter().chain(key) {
        assert!(!text.contains(secret), "{place}: {secret}");
    }
}

fn token(value: &str) -> Credential {
    Credential::Token(Secret::new(value))
}

fn github_app() -> Credential {
    Credential::App(GithubApp {
        id: AppId::parse(&app::ID.to_string()).unwrap(),
        installation: app::INSTALLATION_ID,
        key: AppKey::parse(&Secret::new(app::PRIVATE_KEY)).unwrap(),
    })
}

/// Makes the five calls and holds each answer against what is expected of it.
async fn check(name: &str, world: &World, expected: [Expect; 5]) {
    for (tool, expected) in CALLS.into_iter().zip(expected) {
        let before = world.commits();
        let answer = world.call(tool).await;
        match expected {
            Answer => {
                answer.facts();
            }
            Refusal(code, words) => {
                let said = answer.error();
                assert_eq!(answer.code(), code, "{name}: {tool}: {said}");
                assert!(said.contains(words), "{name}: {tool}: {said}");
                assert_eq!(world.commits(), before, "{name}: {tool}");
            }
        }
    }
    assert_no_secret(&world.database(), name);
}

const fn all(expected: Expect) -> [Expect; 5] {
    [expected; 5]
}

/// Reading goes on, writing does not.
const fn changes(refused: Expect) -> [Expect; 5] {
    [Answer, Answer, Answer, refused, refused]
}

#[test]
fn an_empty_repository_is_a_vault_without_notes_that_takes_its_first() {
    run(async {
        let world = World::start(|builder| builder.seed(Vec::new()), |_| {}).await;
        assert_eq!(world.call("list_notes").await.facts()["total"], 0);
        assert_eq!(world.call("search_notes").await.facts()["total"], 0);
        let missing = Refusal("NOT_FOUND", "there is no");
        check("empty", &world, [Answer, missing, Answer, Answer, missing]).await;
        assert_eq!(world.commits(), "1");
        assert_eq!(world.call("list_notes").await.facts()["total"], 1);
    });
}

#[test]
fn any_branch_will_do_that_is_there() {
    run(async {
        for branch in ["main", "trunk", "feature/x"] {
            for configured in [true, false] {
                let world = World::start(
                    |builder| builder.branch(branch),
                    |repository| {
                        repository.branch = configured.then(|| BranchName::parse(branch).unwrap());
                    },
                )
                .await;
                check(branch, &world, all(Answer)).await;
                assert_eq!(world.commits(), "3", "{branch}");
                let note = world
                    .look_alike
                    .git(&["show", &format!("{branch}:Note.md")]);
                assert_eq!(note.unwrap(), "another word");
            }
        }
        let world = World::start(
            |builder| builder,
            |repository| repository.branch = Some(BranchName::parse("gone").unwrap()),
        )
        .await;
        let missing = Refusal("UPSTREAM_DENIED", "VAULT_BRANCH");
        check("missing branch", &world, all(missing)).await;
    });
}

#[test]
fn each_credential_gives_what_it_may_and_says_what_it_lacks() {
    run(async {
        let bad = Refusal("UPSTREAM_DENIED", "a new VAULT_GITHUB_TOKEN");
        let repository = Refusal("UPSTREAM_DENIED", "VAULT_REPO");
        let contents = Refusal("UPSTREAM_DENIED", "\"Contents: read and write\"");
        let cases = [
            ("full", token(tokens::FULL), all(Answer)),
            ("app", github_app(), all(Answer)),
            ("revoked", token("github_pat_11REVOKED"), all(bad)),
            ("expired", token(tokens::EXPIRED), all(bad)),
            ("other", token(tokens::OTHER_REPOSITORY), all(repository)),
            ("no contents", token(tokens::NO_CONTENTS), all(contents)),
            ("read-only", token(tokens::READ_ONLY), changes(contents)),
        ];
        for (name, credential, expected) in cases {
            let world = World::start(
                |builder| builder,
                |repository| repository.credential = credential,
            )
            .await;
            check(name, &world, expected).await;
        }
    });
}

#[test]
fn each_state_of_the_repository_gives_the_right_answer_or_its_own_sentence() {
    type Change = fn(&mut Switches);
    let denied = |words| Refusal("UPSTREAM_DENIED", words);
    let cases: &[(&str, Change, [Expect; 5])] = &[
        (
            "renamed",
            |switches| {
                switches.renamed = vec![("example/vault".into(), "example/new-name".into())];
            },
            all(Answer),
        ),
        (
            "archived",
            |switches| switches.archived = vec!["example/vault".into()],
            changes(denied("unarchive it")),
        ),
        (
            "deleted",
            |switches| switches.missing = vec!["example/vault".into()],
            all(denied("VAULT_REPO")),
        ),
        (
            "protected",
            |switches| switches.rule_violation = Some(RuleViolation::RequiredChecks),
            changes(denied("bypass the branch's protection")),
        ),
        (
            "ruleset",
            |switches| switches.rule_violation = Some(RuleViolation::Ruleset),
            changes(denied("Changes must be made through a pull request")),
        ),
        (
            "single sign-on",
            |switches| switches.forbidden = Some(Forbidden::Sso),
            all(denied("single sign-on")),
        ),
        (
            "addresses",
            |switches| switches.forbidden = Some(Forbidden::IpAllowList),
            all(denied("IP allow list")),
        ),
        (
            "locked out",
            |switches| switches.forbidden = Some(Forbidden::LoginAttempts),
            all(denied("and wait")),
        ),
        (
            "outage",
            |switches| switches.fail_reads = Times::Always,
            all(Refusal("UPSTREAM_UNAVAILABLE", "Nothing was changed")),
        ),
        (
            "hourly limit",
            |switches| switches.primary_limit = Some(PrimaryLimit::default()),
            all(Refusal("RATE_LIMITED", "try again in")),
        ),
    ];
    run(async {
        for (name, change, expected) in cases {
            for (credential, deleted) in [
                (token(tokens::FULL), "VAULT_REPO"),
                // An app sees what it is installed on, which is nothing then.
                (github_app(), "select the vault's repository"),
            ] {
                let expected = if *name == "deleted" {
                    all(denied(deleted))
                } else {
                    *expected
                };
                let world = World::start(
                    |builder| builder,
                    |repository| repository.credential = credential,
                )
                .await;
                world.look_alike.switches(change);
                check(name, &world, expected).await;
            }
        }
    });
}

/// Push protection says what it found; nobody is to be told more than the kind.
#[test]
fn a_secret_in_a_note_is_told_by_its_kind() {
    run(async {
        let world = World::start(|builder| builder, |_| {}).await;
        world
            .look_alike
            .switches(|switches| switches.secret_scanning = true);
        let secret = format!("ghp_{}", &"a1B2c3D4e5".repeat(4)[..36]);
        let arguments = json!({ "path": "Note.md", "content": format!("it is {secret}\n") });
        let answer = world.app.owner().await.call("write_note", arguments).await;
        assert_eq!(answer.code(), "UPSTREAM_DENIED");
        assert!(
            answer.error().contains("push protection"),
            "{}",
            answer.error()
        );
        assert!(!answer.error().contains("ghp_"), "{}", answer.error());
        assert_eq!(world.commits(), "1");
        assert!(!world.database().contains(&secret));
    });
}

/// Whatever GitHub does, with either credential: no answer, no error as a log shows it, and no row
/// holds one of them.
#[test]
fn no_fault_brings_a_credential_to_light() {
    type Change = fn(&mut Switches);
    let faults: &[(&str, Change)] = &[
        ("none", |_| {}),
        ("unauthorized", |s| s.unauthorized = Times::Always),
        ("unauthorized once", |s| s.unauthorized = Times::Next(1)),
        ("permission", |s| s.forbidden = Some(Forbidden::Permission)),
        ("hidden", |s| {
            s.forbidden = Some(Forbidden::Permission);
            s.not_found_for_permission = true;
        }),
        ("sso", |s| s.forbidden = Some(Forbidden::Sso)),
        ("addresses", |s| s.forbidden = Some(Forbidden::IpAllowList)),
        ("logins", |s| s.forbidden = Some(Forbidden::LoginAttempts)),
        ("archived", |s| s.archived = vec!["example/vault".into()]),
        ("missing", |s| s.missing = vec!["example/vault".into()]),
        ("renamed", |s| {
            s.renamed = vec![("example/vault".into(), "example/new-name".into())];
        }),
        ("primary", |s| {
            s.primary_limit = Some(PrimaryLimit::default());
        }),
        ("secondary", |s| {
            s.secondary_limit = Some(SecondaryLimit::default());
        }),
        ("ruleset", |s| {
            s.rule_violation = Some(RuleViolation::Ruleset);
        }),
        ("checks", |s| {
            s.rule_violation = Some(RuleViolation::RequiredChecks);
        }),
        ("reads", |s| s.fail_reads = Times::Always),
        ("app", |s| s.fail_app = Times::Always),
        ("before", |s| s.fail_before_commit = Times::Always),
        ("after", |s| s.fail_after_commit = Times::Next(1)),
        ("race", |s| s.tip_race = Times::Always),
        ("lag", |s| s.ref_lag = Some(RefLag::Reads(3))),
        ("tarball", |s| {
            s.cut_tarball = Some(CutTarball {
                after_bytes: 10,
                clean: true,
            });
        }),
        ("scheme", |s| s.tarball_refuses_bearer = true),
    ];
    run(async {
        for (name, change) in faults {
            for (kind, credential) in [("token", token(tokens::FULL)), ("app", github_app())] {
                let place = format!("{name}, {kind}");
                let world = World::start(
                    |builder| builder,
                    |repository| repository.credential = credential,
                )
                .await;
                world.look_alike.switches(change);
                let index = world.app.storage.inner();
                let worked = index.work().await;
                let listed = list(index, "", None).await;
                let mut shown = format!("{index:?} {:?} {worked:?} {listed:?}", index.status());
                for error in [worked.err(), listed.err()].into_iter().flatten() {
                    shown.push_str(&error.to_string());
                }
                for tool in CALLS {
                    let answer = world.call(tool).await;
                    writeln!(shown, "{answer:?}").unwrap();
                }
                assert_no_secret(&shown, &place);
                assert_no_secret(&world.database(), &place);
            }
        }
    });
}
