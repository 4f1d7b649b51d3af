//! Request parameters: form-encoded, in a query or in a body (RFC 6749 sections 3.1 and 3.2).

use std::borrow::Cow;

use http::header::CONTENT_TYPE;
use percent_encoding::percent_decode_str;

use crate::http::Request;

/// The most bytes of a form's body. The consent form's handle holds a client's `state` of up to
/// 4 KiB; nothing else comes near.
const MAX_BODY: usize = 64 * 1024;

/// The most parameters of a request. Repetitions are looked for by comparing each with each.
const MAX_PARAMETERS: usize = 64;

/// The parameters of one request, in their order.
#[derive(Debug, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

/// Why there are no parameters to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParametersError {
    /// The body is of another type.
    #[error("the body must be application/x-www-form-urlencoded")]
    ContentType,
    /// The body is too long.
    #[error("the body is too large")]
    TooLarge,
    /// There are too many of them.
    #[error("there are too many parameters")]
    TooMany,
    /// A name or a value is no text.
    #[error("the parameters must be UTF-8")]
    NotUtf8,
}

/// A parameter stands there more than once, which RFC 6749 section 3.1 forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a parameter is repeated")]
pub(super) struct Repeated;

impl Parameters {
    /// The parameters in a request's query.
    pub(super) fn of_query(request: &Request) -> Result<Self, ParametersError> {
        Self::parse(request.uri().query().unwrap_or_default())
    }

    /// The parameters in a request's body.
    pub(super) fn of_body(request: &Request) -> Result<Self, ParametersError> {
        let content_type = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let is_form = content_type.is_some_and(|value| {
            let essence = value.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
        });
        if !is_form {
            return Err(ParametersError::ContentType);
        }
        if request.body().len() > MAX_BODY {
            return Err(ParametersError::TooLarge);
        }
        let text = std::str::from_utf8(request.body()).map_err(|_| ParametersError::NotUtf8)?;
        Self::parse(text)
    }

    /// Decoding is strict where the URL standard's is lossy: a `state` has to go back as it came,
    /// or not at all.
    fn parse(text: &str) -> Result<Self, ParametersError> {
        let decode = |part: &str| {
            let spaced = part.replace('+', " ");
            let decoded = percent_decode_str(&spaced)
                .decode_utf8()
                .map(Cow::into_owned);
            decoded.map_err(|_| ParametersError::NotUtf8)
        };
        if text.split('&').count() > MAX_PARAMETERS {
            return Err(ParametersError::TooMany);
        }
        text.split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Ok((decode(name)?, decode(value)?))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The value of `name`; `None` where it is absent or empty, which is the same
    /// (RFC 6749 section 3.1).
    pub(super) fn one(&self, name: &str) -> Result<Option<&str>, Repeated> {
        match self.all(name).as_slice() {
            [] => Ok(None),
            [value] => Ok(Some(*value).filter(|value| !value.is_empty())),
            [_, _, ..] => Err(Repeated),
        }
    }

    /// Every value of `name` that is not empty, where it may stand there more than once.
    pub(super) fn values(&self, name: &str) -> Vec<&str> {
        self.all(name)
            .into_iter()
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// Every value of `name`.
    fn all(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(present, _)| present == name);
        values.map(|(_, value)| value.as_str()).collect()
    }

    /// Whether any parameter but `except` stands there more than once.
    pub(super) fn any_repeated(&self, except: &str) -> bool {
        self.0
            .iter()
            .any(|(name, _)| name != except && self.all(name).len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameters, ParametersError, Repeated};

    #[test]
    fn values_are_decoded_and_empty_ones_are_absent() {
        let parameters = Parameters::parse("a=x+y%26&b=&c&d=1&d=2&%61b=3").unwrap();
        assert_eq!(parameters.one("a"), Ok(Some("x y&")));
        assert_eq!(parameters.one("b"), Ok(None));
        assert_eq!(parameters.one("c"), Ok(None));
        assert_eq!(parameters.one("d"), Err(Repeated));
        assert_eq!(parameters.one("ab"), Ok(Some("3")));
        assert_eq!(parameters.values("d"), ["1", "2"]);
        assert!(parameters.values("b").is_empty());
        assert!(parameters.any_repeated("a"));
        assert!(!parameters.any_repeated("d"));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(
            Parameters::parse("state=%FF").unwrap_err(),
            ParametersError::NotUtf8
        );
    }

    #[test]
    fn a_flood_of_parameters_is_refused() {
        assert!(Parameters::parse(&"a&".repeat(63)).is_ok());
        assert_eq!(
            Parameters::parse(&"a&".repeat(64)).unwrap_err(),
            ParametersError::TooMany
        );
    }

    #[test]
    fn e1_only_forms_are_read() {
        let read = |content_type: &str| {
            let request = http::Request::builder().header("content-type", content_type);
            Parameters::of_body(&request.body("a=1".into()).unwrap()).map(drop)
        };
        assert_eq!(read("application/x-www-form-urlencoded"), Ok(()));
        assert_eq!(
            read("Application/X-WWW-Form-Urlencoded ; charset=UTF-8"),
            Ok(())
        );
        assert_eq!(read("application/json"), Err(ParametersError::ContentType));
        assert_eq!(read("text/plain"), Err(ParametersError::ContentType));
        let large = http::Request::builder()
            .header("content-type", "application/x-www-form-urlencoded")
            .body(vec![b'a'; 64 * 1024 + 1].into())
            .unwrap();
        assert_eq!(
            Parameters::of_body(&large).unwrap_err(),
            ParametersError::TooLarge
        );
    }
}
