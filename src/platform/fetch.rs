//! Outgoing HTTP by Workers' `fetch`.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::{
    StreamExt,
    future::{Either, select},
};
use worker::{
    AbortController, AbortSignal, CacheMode, Delay, Fetch, Headers, RequestInit, RequestRedirect,
    js_sys::Uint8Array, wasm_bindgen::JsValue,
};

use crate::runtime::{FetchError, HttpClient, Limits};

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
