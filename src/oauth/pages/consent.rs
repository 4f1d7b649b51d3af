//! The consent page: who asks, where the answer goes, and what it may do.

use http::StatusCode;
use maud::html;

use super::{abilities, login_form_action, provenance};
use crate::{
    base_url::BaseUrl,
    http::{Response, html},
    oauth::{client::ClientSource, request::AuthorizationRequest, types::Scope},
    runtime::Rng,
};

/// What the consent page shows.
#[derive(Debug)]
pub(in crate::oauth) struct Consent<'a> {
    /// The sealed request, for the form.
    pub(in crate::oauth) handle: &'a str,
    /// The request: who asks for what, and where the answer goes.
    pub(in crate::oauth) request: &'a AuthorizationRequest,
    /// Whether the person may have this browser remember a yes.
    pub(in crate::oauth) may_remember: bool,
    /// What the server calls itself.
    pub(in crate::oauth) resource_name: &'a str,
    /// Where the person will log in.
    pub(in crate::oauth) provider: &'a str,
    /// This server.
    pub(in crate::oauth) base: &'a BaseUrl,
}

impl Consent<'_> {
    /// The page. It comes before the login and names everything that the decision depends on. What
    /// the client says of itself never stands in our own sentences, least of all in the title.
    pub(in crate::oauth) fn respond(&self, rng: &dyn Rng) -> Response {
        let request = self.request;
        let redirect_uri = &request.reply_to.redirect_uri;
        let title = format!("Give access to {}?", self.resource_name);
        let body = html! {
            h1 { (title) }
            @if redirect_uri.is_loopback() {
                p.warning role="alert" {
                    strong { "Any program on your computer can ask this in any name. " }
                    "Approve only if you have just started this login yourself, and on this computer."
                }
            }
            dl {
                dt { "Who asks" }
                dd {
                    strong { (request.client_name) } " "
                    (provenance(&request.client, request.client_source))
                    @if request.client_source == ClientSource::Registered {
                        br;
                        "The program gave itself this name. Judge by where the answer goes."
                    }
                }
                dt { "Where the answer goes" }
                dd {
                    strong { (redirect_uri.host()) }
                    @if redirect_uri.is_loopback() { " (a program on this computer)" }
                    br;
                    code { (redirect_uri.as_str()) }
                }
                dt { "What it will be able to do" }
                @for ability in abilities(request.scope) {
                    dd { (ability) }
                }
                dt { "Where you will log in" }
                dd { (self.provider) }
            }
            form method="post" action=(self.base.join("/consent")) autocomplete="off" {
                input type="hidden" name="handle" value=(self.handle);
                @if request.scope == Scope::ReadWrite {
                    label {
                        input type="checkbox" name="read_only" value="on";
                        span { "Let it read only: no creating, changing or deleting" }
                    }
                }
                @if self.may_remember {
                    label {
                        input type="checkbox" name="remember" value="on";
                        span { "Do not ask again in this browser for 30 days" }
                    }
                }
                p.buttons {
                    button.primary type="submit" name="decision" value="approve" {
                        "Approve and log in"
                    }
                    button type="submit" name="decision" value="deny" { "Deny" }
                }
            }
        };
        let mut form_action = login_form_action(self.base);
        form_action.extend(redirect_uri.form_action_source());
        html::page(StatusCode::OK, &title, &body, &form_action, rng)
    }
}
