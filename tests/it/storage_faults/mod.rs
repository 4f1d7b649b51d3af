//! Random operations under everything that can be wrong, held against a model.
//!
//! Whatever happens: no acknowledged change is missing from the history and none is in it twice, a
//! refused one is not in it, nobody is shown what was before an acknowledged change, no note is
//! invented, and once all is quiet the index is what git holds. The token is in no error and in no
//! row.
//!
//! A sequence follows from its seed. `VAULT_MCP_FAULT_SEED=N` plays the seed N instead of those that
//! are written here.

mod ledger;
mod sequence;
mod weather;
mod world;

use std::time::{SystemTime, UNIX_EPOCH};

use ledger::Fate;
use weather::{ALL, Weather};

use crate::support::storage::run;

const SEED: &str = "VAULT_MCP_FAULT_SEED";

/// Plays the sequences of some seeds, and returns how many changes were acknowledged.
fn play(seeds: impl IntoIterator<Item = u64>, weathers: &[Weather], at_once: u64) -> usize {
    let given = std::env::var(SEED).ok();
    let given = given.map(|seed| seed.parse().expect("a number as the seed"));
    let seeds = given.map_or_else(|| seeds.into_iter().collect(), |seed| vec![seed]);
    let mut acknowledged = 0;
    for seed in seeds {
        // Shown where the test fails.
        println!("{SEED}={seed}");
        run(async {
            let (ledger, made) = sequence::play(seed, weathers, at_once).await;
            let count = ledger.count(|fate| matches!(fate, Fate::Acknowledged(_)));
            println!(
                "{made} commits, {count} acknowledged, {} refused, {} unknown, {} notes",
                ledger.count(|fate| *fate == Fate::Refused),
                ledger.count(|fate| *fate == Fate::Unknown),
                ledger.notes().len(),
            );
            acknowledged += count;
        });
    }
    acknowledged
}

/// One thing wrong at a time, each in a test of its own.
macro_rules! alone {
    ($($name:ident: $weather:ident)*) => {
        mod alone {
            $(#[test]
            fn $name() {
                let weather = super::Weather::$weather;
                let seed = super::ALL.iter().position(|each| *each == weather).unwrap();
                let made = super::play([seed as u64], &[weather], 1);
                assert!(made > 4, "hardly anything got through: {made}");
            })*

            #[test]
            fn every_weather_is_here() {
                let here = [$(super::Weather::$weather),*];
                assert_eq!(here, super::ALL);
            }
        }
    };
}

alone! {
    a_branch_that_lags: RefLag
    a_race_with_other_commits: TipRace
    trees_that_are_cut: CutTree
    comparisons_that_are_cut: CutComparison
    listings_that_are_cut: CutListing
    the_hourly_limit: PrimaryLimit
    secondary_limits: SecondaryLimit
    limits_on_writes: LimitOnWrites
    a_ruleset: Ruleset
    required_checks: RequiredChecks
    push_protection: PushProtection
    an_archived_repository: Archived
    a_renamed_repository: Renamed
    a_missing_repository: MissingRepository
    a_missing_branch: MissingBranch
    bad_credentials: BadCredentials
    a_token_that_reads: ReadOnlyToken
    a_missing_permission_that_is_hidden: HiddenPermission
    forbidden_requests: Forbidden
    single_sign_on: SingleSignOn
    reads_that_fail: FailingReads
    failures_before_the_commit: FailingBeforeCommit
    failures_after_the_commit: FailingAfterCommit
    tarballs_that_are_cut: CutTarball
    tarballs_for_another_scheme: TarballWithoutBearer
    answers_that_are_lost: LostAnswers
    requests_that_are_late: LateRequests
    no_connection: NoConnection
    readers_who_do_not_wait: ImpatientReaders
}

#[test]
fn everything_at_once() {
    play([101, 102, 104], &ALL, 3);
}

#[test]
fn everything_at_once_as_never_before() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    play([now.as_secs()], &ALL, 3);
}
