//! People who are signed in to look after their own grants, in `grants`.
//!
//! Every step asks again whether the session is there and whether the name is still the person's, and
//! reaches the grants of that person only: somebody else's grant is as unknown as one that never was.

use serde::{Deserialize, Serialize};

use super::{Instance, Transition, access, first, pins, record, time, withdrawals};
use crate::{
    login::{Identity, pin::PinnedTo},
    oauth::{
        grant::{Grant, GrantClient},
        token::GrantId,
        types::{Digest, Scope},
    },
    runtime::{Sql, SqlError, Timestamp},
};

/// The most sessions of one person; the oldest give way.
const MAX_SESSIONS_OF_PERSON: i64 = 20;

/// Who asks, as their cookie says.
#[derive(Debug, Serialize, Deserialize)]
pub struct SignedIn {
    /// The digest of the session's name.
    pub session: Digest,
    /// The person.
    pub identity: Identity,
    /// To whom their name may be pinned for the allowlist to admit them.
    pub admitted_if: Vec<PinnedTo>,
}

/// Why somebody is not signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotSignedIn {
    /// The session is over, or was ended.
    Over,
    /// Their name is pinned to somebody else, or to nobody, and nothing else admits them.
    NotAdmitted(PinnedTo),
}

impl SignedIn {
    /// Whom the name is pinned to, where that is no obstacle.
    fn admitted(&self, sql: &dyn Sql) -> Result<Result<PinnedTo, NotSignedIn>, SqlError> {
        let pinned = pins::pinned_to(sql, &self.identity)?;
        let admitted = self.admitted_if.contains(&pinned);
        Ok(admitted
            .then_some(pinned)
            .ok_or(NotSignedIn::NotAdmitted(pinned)))
    }

    fn check(
        &self,
        sql: &dyn Sql,
        now: Timestamp,
    ) -> Result<Result<PinnedTo, NotSignedIn>, SqlError> {
        let session = sql.exec(
            "SELECT 1 FROM sessions WHERE id = ? AND person = ? AND expires_at > ?",
            &[
                self.session.as_str().into(),
                self.identity.person().into(),
                now.into(),
            ],
        )?;
        if session.is_empty() {
            return Ok(Err(NotSignedIn::Over));
        }
        self.admitted(sql)
    }
}

/// Signs a person in.
#[derive(Debug, Serialize, Deserialize)]
pub struct BeginSession {
    /// Who it is.
    pub who: SignedIn,
    /// Whether the allowlist holds their name, so that it is pinned to them as at any login.
    pub by_name: bool,
    /// When the session ends.
    pub expires_at: Timestamp,
}

impl Transition for BeginSession {
    const NAME: &'static str = "begin_session";
    const INSTANCE: Instance = Instance::Grants;
    /// Where the person is not admitted, no session was written.
    type Outcome = Result<(), NotSignedIn>;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Self::Outcome, SqlError> {
        if self.by_name {
            pins::pin(sql, &self.who.identity, now)?;
        }
        if let Err(refusal) = self.who.admitted(sql)? {
            return Ok(Err(refusal));
        }
        let person = self.who.identity.person();
        sql.exec(
            "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE person = ?
             ORDER BY expires_at DESC LIMIT -1 OFFSET ?)",
            &[person.as_str().into(), (MAX_SESSIONS_OF_PERSON - 1).into()],
        )?;
        sql.exec(
            "INSERT INTO sessions (id, person, expires_at) VALUES (?, ?, ?)",
            &[
                self.who.session.as_str().into(),
                person.into(),
                self.expires_at.into(),
            ],
        )?;
        Ok(Ok(()))
    }
}

/// Lists the grants of a person.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListGrants {
    /// Who asks.
    pub who: SignedIn,
    /// Grants made before this time are void.
    pub revoke_before: Option<Timestamp>,
}

/// The grants of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnGrants {
    /// Whom the person's name is pinned to.
    pub pinned: PinnedTo,
    /// The grant that was used last comes first.
    pub grants: Vec<OwnGrant>,
}

