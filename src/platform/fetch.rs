//! Outgoing HTTP by Workers' `fetch`.

use std::{mem, time::Duration};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream,
};
use worker::{
    AbortController, AbortSignal, CacheMode, Delay, Fetch, Headers, RequestInit, RequestRedirect,
    js_sys::Uint8Array, wasm_bindgen::JsValue,
};

use crate::runtime::{ByteStream, FetchError, HttpClient, Limits, StreamingHttpClient};

/// `fetch`, kept to the contract of [`HttpClient`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerFetch;

#[async_trait(?Send)]
impl HttpClient for WorkerFetch {
    async fn send(
        &self,
        request: http::Request<Bytes>,
        limits: Limits,
    ) -> Result<http::Response<Bytes>, FetchError> {
        // Aborting is what frees the connection of an answer that is not read to its end: Workers
        // have six of them.
        let controller = AbortController::default();
        let signal = controller.signal();
        let answer = timeout(limits.timeout, exchange(request, limits.max_body, &signal)).await;
        if answer.is_err() {
            controller.abort();
        }
        answer
    }
}

/// Gives up on `future` after `limit`; Workers' `fetch` has no time limit of its own.
async fn timeout<T>(
    limit: Duration,
    future: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    match select(std::pin::pin!(future), Delay::from(limit)).await {
        Either::Left((answer, _)) => answer,
        Either::Right(((), _)) => Err(FetchError::Timeout),
    }
}

/// Sends a request and collects its answer.
async fn exchange(
    request: http::Request<Bytes>,
    max_body: usize,
    signal: &AbortSignal,
) -> Result<http::Response<Bytes>, FetchError> {
    let mut answer = Fetch::Request(outgoing(request)?)
        .send_with_signal(signal)
        .await
        .map_err(|error| FetchError::Network(error.to_string()))?;

    let mut collected = BytesMut::new();
    // An answer without a body (204, 304) has no stream.
    if let Ok(mut stream) = answer.stream() {
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| FetchError::Network(error.to_string()))?;
            if collected.len() + chunk.len() > max_body {
                return Err(FetchError::TooLarge);
            }
            collected.extend_from_slice(&chunk);
        }
    }
    let mut response = http::Response::new(collected.freeze());
    *response.status_mut() = http::StatusCode::from_u16(answer.status_code())
        .map_err(|error| FetchError::Network(error.to_string()))?;
    *response.headers_mut() = http::HeaderMap::from(answer.headers());
    Ok(response)
}

/// The Workers form of a request: redirects are left to the caller, caches are left out.
fn outgoing(request: http::Request<Bytes>) -> Result<worker::Request, FetchError> {
    let (parts, body) = request.into_parts();
    let mut init = RequestInit::new();
    init.with_method(worker::Method::from(parts.method.as_str().to_owned()))
        .with_headers(Headers::from(parts.headers))
        .with_redirect(RequestRedirect::Manual)
        .with_cache(CacheMode::NoStore);
    if !body.is_empty() {
        init.with_body(Some(JsValue::from(Uint8Array::from(&body[..]))));
    }
    worker::Request::new_with_init(&parts.uri.to_string(), &init)
        .map_err(|error| FetchError::Network(error.to_string()))
}

#[async_trait(?Send)]
impl StreamingHttpClient for WorkerFetch {
    async fn open(
        &self,
        request: http::Request<Bytes>,
        limits: Limits,
    ) -> Result<http::Response<ByteStream>, FetchError> {
        let abort = AbortOnDrop(Some(AbortController::default()));
        let signal = abort.signal();
        let deadline = Delay::from(limits.timeout);
        let sent = async {
            Fetch::Request(outgoing(request)?)
                .send_with_signal(&signal)
                .await
                .map_err(|error| FetchError::Network(error.to_string()))
        };
        let (mut answer, deadline) = match select(std::pin::pin!(sent), deadline).await {
            Either::Left((answer, deadline)) => (answer?, deadline),
            Either::Right(((), _)) => return Err(FetchError::Timeout),
        };
        let headers = http::HeaderMap::from(answer.headers());
        let status = http::StatusCode::from_u16(answer.status_code())
            .map_err(|error| FetchError::Network(error.to_string()))?;
        let body: ByteStream = match answer.stream() {
            Ok(chunks) => Incoming {
                chunks,
                deadline,
                room: limits.max_body,
                missing: announced_length(&headers),
                _abort: abort,
            }
            .into_stream(),
            // An answer without a body has no stream.
            Err(_) => stream::empty().boxed_local(),
        };
        let mut response = http::Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// The length that an answer says its body has, where it is sent as it is.
fn announced_length(headers: &http::HeaderMap) -> Option<usize> {
    if headers.contains_key(http::header::CONTENT_ENCODING) {
        // The runtime decodes the body: its length is another one.
        return None;
    }
    headers
        .get(http::header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// Aborts its request when dropped, so that a body that nobody reads to its end holds no
/// connection.
struct AbortOnDrop(Option<AbortController>);

impl AbortOnDrop {
    fn signal(&self) -> AbortSignal {
        self.0
            .as_ref()
            .map_or_else(AbortSignal::abort, AbortController::signal)
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(controller) = mem::take(&mut self.0) {
            controller.abort();
        }
    }
}

/// A body on its way.
struct Incoming {
    chunks: worker::ByteStream,
    deadline: Delay,
    /// How many bytes may still come.
    room: usize,
    /// How many bytes have still to come, where that was announced.
    missing: Option<usize>,
    _abort: AbortOnDrop,
}

impl Incoming {
    /// The body's chunks. The first error is the last item.
    fn into_stream(self) -> ByteStream {
        stream::unfold(Some(self), |incoming| async {
            let mut incoming = incoming?;
            match incoming.next().await {
                Ok(None) => None,
                Ok(Some(chunk)) => Some((Ok(chunk), Some(incoming))),
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed_local()
    }

    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = match select(self.chunks.next(), &mut self.deadline).await {
            Either::Left((chunk, _)) => chunk,
            Either::Right(((), _)) => return Err(FetchError::Timeout),
        };
        let Some(chunk) = chunk else {
            return match self.missing {
                None | Some(0) => Ok(None),
                Some(missing) => Err(FetchError::Network(format!("{missing} bytes are missing"))),
            };
        };
        let chunk = chunk.map_err(|error| FetchError::Network(error.to_string()))?;
        self.room = self
            .room
            .checked_sub(chunk.len())
            .ok_or(FetchError::TooLarge)?;
        self.missing = self
            .missing
            .map(|missing| missing.saturating_sub(chunk.len()));
        Ok(Some(Bytes::from(chunk)))
    }
}
