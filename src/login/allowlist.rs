//! Who may enter, and with which right. Nobody else may.
//!
//! An allowlist is a text of entries, separated by commas or white space:
//!
//! | entry | admits |
//! | --- | --- |
//! | `owner@example.test` | that verified e-mail address (Google, OpenID) |
//! | `sub:248289761001` | that subject at the provider (Google, OpenID) |
//! | `octocat` | that login name (GitHub) |
//! | `id:583231` | that numeric account id (GitHub) |
//! | any of them with `:read` at its end | the same, to read only |
//!
//! A name means whoever it is pinned to ([`PinnedTo`]).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Identity, ProviderKind, email_address::EmailAddress, pin::PinnedTo};

/// What somebody may do with the vault. The order is that of the rights: the lesser is the `min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// To read notes.
    ReadOnly,
    /// To read, write and delete notes.
    ReadWrite,
}

/// The people that the operator admits. An empty list admits nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Allowlist {
    kind: ProviderKind,
    entries: Vec<Entry>,
}

/// One line of the list.
#[derive(Clone, PartialEq, Eq)]
struct Entry {
    who: Who,
    access: Access,
}

/// Whom an entry means.
#[derive(Clone, PartialEq, Eq)]
enum Who {
    /// The provider's immutable id.
    Subject(String),
    /// A login name or e-mail address, in the form in which names are compared.
    Name(String),
}

/// An entry that cannot be read. It says which by its place and never repeats it: the list names
/// people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {position} {problem}")]
pub struct AllowlistError {
    /// The entry's place in the list, counted from 1.
    pub position: usize,
    /// What is wrong with it.
    pub problem: EntryProblem,
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// It ends in a suffix that means nothing here.
    #[error("ends in an unknown suffix; `:read` is the only one")]
    UnknownSuffix,
    /// It is no e-mail address.
    #[error("is neither an e-mail address nor `sub:` and a subject; there are no wildcards")]
    NotAnEmailAddress,
    /// It is no GitHub login name.
    #[error("is neither a GitHub login name nor `id:` and an account number")]
    NotALogin,
    /// `id:` is not followed by a number.
    #[error("is not `id:` and an account number")]
    NotAnId,
    /// `sub:` is not followed by a subject.
    #[error("is not `sub:` and a subject of 1 to 255 characters")]
    NotASubject,
    /// `sub:` in a list of GitHub logins, or `id:` in a list of e-mail addresses.
    #[error("begins as entries of another provider do")]
    OtherProvider,
}

