//! Answers of tools: facts first, then text; and every error as a sentence for the model.
//!
//! The only place where text for a model is made out of errors.

mod edit;

use std::{fmt::Display, time::Duration};

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde::Serialize;
use serde_json::json;

use crate::vault::{
    VaultError,
    echo::Echo,
    error::{Code, InvalidPath, ReadOnly},
    markdown::SectionName,
    storage::{AppProblem, Denial, Revision},
};

/// The most characters that one answer holds.
pub(super) const MAX_CHARACTERS: usize = 50_000;

/// An answer: a block of facts, and the texts of notes in blocks of their own, so that nothing a
/// note says can pass for a fact.
pub(super) fn answer(facts: &impl Serialize, texts: Vec<String>) -> CallToolResult {
    // Facts are plain structs; that they serialize is what the tests of each tool show.
    let facts = serde_json::to_string(facts).unwrap_or_default();
    let mut content = vec![ContentBlock::text(facts)];
    content.extend(texts.into_iter().map(ContentBlock::text));
    CallToolResult::success(content)
}

/// Why a tool has no answer.
#[derive(Debug)]
pub(super) enum ToolError {
    /// The arguments do not fit; the sentence says which and why.
    Arguments(String),
    /// The vault refused or failed.
    Vault(VaultError),
    /// The connection has made too many calls, and may make another one after so long.
    TooManyCalls(Duration),
}

impl From<VaultError> for ToolError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

/// The error as the model reads it.
pub(super) fn failure(error: &ToolError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(explanation(error))])
}

/// What the model reads of an error: code, what happened, what to do next.
pub(super) fn explanation(error: &ToolError) -> String {
    match error {
        ToolError::Arguments(problem) => {
            format!(
                "INVALID_ARGUMENT: {problem}. Call the tool again with arguments that fit its schema."
            )
        }
        ToolError::Vault(error) => text(error),
        ToolError::TooManyCalls(retry_after) => format!(
            "{}: this connection has made too many calls. Nothing was done; try again in {} seconds, and go on slowly.",
            Code::RateLimited.as_str(),
            seconds(*retry_after)
        ),
    }
}

/// The error where no tool's answer can hold it: invalid parameters for what the caller gave, an
/// internal error for all else. The same text, and the code as data.
pub(super) fn rpc_error(error: &VaultError) -> ErrorData {
    let code = error.code();
    let data = Some(json!({ "code": code.as_str() }));
    match code {
        Code::InvalidPath | Code::NotANote | Code::NotFound | Code::InvalidArgument => {
            ErrorData::invalid_params(text(error), data)
        }
        Code::ReadOnly
        | Code::Conflict
        | Code::AlreadyExists
        | Code::EditNotUnique
        | Code::EditNotFound
        | Code::AmbiguousSection
        | Code::NotUtf8
        | Code::TooLarge
        | Code::RateLimited
        | Code::UpstreamUnavailable
        | Code::UpstreamDenied
        | Code::IndexBuilding => ErrorData::internal_error(text(error), data),
    }
}

fn text(error: &VaultError) -> String {
    format!("{}: {}", error.code().as_str(), sentence(error))
}

