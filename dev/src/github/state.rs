//! What all requests share.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::app::{self, App, Installation};
use super::builder::{Source, StartError, create};
use super::hosted::Hosted;
use super::limits::{RateLimits, epoch_seconds};
use super::log::RequestLog;
use super::route::RepositoryName;
use super::switches::{RefLag, Switches};
use super::tokens::{Token, hex};
use super::webhook::Delivery;
use crate::git::Oid;

/// How long the `?token=` of a tarball's redirect lives (GitHub docs, "Download a repository
/// archive": five minutes for private repositories).
const TICKET_LIFE: Duration = Duration::from_mins(5);

/// The look-alike behind its routes.
#[derive(Debug)]
pub(crate) struct State {
    /// Where repositories are on disk.
    root: PathBuf,
    repositories: Mutex<Vec<Arc<Hosted>>>,
    tokens: Mutex<Vec<Arc<Token>>>,
    pub(crate) app: App,
    pub(crate) log: RequestLog,
    pub(crate) limits: RateLimits,
    switches: Mutex<Switches>,
    tickets: Mutex<HashMap<String, Instant>>,
    issued: AtomicU64,
    /// See [`Self::secrets`].
    secrets: Mutex<BTreeSet<String>>,
    /// By how many seconds this server's clock is ahead of the machine's.
    ahead: AtomicU64,
}

/// A repository as a request found it.
#[derive(Debug)]
pub(crate) enum Found {
    /// Under its current name or its id.
    Here(Arc<Hosted>),
    /// Under a name it had before.
    Renamed(Arc<Hosted>),
}

impl State {
    pub(crate) fn new(root: PathBuf, repositories: Vec<Arc<Hosted>>, tokens: Vec<Token>) -> Self {
        let vault = repositories
            .first()
            .map_or("", |hosted| hosted.full_name.as_str());
        Self {
            root,
            app: App::new(Installation::on(vault)),
            repositories: Mutex::new(repositories),
            tokens: Mutex::new(tokens.into_iter().map(Arc::new).collect()),
            log: RequestLog::default(),
            limits: RateLimits::default(),
            switches: Mutex::default(),
            tickets: Mutex::default(),
            issued: AtomicU64::new(0),
            secrets: Mutex::default(),
            ahead: AtomicU64::new(0),
        }
    }

    /// The switches, to read or to use up.
    pub(crate) fn switches(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This server's time, in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        epoch_seconds() + self.ahead.load(Ordering::Relaxed)
    }

    /// Puts this server's clock forward.
    pub(crate) fn advance_clock(&self, seconds: u64) {
        self.ahead.fetch_add(seconds, Ordering::Relaxed);
    }

    /// The token of that value, good or not.
    pub(crate) fn token(&self, value: &str) -> Option<Arc<Token>> {
        self.tokens()
            .iter()
            .find(|token| token.value == value)
            .map(Arc::clone)
    }

    /// Knows another token.
    pub(crate) fn keep_token(&self, token: Token) {
        self.tokens().push(Arc::new(token));
    }

    /// Every token of the app.
    pub(crate) fn installation_tokens(&self) -> Vec<Token> {
        let tokens = self.tokens();
        let bought = tokens.iter().filter(|token| token.ends.is_some());
        bought.map(|token| Token::clone(token)).collect()
    }

    /// Forgets every token of the app.
    pub(crate) fn revoke_installation_tokens(&self) {
        self.tokens().retain(|token| token.ends.is_none());
    }

    /// A value for a token of the app, in the form that GitHub gives them since 2026: the app's
    /// number, and hundreds of characters (GitHub docs, "Generating an installation access token").
    pub(crate) fn new_installation_token(&self) -> String {
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        let part = |n: u64| hex(&Sha256::digest(format!("installation token {number} {n}")));
        let parts: Vec<String> = (0..6).map(part).collect();
        let token = format!("ghs_{}_LOCAL{}", app::ID, parts.join("."));
        self.keep_secret(&token);
        token
    }

