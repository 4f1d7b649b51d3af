//! Addresses in answers.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::git::Oid;

/// What stays readable in a path segment (RFC 3986, unreserved characters).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The addresses of one repository.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Scheme and authority, for the API and the web pages alike.
    pub(crate) origin: String,
    /// `owner/name` as it is now.
    pub(crate) full_name: String,
}

impl Links {
    /// An address of the repository's API; `rest` is empty or starts with a slash.
    pub(crate) fn api(&self, rest: &str) -> String {
        format!("{}/repos/{}{rest}", self.origin, self.full_name)
    }

    /// An address of the repository's web pages.
    pub(crate) fn web(&self, rest: &str) -> String {
        format!("{}/{}{rest}", self.origin, self.full_name)
    }

    pub(crate) fn tree(&self, oid: Oid) -> String {
        self.api(&format!("/git/trees/{oid}"))
    }

    pub(crate) fn blob(&self, oid: Oid) -> String {
        self.api(&format!("/git/blobs/{oid}"))
    }

    pub(crate) fn contents(&self, path: &str, reference: &str) -> String {
        self.api(&format!(
            "/contents/{}?ref={}",
            encoded(path),
            encoded(reference)
        ))
    }

    /// The web page of a file or folder.
    pub(crate) fn page(&self, kind: &str, path: &str, reference: &str) -> String {
        self.web(&format!("/{kind}/{}/{}", encoded(reference), encoded(path)))
    }
}

/// Percent-encodes each segment and keeps the slashes.
pub(crate) fn encoded(path: &str) -> String {
    path.split('/')
        .map(|segment| utf8_percent_encode(segment, SEGMENT).to_string())
        .collect::<Vec<_>>()
        .join("/")
}