/// A grant as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnGrant {
    /// Its name.
    pub id: GrantId,
    /// The client that it was given to.
    pub client: GrantClient,
    /// The most that its tokens allow.
    pub scope: Scope,
    /// When the person logged in.
    pub created_at: Timestamp,
    /// When it was used last, give or take a few minutes; none where its code was not redeemed.
    pub used_at: Option<Timestamp>,
}

impl Transition for ListGrants {
    const NAME: &'static str = "list_grants";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = Result<OwnGrants, NotSignedIn>;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Self::Outcome, SqlError> {
        let pinned = match self.who.check(sql, now)? {
            Ok(pinned) => pinned,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let rows = sql.exec(
            "SELECT g.id, g.record, g.used_at, c.redeemed_at IS NOT NULL
             FROM grants g LEFT JOIN codes c ON c.grant_id = g.id
             WHERE g.person = ? AND g.expires_at > ? ORDER BY g.used_at DESC, g.id",
            &[self.who.identity.person().into(), now.into()],
        )?;
        let mut grants = Vec::with_capacity(rows.len());
        for row in &rows {
            let grant: Grant = record(row, 1)?;
            if grant.is_void(self.revoke_before, now) {
                continue;
            }
            let used_at = time(row, 2)?;
            grants.push(OwnGrant {
                id: grant_id(row.text(0)?)?,
                client: grant.client,
                scope: grant.scope,
                created_at: grant.created_at,
                used_at: (row.integer(3)? != 0).then_some(used_at),
            });
        }
        Ok(Ok(OwnGrants { pinned, grants }))
    }
}

/// Ends grants of a person, with their codes and tokens. What any browser remembers of the person's
/// consents is void from then on.
#[derive(Debug, Serialize, Deserialize)]
pub struct EndGrants {
    /// Who asks.
    pub who: SignedIn,
    /// Which of their grants.
    pub which: Which,
}

/// Which grants to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// This one.
    One(GrantId),
    /// All there are, and the person's sessions in other browsers.
    All,
}

impl Transition for EndGrants {
    const NAME: &'static str = "end_grants";
    const INSTANCE: Instance = Instance::Grants;
    /// Those that were ended.
    type Outcome = Result<Vec<GrantId>, NotSignedIn>;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Self::Outcome, SqlError> {
        if let Err(refusal) = self.who.check(sql, now)? {
            return Ok(Err(refusal));
        }
        let person = self.who.identity.person();
        let person = person.as_str();
        let rows = match &self.which {
            Which::One(id) => sql.exec(
                "SELECT id FROM grants WHERE person = ? AND id = ?",
                &[person.into(), id.as_str().into()],
            )?,
            Which::All => {
                sql.exec(
                    "DELETE FROM sessions WHERE person = ? AND id <> ?",
                    &[person.into(), self.who.session.as_str().into()],
                )?;
                sql.exec("SELECT id FROM grants WHERE person = ?", &[person.into()])?
            }
        };
        if rows.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        withdrawals::withdraw(sql, person, now)?;
        let mut ended = Vec::with_capacity(rows.len());
        for row in &rows {
            access::delete_grant(sql, row.text(0)?)?;
            ended.push(grant_id(row.text(0)?)?);
        }
        Ok(Ok(ended))
    }
}

/// Signs a person out: the cookie is worth nothing from then on, wherever it is.
#[derive(Debug, Serialize, Deserialize)]
pub struct EndSession {
    /// The digest of the session's name.
    pub session: Digest,
}

impl Transition for EndSession {
    const NAME: &'static str = "end_session";
    const INSTANCE: Instance = Instance::Grants;
    /// Whether there was one.
    type Outcome = bool;

    fn apply(self, sql: &dyn Sql, _now: Timestamp) -> Result<bool, SqlError> {
        let ended = sql.exec(
            "DELETE FROM sessions WHERE id = ? RETURNING id",
            &[self.session.as_str().into()],
        )?;
        Ok(first(ended).is_some())
    }
}

fn grant_id(text: &str) -> Result<GrantId, SqlError> {
    GrantId::parse(text).ok_or_else(|| SqlError("a grant has no such name".to_owned()))
}
