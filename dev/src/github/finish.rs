//! What every answer gets after its operation: entity tag, 304, and the common headers.

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use sha2::{Digest as _, Sha256};

use super::answer::{Answer, AnswerBody, Validator};
use super::limits::RateState;
use super::request::ApiRequest;
use super::tokens::{Token, hex};

/// Adds the entity tag; turns an answer the client has into 304 (GitHub docs, "Best practices for
/// using the REST API"). Tags differ by token (eclipse-csi/otterdog#201).
pub(super) fn validate(answer: &mut Answer, request: &ApiRequest, token: Option<&Token>) {
    let source = match (&answer.validator, &answer.body) {
        (Validator::None, _) | (Validator::Body, AnswerBody::Stream(_)) => return,
        (Validator::Exact(tag), _) => Err(tag.clone()),
        (Validator::Text(text), _) => Ok(text.as_bytes().to_vec()),
        (Validator::Body, AnswerBody::Whole(bytes)) => Ok(bytes.to_vec()),
    };
    let (strong, tag) = match source {
        Err(tag) => (tag.clone(), tag),
        Ok(source) => {
            let mut hash = Sha256::new_with_prefix(source);
            hash.update(token.map(Token::fingerprint).unwrap_or_default());
            let strong = format!("\"{}\"", hex(&hash.finalize()));
            (strong.clone(), format!("W/{strong}"))
        }
    };
    answer.header("etag", &tag);
    let readable = matches!(request.method, Method::GET | Method::HEAD);
    if readable && answer.status == StatusCode::OK && request.known_tags().contains(&&*strong) {
        answer.status = StatusCode::NOT_MODIFIED;
        answer.headers.retain(|(name, _)| name != "content-type");
        answer.body = AnswerBody::Whole(Bytes::new());
    }
}

/// Adds the headers that every answer of the API has.
pub(super) fn dressed(
    mut answer: Answer,
    request: &ApiRequest,
    token: Option<&Token>,
    rate: Option<RateState>,
) -> Answer {
    if let Some(expires) = token.and_then(|token| token.expires.as_ref()) {
        // nearform/github-snooze-chrome-extension#11 reads it.
        answer.header("github-authentication-token-expiration", expires);
    }
    if let Some(rate) = rate {
        answer.header("x-ratelimit-limit", &rate.limit.to_string());
        answer.header("x-ratelimit-remaining", &rate.remaining().to_string());
        answer.header("x-ratelimit-used", &rate.used.to_string());
        answer.header("x-ratelimit-reset", &rate.reset.to_string());
        answer.header("x-ratelimit-resource", "core");
    }
    // A cache that honours this serves old shas for a minute (TiddlyWiki/TiddlyWiki5#5119).
    if matches!(
        answer.status,
        StatusCode::OK | StatusCode::CREATED | StatusCode::NOT_MODIFIED
    ) {
        answer.header("cache-control", "private, max-age=60, s-maxage=60");
    }
    answer.header("vary", "Accept, Authorization, Cookie, X-GitHub-OTP");
    answer.header("x-github-media-type", request.media().header());
    let version = request
        .header("x-github-api-version")
        .unwrap_or("2022-11-28")
        .to_owned();
    answer.header("x-github-api-version-selected", &version);
    answer.header("x-content-type-options", "nosniff");
    answer
}
