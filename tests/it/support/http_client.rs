//! Outgoing HTTP on the host: plain HTTP to loopback, by hyper.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use vault_mcp::runtime::{FetchError, HttpClient, Limits};

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
        assert_loopback(request.uri());
        tokio::time::timeout(limits.timeout, async {
            let answer = self
                .client
                .request(request.map(Full::new))
                .await
                .map_err(network)?;
            let (head, mut body) = answer.into_parts();
            let mut collected = BytesMut::new();
            while let Some(frame) = body.frame().await {
                if let Ok(chunk) = frame.map_err(network)?.into_data() {
                    if collected.len() + chunk.len() > limits.max_body {
                        return Err(FetchError::TooLarge);
                    }
                    collected.extend_from_slice(&chunk);
                }
            }
            Ok(http::Response::from_parts(head, collected.freeze()))
        })
        .await
        .unwrap_or(Err(FetchError::Timeout))
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
