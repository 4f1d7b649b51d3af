//! The pages that a person sees: consent, and what went wrong. No script, nothing from elsewhere.

use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use maud::{Markup, html};

use super::{
    answer::RETRY_SECONDS,
    client::{Client, ClientSource},
    redirect_uri::RedirectUri,
    types::Scope,
};
use crate::{
    base_url::BaseUrl,
    http::{Response, html},
    runtime::Rng,
};

/// What the consent page shows.
#[derive(Debug)]
pub(super) struct Consent<'a> {
    /// The sealed request, for the form.
    pub(super) handle: &'a str,
    /// Who asks.
    pub(super) client: &'a Client,
    /// Where the answer goes.
    pub(super) redirect_uri: &'a RedirectUri,
    /// What is asked for.
    pub(super) scope: Scope,
    /// Whether more than reading can be granted to anybody.
    pub(super) widest_scope: Scope,
    /// What the server calls itself.
    pub(super) resource_name: &'a str,
    /// Where the person will log in.
    pub(super) provider: &'a str,
    /// This server.
    pub(super) base: &'a BaseUrl,
}

/// The consent page. It comes before the login and names everything that the decision depends on.
pub(super) fn consent(page: &Consent<'_>, rng: &dyn Rng) -> Response {
    let client = page.client;
    let title = format!("Let {} use {}?", client.display_name(), page.resource_name);
    let body = html! {
        h1 { (title) }
        dl {
            dt { "Client" }
            dd { (client.display_name()) " " (provenance(client)) }
            dt { "The answer goes to" }
            dd {
                code { (page.redirect_uri.host()) }
                @if page.redirect_uri.is_loopback() { " (a program on this computer)" }
            }
            dt { "It will be able to" }
            dd { "list, read and search notes" }
            @if page.scope == Scope::ReadWrite {
                dd { "create, change and delete notes" }
            }
            dt { "You will log in with" }
            dd { (page.provider) }
        }
        @if page.redirect_uri.is_loopback() {
            p.warning role="alert" {
                strong { "Any program on your computer can ask this in any name. " }
                "Approve only if you have just started this login yourself, and on this computer."
            }
        }
        form method="post" action=(page.base.join("/consent")) autocomplete="off" {
            input type="hidden" name="handle" value=(page.handle);
            @if page.scope.min(page.widest_scope) == Scope::ReadWrite {
                label {
                    input type="checkbox" name="read_only" value="on";
                    " Let it read only: no creating, changing or deleting"
                }
            }
            button.primary type="submit" name="decision" value="approve" { "Approve and log in" }
            button type="submit" name="decision" value="deny" { "Deny" }
        }
    };
    html::page(StatusCode::OK, &title, &body, &form_action(page), rng)
}

fn provenance(client: &Client) -> Markup {
    html! {
        @match client.source {
            ClientSource::Registered => span.tag { "unverified name" },
            ClientSource::Configured => span.tag { "set up by the owner of this server" },
            ClientSource::Document => {
                span.tag { "vouched for by " (document_host(client)) }
            }
        }
    }
}

fn document_host(client: &Client) -> String {
    let url = url::Url::parse(client.id.as_str()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The login provider may send the person through origins that cannot be listed, so all of https is
/// allowed; what plain http is needed for is named.
fn form_action(page: &Consent<'_>) -> Vec<String> {
    let mut sources = vec!["'self'".to_owned(), "https:".to_owned()];
    sources.extend(page.redirect_uri.form_action_source());
    if page.base.is_loopback() {
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
        }
    }

    /// The same page with one more paragraph.
    pub(super) fn and(mut self, paragraph: impl Into<String>) -> Self {
        self.paragraphs.push(paragraph.into());
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
