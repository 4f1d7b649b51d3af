//! The server's HTTP face: requests and responses as values, the table of routes, and the policy of
//! headers. Nothing here knows what a grant or a note is.

mod app;
pub mod body;
pub mod headers;
pub mod html;
mod origin;
mod pages;
mod request_id;
pub mod routes;
mod webhook;

use ::http::StatusCode;
use bytes::Bytes;
use serde::Serialize;

pub use app::App;
pub(crate) use origin::is_same_origin;
pub use pages::misconfigured;
pub use request_id::RequestId;
pub use webhook::Webhook;

/// A request with its whole body.
pub type Request = ::http::Request<Bytes>;

/// A response with its whole body.
pub type Response = ::http::Response<Bytes>;

/// A JSON answer that no cache keeps.
#[must_use]
pub fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut response = match serde_json::to_vec(body) {
        Ok(body) => Response::new(Bytes::from(body)),
        // Only maps whose keys are no strings fail to serialize; there are none.
        Err(_) => Response::new(Bytes::from_static(b"{\"error\":\"server_error\"}")),
    };
    *response.status_mut() = status;
    headers::json(response.headers_mut());
    headers::no_store(response.headers_mut());
    response
}
