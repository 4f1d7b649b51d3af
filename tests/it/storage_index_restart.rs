//! An index whose life ends at any moment: what comes after finds its way to the same end.

use std::{collections::BTreeMap, pin::pin, task::Poll};

use futures_util::future::poll_fn;
use vault_mcp::{
    runtime::Sql,
    storage::index::{Stage, VaultIndex},
    vault::{
        path::DirPath,
        policy::VaultPolicy,
        storage::{Revision, Sieve},
    },
};
use vault_mcp_dev::{Push, SeedFile};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{open_policy, run},
};

/// Runs a future until it has waited `times` times, and drops it there; says whether it had ended
/// by then.
async fn until_waited(times: usize, future: impl Future) -> bool {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending if left == 0 => Poll::Ready(false),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Numbers that look like chance and are the same every time.
fn numbers(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap()
    })
}

/// Paths with the revisions of what they hold.
type Held = BTreeMap<String, String>;

/// What the rows hold. A row's text must be what its revision says.
fn held(vault: &AtIndex) -> Held {
    let rows = vault
        .sql
        .exec("SELECT path, sha, body FROM notes", &[])
        .unwrap();
    rows.iter()
        .map(|row| {
            let (path, revision) = (row.text(0).unwrap(), row.text(1).unwrap());
            if let Some(body) = row.optional_text(2).unwrap() {
                assert_eq!(Revision::of(body.as_bytes()).as_str(), revision, "{path}");
            }
            (path.to_owned(), revision.to_owned())
        })
        .collect()
}

/// What git holds and `policy` shows.
fn expected(vault: &AtIndex, policy: &VaultPolicy) -> Held {
    let tree = vault
        .look_alike
        .git(&["ls-tree", "-r", "-z", "main"])
        .unwrap();
    tree.split_terminator('\0')
        .filter_map(|line| line.split_once('\t'))
        .filter(|(facts, path)| facts.starts_with("100") && policy.admit(path).is_some())
        .map(|(facts, path)| (path.to_owned(), facts.split(' ').nth(2).unwrap().to_owned()))
        .collect()
}

