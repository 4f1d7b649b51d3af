//! Authorization codes, in `grants`: issued after a login, redeemed once.

use serde::{Deserialize, Serialize};

use super::{
    Instance, NewTokens, Transition, access, first, json,
    pins::{self, Pin},
    record, time, tokens, withdrawals,
};
use crate::{
    login::pin::PinnedTo,
    oauth::{
        grant::{AuthorizationCode, CodeRefusal, CodeStage, Grant, Redemption},
        token::GrantId,
        types::{ClientId, CodeChallenge, Digest},
    },
    runtime::{Sql, SqlError, SqlRow, SqlValue, Timestamp},
};

/// The most grants of one person, codes not redeemed yet included. The one that was not used for
/// the longest time gives way.
const MAX_GRANTS_OF_PERSON: i64 = 200;

/// Writes a grant and its code down.
#[derive(Debug, Serialize, Deserialize)]
pub struct IssueCode {
    /// The grant's new identifier.
    pub id: GrantId,
    /// The grant.
    pub grant: Grant,
    /// The digest of the code.
    pub code: Digest,
    /// The challenge of the authorization request.
    pub challenge: CodeChallenge,
    /// When the code expires.
    pub expires_at: Timestamp,
    /// What to do about the person's name; nothing where the allowlist has only their subject.
    pub pin: Option<Pin>,
    /// When the person agreed, where they were not asked this time.
    pub remembered_at: Option<Timestamp>,
}

/// What came of issuing a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CodeIssued {
    /// It is issued.
    Issued,
    /// The name belonged to another subject when it first logged in. Nothing was written.
    PinnedToAnother,
    /// The consent that was remembered has been taken back. Nothing was written.
    ConsentWithdrawn,
}

impl Transition for IssueCode {
    const NAME: &'static str = "issue_code";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = CodeIssued;

    fn apply(mut self, sql: &dyn Sql, now: Timestamp) -> Result<CodeIssued, SqlError> {
        let person = self.grant.person();
        if let Some(given_at) = self.remembered_at
            && withdrawals::is_withdrawn(sql, &person, given_at)?
        {
            return Ok(CodeIssued::ConsentWithdrawn);
        }
        if let Some(pin) = &self.pin
            && pins::pin(sql, &self.grant.identity, now)? != PinnedTo::ThisPerson
        {
            let Some(scope) = pin.otherwise else {
                return Ok(CodeIssued::PinnedToAnother);
            };
            self.grant.scope = scope;
        }
        make_room(sql, &person)?;
        sql.exec(
            "INSERT INTO grants (id, record, person, client, redirect_uri, resource, created_at,
                used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            &[
                self.id.as_str().into(),
                json(&self.grant)?.into(),
                person.into(),
                self.grant.client.id.as_str().into(),
                self.grant.client.redirect_uri.as_str().into(),
                self.grant.resource.as_str().into(),
                self.grant.created_at.into(),
                now.into(),
                self.expires_at.into(),
            ],
        )?;
        sql.exec(
            "INSERT INTO codes (grant_id, digest, challenge, failures, redeemed_at, expires_at)
             VALUES (?, ?, ?, 0, NULL, ?)",
            &[
                self.id.as_str().into(),
                self.code.as_str().into(),
                json(&self.challenge)?.into(),
                self.expires_at.into(),
            ],
        )?;
        Ok(CodeIssued::Issued)
    }
}

fn make_room(sql: &dyn Sql, person: &str) -> Result<(), SqlError> {
    let surplus = sql.exec(
        "SELECT id FROM grants WHERE person = ? ORDER BY used_at DESC LIMIT -1 OFFSET ?",
        &[person.into(), (MAX_GRANTS_OF_PERSON - 1).into()],
    )?;
    surplus
        .iter()
        .try_for_each(|row| access::delete_grant(sql, row.text(0)?))
}

/// Redeems a code for tokens.
#[derive(Debug, Serialize, Deserialize)]
pub struct RedeemCode {
    /// The grant that the code says it belongs to.
    pub id: GrantId,
    /// The digest of the code.
    pub code: Digest,
    /// The client that authenticated.
    pub client: ClientId,
    /// `redirect_uri`, where one was sent.
    pub redirect_uri: Option<String>,
    /// The challenge of the presented verifier.
    pub challenge: CodeChallenge,
    /// This server's resource.
    pub resource: String,
    /// The tokens to issue.
    pub tokens: NewTokens,
    /// Grants made before this time are void.
    pub revoke_before: Option<Timestamp>,
}

/// What came of redeeming a code.
#[derive(Debug, Serialize, Deserialize)]
pub enum CodeRedemption {
    /// The tokens are issued.
    Redeemed {
        /// The grant that they belong to.
        grant: Grant,
        /// Whom its person's name is pinned to.
        pinned: PinnedTo,
        /// When the access token expires.
        access_expires_at: Timestamp,
    },
    /// The code was redeemed before. The grant is revoked.
    Replayed(Grant),
    /// Something about the attempt is wrong. The code can be presented again a few times, unless
    /// its time is over.
    Refused(CodeRefusal),
    /// There is no such code.
    Unknown,
}

