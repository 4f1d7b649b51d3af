//! The webhook: what GitHub sends when a branch has moved.
//!
//! Shape and headers follow GitHub's documentation of the `push` event and of "Validating webhook
//! deliveries". Of the commits, only the newest is named, by its id: a receiver has to look anyway.

use std::io;

use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

use super::hosted::Hosted;
use super::tokens::hex;
use crate::git::Oid;

/// Where deliveries go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookTarget {
    /// The receiver; plain HTTP, as everything on one machine.
    pub url: Url,
    /// What deliveries are signed with.
    pub secret: String,
}

/// The payload, in GitHub's order.
#[derive(Debug, Serialize)]
struct Payload<'a> {
    r#ref: String,
    before: String,
    after: String,
    repository: Repository<'a>,
    created: bool,
    deleted: bool,
    forced: bool,
    commits: [Commit; 1],
}

#[derive(Debug, Serialize)]
struct Repository<'a> {
    id: u64,
    full_name: &'a str,
    private: bool,
    default_branch: &'a str,
}

#[derive(Debug, Serialize)]
struct Commit {
    id: String,
}

/// One delivery, ready to be sent.
#[derive(Debug)]
pub(crate) struct Delivery {
    target: WebhookTarget,
    body: Vec<u8>,
}

impl Delivery {
    /// Tells `target` that `branch` of a repository moved from `before` to `after`.
    pub(crate) fn of_push(
        target: WebhookTarget,
        hosted: &Hosted,
        branch: &str,
        (before, after): (Option<Oid>, Oid),
    ) -> io::Result<Self> {
        let body = serde_json::to_vec(&Payload {
            r#ref: format!("refs/heads/{branch}"),
            before: before.map_or_else(|| "0".repeat(40), |before| before.to_string()),
            after: after.to_string(),
            repository: Repository {
                id: hosted.id,
                full_name: &hosted.full_name,
                private: true,
                default_branch: &hosted.default_branch,
            },
            created: before.is_none(),
            deleted: false,
            forced: false,
            commits: [Commit {
                id: after.to_string(),
            }],
        })?;
        Ok(Self { target, body })
    }

    /// Sends it, and returns the status of the answer. As GitHub does, it is sent once.
    pub(crate) async fn send(self) -> io::Result<u16> {
        let url = &self.target.url;
        let unusable =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("no receiver: {url}"));
        let host = url.host_str().ok_or_else(unusable)?;
        let port = url.port_or_known_default().ok_or_else(unusable)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(self.target.secret.as_bytes())
            .map_err(io::Error::other)?;
        mac.update(&self.body);
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {host}:{port}\r\nuser-agent: GitHub-Hookshot/look-alike\r\n\
             content-type: application/json\r\nx-github-event: push\r\n\
             x-hub-signature-256: sha256={}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            url.path(),
            hex(&mac.finalize().into_bytes()),
            self.body.len(),
        );
        let mut stream = TcpStream::connect((host, port)).await?;
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&self.body).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        let status = answer
            .get(9..12)
            .and_then(|digits| str::from_utf8(digits).ok());
        status
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| io::Error::other("the receiver's answer is no HTTP"))
    }
}
