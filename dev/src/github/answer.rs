//! An answer before the headers that every answer has.

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

/// What an answer's `ETag` is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Validator {
    /// The answer has none.
    None,
    /// The body's hash, mixed with the token (eclipse-csi/otterdog#201).
    Body,
    /// This text's hash, mixed with the token: for what an object's name determines.
    Text(String),
    /// This text as it stands: the `sha` media type (GitHub docs, "Get a commit").
    Exact(String),
}

/// Status, headers and body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: AnswerBody,
    pub(crate) validator: Validator,
    /// Which refusal it is, by its variant's name; `None` for what is no [`ApiError`].
    ///
    /// [`ApiError`]: super::error::ApiError
    pub(crate) refusal: Option<&'static str>,
}

/// The body of an [`Answer`].
#[derive(Debug)]
pub(crate) enum AnswerBody {
    Whole(Bytes),
    Stream(Body),
}

impl Answer {
    /// A JSON answer.
    pub(crate) fn json(status: StatusCode, body: &Value) -> Self {
        Self::of(status, "application/json; charset=utf-8", body.to_string())
    }

    /// An answer with an entity tag made from its body.
    pub(crate) fn ok(body: &Value) -> Self {
        Self::json(StatusCode::OK, body).validated(Validator::Body)
    }

    /// Bytes of some type.
    pub(crate) fn of(status: StatusCode, content_type: &str, body: impl Into<Bytes>) -> Self {
        let mut answer = Self {
            status,
            headers: Vec::new(),
            body: AnswerBody::Whole(body.into()),
            validator: Validator::None,
            refusal: None,
        };
        answer.header("content-type", content_type);
        answer
    }

    /// Sets what the entity tag is made from.
    #[must_use]
    pub(crate) fn validated(mut self, validator: Validator) -> Self {
        self.validator = validator;
        self
    }

    /// Adds a header; a value that HTTP cannot carry is left out.
    pub(crate) fn header(&mut self, name: &'static str, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((HeaderName::from_static(name), value));
        }
    }

    /// The HTTP response.
    pub(crate) fn into_response(self) -> Response {
        let body = match self.body {
            AnswerBody::Whole(bytes) => Body::from(bytes),
            AnswerBody::Stream(body) => body,
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers);
        response
    }
}