impl Allowlist {
    /// Reads the value of the provider's allowlist key ([`ProviderKind::allowlist_key`]).
    ///
    /// # Errors
    /// [`AllowlistError`] for the first entry that cannot be read; a list is taken whole or not at
    /// all, because a misspelt `:read` would otherwise grant the right to write.
    pub fn parse(kind: ProviderKind, value: &str) -> Result<Self, AllowlistError> {
        let entries = value
            .split(|character: char| character == ',' || character.is_whitespace())
            .filter(|text| !text.is_empty())
            .enumerate()
            .map(|(index, text)| {
                Entry::parse(kind, text).map_err(|problem| AllowlistError {
                    position: index + 1,
                    problem,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { kind, entries })
    }

    /// The list of a provider for which none is configured.
    #[must_use]
    pub const fn nobody(kind: ProviderKind) -> Self {
        Self {
            kind,
            entries: Vec::new(),
        }
    }

    /// How many entries it has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it admits nobody.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What `identity`, whose name is pinned to `pinned`, may do: the least of what the entries
    /// that match it allow, or `None` where none admits it.
    ///
    /// An entry by name matches only a name that the provider vouches for, and never one that is
    /// pinned to somebody else. While the name is pinned to nobody, the entry admits nobody; it
    /// only takes away, because the right to write is not given on a guess.
    #[must_use]
    pub fn access(&self, identity: &Identity, pinned: PinnedTo) -> Option<Access> {
        let matching = |entry: &&Entry| match &entry.who {
            Who::Subject(subject) => *subject == identity.subject,
            Who::Name(_) => pinned != PinnedTo::SomebodyElse && entry.who.names(identity),
        };
        let admits = |entry: &Entry| match entry.who {
            Who::Subject(_) => true,
            Who::Name(_) => pinned == PinnedTo::ThisPerson,
        };
        if identity.provider != self.kind {
            return None;
        }
        let entries = self.entries.iter().filter(matching);
        let admitted = entries.clone().any(admits);
        entries.map(|entry| entry.access).min().filter(|_| admitted)
    }

    /// Whether an entry holds the name of `identity`.
    #[must_use]
    pub fn holds_name(&self, identity: &Identity) -> bool {
        identity.provider == self.kind && self.entries.iter().any(|entry| entry.who.names(identity))
    }
}

impl Entry {
    fn parse(kind: ProviderKind, text: &str) -> Result<Self, EntryProblem> {
        match kind {
            ProviderKind::Github => github_entry(text),
            ProviderKind::Google | ProviderKind::Oidc => openid_entry(text),
        }
    }
}

impl Who {
    /// Whether this is the name of `identity`, and one that the provider vouches for.
    fn names(&self, identity: &Identity) -> bool {
        matches!(self, Self::Name(name)
            if identity.name_verified && *name == identity.compared_name())
    }
}

/// What an entry means, and its right: `:read` at its end, or everything.
fn with_right(text: &str) -> (&str, Access) {
    match text.strip_suffix(":read") {
        Some(rest) => (rest, Access::ReadOnly),
        None => (text, Access::ReadWrite),
    }
}

/// `octocat` or `id:583231`.
fn github_entry(text: &str) -> Result<Entry, EntryProblem> {
    if text.starts_with("sub:") {
        return Err(EntryProblem::OtherProvider);
    }
    if let Some(id) = text.strip_prefix("id:") {
        let (id, access) = with_right(id);
        if id.contains(':') {
            return Err(EntryProblem::UnknownSuffix);
        }
        // The form in which GitHub's numbers are printed is the form in which they are compared.
        let canonical = id
            .parse::<u64>()
            .is_ok_and(|number| number.to_string() == id);
        return if canonical {
            Ok(Entry {
                who: Who::Subject(id.to_owned()),
                access,
            })
        } else {
            Err(EntryProblem::NotAnId)
        };
    }
    let (login, access) = with_right(text);
    if login.contains(':') {
        return Err(EntryProblem::UnknownSuffix);
    }
    if !is_github_login(login) {
        return Err(EntryProblem::NotALogin);
    }
    Ok(Entry {
        who: Who::Name(login.to_ascii_lowercase()),
        access,
    })
}

/// Whether `text` can be a GitHub login name: letters, digits and hyphens, and in names that an
/// enterprise manages one underscore before its short code. At most 39 characters are given out
/// today; longer ones of old accounts exist.
pub(super) fn is_github_login(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// `owner@example.test` or `sub:248289761001`.
///
/// A subject is free text (OpenID Connect Core section 2) and often has colons or bars in it
/// (`auth0|5f7c`, `f:2ac:alice`), so a colon in it starts no suffix. The one ambiguity goes to the
/// lesser right: a subject that itself ends in `:read` can be listed as `sub:…:read:read` only.
fn openid_entry(text: &str) -> Result<Entry, EntryProblem> {
    if text.starts_with("id:") {
        return Err(EntryProblem::OtherProvider);
    }
    if let Some(subject) = text.strip_prefix("sub:") {
        let (subject, access) = with_right(subject);
        if access == Access::ReadWrite && ends_in_near_suffix(subject) {
            return Err(EntryProblem::UnknownSuffix);
        }
        if !is_subject(subject) {
            return Err(EntryProblem::NotASubject);
        }
        return Ok(Entry {
            who: Who::Subject(subject.to_owned()),
            access,
        });
    }
    let (name, access) = with_right(text);
    let is_address = |text: &str| EmailAddress::parse(text).is_some();
    match EmailAddress::parse(name) {
        Some(address) => Ok(Entry {
            who: Who::Name(address.as_str().to_owned()),
            access,
        }),
        None if name
            .split_once(':')
            .is_some_and(|(name, _)| is_address(name)) =>
        {
            Err(EntryProblem::UnknownSuffix)
        }
        None => Err(EntryProblem::NotAnEmailAddress),
    }
}

/// Whether a subject ends in what somebody may have meant for a suffix: `:read` in other letters,
/// or its opposite. Taken as part of the subject, it would silently match nobody.
fn ends_in_near_suffix(subject: &str) -> bool {
    subject.rsplit_once(':').is_some_and(|(_, last)| {
        last.eq_ignore_ascii_case("read") || last.eq_ignore_ascii_case("write")
    })
}

/// Whether `text` can be a subject: at most 255 characters (OpenID Connect Core section 2), none of
/// them a control character.
pub(super) fn is_subject(text: &str) -> bool {
    (1..=255).contains(&text.len()) && !text.contains(char::is_control)
}

/// Prints how many people are listed, not who they are.
impl fmt::Debug for Allowlist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowlist")
            .field("kind", &self.kind)
            .field("entries", &self.entries.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Access::*, EntryProblem::*, *};
    use ProviderKind::{Github, Google, Oidc};

    fn person(provider: ProviderKind, subject: &str, name: &str) -> Identity {
        Identity {
            provider,
            issuer: "https://issuer.example".to_owned(),
            subject: subject.to_owned(),
            name: name.to_owned(),
            name_verified: true,
            display_name: None,
        }
    }

    fn access(list: &str, identity: &Identity) -> Option<Access> {
        Allowlist::parse(identity.provider, list)
            .unwrap()
            .access(identity, PinnedTo::ThisPerson)
    }

    #[test]
    fn d3_an_empty_list_admits_nobody() {
        let owner = person(Oidc, "1", "owner@example.test");
        for list in ["", " ", ",", " , \n,\t"] {
            let parsed = Allowlist::parse(Oidc, list).unwrap();
            assert_eq!(
                (
                    parsed.access(&owner, PinnedTo::ThisPerson),
                    parsed.is_empty()
                ),
                (None, true),
                "{list:?}"
            );
        }
        assert_eq!(
            Allowlist::nobody(Oidc).access(&owner, PinnedTo::ThisPerson),
            None
        );
        // Not even somebody without a name or a subject.
        assert_eq!(
            Allowlist::nobody(Oidc).access(&person(Oidc, "", ""), PinnedTo::ThisPerson),
            None
        );
        assert_eq!(access("owner@example.test", &person(Oidc, "", "")), None);
    }

    #[test]
    fn d5_entries_are_separated_by_commas_or_white_space() {
        for list in [
            "a@x.test owner@example.test b@x.test",
            "a@x.test,owner@example.test,b@x.test",
            "a@x.test, owner@example.test ,\n\tb@x.test,",
            "\r\n owner@example.test\u{a0}a@x.test",
        ] {
            assert_eq!(
                access(list, &person(Oidc, "1", "owner@example.test")),
                Some(ReadWrite)
            );
        }
    }

    #[test]
    fn d5_addresses_match_whole_and_folded_in_ascii_only() {
        for (entry, name, expected) in [
            ("owner@example.test", "owner@example.test", Some(ReadWrite)),
            ("Owner@Example.Test", "OWNER@example.TEST", Some(ReadWrite)),
            (
                "owner@example.test",
                "  owner@example.test\n",
                Some(ReadWrite),
            ),
            (
                "owner@example.test:read",
                "owner@example.test",
                Some(ReadOnly),
            ),
            ("owner@example.test", "owner+x@example.test", None),
            ("owner@example.test", "own.er@example.test", None),
            ("o.wner@gmail.com", "owner@gmail.com", None),
            ("owner@example.test", "owner@example.test.evil.test", None),
            ("owner@example.test", "xowner@example.test", None),
            ("kate@example.test", "\u{212a}ate@example.test", None),
            ("info@example.test", "\u{131}nfo@example.test", None),
            ("owner@example.test", "\u{43e}wner@example.test", None),
            ("stra\u{df}e@example.test", "strasse@example.test", None),
        ] {
            assert_eq!(
                access(entry, &person(Oidc, "1", name)),
                expected,
                "{entry} {name}"
            );
        }
    }

    #[test]
    fn gh3_logins_match_in_any_ascii_case_and_ids_exactly() {
        for (entry, subject, name, expected) in [
            ("octocat", "583231", "OctoCat", Some(ReadWrite)),
            ("OctoCat:read", "583231", "octocat", Some(ReadOnly)),
            ("octocat", "583231", "octocat2", None),
            ("octo_acme", "7", "octo_ACME", Some(ReadWrite)),
            ("id:583231", "583231", "renamed", Some(ReadWrite)),
            ("id:583231:read", "583231", "renamed", Some(ReadOnly)),
            ("id:583231", "5832310", "octocat", None),
            // A login made of digits is a name, not an id.
            ("583231", "583231", "octocat", None),
            ("583231", "9", "583231", Some(ReadWrite)),
        ] {
            assert_eq!(
                access(entry, &person(Github, subject, name)),
                expected,
                "{entry} {name}"
            );
        }
    }

    #[test]
    fn d6_subjects_may_hold_colons_and_bars() {
        for (entry, subject, expected) in [
            ("sub:abc", "abc", Some(ReadWrite)),
            ("sub:abc:read", "abc", Some(ReadOnly)),
            ("sub:abc:read", "abc:read", None),
            ("sub:abc:read:read", "abc:read", Some(ReadOnly)),
            ("sub:auth0|5f7c:x:read", "auth0|5f7c:x", Some(ReadOnly)),
            ("sub:auth0|5f7c:x", "auth0|5f7c:x", Some(ReadWrite)),
            ("sub:f:2ac:alice", "f:2ac:alice", Some(ReadWrite)),
            ("sub:Abc", "abc", None),
            ("sub:read", "read", Some(ReadWrite)),
            (
                "sub:owner@example.test",
                "owner@example.test",
                Some(ReadWrite),
            ),
            // A subject never matches an entry by name, nor a name one by subject.
            ("owner@example.test", "owner@example.test", None),
        ] {
            assert_eq!(
                access(entry, &person(Google, subject, "")),
                expected,
                "{entry} {subject}"
            );
        }
        assert_eq!(
            access(
                "sub:owner@example.test",
                &person(Oidc, "1", "owner@example.test")
            ),
            None
        );
    }

    #[test]
    fn o6_an_unverified_name_matches_by_subject_alone() {
        let mut identity = person(Oidc, "s1", "owner@example.test");
        identity.name_verified = false;
        assert_eq!(access("owner@example.test", &identity), None);
        assert_eq!(
            access("owner@example.test sub:s1:read", &identity),
            Some(ReadOnly)
        );
    }

    #[test]
    fn two_matching_entries_give_the_lesser_right() {
        let owner = person(Oidc, "s1", "owner@example.test");
        for list in [
            "owner@example.test owner@example.test:read",
            "owner@example.test:read owner@example.test",
            "owner@example.test sub:s1:read",
            "sub:s1 OWNER@example.test:read",
        ] {
            assert_eq!(access(list, &owner), Some(ReadOnly), "{list}");
        }
        assert_eq!(
            access("owner@example.test sub:s1 sub:s2:read", &owner),
            Some(ReadWrite)
        );
        assert_eq!(ReadOnly.min(ReadWrite), ReadOnly);
    }

    #[test]
    fn d6_a_name_means_whom_it_is_pinned_to() {
        let cat = person(Github, "7", "octocat");
        for (list, this_person, nobody, somebody_else) in [
            ("octocat", Some(ReadWrite), None, None),
            ("octocat:read", Some(ReadOnly), None, None),
            ("id:7", Some(ReadWrite), Some(ReadWrite), Some(ReadWrite)),
            ("id:7:read", Some(ReadOnly), Some(ReadOnly), Some(ReadOnly)),
            // The lesser right, unless the name is known to mean somebody else.
            (
                "id:7 octocat:read",
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadWrite),
            ),
            (
                "octocat id:7:read",
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
            ),
            ("octocat id:8", Some(ReadWrite), None, None),
            ("hubot id:8", None, None, None),
        ] {
            let list = Allowlist::parse(Github, list).unwrap();
            for (pinned, expected) in [
                (PinnedTo::ThisPerson, this_person),
                (PinnedTo::Nobody, nobody),
                (PinnedTo::SomebodyElse, somebody_else),
            ] {
                assert_eq!(list.access(&cat, pinned), expected, "{list:?} {pinned:?}");
            }
        }
    }

    #[test]
    fn f4_an_identity_of_another_provider_is_not_admitted() {
        let list = Allowlist::parse(Google, "owner@example.test sub:1").unwrap();
        assert_eq!(
            list.access(
                &person(Google, "1", "owner@example.test"),
                PinnedTo::ThisPerson
            ),
            Some(ReadWrite)
        );
        assert_eq!(
            list.access(
                &person(Oidc, "1", "owner@example.test"),
                PinnedTo::ThisPerson
            ),
            None
        );
        assert_eq!(
            list.access(
                &person(Github, "1", "owner@example.test"),
                PinnedTo::ThisPerson
            ),
            None
        );
    }

    #[test]
    fn d3_a_bad_entry_fails_the_whole_list_and_is_named_by_its_place() {
        for (kind, list, position, problem) in [
            (Oidc, "a@x.test b@x.test:raed", 2, UnknownSuffix),
            (Oidc, "a@x.test:READ", 1, UnknownSuffix),
            (Oidc, "a@x.test:", 1, UnknownSuffix),
            (Oidc, "a@x.test:write", 1, UnknownSuffix),
            (Oidc, "a@x.test:read:read", 1, UnknownSuffix),
            (Oidc, "sub:abc:READ", 1, UnknownSuffix),
            (Oidc, "sub:abc:write", 1, UnknownSuffix),
            (Oidc, "sub:", 1, NotASubject),
            (Oidc, "sub::read", 1, NotASubject),
            (Oidc, "a@x.test, @x.test", 2, NotAnEmailAddress),
            (Oidc, "*@x.test", 1, NotAnEmailAddress),
            (Oidc, "*", 1, NotAnEmailAddress),
            (Oidc, "a@x.test;b@x.test", 1, NotAnEmailAddress),
            (Oidc, "octocat", 1, NotAnEmailAddress),
            (Oidc, ":read", 1, NotAnEmailAddress),
            (Google, "id:7", 1, OtherProvider),
            (Github, "octocat sub:7", 2, OtherProvider),
            (Github, "octocat:write", 1, UnknownSuffix),
            (Github, "octocat:", 1, UnknownSuffix),
            (Github, "id:7:write", 1, UnknownSuffix),
            (Github, "id:", 1, NotAnId),
            (Github, "id:octocat", 1, NotAnId),
            (Github, "id:007", 1, NotAnId),
            (Github, "id:-7", 1, NotAnId),
            (Github, "id:99999999999999999999", 1, NotAnId),
            (Github, "owner@example.test", 1, NotALogin),
            (Github, "@octocat", 1, NotALogin),
            (Github, "octo*", 1, NotALogin),
            (Github, ":read", 1, NotALogin),
        ] {
            let error = Allowlist::parse(kind, list).unwrap_err();
            assert_eq!(error, AllowlistError { position, problem }, "{list}");
            let shown = error.to_string();
            for entry in list.split([' ', ',']).filter(|entry| entry.len() > 5) {
                assert!(!shown.contains(entry), "{shown} repeats {entry}");
            }
        }
    }

    #[test]
    fn h1_debug_output_names_nobody() {
        let list = Allowlist::parse(Oidc, "owner@example.test").unwrap();
        assert_eq!(format!("{list:?}"), "Allowlist { kind: Oidc, entries: 1 }");
    }
}
