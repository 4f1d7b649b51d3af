//! Between Workers' request and response objects and the core's.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use http::{HeaderMap, Method, Uri};

use crate::http::{Request, Response};

/// The most bytes of body that a request may bring.
pub(crate) const MAX_REQUEST_BODY: usize = 4 * 1024 * 1024;

/// Why a request cannot be handed to the core.
pub(crate) enum Unreadable {
    /// Its body is over [`MAX_REQUEST_BODY`].
    TooLarge,
    /// Its URL, method, headers or body cannot be read.
    Malformed,
}

/// Reads a whole request, its body included.
pub(crate) async fn request(mut from: worker::Request) -> Result<Request, Unreadable> {
    // `worker::Request::method` takes unknown methods for GET; the raw text does not.
    let method =
        Method::from_bytes(from.inner().method().as_bytes()).map_err(|_| Unreadable::Malformed)?;
    let uri: Uri = from
        .inner()
        .url()
        .parse()
        .map_err(|_| Unreadable::Malformed)?;
    let headers = HeaderMap::from(from.headers());
    let body = match from.inner().body() {
        None => Bytes::new(),
        Some(_) => body(from.stream().map_err(|_| Unreadable::Malformed)?).await?,
    };
    let mut to = Request::new(body);
    *to.method_mut() = method;
    *to.uri_mut() = uri;
    *to.headers_mut() = headers;
    Ok(to)
}

/// Collects a body; dropping the stream at the limit cancels the rest.
async fn body(mut stream: worker::ByteStream) -> Result<Bytes, Unreadable> {
    let mut collected = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Unreadable::Malformed)?;
        if collected.len() + chunk.len() > MAX_REQUEST_BODY {
            return Err(Unreadable::TooLarge);
        }
        collected.extend_from_slice(&chunk);
    }
    Ok(collected.freeze())
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
