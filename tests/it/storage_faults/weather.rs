//! What can be wrong with GitHub, or with the way to it.

use vault_mcp_dev::{
    Times,
    github::{
        CutTarball, Forbidden, PrimaryLimit, RefLag, RuleViolation, SecondaryLimit, Switches,
    },
};

use crate::support::{chance::Chance, unreliable::Connection};

/// One way in which things go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weather {
    RefLag,
    TipRace,
    CutTree,
    CutComparison,
    CutListing,
    PrimaryLimit,
    SecondaryLimit,
    LimitOnWrites,
    Ruleset,
    RequiredChecks,
    PushProtection,
    Archived,
    Renamed,
    MissingRepository,
    MissingBranch,
    BadCredentials,
    ReadOnlyToken,
    HiddenPermission,
    Forbidden,
    SingleSignOn,
    FailingReads,
    FailingBeforeCommit,
    FailingAfterCommit,
    CutTarball,
    TarballWithoutBearer,
    LostAnswers,
    LateRequests,
    NoConnection,
    ImpatientReaders,
}

use Weather as W;

/// Every one.
pub(super) const ALL: [Weather; 29] = [
    W::RefLag,
    W::TipRace,
    W::CutTree,
    W::CutComparison,
    W::CutListing,
    W::PrimaryLimit,
    W::SecondaryLimit,
    W::LimitOnWrites,
    W::Ruleset,
    W::RequiredChecks,
    W::PushProtection,
    W::Archived,
    W::Renamed,
    W::MissingRepository,
    W::MissingBranch,
    W::BadCredentials,
    W::ReadOnlyToken,
    W::HiddenPermission,
    W::Forbidden,
    W::SingleSignOn,
    W::FailingReads,
    W::FailingBeforeCommit,
    W::FailingAfterCommit,
    W::CutTarball,
    W::TarballWithoutBearer,
    W::LostAnswers,
    W::LateRequests,
    W::NoConnection,
    W::ImpatientReaders,
];

impl Weather {
    /// Turns the look-alike's switches for it, where it is the look-alike's.
    pub(super) fn switch(self, switches: &mut Switches, chance: &Chance) {
        let some = || Times::Next(u32::try_from(1 + chance.below(5)).unwrap());
        match self {
            W::RefLag => {
                let reads = u32::try_from(1 + chance.below(8)).unwrap();
                switches.ref_lag = Some(RefLag::Reads(reads));
            }
            W::TipRace => switches.tip_race = some(),
            W::CutTree => switches.tree_truncate_at = Some(3),
            W::CutComparison => switches.compare_cap = Some(1),
            W::CutListing => switches.listing_cap = Some(1),
            W::PrimaryLimit => {
                switches.primary_limit = Some(PrimaryLimit {
                    reset_in: 20,
                    ..PrimaryLimit::default()
                });
            }
            W::SecondaryLimit | W::LimitOnWrites => {
                switches.secondary_limit = Some(SecondaryLimit {
                    status: *chance.pick(&[403, 429]),
                    retry_after: *chance.pick(&[None, Some(7)]),
                    times: some(),
                    writes_only: self == W::LimitOnWrites,
                });
            }
            W::Ruleset => switches.rule_violation = Some(RuleViolation::Ruleset),
            W::RequiredChecks => switches.rule_violation = Some(RuleViolation::RequiredChecks),
            W::PushProtection => switches.secret_scanning = true,
            W::Archived => switches.archived = vec!["example/vault".to_owned()],
            W::Renamed => {
                switches.renamed = vec![("example/vault".to_owned(), "example/new".to_owned())];
            }
            W::MissingRepository => switches.missing = vec!["example/vault".to_owned()],
            W::BadCredentials => switches.unauthorized = some(),
            W::HiddenPermission => switches.not_found_for_permission = true,
            W::Forbidden => {
                let kinds = [
                    Forbidden::Permission,
                    Forbidden::LoginAttempts,
                    Forbidden::IpAllowList,
                ];
                switches.forbidden = Some(*chance.pick(&kinds));
            }
            W::SingleSignOn => switches.forbidden = Some(Forbidden::Sso),
            W::FailingReads => switches.fail_reads = some(),
            W::FailingBeforeCommit => switches.fail_before_commit = some(),
            W::FailingAfterCommit => switches.fail_after_commit = some(),
            W::CutTarball => {
                switches.cut_tarball = Some(CutTarball {
                    after_bytes: 100 + chance.below(400),
                    clean: chance.one_in(2),
                });
            }
            W::TarballWithoutBearer => switches.tarball_refuses_bearer = true,
            W::MissingBranch
            | W::ReadOnlyToken
            | W::LostAnswers
            | W::LateRequests
            | W::NoConnection
            | W::ImpatientReaders => {}
        }
    }

    /// What it does to the connection.
    pub(super) fn connection(self) -> Option<Connection> {
        let bad = [
            (W::LostAnswers, Connection::LosesAnswers),
            (W::LateRequests, Connection::IsLate),
            (W::NoConnection, Connection::Down),
        ];
        let mut bad = bad.into_iter();
        bad.find_map(|(weather, connection)| (weather == self).then_some(connection))
    }

    /// Whether the token may only read while it lasts.
    pub(super) const fn needs_reader(self) -> bool {
        matches!(self, W::ReadOnlyToken | W::HiddenPermission)
    }
}
