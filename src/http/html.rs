//! The frame of every page: no script, nothing from elsewhere, escaped by construction.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::StatusCode;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    Response,
    headers::{self, PagePolicy},
};
use crate::runtime::Rng;

/// The one style of all pages. It follows the person's choice of light or dark, and names no font, image
/// or address from elsewhere.
const STYLE: &str = include_str!("style.css");

/// A page with `body` in its frame. Its forms may lead to the sources of `form_action` alone.
#[must_use]
pub fn page(
    status: StatusCode,
    title: &str,
    body: &Markup,
    form_action: &[String],
    rng: &dyn Rng,
) -> Response {
    let mut nonce = [0; 16];
    // Without a nonce of its own the page is shown without its style, and is as safe.
    let style = rng.fill(&mut nonce).is_ok();
    let nonce = STANDARD.encode(nonce);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                @if style { style nonce=(nonce) { (PreEscaped(STYLE)) } }
            }
            body { main { (body) } }
        }
    };
    let mut response = Response::new(Bytes::from(page.into_string()));
    *response.status_mut() = status;
    let policy = PagePolicy {
        style_nonce: &nonce,
        form_action,
    };
    headers::html_page(response.headers_mut(), &policy);
    response
}
