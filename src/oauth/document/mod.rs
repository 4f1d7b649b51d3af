//! Clients that are known by a document which they publish themselves: the identifier is its URL
//! (draft-ietf-oauth-client-id-metadata-document, which the MCP specification prefers to dynamic
//! registration).

mod freshness;
mod metadata;
mod pinned;
mod url;

use std::time::Duration;

use bytes::Bytes;
use http::{
    Response, StatusCode,
    header::{ACCEPT, USER_AGENT},
};
use serde_json::{Map, Value};

pub(super) use self::{metadata::DocumentError, url::DocumentUrl};
use super::{
    AuthorizationServer,
    client::Client,
    event::{AuthEvent, Endpoint},
    state::{ConsultDocument, Consulted, KeepDocument, LinkError},
    types::ClientId,
};
use crate::runtime::{FetchError, Limits, Timestamp};

/// What fetching a document may cost.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(10),
    max_body: 5 * 1024,
};
/// How long the last good document stands in for one that cannot be fetched.
const STALE: Duration = Duration::from_hours(7 * 24);

/// Why a document cannot be had. None of these is remembered: the next request tries again.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unfetchable {
    /// No answer.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// An answer other than 200. Redirects are not followed: they could lead anywhere.
    #[error("status {0}")]
    Status(StatusCode),
    /// An answer that is no JSON object: a bot wall, or a web site's own page.
    #[error("not a JSON object")]
    NotJson,
    /// Too many documents are being fetched at the moment.
    #[error("too many documents at the moment")]
    Busy,
}

/// Why a client with a document is not to be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    /// The document cannot be fetched at the moment.
    #[error("the client's document cannot be fetched: {0}")]
    Unfetchable(#[from] Unfetchable),
    /// The document was fetched and cannot be accepted.
    #[error("the client's document was refused: {0}")]
    Document(#[from] DocumentError),
    /// The state cannot be reached.
    #[error(transparent)]
    Unavailable(#[from] LinkError),
}

/// A fetched document.
struct Fetched {
    members: Map<String, Value>,
    fresh_for: Duration,
}

impl AuthorizationServer {
    /// The client that the document at `url` describes.
    ///
    /// 1. A document that is still fresh is taken from the state.
    /// 2. Otherwise it is fetched, within [`LIMITS`], unless too many are at the moment.
    /// 3. What was fetched is checked and kept.
    /// 4. Where it cannot be fetched, the last good one stands in for up to [`STALE`], and after
    ///    that the pinned one, if it is Claude's. It then counts for a few minutes, so that an
    ///    outage elsewhere does not slow every login down here.
    pub(super) async fn resolve_document(
        &self,
        id: &ClientId,
        url: &DocumentUrl,
    ) -> Result<Client, ResolveError> {
        // (1)
        let (last, may_fetch) = match self.state.apply(ConsultDocument { id: id.clone() }).await? {
            Consulted::Fresh(client) => return Ok(client),
            Consulted::Fetch(last) => (last, true),
            Consulted::Busy(last) => (last, false),
        };

        // (2)
        let fetched = if may_fetch {
            self.fetch_document(url).await
        } else {
            Err(Unfetchable::Busy)
        };
        let now = self.clock.now();
        let error = match fetched {
            // (3)
            Ok(Fetched { members, fresh_for }) => {
                let hosts = &self.settings.redirect_hosts;
                let client = metadata::check(id, url, members, hosts)?;
                self.keep(&client, now.after(fresh_for), now.after(STALE))
                    .await;
                return Ok(client);
            }
            Err(error) => error,
        };

        // (4)
        let event = AuthEvent::new(Endpoint::Authorize, "cimd_fetch_failed").client(id);
        self.log.record(&event.detail(&error));
        let again = now.after(freshness::MIN_FRESH);
        if let Some(last) = last.filter(|last| now < last.stale_at) {
            self.keep(&last.client, again, last.stale_at).await;
            return Ok(last.client);
        }
        let pinned = pinned::client(id).ok_or(error)?;
        self.keep(&pinned, again, again).await;
        Ok(pinned)
    }

    async fn fetch_document(&self, url: &DocumentUrl) -> Result<Fetched, Unfetchable> {
        let origin = self.settings.base_url.origin();
        let agent = format!("vault-mcp/{} (+{origin})", env!("CARGO_PKG_VERSION"));
        let request = http::Request::get(url.as_str())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, agent)
            .body(Bytes::new())
            .map_err(|error| FetchError::Network(error.to_string()))?;
        let response = self.http.send(request, LIMITS).await?;
        read(&response)
    }

    /// Keeps a document. Failing to is no reason to refuse the client.
    async fn keep(&self, client: &Client, fresh_until: Timestamp, stale_at: Timestamp) {
        let keep = KeepDocument {
            client: client.clone(),
            fresh_until,
            stale_at,
        };
        if let Err(error) = self.state.apply(keep).await {
            let event = AuthEvent::new(Endpoint::Authorize, "state_unavailable");
            self.log.record(&event.client(&client.id).detail(&error));
        }
    }
}

fn read(response: &Response<Bytes>) -> Result<Fetched, Unfetchable> {
    if response.status() != StatusCode::OK {
        return Err(Unfetchable::Status(response.status()));
    }
    let members = serde_json::from_slice(response.body()).map_err(|_| Unfetchable::NotJson)?;
    Ok(Fetched {
        members,
        fresh_for: freshness::fresh_for(response.headers()),
    })
}
