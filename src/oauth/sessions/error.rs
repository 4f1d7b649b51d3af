//! Why nothing is shown or ended, and what the person is told.

use http::StatusCode;

use crate::{
    login::{Identity, LoginError, ProviderKind},
    oauth::{
        login_failure::{self, Answer},
        login_transaction::DrawError,
        pages::{Problem, refusal},
        parameters::{ParametersError, Repeated},
        state::LinkError,
    },
    runtime::RngError,
};

/// Why a request about a person's own grants is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("the form was sent from another site")]
    CrossSite,
    #[error("you are not logged in (any more)")]
    NotSignedIn,
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("the form was not made for this login")]
    FormToken,
    #[error("the form does not say what to end")]
    NothingNamed,
    #[error("the allowlist does not hold the person")]
    NotAllowed(Box<Identity>),
    #[error("the name belonged to somebody else when it first logged in")]
    PinnedToAnother(Box<Identity>),
    #[error(transparent)]
    Login(LoginError),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl From<DrawError> for SessionError {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::Login(error) => Self::Login(error),
            DrawError::Rng(error) => Self::Rng(error),
        }
    }
}

impl SessionError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::CrossSite => "session_cross_site",
            Self::NotSignedIn => "session_over",
            Self::Unreadable(_) | Self::Repeated(_) | Self::NothingNamed => "session_unreadable",
            Self::FormToken => "session_form_refused",
            Self::NotAllowed(_) => "allowlist_denied",
            Self::PinnedToAnother(_) => "pinned_to_another",
            Self::Login(error) => login_failure::reason(error),
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
        }
    }

    /// Whom it is about, where that is known.
    pub(super) fn identity(&self) -> Option<&Identity> {
        match self {
            Self::NotAllowed(identity) | Self::PinnedToAnother(identity) => Some(identity),
            Self::CrossSite
            | Self::NotSignedIn
            | Self::Unreadable(_)
            | Self::Repeated(_)
            | Self::FormToken
            | Self::NothingNamed
            | Self::Login(_)
            | Self::Unavailable(_)
            | Self::Rng(_) => None,
        }
    }

    /// What the person is told.
    pub(super) fn answer(&self, provider: ProviderKind) -> Answer<'_> {
        let page = match self {
            Self::CrossSite | Self::FormToken | Self::NotSignedIn => Problem::new(
                StatusCode::FORBIDDEN,
                "Nothing was changed",
                format!("The form was not taken: {self}."),
            ),
            Self::Unreadable(_) | Self::Repeated(_) | Self::NothingNamed => Problem::new(
                StatusCode::BAD_REQUEST,
                "Nothing was changed",
                format!("The form cannot be read: {self}."),
            ),
            Self::NotAllowed(identity) => refusal::not_allowed(identity),
            Self::PinnedToAnother(identity) => refusal::pinned_to_another(identity),
            Self::Login(error) => match login_failure::answer(error, None, provider) {
                Answer::Page(page) => page,
                to_client @ Answer::Client(..) => return to_client,
            },
            Self::Unavailable(_) | Self::Rng(_) => Problem::unavailable(),
        };
        Answer::Page(page.link("/sessions", "Back to your connected programs"))
    }
}
