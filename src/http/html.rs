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

const STYLE: &str = "\
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
body{max-width:34rem;margin:4rem auto;padding:0 1.25rem}\
h1{font-size:1.4rem}dt{font-weight:600;margin-top:.75rem}dd{margin:0;overflow-wrap:anywhere}\
code{overflow-wrap:anywhere}\
.warning{border:2px solid #b45309;border-radius:.5rem;padding:.75rem 1rem;margin:1.25rem 0}\
.tag{border:1px solid;border-radius:.25rem;padding:0 .35rem;font-size:.8rem}\
label{display:block;margin:1.25rem 0}\
button{font:inherit;padding:.6rem 1.4rem;margin-right:.75rem;border-radius:.4rem;\
border:1px solid;cursor:pointer}\
button.primary{background:#1d4ed8;border-color:#1d4ed8;color:#fff}";

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
