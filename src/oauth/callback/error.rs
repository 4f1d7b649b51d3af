//! Why a login that was begun leads nowhere, and who is told: the person, on a page, or the client.

use http::StatusCode;

use crate::{
    login::{Identity, LoginError, ProviderKind},
    oauth::{
        login_failure::{self, Answer},
        login_transaction::TakeError,
        pages::{Problem, refusal},
        parameters::{ParametersError, Repeated},
        request::ReplyTo,
        state::LinkError,
    },
    runtime::RngError,
};

/// Why a login leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallbackError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("there is no state")]
    NoState,
    #[error(transparent)]
    Take(#[from] TakeError),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
    #[error("{error}")]
    Login {
        error: LoginError,
        /// The client that waits for it, if any.
        reply_to: Option<Box<ReplyTo>>,
    },
    #[error("the allowlist does not hold the person")]
    NotAllowed(Box<Identity>),
    #[error("the name belonged to somebody else when it first logged in")]
    PinnedToAnother(Box<Identity>),
}

/// Where a person began the login that they come back from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A client sent them.
    Client,
    /// The page of their own grants.
    Sessions,
}

impl CallbackError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoState => "callback_unreadable",
            Self::Take(TakeError::OtherBrowser) => "login_other_browser",
            Self::Take(TakeError::Unknown) => "login_unknown",
            Self::Take(TakeError::Sealed(_)) => "login_unreadable",
            Self::Take(TakeError::Unavailable(_)) | Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
            Self::NotAllowed(_) => "allowlist_denied",
            Self::PinnedToAnother(_) => "pinned_to_another",
            Self::Login { error, .. } => login_failure::reason(error),
        }
    }

    /// Who is told what; with a way back to where the login began, as far as that is known.
    pub(super) fn answer(&self, provider: ProviderKind, began: Option<Beginning>) -> Answer<'_> {
        let answer = match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoState => Answer::Page(Problem::new(
                StatusCode::BAD_REQUEST,
                "This is no answer of a login",
                format!("Nobody logged in: {self}."),
            )),
            Self::Take(TakeError::Unknown | TakeError::Sealed(_)) => Answer::Page(Problem::new(
                StatusCode::BAD_REQUEST,
                "This login is over",
                "It took too long, or it was finished before.",
            )),
            Self::Take(TakeError::OtherBrowser) => Answer::Page(Problem::new(
                StatusCode::FORBIDDEN,
                "This login is not this browser's",
                "Nobody logged in. The login took more than ten minutes, or it began in another \
                 browser. If somebody sent you a link, do not use it.",
            )),
            Self::Take(TakeError::Unavailable(_)) | Self::Unavailable(_) | Self::Rng(_) => {
                Answer::Page(Problem::unavailable())
            }
            Self::NotAllowed(identity) => Answer::Page(refusal::not_allowed(identity)),
            Self::PinnedToAnother(identity) => Answer::Page(refusal::pinned_to_another(identity)),
            Self::Login { error, reply_to } => {
                login_failure::answer(error, reply_to.as_deref(), provider)
            }
        };
        match answer {
            Answer::Page(page) => Answer::Page(with_way_back(page, began)),
            to_client @ Answer::Client(..) => to_client,
        }
    }
}

fn with_way_back(page: Problem, began: Option<Beginning>) -> Problem {
    match began {
        Some(Beginning::Client) => {
            page.and("To try again, go back to the program that sent you here and log in there.")
        }
        Some(Beginning::Sessions) => page.link("/sessions", "Back to your connected programs"),
        None => page.and("To try again, go back to where you began and log in there."),
    }
}
