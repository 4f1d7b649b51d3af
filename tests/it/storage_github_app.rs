//! The GitHub backend with a GitHub App in place of a token.

use std::{rc::Rc, time::Duration};

use vault_mcp::{
    runtime::{Clock, SystemRng},
    secret::Secret,
    storage::github::{AppId, AppKey, Credential, GithubApp, GithubRepository, GithubStorage},
    vault::storage::{AppProblem, Denial, Revision, StorageError, VaultStorage},
};
use vault_mcp_dev::{Installation, LookAlike, RunningLookAlike, SeedFile, Switches, Times, app};

use crate::support::{
    github::{repository, requests_of},
    http_client::LoopbackClient,
    index::MovingClock,
    storage::{ShortSleep, info, list, read, run, writable},
};

/// The look-alike's app, installed on the vault, and a backend that uses it.
struct AtApp {
    look_alike: RunningLookAlike,
    clock: Rc<MovingClock>,
    storage: GithubStorage,
}

fn credential(id: &str, key: &str) -> GithubApp {
    GithubApp {
        id: AppId::parse(id).unwrap(),
        installation: app::INSTALLATION_ID,
        key: AppKey::parse(&Secret::new(key)).unwrap(),
    }
}

fn ours() -> GithubApp {
    credential(&app::ID.to_string(), app::PRIVATE_KEY)
}

impl AtApp {
    async fn start() -> Self {
        Self::with(ours()).await
    }

    async fn with(app: GithubApp) -> Self {
        let look_alike = LookAlike::builder()
            .seed(vec![SeedFile::regular("a.md", "one")])
            .another("example/other", vec![SeedFile::regular("x.md", "x")])
            .start()
            .await
            .unwrap();
        let clock = Rc::new(MovingClock::default());
        let storage = GithubStorage::new(
            GithubRepository {
                credential: Credential::App(app),
                ..repository(&look_alike)
            },
            Rc::new(LoopbackClient::new()),
            Rc::clone(&clock) as Rc<dyn Clock>,
            Rc::new(SystemRng),
            Rc::new(ShortSleep),
        );
        Self {
            look_alike,
            clock,
            storage,
        }
    }

    /// Lets time pass on both sides.
    fn pass(&self, duration: Duration) {
        self.clock.advance(duration);
        self.look_alike.advance_clock(duration);
    }

    /// How many tokens have been bought; each purchase is a look at what is installed, and the one.
    fn purchases(&self) -> usize {
        let bought = requests_of(&self.look_alike)
            .iter()
            .filter(|line| line.ends_with("/access_tokens 201"))
            .count();
        assert_eq!(bought % 2, 0, "{:?}", requests_of(&self.look_alike));
        bought / 2
    }

    async fn content(&self) -> Result<Vec<u8>, StorageError> {
        Ok(read(&self.storage, "a.md").await?.note.unwrap().content)
    }

    async fn update(&self) -> Result<(), StorageError> {
        let base = Revision::of(b"one");
        self.storage
            .update(&writable("a.md"), &base, b"two", &info("x"))
            .await
            .map(|_| ())
    }

    fn commits(&self) -> String {
        let count = self.look_alike.git(&["rev-list", "--count", "main"]);
        count.unwrap().trim().to_owned()
    }
}

#[test]
fn an_app_lists_reads_and_writes_in_any_form_of_its_key() {
    let one_line = app::PRIVATE_KEY.trim().replace('\n', "\\n");
    let dos = app::PRIVATE_KEY_PKCS8.replace('\n', "\r\n");
    let number = app::ID.to_string();
    for (id, key) in [
        (&*number, app::PRIVATE_KEY),
        (&*number, app::PRIVATE_KEY_PKCS8),
        (app::CLIENT_ID, &*one_line),
        (app::CLIENT_ID, &*dos),
    ] {
        run(async {
            let vault = AtApp::with(credential(id, key)).await;
            let listing = list(&vault.storage, "", None).await.unwrap();
            assert_eq!(listing.entries.len(), 1);
            assert_eq!(vault.content().await.unwrap(), b"one");
            vault.update().await.unwrap();
            assert_eq!(vault.content().await.unwrap(), b"two");
            assert_eq!(vault.purchases(), 1);
        });
    }
}

#[test]
fn the_app_looks_before_it_buys_and_asks_for_no_more_than_it_needs() {
    run(async {
        let vault = AtApp::start().await;
        vault.content().await.unwrap();
        let installation = format!("/app/installations/{}", app::INSTALLATION_ID);
        assert_eq!(
            requests_of(&vault.look_alike)[..5],
            [
                format!("GET {installation} 200"),
                format!("POST {installation}/access_tokens 201"),
                "GET /installation/repositories?per_page=2 200".to_owned(),
                format!("POST {installation}/access_tokens 201"),
                "GET /commits/heads/main 200".to_owned(),
            ]
        );
        // The repository was added after the look: the token in hand still does not reach it.
        vault
            .look_alike
            .installation(|installation| installation.repositories = None);
        let reached = vault.look_alike.installation_tokens();
        let wide: Vec<_> = reached
            .iter()
            .filter(|token| token.reaches("example/other"))
            .map(|token| token.contents)
            .collect();
        assert_eq!(wide, [], "{reached:?}");
    });
}