fn sentence(error: &VaultError) -> String {
    match error {
        VaultError::InvalidPath { path, reason } => invalid_path(path, reason),
        VaultError::NotANote { path } => format!(
            "{} is no note. Notes end in .md or .markdown; list_notes shows the vault's notes.",
            Echo(path)
        ),
        VaultError::NotFound { path, near } if near.is_empty() => format!(
            "there is no {}. Use a path exactly as list_notes returns it.",
            Echo(path)
        ),
        VaultError::NotFound { path, near } => format!(
            "there is no {}, but {}. Name the one you mean, letter for letter.",
            Echo(path),
            echo_all(near)
        ),
        VaultError::ReadOnly(ReadOnly::Vault) => {
            "the vault is read-only by its owner's setting. Nothing was changed; do not try again.".to_owned()
        }
        VaultError::ReadOnly(ReadOnly::Login) => {
            "this login may only read. Nothing was changed; to write, the person has to connect again and allow changes, if the vault's owner lets them.".to_owned()
        }
        VaultError::ReadOnly(ReadOnly::Withdrawn) => {
            "this login was ended, or may only read by now. Nothing was changed; to write, the person has to connect again, if the vault's owner lets them.".to_owned()
        }
        VaultError::Conflict { path, current: Some(current), .. } => format!(
            "{} has changed: its revision is now {current}. Nothing was written; read it again and redo the change on what it says now.",
            Echo(path)
        ),
        VaultError::Conflict { path, current: None, .. } => format!(
            "{} no longer exists. Nothing was written; if it should exist again, write it without expected_revision.",
            Echo(path)
        ),
        VaultError::AlreadyExists { path, existing, revision } => already_exists(path, existing, revision.as_ref()),
        VaultError::Edit { path, error } => edit::sentence(path, error),
        VaultError::Properties { path, error } => edit::of_properties(path, error),
        VaultError::NoSection { path, section, existing } if existing.is_empty() => format!(
            "{} has no section {}: it has no headings. Leave section out.",
            Echo(path),
            Echo(section)
        ),
        VaultError::NoSection { path, section, existing } => format!(
            "{} has no section {}. Its headings are {}. Name one of them as it stands there.",
            Echo(path),
            Echo(section),
            sections(existing)
        ),
        VaultError::AmbiguousSection { path, section, candidates } => format!(
            "{} has more than one section {}: {}. Name the headings above it too, as here with # between; where those are the same, use lines.",
            Echo(path),
            Echo(section),
            sections(candidates)
        ),
        VaultError::NotUtf8 { path, bytes, offset, .. } => format!(
            "{} is not UTF-8 text: byte {offset} of {bytes} fits no character. It is left as it is; its owner can convert it to UTF-8 in an editor.",
            Echo(path)
        ),
        VaultError::TooLarge { path, bytes, limit: Some(limit) } => format!(
            "{} would have {bytes} bytes, and {limit} is the most. Nothing was written; split it into several notes.",
            Echo(path)
        ),
        VaultError::TooLarge { path, bytes, limit: None } => format!(
            "{} has {bytes} bytes, which is more than can be read here. Its owner can split it into several notes.",
            Echo(path)
        ),
        VaultError::InvalidArgument { argument, problem } => {
            format!("{argument} {problem}. Call the tool again without it or with a value that fits.")
        }
        VaultError::RateLimited { retry_after } => format!(
            "GitHub asks to wait. Nothing was changed; try again in {} seconds.",
            seconds(*retry_after)
        ),
        VaultError::UpstreamUnavailable { outcome_unknown: false, .. } => {
            "GitHub cannot be reached or fails. Nothing was changed; try again in a minute.".to_owned()
        }
        VaultError::UpstreamUnavailable { outcome_unknown: true, .. } => {
            "GitHub failed while the change was being made, and whether it was made could not be found out. Read the note before you try again.".to_owned()
        }
        VaultError::UpstreamDenied(denial) => format!("{} Nothing was changed.", denied(denial)),
        VaultError::IndexBuilding { indexed, total: Some(total) } => {
            format!("the index is being built: {indexed} of {total} notes so far. Try again in a minute.")
        }
        VaultError::IndexBuilding { indexed, total: None } => {
            format!("the index is being built: {indexed} notes so far. Try again in a minute.")
        }
    }
}

/// Whole seconds to wait: rounded up, and never none.
pub(super) fn seconds(wait: Duration) -> u128 {
    wait.as_millis().div_ceil(1_000).max(1)
}

fn invalid_path(path: &str, reason: &InvalidPath) -> String {
    let path = Echo(path);
    match reason {
        InvalidPath::Malformed(problem) => format!(
            "{path} is no path in this vault: {problem}. Paths are relative to the vault's root, like \"Projects/Boat.md\"."
        ),
        InvalidPath::OutsidePolicy => {
            format!("nothing may be written at {path}. Choose a folder that list_notes shows.")
        }
        InvalidPath::AgentFile => format!(
            "{path} holds instructions for agents, which can be read here but not changed. The vault's owner can edit it."
        ),
        InvalidPath::Uncreatable(problem) => {
            format!("a note cannot be made at {path}: {problem}. Choose another name.")
        }
        InvalidPath::Upstream => {
            format!("GitHub will have no file at {path}. Nothing was written; choose another name.")
        }
    }
}

fn already_exists(path: &str, existing: &[String], revision: Option<&Revision>) -> String {
    let asked = Echo(path);
    if existing.iter().any(|there| there == path) {
        let revision = revision
            .map(|revision| format!(" (revision {revision})"))
            .unwrap_or_default();
        return format!(
            "{asked} exists already{revision}. Nothing was written; read it, then change it with mode \"overwrite\" if it should be replaced."
        );
    }
    let in_the_way = match existing {
        // Links and submodules are never shown, so neither is their name.
        [] => "something that is no note is in its way".to_owned(),
        [folder] if folder.strip_suffix('/') == Some(path) => {
            "a folder of that name exists".to_owned()
        }
        [note] if is_below(path, note) => {
            format!("{} is a note, and a note holds no others", Echo(note))
        }
        _ => {
            return format!(
                "{asked} would differ from {} in letter case or accents' encoding only, which not every device can keep apart. Nothing was written; use the path that exists.",
                echo_all(existing)
            );
        }
    };
    format!("{asked} cannot be made: {in_the_way}. Nothing was written; choose another path.")
}

