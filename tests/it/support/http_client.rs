//! Outgoing HTTP on the host: plain HTTP to loopback, by hyper.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::time::{Instant, timeout_at};
use vault_mcp::runtime::{ByteStream, FetchError, HttpClient, Limits, StreamingHttpClient};

/// A client that reaches servers on this machine and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct LoopbackClient {
    client: Client<HttpConnector, Full<Bytes>>,
}

impl LoopbackClient {
    /// A client with its own connections. Needs a Tokio runtime while it sends.
    pub(crate) fn new() -> Self {
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(5))
            .build_http();
        Self { client }
    }
}

#[async_trait(?Send)]
impl HttpClient for LoopbackClient {
    async fn send(
        &self,
        request: http::Request<Bytes>,
        limits: Limits,
    ) -> Result<http::Response<Bytes>, FetchError> {
        let (head, mut body) = self.open(request, limits).await?.into_parts();
        let mut collected = BytesMut::new();
        while let Some(chunk) = body.next().await {
            collected.extend_from_slice(&chunk?);
        }
        Ok(http::Response::from_parts(head, collected.freeze()))
    }
}

#[async_trait(?Send)]
impl StreamingHttpClient for LoopbackClient {
    async fn open(
        &self,
        request: http::Request<Bytes>,
        limits: Limits,
    ) -> Result<http::Response<ByteStream>, FetchError> {
        assert_loopback(request.uri());
        let deadline = Instant::now() + limits.timeout;
        let answer = self.client.request(request.map(Full::new));
        let answer = timeout_at(deadline, answer)
            .await
            .map_err(|_| FetchError::Timeout)?;
        let (head, body) = answer.map_err(network)?.into_parts();
        let left = limits.max_body;
        let chunks = stream::try_unfold((body, left), move |(mut body, left)| async move {
            let next = timeout_at(deadline, body.frame())
                .await
                .map_err(|_| FetchError::Timeout)?;
            let Some(frame) = next else { return Ok(None) };
            // A frame without data holds trailers.
            let chunk = frame.map_err(network)?.into_data().unwrap_or_default();
            let left = left.checked_sub(chunk.len()).ok_or(FetchError::TooLarge)?;
            Ok(Some((chunk, (body, left))))
        });
        Ok(http::Response::from_parts(head, chunks.boxed_local()))
    }
}

/// A test that would reach another machine is a defect of the test.
fn assert_loopback(uri: &http::Uri) {
    let host = uri.host().unwrap_or_default();
    assert!(
        matches!(host, "localhost" | "127.0.0.1" | "[::1]") && uri.scheme_str() == Some("http"),
        "tests talk to loopback only, not to {uri}"
    );
}

fn network(error: impl std::error::Error) -> FetchError {
    FetchError::Network(error.to_string())
}
