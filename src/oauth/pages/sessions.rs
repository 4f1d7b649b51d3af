//! The page of a person's own grants, and the way to it.

use http::StatusCode;
use maud::{Markup, html};

use super::{abilities, login_form_action, provenance};
use crate::{
    base_url::BaseUrl,
    date,
    http::{Response, html},
    oauth::{client::ClientSource, state::OwnGrant, types::Scope},
    runtime::{Rng, Timestamp},
};

const TITLE: &str = "Connected programs";

/// The page for somebody who is not signed in.
pub(in crate::oauth) fn sign_in(
    resource_name: &str,
    provider: &str,
    base: &BaseUrl,
    rng: &dyn Rng,
) -> Response {
    let body = html! {
        h1 { (TITLE) }
        p {
            "Log in with " strong { (provider) } " to see which programs may use " (resource_name)
            " in your name, and to end what you do not want any more."
        }
        form method="post" action=(base.join("/sessions/sign-in")) {
            p.buttons { button.primary type="submit" { "Log in with " (provider) } }
        }
    };
    html::page(StatusCode::OK, TITLE, &body, &login_form_action(base), rng)
}

/// What the page of a person's grants shows.
#[derive(Debug)]
pub(in crate::oauth) struct Sessions<'a> {
    /// Who is signed in.
    pub(in crate::oauth) name: &'a str,
    /// Their grants, and how each client became known.
    pub(in crate::oauth) grants: &'a [(OwnGrant, ClientSource)],
    /// The most that the person is allowed at this moment, if anything.
    pub(in crate::oauth) allowed: Option<Scope>,
    /// The token that every form carries.
    pub(in crate::oauth) form_token: &'a str,
    /// What the server calls itself.
    pub(in crate::oauth) resource_name: &'a str,
    /// This server.
    pub(in crate::oauth) base: &'a BaseUrl,
}

impl Sessions<'_> {
    /// The page.
    pub(in crate::oauth) fn respond(&self, rng: &dyn Rng) -> Response {
        let count = self.grants.len();
        let body = html! {
            h1 { (TITLE) }
            p {
                "You are logged in as " strong { (self.name) } ". "
                @match count {
                    0 => { "No program may use " (self.resource_name) " in your name." },
                    1 => { "One program may use " (self.resource_name) " in your name." },
                    _ => { (count) " programs may use " (self.resource_name) " in your name." },
                }
            }
            @if count > 0 {
                ul.cards { @for (grant, source) in self.grants { (self.card(grant, *source)) } }
            }
            @if count > 1 {
                details {
                    summary { "End all of them" }
                    p {
                        "Every program loses its access at once, and you are logged out of this page in \
                         other browsers. You can connect again whenever you want."
                    }
                    form method="post" action=(self.base.join("/sessions/end")) {
                        (self.token())
                        input type="hidden" name="all" value="yes";
                        p.buttons { button.danger type="submit" { "End all " (count) } }
                    }
                }
            }
            form method="post" action=(self.base.join("/sessions/sign-out")) {
                (self.token())
                p.buttons { button type="submit" { "Log out of this page" } }
            }
            p.note { "You are logged out automatically half an hour after you logged in." }
        };
        html::page(StatusCode::OK, TITLE, &body, &["'self'".to_owned()], rng)
    }

    fn card(&self, grant: &OwnGrant, source: ClientSource) -> Markup {
        let client = &grant.client;
        let host = client.redirect_uri.host();
        html! {
            li {
                h2 { (client.name) " " (provenance(&client.id, source)) }
                dl {
                    div {
                        dt { "Answers to" }
                        dd {
                            strong { (host) }
                            @if client.redirect_uri.is_loopback() { " (a program on your computer)" }
                        }
                    }
                    div {
                        dt { "May" }
                        @if let Some(allowed) = self.allowed {
                            @for ability in abilities(grant.scope.min(allowed)) {
                                dd { (ability) }
                            }
                        }
                    }
                    div {
                        dt { "Connected" }
                        dd { (moment(grant.created_at)) }
                    }
                    div {
                        dt { "Last used" }
                        dd {
                            @match grant.used_at {
                                Some(used_at) => (moment(used_at)),
                                None => "not yet",
                            }
                        }
                    }
                }
                form method="post" action=(self.base.join("/sessions/end")) {
                    (self.token())
                    input type="hidden" name="grant" value=(grant.id.as_str());
                    p.buttons {
                        // Read aloud without what stands around it, it still says which one it is.
                        button type="submit"
                            aria-label={
                                "End access of " (client.name) " at " (host) ", connected "
                                (text_of(grant.created_at))
                            }
                            { "End access" }
                    }
                }
            }
        }
    }

    fn token(&self) -> Markup {
        html! { input type="hidden" name="form_token" value=(self.form_token); }
    }
}

fn moment(time: Timestamp) -> Markup {
    html! { time { (text_of(time)) } }
}

/// A time as people read it: whose clock it is would take a script.
fn text_of(time: Timestamp) -> String {
    date::for_people(time).unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, text_of};

    #[test]
    fn times_are_shown_to_the_minute_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (1_800_000_059, "2027-01-15 08:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (u64::MAX, "unknown"),
        ] {
            assert_eq!(text_of(Timestamp::from_unix_seconds(seconds)), text);
        }
    }
}
