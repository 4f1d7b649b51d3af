//! The body of a request, while it arrives.

use std::future::ready;

use ::http::StatusCode;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use serde_json::json as object;

use super::{Response, json};
use crate::runtime::ByteStream;

/// The most bytes of body that a request may bring, the webhook's aside.
pub const MAX_REQUEST_BODY: usize = 4 * 1024 * 1024;

/// Reads a body to its end, and no further than `most` bytes. What is not read is cancelled.
pub(super) async fn collect(mut body: ByteStream, most: usize) -> Result<Bytes, Response> {
    let mut collected = BytesMut::new();
    while let Some(piece) = body.next().await {
        let Ok(piece) = piece else {
            return Err(refused(
                StatusCode::BAD_REQUEST,
                "the request cannot be read",
            ));
        };
        if collected.len() + piece.len() > most {
            return Err(refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the body is too large",
            ));
        }
        collected.extend_from_slice(&piece);
    }
    Ok(collected.freeze())
}

/// A body that is there already.
pub(super) fn whole(body: Bytes) -> ByteStream {
    Box::pin(stream::once(ready(Ok(body))))
}

fn refused(status: StatusCode, why: &'static str) -> Response {
    json(
        status,
        &object!({ "error": "invalid_request", "error_description": why }),
    )
}
