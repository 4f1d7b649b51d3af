//! The pages that a person sees. No script, nothing from elsewhere.

mod consent;
pub(super) mod refusal;
mod sessions;

use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use maud::{Markup, html};
use url::Url;

pub(super) use self::{
    consent::Consent,
    sessions::{Sessions, sign_in},
};
use super::{
    answer::RETRY_SECONDS,
    client::ClientSource,
    types::{ClientId, Scope},
};
use crate::{
    base_url::BaseUrl,
    http::{Response, html},
    runtime::Rng,
};

/// Who vouches for a client's name.
fn provenance(client: &ClientId, source: ClientSource) -> Markup {
    html! {
        @match source {
            ClientSource::Registered => span.tag.doubtful { "unverified name" },
            ClientSource::Configured => span.tag { "set up by the owner of this server" },
            ClientSource::Document => {
                span.tag { "vouched for by " (document_host(client)) }
            }
        }
    }
}

fn document_host(client: &ClientId) -> String {
    let url = Url::parse(client.as_str()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}

/// What a scope allows, a phrase each.
const fn abilities(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::Read => &["list, read and search notes"],
        Scope::ReadWrite => &[
            "list, read and search notes",
            "create, change and delete notes",
        ],
    }
}

/// The sources that a form may lead to which sends the person to the login provider. The provider
/// may send them through origins that cannot be listed, so all of https is allowed.
fn login_form_action(base: &BaseUrl) -> Vec<String> {
    let mut sources = vec!["'self'".to_owned(), "https:".to_owned()];
    if base.is_loopback() {
        // The login provider of local development.
        sources.extend([
            "http://localhost:*".to_owned(),
            "http://127.0.0.1:*".to_owned(),
        ]);
    }
    sources
}

/// A page about what went wrong: what, and what to do now.
#[derive(Debug)]
pub(super) struct Problem {
    /// The status.
    pub(super) status: StatusCode,
    /// What went wrong, in a few words.
    pub(super) title: &'static str,
    /// The rest, a paragraph each.
    pub(super) paragraphs: Vec<String>,
    /// Where to go from here: a path of ours, and what to call it.
    link: Option<(&'static str, &'static str)>,
}

impl Problem {
    /// A page with one paragraph.
    pub(super) fn new(
        status: StatusCode,
        title: &'static str,
        paragraph: impl Into<String>,
    ) -> Self {
        Self {
            status,
            title,
            paragraphs: vec![paragraph.into()],
            link: None,
        }
    }

    /// The same page with one more paragraph.
    pub(super) fn and(mut self, paragraph: impl Into<String>) -> Self {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// The same page with a link to one of our own.
    pub(super) fn link(mut self, path: &'static str, text: &'static str) -> Self {
        self.link = Some((path, text));
        self
    }

    /// Something on this side is not to be had at the moment.
    pub(super) fn unavailable() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Not available at the moment",
            "The server could not reach its own state. Nothing was changed. Try again in a moment.",
        )
    }

    /// The answer.
    pub(super) fn respond(&self, rng: &dyn Rng) -> Response {
        let body = html! {
            h1 { (self.title) }
            @for paragraph in &self.paragraphs {
                p { (paragraph) }
            }
            @if let Some((path, text)) = self.link {
                p { a href=(path) { (text) } }
            }
        };
        let mut response = html::page(self.status, self.title, &body, &[], rng);
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
        }
        response
    }
}