/// Rows and full-text index belong together, one to one.
fn assert_searchable(vault: &AtIndex) {
    let counts = "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM search),
                  (SELECT count(*) FROM notes JOIN search ON search.rowid = notes.id)";
    let rows = vault.sql.exec(counts, &[]).unwrap();
    let counts: Vec<_> = (0..3)
        .map(|column| rows[0].integer(column).unwrap())
        .collect();
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

/// Several megabytes, so that a build writes several batches; most of it is no text, which costs no
/// time here, and does not compress, so that the archive takes a while.
fn several_batches() -> Vec<SeedFile> {
    let mut files = notes(60);
    let noise = |n: usize| {
        let bytes = numbers(n as u64).map(|number| u8::try_from(number & 0xff).unwrap());
        std::iter::once(0xff)
            .chain(bytes)
            .take(600_000)
            .collect::<Vec<_>>()
    };
    files.extend((0..8).map(|n| note(&format!("private/{n}.md"), noise(n))));
    files.push(note(".gitattributes", "folder?5/* export-ignore\n"));
    files
}

fn narrow_policy() -> VaultPolicy {
    let denied = [
        DirPath::parse("private").unwrap(),
        DirPath::parse("folder 3").unwrap(),
    ];
    VaultPolicy::new(Vec::new(), &denied, false)
}

fn is_ready(index: &VaultIndex) -> bool {
    index.status().unwrap().stage == Stage::Ready
}

/// Begins again and again, later each time, until the index is ready; `policy` says which one the
/// nth life has. Returns how many lives that took.
async fn live_until_ready(
    vault: &AtIndex,
    seed: u64,
    policy: impl Fn(usize) -> VaultPolicy,
    between: impl AsyncFn(usize),
) -> usize {
    let mut patience = 0;
    for (life, more) in numbers(seed).enumerate() {
        assert!(life < 200, "a build that never ends");
        let index = vault.reopened(policy(life));
        // Each policy shows at once what it hides.
        let shown = expected_paths(vault, &policy(life));
        assert!(
            held(vault).keys().all(|path| shown.contains(path)),
            "life {life}"
        );
        patience += more % 12;
        until_waited(patience, index.work()).await;
        if is_ready(&index) {
            return life + 1;
        }
        between(life).await;
    }
    unreachable!("there is no last number")
}

/// The paths that `policy` shows, of all that there ever were in these tests.
fn expected_paths(vault: &AtIndex, policy: &VaultPolicy) -> std::collections::BTreeSet<String> {
    let all = vault
        .look_alike
        .git(&["log", "--all", "--format=", "--name-only", "-z"])
        .unwrap();
    all.split(['\0', '\n'])
        .filter(|path| policy.admit(path).is_some())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_build_that_is_killed_anywhere_ends_in_the_same_index() {
    run(async {
        for seed in 0..4 {
            let vault = AtIndex::start(several_batches()).await;
            let lives = live_until_ready(&vault, seed, |_| open_policy(), async |_| {}).await;
            assert!(
                lives > 2,
                "killed {lives} times: too rarely to show anything"
            );
            assert_eq!(held(&vault), expected(&vault, &open_policy()));
            assert_searchable(&vault);
            let index = vault.reopened(open_policy());
            assert_eq!(
                index.status().unwrap().head.map(|head| head.to_string()),
                vault.head()
            );
        }
    });
}

#[test]
fn a_build_that_is_killed_while_the_branch_moves_ends_at_the_branch() {
    run(async {
        for seed in 10..13 {
            let vault = AtIndex::start(several_batches()).await;
            let push = async |life: usize| {
                let push = Push::new()
                    .put(format!("folder 1/{life}1.md"), format!("life {life}"))
                    .rename("private", "moved")
                    .rename("moved", "private")
                    .delete(format!("folder 2/{}2.md", life % 6));
                // Later lives find nothing left to delete.
                let _ = vault.look_alike.push(push).await;
            };
            live_until_ready(&vault, seed, |_| open_policy(), push).await;
            let index = vault.reopened(open_policy());
            vault.grow_old();
            crate::support::storage::list(&index, "", None)
                .await
                .unwrap();
            assert_eq!(held(&vault), expected(&vault, &open_policy()));
            assert_searchable(&vault);
        }
    });
}

#[test]
fn a_policy_that_changes_in_the_middle_of_a_build_is_followed_before_anything_else() {
    run(async {
        for seed in 20..24 {
            let vault = AtIndex::start(several_batches()).await;
            let policy = |life: usize| {
                if life.is_multiple_of(2) {
                    open_policy()
                } else {
                    narrow_policy()
                }
            };
            let lives = live_until_ready(&vault, seed, policy, async |_| {}).await;
            assert!(lives > 2, "{lives} lives");
            assert_eq!(held(&vault), expected(&vault, &policy(lives - 1)));
            assert_searchable(&vault);
            // The other one, of an index that is ready.
            let index = vault.reopened(policy(lives));
            index.work().await.unwrap();
            assert_eq!(held(&vault), expected(&vault, &policy(lives)));
            assert_searchable(&vault);
        }
    });
}

/// Killed so often that no life would see a whole archive, it still ends: what has been written
/// stays.
#[test]
fn a_build_keeps_what_it_has_written() {
    run(async {
        let vault = AtIndex::start(several_batches()).await;
        let mut most = 0;
        for patience in numbers(30).map(|number| number % 400).take(30) {
            let index = vault.reopened(open_policy());
            until_waited(patience, index.work()).await;
            let now = held(&vault).len();
            assert!(now >= most, "{now} notes after {most}");
            most = now;
        }
        assert!(most > 0, "nothing was written in thirty lives");
        vault.index.work().await.unwrap();
        let index = vault.reopened(open_policy());
        index.work().await.unwrap();
        assert_eq!(held(&vault), expected(&vault, &open_policy()));
    });
}
