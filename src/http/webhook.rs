//! GitHub's webhook: a bell that says that the branch has moved.
//!
//! Whoever knows the secret may ring it. Nothing that a delivery says is believed: the index looks
//! at the branch itself. Source: GitHub's documentation of "Validating webhook deliveries" and of
//! the `push` event.

use ::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use hmac::{Hmac, Mac};
use serde::{
    Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::json as object;
use sha2::Sha256;

use super::{Response, json};
use crate::{
    runtime::ByteStream,
    secret::Secret,
    vault::storage::{CommitId, VaultStorage},
};

/// The largest delivery: GitHub sends none above 25 MB.
const MAX_DELIVERY: usize = 25 * 1024 * 1024;

/// How much of a delivery is held. What is wanted of a push stands before the list of its commits,
/// which can be megabytes.
const HELD: usize = 64 * 1024;

/// The header with the signature: `sha256=` and the digest in hexadecimal.
const SIGNATURE: &str = "x-hub-signature-256";

/// The header with the name of the event.
const EVENT: &str = "x-github-event";

/// The receiver of deliveries.
#[derive(Debug)]
pub struct Webhook {
    secret: Secret,
}

/// What is taken from a push.
#[derive(Debug, Default)]
struct Push {
    /// The branch or tag that moved, such as `refs/heads/main`.
    reference: Option<String>,
    /// Where it is now.
    after: Option<String>,
}

impl Webhook {
    /// A receiver of what is signed with `secret`.
    #[must_use]
    pub const fn new(secret: Secret) -> Self {
        Self { secret }
    }

    /// Takes a delivery, and rings where it is a push. In this order:
    ///
    /// 1. Without a signature and a form that can be read, the body stays unread.
    /// 2. The body is hashed as it comes and its beginning is held; too much is refused.
    /// 3. The signature is compared, in constant time. Until here nothing was parsed.
    /// 4. Events other than pushes are answered, and so is a push that names no commit.
    /// 5. A push rings. Whether it was one to the vault's branch, `storage` knows.
    pub(super) async fn receive(
        &self,
        headers: &HeaderMap,
        mut body: ByteStream,
        storage: &dyn VaultStorage,
    ) -> Response {
        // (1)
        let Some(signature) = signature(headers) else {
            return refused(StatusCode::UNAUTHORIZED, "the delivery is not signed");
        };
        if !is_json(headers) {
            let problem = "set the webhook's content type to application/json";
            return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem);
        }
        // (2)
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.secret.expose().as_bytes()) else {
            return refused(StatusCode::INTERNAL_SERVER_ERROR, "the secret is unusable");
        };
        let (mut beginning, mut bytes) = (Vec::new(), 0);
        while let Some(piece) = body.next().await {
            let Ok(piece) = piece else {
                return refused(StatusCode::BAD_REQUEST, "the delivery broke off");
            };
            bytes += piece.len();
            if bytes > MAX_DELIVERY {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, "the delivery is too large");
            }
            mac.update(&piece);
            beginning.extend(piece.iter().take(HELD - beginning.len()));
        }
        // (3)
        if mac.verify_slice(&signature).is_err() {
            return refused(StatusCode::UNAUTHORIZED, "the signature is not ours");
        }
        // (4)
        let event = headers.get(EVENT).and_then(|event| event.to_str().ok());
        if event != Some("push") {
            return answered("nothing to do for this event");
        }
        let push = Push::read(&beginning);
        let after = push.after.and_then(|after| CommitId::parse(&after).ok());
        let (Some(reference), Some(after)) = (push.reference, after) else {
            return answered("the push names no branch and commit");
        };
        // (5)
        match storage.hear_of(&reference, &after).await {
            Ok(()) => answered("the index will look"),
            Err(_) => refused(StatusCode::SERVICE_UNAVAILABLE, "the index is unavailable"),
        }
    }
}

/// The digest in the header, where it is one.
fn signature(headers: &HeaderMap) -> Option<[u8; 32]> {
    let digits = headers.get(SIGNATURE)?.to_str().ok()?;
    let digits = digits.strip_prefix("sha256=")?.as_bytes();
    let mut signature = [0; 32];
    if digits.len() != 2 * signature.len() {
        return None;
    }
    for (byte, pair) in signature.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = str::from_utf8(pair).ok()?;
        if !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(signature)
}

/// Whether the body is JSON; a webhook can also be set to send forms.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()?.parse::<mime::Mime>().ok());
    kind.is_some_and(|kind| kind.essence_str() == mime::APPLICATION_JSON.essence_str())
}

impl Push {
    /// Reads what is wanted, and stops there: what follows may be missing.
    fn read(beginning: &[u8]) -> Self {
        let mut push = Self::default();
        // That the rest is missing, or is no JSON, says nothing about what has been read.
        let _ = serde_json::Deserializer::from_slice(beginning).deserialize_map(&mut push);
        push
    }
}

impl<'de> Visitor<'de> for &mut Push {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the payload of a push")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while self.reference.is_none() || self.after.is_none() {
            match map.next_key::<String>()?.as_deref() {
                None => break,
                Some("ref") => self.reference = Some(map.next_value()?),
                Some("after") => self.after = Some(map.next_value()?),
                Some(_) => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A delivery that was taken: GitHub shows it as a success.
fn answered(what: &str) -> Response {
    json(StatusCode::ACCEPTED, &object!({ "status": what }))
}

/// A delivery that was not: GitHub shows it as a failure, with this text.
fn refused(status: StatusCode, why: &str) -> Response {
    let error = match status {
        StatusCode::UNAUTHORIZED => "unauthorized",
        _ => "invalid_delivery",
    };
    json(
        status,
        &object!({ "error": error, "error_description": why }),
    )
}
