//! `GET git/blobs/{file_sha}`.

use axum::http::StatusCode;
use serde_json::json;

use crate::git::{ObjectKind, Oid};
use crate::github::answer::{Answer, Validator};
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::media::Media;
use crate::github::wire;

/// A blob (GitHub docs, "Get a blob"): base64 in JSON, or its bytes with the raw media type. A
/// malformed name is 422, an unknown one 404 (silvanocerza/github-gitless-sync#47).
pub(super) async fn get(call: &Call<'_>, sha: &str) -> Result<Answer, ApiError> {
    let oid: Oid = sha.parse().map_err(|_| ApiError::MalformedSha)?;
    let bytes = call.hosted.git.read_kind(ObjectKind::Blob, oid).await?;
    let bytes = call.require(bytes, ApiError::NotFound).await?;
    let raw = call.request.media() == Media::Raw;
    let identity = Validator::Text(format!("blob {oid} {raw}"));
    if raw {
        let answer = Answer::of(StatusCode::OK, super::contents::RAW_TYPE, bytes);
        return Ok(answer.validated(identity));
    }
    let answer = Answer::ok(&json!({
        "sha": sha,
        "node_id": format!("B_{sha}"),
        "size": bytes.len(),
        "url": call.links.blob(oid),
        "content": wire::base64_lines(&bytes),
        "encoding": "base64",
    }));
    Ok(answer.validated(identity))
}
