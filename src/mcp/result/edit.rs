//! Why an edit of text or properties was not made, as a sentence for the model.

use super::numbers;
use crate::vault::{
    echo::Echo,
    edit::{Difference, EditError, EditProblem, Near, PropertyError},
};

/// What is wrong with an edit, and how to say it better.
pub(super) fn sentence(path: &str, error: &EditError) -> String {
    let path = Echo(path);
    let edit = error.edit;
    match &error.problem {
        EditProblem::Empty => format!(
            "the old text of edit {edit} is empty. Nothing was written; quote what it replaces, or add text with mode \"append\" or \"prepend\"."
        ),
        EditProblem::NotFound(near) => format!(
            "the old text of edit {edit} is not in {path}{}. Nothing was written; read the note and quote it exactly.",
            near.as_ref().map(nearest).unwrap_or_default()
        ),
        EditProblem::NotUnique(lines) => format!(
            "the old text of edit {edit} is in {path} more than once, on lines {}. Nothing was written; quote more of the text around the one you mean, or set all.",
            numbers(lines)
        ),
        EditProblem::Overlaps(earlier) => format!(
            "the old text of edit {edit} takes in what edit {earlier} changes in {path}. Nothing was written; make one edit of the two."
        ),
    }
}

/// Why properties were not changed, and what to do instead.
pub(super) fn of_properties(path: &str, error: &PropertyError) -> String {
    let path = Echo(path);
    let by_hand = "change the lines of the frontmatter with mode \"edit\"";
    match error {
        PropertyError::Invalid { line } => format!(
            "the frontmatter of {path} is no valid YAML at line {line}. Nothing was written; correct it with mode \"edit\" first."
        ),
        PropertyError::Unreadable => format!(
            "the frontmatter of {path} is no plain list of properties, or is too large. Nothing was written; {by_hand}."
        ),
        PropertyError::Repeated { key } => format!(
            "{path} has the property {} more than once. Nothing was written; {by_hand}.",
            Echo(key)
        ),
        PropertyError::NoList { key } => format!(
            "the property {} of {path} is no list. Nothing was written; use set to give it another value.",
            Echo(key)
        ),
        PropertyError::NoTag => "frontmatter adds a tag that is none. Nothing was written; a tag has no spaces or punctuation but _ - and /, and not only digits.".to_owned(),
        PropertyError::BadName => "frontmatter names a property that has no name, or a line break in it. Nothing was written; give its name as it stands before the colon.".to_owned(),
        PropertyError::Unsafe { key } => format!(
            "the property {} of {path} cannot be changed without touching others. Nothing was written; {by_hand}.",
            Echo(key)
        ),
    }
}

fn nearest(near: &Near) -> String {
    match near {
        Near::Differs { line, by } => {
            let difference = match by {
                Difference::WhiteSpace => "other white space",
                Difference::LetterCase => "other letter case",
                Difference::Typography => "other quotation marks or dashes",
            };
            format!(" like that: it is on line {line} with {difference}")
        }
        Near::FirstLine { line } => {
            format!(": its first line is on line {line}, but not the lines after it")
        }
        Near::Elsewhere { line } => {
            format!("'s section: it is on line {line}, outside of it")
        }
    }
}