impl Transition for RedeemCode {
    const NAME: &'static str = "redeem_code";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = CodeRedemption;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<CodeRedemption, SqlError> {
        let rows = sql.exec(
            "SELECT g.record, c.challenge, c.failures, c.redeemed_at IS NOT NULL, c.expires_at
             FROM codes c JOIN grants g ON g.id = c.grant_id
             WHERE c.grant_id = ? AND c.digest = ?",
            &[self.id.as_str().into(), self.code.as_str().into()],
        )?;
        let Some(row) = first(rows) else {
            return Ok(CodeRedemption::Unknown);
        };
        let grant: Grant = record(&row, 0)?;
        if grant.is_void(self.revoke_before, now) {
            access::delete_grant(sql, self.id.as_str())?;
            return Ok(CodeRedemption::Unknown);
        }
        let attempt = Redemption {
            client: &self.client,
            redirect_uri: self.redirect_uri.as_deref(),
            challenge: &self.challenge,
            resource: &self.resource,
        };
        let code = stored_code(&row)?;
        let stage = code.stage;
        match code.redeem(&grant, &attempt, now) {
            Ok(_) => {
                let access_expires_at = self.redeem(sql, &grant, now)?;
                Ok(CodeRedemption::Redeemed {
                    pinned: pins::pinned_to(sql, &grant.identity)?,
                    grant,
                    access_expires_at,
                })
            }
            Err(CodeRefusal::Replayed) => {
                access::delete_grant(sql, self.id.as_str())?;
                Ok(CodeRedemption::Replayed(grant))
            }
            Err(refusal) => {
                self.keep_after_failure(sql, stage.after_failure())?;
                Ok(CodeRedemption::Refused(refusal))
            }
        }
    }
}

fn stored_code(row: &SqlRow) -> Result<AuthorizationCode, SqlError> {
    let failures = u32::try_from(row.integer(2)?).unwrap_or(u32::MAX);
    let redeemed = row.integer(3)? != 0;
    Ok(AuthorizationCode {
        challenge: record(row, 1)?,
        expires_at: time(row, 4)?,
        stage: if redeemed {
            CodeStage::Redeemed
        } else {
            CodeStage::Issued { failures }
        },
    })
}

impl RedeemCode {
    fn redeem(&self, sql: &dyn Sql, grant: &Grant, now: Timestamp) -> Result<Timestamp, SqlError> {
        let id = SqlValue::from(self.id.as_str());
        sql.exec(
            "UPDATE codes SET redeemed_at = ? WHERE grant_id = ?",
            &[now.into(), id.clone()],
        )?;
        self.supersede_earlier_grants(sql, grant)?;

        let access_expires_at = grant.access_expires_at(self.tokens.access_lifetime, now);
        let mut expires_at = access_expires_at;
        if grant.client.may_refresh {
            let refresh_expires_at = grant.refresh_expires_at(self.tokens.refresh_idle, now);
            expires_at = expires_at.max(refresh_expires_at);
            tokens::insert_refresh_token(sql, &id, &self.tokens.refresh, 0, refresh_expires_at)?;
        }
        tokens::insert_access_token(
            sql,
            &id,
            &self.tokens.access,
            0,
            grant.scope,
            access_expires_at,
        )?;
        sql.exec(
            "UPDATE grants SET used_at = ?, expires_at = ? WHERE id = ?",
            &[now.into(), expires_at.into(), id],
        )?;
        Ok(access_expires_at)
    }

    /// Logging in again at the same place replaces what was granted there before. Programs on
    /// people's own machines are let be: several of them share one client and one redirect URI.
    fn supersede_earlier_grants(&self, sql: &dyn Sql, grant: &Grant) -> Result<(), SqlError> {
        if grant.client.redirect_uri.is_loopback() {
            return Ok(());
        }
        let earlier = sql.exec(
            "SELECT g.id FROM grants g JOIN codes c ON c.grant_id = g.id
             WHERE g.person = ? AND g.client = ? AND g.redirect_uri = ? AND g.resource = ?
                AND g.id <> ? AND c.redeemed_at IS NOT NULL",
            &[
                grant.person().into(),
                grant.client.id.as_str().into(),
                grant.client.redirect_uri.as_str().into(),
                grant.resource.as_str().into(),
                self.id.as_str().into(),
            ],
        )?;
        earlier
            .iter()
            .try_for_each(|row| access::delete_grant(sql, row.text(0)?))
    }

    fn keep_after_failure(&self, sql: &dyn Sql, stage: Option<CodeStage>) -> Result<(), SqlError> {
        match stage {
            Some(CodeStage::Issued { failures }) => {
                sql.exec(
                    "UPDATE codes SET failures = ? WHERE grant_id = ?",
                    &[i64::from(failures).into(), self.id.as_str().into()],
                )?;
                Ok(())
            }
            Some(CodeStage::Redeemed) => Ok(()),
            None => access::delete_grant(sql, self.id.as_str()),
        }
    }
}
