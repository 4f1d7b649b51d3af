//! A name for one request, by which everything that is logged about it is found.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::Request;
use crate::runtime::Rng;

/// The header in which Cloudflare names a request; its own logs and error pages show the same.
const CF_RAY: &str = "cf-ray";
/// The longest name that is taken over.
const MAX_LENGTH: usize = 64;

/// The name of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(String);

impl RequestId {
    /// The name of `request`: Cloudflare's where it has one, else 96 random bits. It is a name and
    /// nothing is decided by it, so it may be missing where there is no randomness.
    #[must_use]
    pub fn of(request: &Request, rng: &dyn Rng) -> Self {
        let ray = request
            .headers()
            .get(CF_RAY)
            .and_then(|ray| ray.to_str().ok());
        if let Some(ray) = ray.filter(|ray| is_plain(ray)) {
            return Self(ray.to_owned());
        }
        let mut bytes = [0; 12];
        match rng.fill(&mut bytes) {
            Ok(()) => Self(URL_SAFE_NO_PAD.encode(bytes)),
            Err(_) => Self("none".to_owned()),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text is fit for a line of a log.
fn is_plain(text: &str) -> bool {
    (1..=MAX_LENGTH).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
