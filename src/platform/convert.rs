//! Between Workers' request and response objects and the core's.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, Method, Uri};

use crate::{
    http::Response,
    runtime::{ByteStream, FetchError},
};

/// A request whose body is still on its way; `None` where its URL, method or headers cannot be
/// read.
pub(crate) fn request(mut from: worker::Request) -> Option<http::Request<ByteStream>> {
    // `worker::Request::method` takes unknown methods for GET; the raw text does not.
    let method = Method::from_bytes(from.inner().method().as_bytes()).ok()?;
    let uri: Uri = from.inner().url().parse().ok()?;
    let headers = HeaderMap::from(from.headers());
    let body: ByteStream = if from.inner().body().is_none() {
        Box::pin(stream::empty())
    } else {
        let pieces = from.stream().ok()?;
        let broken = |error: worker::Error| FetchError::Network(error.to_string());
        Box::pin(pieces.map(move |piece| piece.map(Bytes::from).map_err(broken)))
    };
    let mut to = http::Request::new(body);
    *to.method_mut() = method;
    *to.uri_mut() = uri;
    *to.headers_mut() = headers;
    Some(to)
}

/// Makes the Worker's answer out of the core's.
pub(crate) fn response(from: Response) -> worker::Result<worker::Response> {
    let (parts, body) = from.into_parts();
    let empty = body.is_empty();
    let to = if empty {
        worker::Response::empty()?
    } else {
        worker::Response::from_bytes(body.to_vec())?
    };
    Ok(to
        .with_status(parts.status.as_u16())
        .with_headers(worker::Headers::from(parts.headers)))
}
