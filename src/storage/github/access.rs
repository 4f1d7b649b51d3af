//! Which token a request carries, and where it comes from.
//!
//! A fine-grained token is its own answer. A GitHub App buys one for its installation, for an hour,
//! for the vault's repository and the rights that a vault needs; it lives in this object's memory
//! and nowhere else. Source: GitHub's documentation, "Generating an installation access token for a
//! GitHub App" and "REST API endpoints for GitHub Apps".

use std::{cell::RefCell, rc::Rc, time::Duration};

use bytes::Bytes;
use http::{Method, Response};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;

use super::{
    credential::{Credential, GithubApp},
    error::{Refusal, app_refusal, denied},
    installation::{
        InstallationAnswer, RepositoriesAnswer, TokenAnswer, TokenBody, TokenPermissions,
    },
    model::RepositoryAnswer,
    rest::{Call, Rest, Scheme, internal, parse},
    settings::GithubRepository,
};
use crate::{
    runtime::Timestamp,
    secret::Secret,
    vault::storage::{AppProblem, Denial, StorageError},
};

/// How long before its end a token is replaced: longer than any request takes.
const EARLY: Duration = Duration::from_mins(5);

/// How long before its end a token is no longer sent, however hard it is to get another one.
const LAST_USE: Duration = Duration::from_secs(30);

/// The tokens for one repository.
pub(super) struct Access {
    rest: Rc<Rest>,
    credential: Credential,
    /// The repository's path below the API's root, as it is configured.
    repository: String,
    full_name: String,
    kept: RefCell<Option<Kept>>,
    /// Held by whoever gets a token: the others wait for it, and use the same.
    renewal: Mutex<()>,
}

/// A token that an app has bought.
#[derive(Clone)]
struct Kept {
    token: Secret,
    ends: Timestamp,
}

impl Access {
    /// The tokens for `repository`. Nothing is sent before the first one is asked for.
    pub(super) fn new(rest: Rc<Rest>, repository: &GithubRepository) -> Self {
        Self {
            rest,
            credential: repository.credential.clone(),
            repository: repository.api_path(),
            full_name: format!("{}/{}", repository.owner, repository.repo),
            kept: RefCell::default(),
            renewal: Mutex::default(),
        }
    }

    /// A token for the next request.
    ///
    /// # Errors
    /// Why an app gets none: [`Denial::App`] where a setting has to be changed.
    pub(super) async fn token(&self) -> Result<Secret, Refusal> {
        match &self.credential {
            Credential::Token(token) => Ok(token.clone()),
            Credential::App(app) => match self.good_for(EARLY) {
                Some(token) => Ok(token),
                None => self.renewed(app).await,
            },
        }
    }

    /// A token to be tried after GitHub has refused `refused`; `None` where there is no other.
    ///
    /// # Errors
    /// As [`Self::token`].
    pub(super) async fn instead_of(&self, refused: &Secret) -> Result<Option<Secret>, Refusal> {
        let Credential::App(app) = &self.credential else {
            return Ok(None);
        };
        self.kept
            .borrow_mut()
            .take_if(|kept| kept.token == *refused);
        self.renewed(app).await.map(Some)
    }

    /// Has the next request get a token of its own.
    pub(super) fn forget(&self) {
        self.kept.take();
    }

    /// The token at hand, if it holds for `left` longer.
    fn good_for(&self, left: Duration) -> Option<Secret> {
        let kept = self.kept.borrow();
        let kept = kept.as_ref()?;
        (self.rest.now().after(left) < kept.ends).then(|| kept.token.clone())
    }

    /// Gets a token, once for all who want one now.
    async fn renewed(&self, app: &GithubApp) -> Result<Secret, Refusal> {
        let _renewal = self.renewal.lock().await;
        if let Some(token) = self.good_for(EARLY) {
            return Ok(token);
        }
        match self.buy(app).await.map_err(before_sending) {
            Ok(kept) => {
                let token = kept.token.clone();
                *self.kept.borrow_mut() = Some(kept);
                Ok(token)
            }
            // GitHub has trouble; the token has not.
            Err(
                refusal @ Refusal::Final(
                    StorageError::Unavailable { .. } | StorageError::RateLimited { .. },
                ),
            ) => self.good_for(LAST_USE).ok_or(refusal),
            Err(refusal) => {
                self.kept.take();
                Err(refusal)
            }
        }
    }