#[test]
fn the_person_is_the_author_and_the_app_commits() {
    run(async {
        let vault = AtApp::start().await;
        vault.update().await.unwrap();
        let shown = vault.look_alike.git(&["log", "-1", "--format=%an|%ae|%cn"]);
        assert_eq!(
            shown.unwrap().trim_end(),
            format!("A. Writer|writer@example.test|{}[bot]", app::SLUG)
        );
    });
}

#[test]
fn a_token_is_used_for_almost_an_hour_and_bought_once_for_all() {
    run(async {
        let vault = AtApp::start().await;
        let all = futures_util::future::join_all((0..6).map(|_| vault.content())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        assert_eq!(vault.purchases(), 1);
        vault.pass(Duration::from_mins(54));
        vault.content().await.unwrap();
        assert_eq!(vault.purchases(), 1);
        vault.pass(Duration::from_mins(2));
        let all = futures_util::future::join_all((0..6).map(|_| vault.content())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        assert_eq!(vault.purchases(), 2, "before the hour is over, and once");
    });
}

#[test]
fn a_token_that_is_refused_is_replaced_once() {
    run(async {
        let vault = AtApp::start().await;
        vault.content().await.unwrap();
        vault.look_alike.revoke_installation_tokens();
        let all = futures_util::future::join_all((0..4).map(|_| vault.content())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        assert_eq!(vault.purchases(), 2);
        // A change too: what was refused has changed nothing.
        vault.look_alike.revoke_installation_tokens();
        vault.update().await.unwrap();
        assert_eq!((vault.purchases(), vault.commits()), (3, "2".to_owned()));

        vault.look_alike.reset_requests();
        vault
            .look_alike
            .switches(|switches| switches.unauthorized = Times::Always);
        let refused = vault.content().await.unwrap_err();
        assert!(matches!(refused, StorageError::Denied(_)), "{refused:?}");
        assert!(requests_of(&vault.look_alike).len() < 8);
    });
}

#[test]
fn trouble_at_github_does_not_spoil_a_token_that_is_good() {
    run(async {
        let vault = AtApp::start().await;
        vault.content().await.unwrap();
        vault.pass(Duration::from_mins(57));
        vault
            .look_alike
            .switches(|switches| switches.fail_app = Times::Always);
        assert_eq!(vault.content().await.unwrap(), b"one");
        assert_eq!(vault.purchases(), 1);
        vault.pass(Duration::from_mins(4));
        let down = StorageError::Unavailable {
            outcome_unknown: false,
        };
        assert_eq!(vault.content().await.unwrap_err(), down);
        assert_eq!(vault.update().await.unwrap_err(), down, "nothing was sent");
        assert_eq!(vault.commits(), "1");
        vault.look_alike.reset_switches();
        assert_eq!(vault.content().await.unwrap(), b"one");
    });
}

/// What the app is told when its installation is changed so, before anything was asked of the
/// repository.
async fn refused(change: impl FnOnce(&mut Installation)) -> StorageError {
    let vault = AtApp::start().await;
    vault.look_alike.installation(change);
    let read = vault.content().await.unwrap_err();
    let listed = list(&vault.storage, "", None).await.unwrap_err();
    let written = vault.update().await.unwrap_err();
    assert_eq!((&listed, &written), (&read, &read));
    assert_eq!(vault.commits(), "1");
    for line in requests_of(&vault.look_alike) {
        let about_the_app = line.contains("/app/installations/") || line.contains(" /installation");
        // Whether the repository has got another name is asked without a right to its contents.
        assert!(about_the_app || line == "GET  404", "{line}");
    }
    read
}

#[test]
fn an_installation_that_is_not_exactly_the_vault_s_is_refused() {
    fn with(name: &'static str, level: &'static str) -> impl FnOnce(&mut Installation) {
        move |installation| {
            let (name, level) = (name.to_owned(), level.to_owned());
            installation.permissions.insert(name, level);
        }
    }
    fn on(names: &'static [&'static str]) -> impl FnOnce(&mut Installation) {
        move |installation| {
            installation.repositories = Some(names.iter().map(|name| (*name).to_owned()).collect());
        }
    }
    let problem = |problem| StorageError::Denied(Denial::App(problem));
    let extra = |list: &str| problem(AppProblem::ExtraPermissions(list.to_owned()));
    run(async {
        assert_eq!(
            refused(|installation| installation.repositories = None).await,
            problem(AppProblem::EveryRepository)
        );
        for names in [
            &["example/vault", "example/other"][..],
            &["example/other"],
            &[],
        ] {
            assert_eq!(
                refused(on(names)).await,
                problem(AppProblem::OtherRepositories),
                "{names:?}"
            );
        }
        assert_eq!(
            refused(with("workflows", "write")).await,
            extra("workflows: write")
        );
        assert_eq!(refused(with("issues", "read")).await, extra("issues: read"));
        assert_eq!(
            refused(|installation| {
                installation.permissions.remove("contents");
            })
            .await,
            problem(AppProblem::NoContents)
        );
        assert_eq!(
            refused(|installation| installation.suspended = true).await,
            problem(AppProblem::Suspended)
        );
        assert_eq!(
            refused(|installation| installation.uninstalled = true).await,
            problem(AppProblem::NotInstalled)
        );
    });
}

#[test]
fn an_installation_that_grows_is_refused_when_its_token_is_renewed() {
    run(async {
        let vault = AtApp::start().await;
        vault.content().await.unwrap();
        vault
            .look_alike
            .installation(|installation| installation.repositories = None);
        vault.pass(Duration::from_mins(56));
        let refused = StorageError::Denied(Denial::App(AppProblem::EveryRepository));
        assert_eq!(vault.content().await.unwrap_err(), refused);
        assert_eq!(vault.update().await.unwrap_err(), refused);
        assert_eq!(vault.commits(), "1");
    });
}

#[test]
fn a_key_or_a_number_of_another_app_is_refused_as_such() {
    run(async {
        let another = |app: GithubApp| async move {
            let vault = AtApp::with(app).await;
            let error = vault.content().await.unwrap_err();
            assert_eq!(requests_of(&vault.look_alike).len(), 1);
            error
        };
        let problem = |problem| StorageError::Denied(Denial::App(problem));
        let id = app::ID.to_string();
        assert_eq!(
            another(credential(&id, OTHER_KEY)).await,
            problem(AppProblem::BadKey)
        );
        assert_eq!(
            another(credential("7", app::PRIVATE_KEY)).await,
            problem(AppProblem::BadKey)
        );
        assert_eq!(
            another(GithubApp {
                installation: 7,
                ..ours()
            })
            .await,
            problem(AppProblem::NotInstalled)
        );
    });
}

/// GitHub refuses a token from its future, and one that holds for more than ten minutes of its own.
#[test]
fn clocks_may_differ_by_a_minute_and_more() {
    run(async {
        let wrong_clock = Err(StorageError::Denied(Denial::App(AppProblem::WrongClock)));
        let read = Ok(b"one".to_vec());
        // By how much ours is ahead, and GitHub's.
        for (ours, githubs, expected) in [
            (59, 0, &read),
            (110, 0, &wrong_clock),
            (3_600, 0, &wrong_clock),
            (0, 59, &read),
            (0, 400, &read),
            (0, 600, &wrong_clock),
        ] {
            let vault = AtApp::start().await;
            vault.clock.advance(Duration::from_secs(ours));
            vault.look_alike.advance_clock(Duration::from_secs(githubs));
            assert_eq!(vault.content().await, *expected, "{ours}, {githubs}");
            // Nothing can be bought without being known.
            assert_eq!(
                vault.look_alike.installation_tokens().is_empty(),
                *expected != read
            );
        }
    });
}

#[test]
fn an_app_that_may_only_read_reads() {
    run(async {
        let vault = AtApp::start().await;
        vault.look_alike.installation(|installation| {
            let read = "read".to_owned();
            installation.permissions.insert("contents".to_owned(), read);
        });
        assert_eq!(vault.content().await.unwrap(), b"one");
        let denied = StorageError::Denied(Denial::MissingPermission);
        assert_eq!(vault.update().await.unwrap_err(), denied);
        assert_eq!(vault.commits(), "1");
        // The owner has changed it: the next change is made, and nobody waits for an hour.
        vault.look_alike.installation(|installation| {
            let write = "write".to_owned();
            installation
                .permissions
                .insert("contents".to_owned(), write);
        });
        vault.update().await.unwrap();
    });
}

#[test]
fn a_renamed_repository_is_the_same_to_an_app() {
    run(async {
        let vault = AtApp::start().await;
        vault.look_alike.switches(|switches: &mut Switches| {
            switches.renamed = vec![("example/vault".into(), "example/new-name".into())];
        });
        assert_eq!(vault.content().await.unwrap(), b"one");
        vault.update().await.unwrap();
    });
}

#[test]
fn neither_key_nor_token_is_printed() {
    run(async {
        let vault = AtApp::start().await;
        vault.content().await.unwrap();
        let shown = format!("{:?} {:?}", ours(), vault.storage);
        let secrets = app::PRIVATE_KEY.lines().filter(|line| line.len() > 40);
        for secret in secrets {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(!shown.contains("ghs_"), "{shown}");
    });
}

/// A key of no app. It opens nothing.
const OTHER_KEY: &str = include_str!("../fixtures/github-app/another-key.pem");