    /// Everything that has opened something here and that nobody configured: tokens of the app and
    /// what it proved itself by, good or not any more, and the tickets of tarballs.
    pub(crate) fn secrets(&self) -> BTreeSet<String> {
        let secrets = self.secrets.lock();
        secrets.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes another one of [`Self::secrets`].
    pub(crate) fn keep_secret(&self, secret: &str) {
        let secrets = self.secrets.lock();
        secrets
            .unwrap_or_else(PoisonError::into_inner)
            .insert(secret.to_owned());
    }

    fn tokens(&self) -> MutexGuard<'_, Vec<Arc<Token>>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lag that applies to a read of a branch; uses up one of the reads left.
    pub(crate) fn take_lag(&self) -> Option<RefLag> {
        let mut switches = self.switches();
        let lag = switches.ref_lag;
        if let Some(RefLag::Reads(left)) = lag {
            switches.ref_lag = (left > 1).then(|| RefLag::Reads(left - 1));
        }
        lag
    }

    /// The delivery that tells of a branch that moved, where anybody wants to be told.
    pub(crate) fn delivery(
        &self,
        hosted: &Hosted,
        branch: &str,
        moved: (Option<Oid>, Oid),
    ) -> Option<Delivery> {
        let target = self.switches().webhook.clone()?;
        Delivery::of_push(target, hosted, branch, moved).ok()
    }

    /// All repositories.
    pub(crate) fn repositories(&self) -> Vec<Arc<Hosted>> {
        self.repositories
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Makes a repository anew, in the place of the one with the same name if there is one.
    pub(crate) async fn replace(
        &self,
        full_name: &str,
        branch: &str,
        source: Source,
    ) -> Result<Arc<Hosted>, StartError> {
        let git = create(&self.root, full_name, branch, source).await?;
        let hosted = Arc::new(Hosted::new(full_name, branch, git));
        let mut all = self
            .repositories
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match all
            .iter_mut()
            .find(|other| other.full_name.eq_ignore_ascii_case(full_name))
        {
            Some(place) => *place = Arc::clone(&hosted),
            None => all.push(Arc::clone(&hosted)),
        }
        Ok(hosted)
    }

    /// The repository that a path names.
    pub(crate) fn find(&self, name: &RepositoryName) -> Option<Found> {
        let all = self.repositories();
        let switches = self.switches();
        let found = match name {
            RepositoryName::Id(id) => Found::Here(all.into_iter().find(|one| one.id == *id)?),
            RepositoryName::Full(name) => {
                let same = |other: &str| other.eq_ignore_ascii_case(name);
                let old = switches
                    .renamed
                    .iter()
                    .find(|(_, new)| same(new))
                    .map(|(old, _)| old);
                let here = |one: &Arc<Hosted>| {
                    old.is_some_and(|old| old.eq_ignore_ascii_case(&one.full_name))
                };
                if let Some(hosted) = all.iter().find(|one| here(one)) {
                    Found::Here(Arc::clone(hosted))
                } else {
                    let hosted = all.into_iter().find(|one| same(&one.full_name))?;
                    let moved = switches.renamed.iter().any(|(old, _)| same(old));
                    if moved {
                        Found::Renamed(hosted)
                    } else {
                        Found::Here(hosted)
                    }
                }
            }
        };
        let (Found::Here(hosted) | Found::Renamed(hosted)) = &found;
        (!Switches::lists(&switches.missing, &hosted.full_name)).then_some(found)
    }

    /// The full name that a repository goes by now.
    pub(crate) fn current_name(&self, hosted: &Hosted) -> String {
        self.switches()
            .renamed
            .iter()
            .find(|(old, _)| old.eq_ignore_ascii_case(&hosted.full_name))
            .map_or_else(|| hosted.full_name.clone(), |(_, new)| new.clone())
    }

    /// A ticket for one tarball's second step.
    pub(crate) fn issue_ticket(&self) -> String {
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        let ticket = hex(&Sha256::digest(format!("ticket {number}").as_bytes()))
            .chars()
            .take(29)
            .collect::<String>()
            .to_uppercase();
        self.keep_secret(&ticket);
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|_, issued| issued.elapsed() < TICKET_LIFE);
        tickets.insert(ticket.clone(), Instant::now());
        ticket
    }

    /// Whether a ticket is good.
    pub(crate) fn takes_ticket(&self, ticket: &str) -> bool {
        let tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets
            .get(ticket)
            .is_some_and(|issued| issued.elapsed() < TICKET_LIFE)
    }
}