    /// Gets a token from GitHub, after a look at what the app could reach.
    ///
    /// 1. The installation: which repositories it selects, and with which rights.
    /// 2. A token that sees all of them and nothing in them, to find out which they are.
    /// 3. The token for the one repository.
    async fn buy(&self, app: &GithubApp) -> Result<Kept, Refusal> {
        let jwt = app
            .sign(self.rest.now())
            .map_err(|_| problem(AppProblem::BadKey))?;
        let path = format!("app/installations/{}", app.installation);
        // 1.
        let installation: InstallationAnswer = self.get(path.clone(), &jwt, app_refusal).await?;
        let contents = installation.rights().map_err(problem)?;
        // 2.
        let purchase = format!("{path}/access_tokens");
        let look = TokenBody {
            repository_ids: None,
            permissions: TokenPermissions::metadata(),
        };
        let sees_all = self.purchase(&purchase, &jwt, &look).await?.token;
        let repository = self.only_repository(&sees_all).await?;
        // 3.
        let one = TokenBody {
            repository_ids: Some([repository]),
            permissions: TokenPermissions::with(contents),
        };
        let bought = self.purchase(&purchase, &jwt, &one).await?;
        let ends = bought
            .ends()
            .ok_or_else(|| internal("a token without a readable end"))?;
        Ok(Kept {
            token: bought.token,
            ends,
        })
    }

    /// The number of the one repository that the installation selects, which must be the vault's.
    async fn only_repository(&self, token: &Secret) -> Result<u64, Refusal> {
        let path = "installation/repositories?per_page=2".to_owned();
        let selected: RepositoriesAnswer = self.get(path, token, |refusal| refusal).await?;
        let only = selected.only().map_err(problem)?;
        if only.full_name.eq_ignore_ascii_case(&self.full_name) {
            return Ok(only.id);
        }
        // Renamed: GitHub leads from the name that is configured to the repository that it was.
        let named = self
            .get::<RepositoryAnswer>(self.repository.clone(), token, |refusal| {
                if refusal == Refusal::Missing {
                    problem(AppProblem::OtherRepositories)
                } else {
                    refusal
                }
            })
            .await?;
        if named.id == only.id {
            Ok(only.id)
        } else {
            Err(problem(AppProblem::OtherRepositories))
        }
    }

    async fn purchase(
        &self,
        path: &str,
        jwt: &Secret,
        body: &TokenBody,
    ) -> Result<TokenAnswer, Refusal> {
        let mut call = Call::get(path.to_owned());
        call.method = Method::POST;
        call.body = json(body)?;
        parse(self.send(&call, jwt, app_refusal).await?.body())
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: String,
        secret: &Secret,
        meaning: impl FnOnce(Refusal) -> Refusal,
    ) -> Result<T, Refusal> {
        parse(self.send(&Call::get(path), secret, meaning).await?.body())
    }

    /// Sends a request that is not about the repository; `meaning` is what a refusal means here.
    async fn send(
        &self,
        call: &Call,
        secret: &Secret,
        meaning: impl FnOnce(Refusal) -> Refusal,
    ) -> Result<Response<Bytes>, Refusal> {
        let url = self.rest.url(&call.path)?;
        let (_, answer) = self
            .rest
            .exchange(call, url, Scheme::Bearer, secret)
            .await?;
        if answer.status().is_success() {
            Ok(answer)
        } else {
            Err(meaning(self.rest.judge(&answer)))
        }
    }
}

/// What a failure on the way to a token means for the request that was to carry it: that was not
/// sent, so its outcome is known.
fn before_sending(refusal: Refusal) -> Refusal {
    let outcome_unknown = false;
    match refusal {
        Refusal::NoOutcome => Refusal::Final(StorageError::Unavailable { outcome_unknown }),
        Refusal::Final(StorageError::Unexpected(text)) => {
            Refusal::Final(StorageError::Rejected(text))
        }
        Refusal::Missing => rejected("404 on the way to a token"),
        Refusal::ShaMismatch
        | Refusal::ShaMissing
        | Refusal::TipMoved
        | Refusal::EmptyRepository
        | Refusal::TooLarge => rejected("a conflict on the way to a token"),
        Refusal::Final(_) => refusal,
    }
}

fn rejected(text: &str) -> Refusal {
    Refusal::Final(StorageError::Rejected(text.to_owned()))
}

fn json(body: &impl Serialize) -> Result<Bytes, Refusal> {
    serde_json::to_vec(body)
        .map(Into::into)
        .map_err(|error| internal(&error.to_string()))
}

fn problem(problem: AppProblem) -> Refusal {
    denied(Denial::App(problem))
}
