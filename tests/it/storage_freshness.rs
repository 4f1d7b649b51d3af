//! What keeps the index fresh and whole, rule by rule.
//!
//! 1. One state at a time: [`after_the_branch_is_read_everything_is_asked_for_by_its_commit`].
//! 2. GitHub may lag: `storage_index_changes::a_lagging_branch_hides_neither_own_changes_nor_lasts`.
//! 3. Asking whether the branch has moved is free, with any token, and counts as a look only when
//!    it was answered: [`a_branch_that_has_not_moved_costs_nothing_with_any_token`],
//!    [`a_look_that_github_did_not_answer_is_none`].
//! 4. No cache answers in GitHub's place: `tests/e2e/freshness.test.mjs`.
//! 5. Bytes are what their id says, wherever they come from:
//!    [`bytes_that_are_not_what_their_id_says_are_never_shown`].
//! 6. `storage_index::a_reader_never_sees_half_a_push`.
//! 7. `storage_index_changes::what_is_written_while_a_build_runs_is_not_overwritten_by_it`.
//! 8. No answer holds a connection that nobody reads: `tests/e2e/freshness.test.mjs`.

use std::{cell::Cell, rc::Rc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use vault_mcp::{
    runtime::{
        ByteStream, Clock, FetchError, HttpClient, Limits, Sql, StreamingHttpClient, SystemRng,
    },
    secret::Secret,
    storage::{
        github::Credential,
        index::{Pacing, Seams, VaultIndex},
    },
    vault::storage::{Sieve, StorageError, VaultStorage},
};
use vault_mcp_dev::{Push, Times, tokens};

use crate::support::{
    github::repository,
    http_client::LoopbackClient,
    index::{AtIndex, Everybody, MovingClock, MovingSleep, note, notes, open},
    sqlite::HostSql,
    storage::{info, list, open_policy, read, run, writable},
};

/// Whether a path names a commit, a tree or a blob by its id.
fn names_an_object(path: &str) -> bool {
    path.split(['/', '?', '=', '&', '.'])
        .any(|part| part.len() == 40 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[test]
fn after_the_branch_is_read_everything_is_asked_for_by_its_commit() {
    run(async {
        // A tarball, blobs one by one, an earlier commit, the walk through the history.
        let vault = AtIndex::start(notes(60)).await;
        vault.index.work().await.unwrap();
        let first = list(&vault.index, "", None).await.unwrap().commit.unwrap();
        vault.push_unseen(Push::new().put("a.md", "a")).await;
        vault.grow_old();
        vault.assert_same().await;
        list(&vault.index, "", Some(first)).await.unwrap();
        vault
            .index
            .create(&open_policy(), &writable("new/b.md"), b"b", &info("x"))
            .await
            .unwrap();
        vault.index.work().await.unwrap();

        let requests = vault.look_alike.requests();
        let reads = requests.iter().filter(|request| request.method == "GET");
        let (pinned, others): (Vec<_>, Vec<_>) = reads
            .map(|request| request.path.as_str())
            .partition(|path| names_an_object(path));
        for kind in [
            "tarball/",
            "git/trees/",
            "git/blobs/",
            "compare/",
            "codeload/",
        ] {
            let found = pinned.iter().any(|path| path.contains(kind));
            assert!(found, "no {kind}: {pinned:#?}");
        }
        for path in others {
            let of_the_branch = path.ends_with("/commits/heads/main");
            assert!(of_the_branch || path == "/repos/example/vault", "{path}");
        }
    });
}

#[test]
fn a_branch_that_has_not_moved_costs_nothing_with_any_token() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let mut with_another = repository(&vault.look_alike);
        with_another.credential = Credential::Token(Secret::new(tokens::READ_ONLY));
        let reopened = open(with_another, open_policy(), &vault.sql, &vault.clock);
        for index in [&vault.index, &reopened, &vault.index] {
            vault.grow_old();
            read(index, "folder 1/1.md").await.unwrap().note.unwrap();
        }
        let requests = vault.look_alike.requests();
        let tokens: Vec<_> = requests
            .iter()
            .map(|request| request.token.as_deref().unwrap_or_default())
            .collect();
        assert_eq!(tokens, ["full", "read_only", "full"]);
        for request in &requests {
            assert_eq!((request.status, request.counted), (Some(304), false));
        }
    });
}

#[test]
fn a_look_that_github_did_not_answer_is_none() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let checked_at = || vault.index.status().unwrap().checked_at;
        let before = checked_at();
        vault
            .look_alike
            .switches(|switches| switches.fail_reads = Times::Always);
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        assert_eq!(vault.requests().len(), 1, "{:?}", vault.requests());
        assert_eq!(checked_at(), before);

        vault.look_alike.reset_switches();
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        assert!(checked_at() > before, "a 304 is an answer");
    });
}

/// A way to GitHub that turns the bytes of blobs into others, while it is told to.
struct Forging {
    inner: LoopbackClient,
    forges: Cell<bool>,
}

#[async_trait(?Send)]
impl HttpClient for Forging {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        let is_blob = request.uri().path().contains("/git/blobs/");
        let answer = self.inner.send(request, limits).await?;
        let forged = is_blob && self.forges.get();
        Ok(answer.map(|body| {
            if forged {
                Bytes::from_static(b"forged")
            } else {
                body
            }
        }))
    }
}

#[async_trait(?Send)]
impl StreamingHttpClient for Forging {
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<ByteStream>, FetchError> {
        self.inner.open(request, limits).await
    }
}

#[test]
fn bytes_that_are_not_what_their_id_says_are_never_shown() {
    run(async {
        let vault = AtIndex::start(vec![note("a.md", "one"), note("b.md", "two")]).await;
        let clock = Rc::new(MovingClock::default());
        let http = Rc::new(Forging {
            inner: LoopbackClient::new(),
            forges: Cell::new(true),
        });
        let index = VaultIndex::open(
            repository(&vault.look_alike),
            Rc::new(open_policy()) as Rc<dyn Sieve>,
            "open",
            Seams {
                sql: Rc::new(HostSql::in_memory()) as Rc<dyn Sql>,
                http: Rc::clone(&http) as Rc<dyn StreamingHttpClient>,
                clock: Rc::clone(&clock) as Rc<dyn Clock>,
                rng: Rc::new(SystemRng),
                sleep: Rc::new(MovingSleep(Rc::clone(&clock))),
                permits: Rc::new(Everybody),
                pacing: Pacing::GITHUB,
            },
        )
        .unwrap();
        let error = read(&index, "a.md").await.unwrap_err();
        assert!(matches!(error, StorageError::Unexpected(_)), "{error}");
        assert!(index.work().await.is_err(), "built of forged bytes");
        assert_eq!(index.status().unwrap().notes, 0);

        http.forges.set(false);
        clock.advance(Duration::from_mins(10));
        index.work().await.unwrap();
        assert_eq!(index.status().unwrap().notes, 2);
        let found = read(&index, "a.md").await.unwrap().note.unwrap();
        assert_eq!(found.content, b"one");
    });
}