/// Whether a path would lie below `note`, were that a folder.
fn is_below(path: &str, note: &str) -> bool {
    path.strip_prefix(note)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn denied(denial: &Denial) -> String {
    match denial {
        Denial::BadCredentials => "GitHub refuses the vault token: it is wrong, expired or revoked. The vault's owner has to set a new VAULT_GITHUB_TOKEN.".to_owned(),
        Denial::LockedOut => "GitHub lets this server in no more for a while, after too many requests with a wrong vault token. The vault's owner has to see that VAULT_GITHUB_TOKEN is right, and wait.".to_owned(),
        Denial::RepositoryNotFound => "GitHub shows no such repository to the vault token. The vault's owner has to check VAULT_OWNER and VAULT_REPO, and that the token selects that repository.".to_owned(),
        Denial::BranchNotFound => "the vault's branch does not exist. The vault's owner has to check VAULT_BRANCH.".to_owned(),
        Denial::MissingPermission => "the vault token may not do this. The vault's owner has to give it \"Contents: read and write\", or the GitHub App that buys it.".to_owned(),
        Denial::Archived => "the repository is archived, which makes it read-only. The vault's owner has to unarchive it.".to_owned(),
        Denial::Blocked => "GitHub has blocked the repository. The vault's owner has to settle that with GitHub.".to_owned(),
        Denial::ProtectedBranch => "the vault's branch takes no direct commits. The vault's owner has to let the token's account bypass the branch's protection.".to_owned(),
        Denial::RuleViolation(rule) => format!("a rule of the repository refuses the commit: {rule}. The vault's owner has to change the rule, or the note has to follow it."),
        Denial::SecretFound(kind) => format!("GitHub's push protection found a secret in the note: {kind}. Take it out; a vault is no place for it."),
        Denial::SingleSignOn => "the organization wants single sign-on for the vault token. The vault's owner has to authorize it.".to_owned(),
        Denial::AddressNotAllowed => "the organization lets in only addresses that it lists, and this server has none of its own. The vault's owner has to turn the organization's IP allow list off, or move the vault.".to_owned(),
        Denial::App(problem) => app(problem),
    }
}

fn app(problem: &AppProblem) -> String {
    match problem {
        AppProblem::BadKey => "GitHub refuses the vault's GitHub App: its ID or its private key is wrong, or the key was deleted. The vault's owner has to set VAULT_GITHUB_APP_ID and VAULT_GITHUB_APP_PRIVATE_KEY anew.".to_owned(),
        AppProblem::WrongClock => "the clock of this server is not GitHub's, which refuses what the vault's GitHub App signs. The vault's owner has to set the clock right; the app and its key may be as they should.".to_owned(),
        AppProblem::NotInstalled => "the vault's GitHub App has no such installation. The vault's owner has to install it on the vault's repository, and set VAULT_GITHUB_APP_INSTALLATION_ID.".to_owned(),
        AppProblem::Suspended => "the installation of the vault's GitHub App is suspended. The vault's owner has to unsuspend it.".to_owned(),
        AppProblem::EveryRepository => "the vault's GitHub App is installed on all repositories. The vault's owner has to choose \"Only select repositories\", and the vault's repository alone.".to_owned(),
        AppProblem::OtherRepositories => "the vault's GitHub App is installed on other repositories than the vault's. The vault's owner has to select the vault's repository, and no other.".to_owned(),
        AppProblem::ExtraPermissions(list) => format!("the vault's GitHub App may do more than the vault needs: {list}. The vault's owner has to leave it \"Contents: read and write\" and \"Metadata: read-only\", and accept the change for the installation."),
        AppProblem::NoContents => "the vault's GitHub App may not get at contents. The vault's owner has to give it \"Contents: read and write\", and accept the change for the installation.".to_owned(),
    }
}

/// The most items of a list that a sentence names.
const MAX_NAMED: usize = 10;
/// The same of sections, among which the next one to ask for is.
const MAX_SECTIONS: usize = 30;

fn echo_all(paths: &[String]) -> String {
    enumeration(paths.iter().map(|path| Echo(path)), MAX_NAMED)
}

fn numbers(numbers: &[usize]) -> String {
    enumeration(numbers.iter(), MAX_NAMED)
}

/// Sections with their lines.
fn sections(names: &[SectionName]) -> String {
    let names = names.iter();
    let names = names.map(|name| format!("{} (line {})", Echo(&name.address), name.line));
    enumeration(names, MAX_SECTIONS)
}

/// The items one after another; only how many there are of those that are more than `most`.
fn enumeration<T: Display>(items: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    let unnamed = items.len().saturating_sub(most);
    let mut named: Vec<String> = items.take(most).map(|item| item.to_string()).collect();
    if unnamed > 0 {
        named.push(format!("and {unnamed} more"));
    }
    named.join(", ")
}
