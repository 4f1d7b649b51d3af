//! Changing properties: the lines of the frontmatter that have to change, and no others.
//!
//! Each edit is made in the text of the block, where the parser says that the property stands. The
//! result is then read again and compared with what was meant: where that differs in anything, the
//! edit is refused, because YAML has more ways to write a mapping than can be edited line by line.

mod layout;
mod scalar;

use std::ops::Range;

use serde_json::Value;

use self::{
    layout::{Entry, Form, Layout, Unclear},
    scalar::{Quotes, in_brackets, inline},
};
use super::LineEnding;
use crate::vault::markdown::{
    Tag, frontmatter,
    properties::{as_json, comparable_key, divider, is_tags, number},
    yaml,
};

/// A change of one property.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyEdit {
    /// Its name. A property whose name differs in letter case alone is the same one.
    pub key: String,
    /// What to do to it.
    pub change: PropertyChange,
}

/// What to do to a property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyChange {
    /// Give it this value, and make it where it is missing.
    Set(Value),
    /// Take it away.
    Unset,
    /// Add these items to its list where they are missing. A single value counts as a list of it.
    Add(Vec<Value>),
    /// Take these items out of its list.
    Remove(Vec<Value>),
}

/// Why properties cannot be changed. Nothing was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    /// The frontmatter is no YAML.
    #[error("the frontmatter is no valid YAML at line {line}")]
    Invalid {
        /// The line of the note, counted from 1.
        line: usize,
    },
    /// The frontmatter is no plain mapping, or too large.
    #[error("the frontmatter is not a list of properties, or is too large")]
    Unreadable,
    /// The name has several properties.
    #[error("the property {key} is there more than once")]
    Repeated {
        /// The name.
        key: String,
    },
    /// The property is no list, nor a value that could become one.
    #[error("the property {key} is no list")]
    NoList {
        /// The name.
        key: String,
    },
    /// A tag has spaces or other characters that tags do not have.
    #[error("a tag that is to be added is none")]
    NoTag,
    /// The name is empty or not on one line.
    #[error("a property's name is empty or holds line breaks")]
    BadName,
    /// The property is written in a way that cannot be changed without touching others.
    #[error("the property {key} cannot be changed without touching others")]
    Unsafe {
        /// The name.
        key: String,
    },
}

/// A text that is to stand in place of another.
type Splice = (Range<usize>, String);

/// `text` after `edits`, made one after the other. Where a note has no frontmatter and gets a
/// property, it gets frontmatter.
///
/// ```
/// use serde_json::json;
/// use vault_mcp::vault::edit::{PropertyChange, PropertyEdit, edit_properties};
///
/// let edit = PropertyEdit { key: "status".to_owned(), change: PropertyChange::Set(json!("done")) };
/// let text = "---\nstatus: 'draft' # todo\ntime: 12:30\n---\n";
/// assert_eq!(
///     edit_properties(text, &[edit]).unwrap(),
///     "---\nstatus: 'done' # todo\ntime: 12:30\n---\n"
/// );
/// ```
///
/// # Errors
/// [`PropertyError`].
pub fn edit_properties(text: &str, edits: &[PropertyEdit]) -> Result<String, PropertyError> {
    let parts = frontmatter::split(text);
    let ending = LineEnding::of(text).unwrap_or(LineEnding::Lf).as_str();
    let mut block = parts.block().to_owned();
    for edit in edits {
        block = edit_block(&block, edit, ending)?;
    }
    if parts.frontmatter.is_empty() {
        return Ok(if block.is_empty() {
            text.to_owned()
        } else {
            let fence = format!("---{ending}");
            [parts.mark, &fence, &block, &fence, parts.body].concat()
        });
    }
    // The block is a part of the frontmatter, so its place in there is what stands before it.
    let opening = parts
        .frontmatter
        .split_inclusive('\n')
        .next()
        .unwrap_or_default();
    let closing = parts
        .frontmatter
        .get(opening.len() + parts.block().len()..)
        .unwrap_or_default();
    Ok([parts.mark, opening, &block, closing, parts.body].concat())
}

/// One edit of a block: made, and held against what was meant.
fn edit_block(block: &str, edit: &PropertyEdit, ending: &str) -> Result<String, PropertyError> {
    if edit.key.trim().is_empty() || edit.key.contains(['\n', '\r']) {
        return Err(PropertyError::BadName);
    }
    if block.len() > yaml::MAX_BYTES {
        return Err(PropertyError::Unreadable);
    }
    let layout = Layout::of(block).map_err(|unclear| match unclear {
        // Above the block is the line that opens it.
        Unclear::Invalid(line) => PropertyError::Invalid { line: line + 2 },
        Unclear::NoMapping => PropertyError::Unreadable,
    })?;
    let before = model(block)?;
    let entry = find(&layout, &edit.key)?;
    let key = entry.map_or(edit.key.as_str(), |entry| entry.key.as_str());
    let there = before
        .iter()
        .find(|(there, _)| there == key)
        .map(|(_, value)| value);
    let wanted = match wanted(key, there, &edit.change)? {
        Wanted::AsItIs => return Ok(block.to_owned()),
        Wanted::Gone => None,
        Wanted::Value(value) => Some(value),
    };
    let writer = Writer {
        layout: &layout,
        ending,
    };
    let splices = match (&wanted, entry) {
        (None, None) => Vec::new(),
        (None, Some(entry)) => vec![(entry.start..entry.end, String::new())],
        (Some(value), None) => vec![writer.new_line(key, value)],
        (Some(value), Some(entry)) => writer.rewrite(entry, there, value),
    };
    let after = splice(block, splices);
    let meant = meant(before, key, wanted);
    match model(&after) {
        Ok(made) if made == meant => Ok(after),
        Ok(_) | Err(_) => Err(PropertyError::Unsafe {
            key: key.to_owned(),
        }),
    }
}

/// What a block says.
fn model(block: &str) -> Result<Vec<(String, Value)>, PropertyError> {
    let pairs = yaml::mapping(block).map_err(|_| PropertyError::Unreadable)?;
    Ok(pairs
        .iter()
        .map(|(key, value)| (key.clone(), as_json(value)))
        .collect())
}

/// What a block shall say.
fn meant(
    mut pairs: Vec<(String, Value)>,
    key: &str,
    wanted: Option<Value>,
) -> Vec<(String, Value)> {
    let at = pairs.iter().position(|(there, _)| there == key);
    match (at.and_then(|at| pairs.get_mut(at)), wanted) {
        (Some(pair), Some(value)) => pair.1 = value,
        (Some(_), None) => pairs.retain(|(there, _)| there != key),
        (None, Some(value)) => pairs.push((key.to_owned(), value)),
        (None, None) => {}
    }
    pairs
}

/// The property of a name: exactly, or the only one that differs in letter case alone.
fn find<'a>(layout: &'a Layout<'_>, key: &str) -> Result<Option<&'a Entry>, PropertyError> {
    let named = |is_same: &dyn Fn(&str) -> bool| {
        let mut found = layout.entries.iter().filter(|entry| is_same(&entry.key));
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(PropertyError::Repeated {
                key: key.to_owned(),
            }),
            (entry, None) => Ok(entry),
        }
    };
    let fold = comparable_key(key);
    match named(&|there| there == key)? {
        Some(entry) => Ok(Some(entry)),
        None => named(&|there| comparable_key(there) == fold),
    }
}

/// What shall become of a property.
enum Wanted {
    /// It is as it shall be.
    AsItIs,
    /// It shall be gone.
    Gone,
    /// It shall have this value.
    Value(Value),
}

/// What a change makes of the property that has the value `there`.
fn wanted(
    key: &str,
    there: Option<&Value>,
    change: &PropertyChange,
) -> Result<Wanted, PropertyError> {
    let value = match change {
        PropertyChange::Set(value) => normal(value),
        PropertyChange::Unset => return Ok(Wanted::Gone),
        PropertyChange::Add(added) => {
            let mut items = items(key, there)?;
            let count = items.len();
            for item in added {
                let item = tag(key, item)?;
                if !items.iter().any(|there| is_same(key, there, &item)) {
                    items.push(item);
                }
            }
            if items.len() == count {
                return Ok(Wanted::AsItIs);
            }
            Value::Array(items)
        }
        PropertyChange::Remove(removed) => {
            let mut items = items(key, there)?;
            let count = items.len();
            items.retain(|there| {
                !removed
                    .iter()
                    .any(|item| is_same(key, there, &normal(item)))
            });
            if items.len() == count {
                return Ok(Wanted::AsItIs);
            }
            Value::Array(items)
        }
    };
    Ok(if there == Some(&value) {
        Wanted::AsItIs
    } else {
        Wanted::Value(value)
    })
}

/// A value as it is read again: numbers that are whole are integers.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(written) => {
            number(&written.to_string()).map_or_else(|| value.clone(), Value::Number)
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(pairs) => pairs
            .iter()
            .map(|(key, value)| (key.clone(), normal(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// An item as it is added: a tag without its `#`.
fn tag(key: &str, item: &Value) -> Result<Value, PropertyError> {
    match item {
        Value::String(text) if is_tags(key) => {
            let tag = Tag::parse(text).map_err(|_| PropertyError::NoTag)?;
            Ok(Value::String(tag.as_str().to_owned()))
        }
        _ if is_tags(key) => Err(PropertyError::NoTag),
        Value::String(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => Ok(normal(item)),
    }
}

fn is_same(key: &str, one: &Value, other: &Value) -> bool {
    let fold = |value: &Value| Tag::parse(value.as_str()?).ok().map(|tag| tag.fold());
    one == other || (is_tags(key) && fold(one).is_some() && fold(one) == fold(other))
}

/// The items of a list, or of a value that stands for one: see [`divider`].
fn items(key: &str, value: Option<&Value>) -> Result<Vec<Value>, PropertyError> {
    match (value, divider(key)) {
        (None | Some(Value::Null), _) => Ok(Vec::new()),
        (Some(Value::Array(items)), _) => Ok(items.clone()),
        (Some(Value::String(text)), Some(divides)) => {
            let parts = text.split(divides).map(str::trim);
            let parts = parts.filter(|part| !part.is_empty());
            Ok(parts.map(Value::from).collect())
        }
        (Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))), _) => {
            Ok(vec![value.clone()])
        }
        (Some(Value::Object(_)), _) => Err(PropertyError::NoList {
            key: key.to_owned(),
        }),
    }
}

/// `text` with texts in place of others, which do not overlap.
fn splice(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, new) in splices {
        result.push_str(text.get(copied..range.start).unwrap_or_default());
        result.push_str(&new);
        copied = range.end;
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    result
}

/// Writes values into a block.
struct Writer<'a> {
    layout: &'a Layout<'a>,
    ending: &'a str,
}

impl Writer<'_> {
    /// A property behind all others.
    fn new_line(&self, key: &str, value: &Value) -> Splice {
        let indent = self.layout.entries.first().map_or(0, |entry| entry.indent);
        let key = inline(&Value::String(key.to_owned()), Quotes::None);
        let end = self.layout.block.len();
        let line = format!(
            "{}{key}:{}",
            " ".repeat(indent),
            self.behind_colon(value, indent)
        );
        (end..end, line)
    }

    /// What stands behind a key's colon, up to the end of the last line.
    fn behind_colon(&self, value: &Value, indent: usize) -> String {
        match value {
            Value::Null => self.ending.to_owned(),
            Value::Array(items) if !items.is_empty() => {
                let prefix = format!("{}- ", " ".repeat(indent + 2));
                format!("{}{}", self.ending, self.dashes(items, &prefix))
            }
            Value::Array(_)
            | Value::Object(_)
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => {
                format!(" {}{}", inline(value, Quotes::None), self.ending)
            }
        }
    }

    fn dashes(&self, items: &[Value], prefix: &str) -> String {
        let lines = items
            .iter()
            .map(|item| format!("{prefix}{}{}", inline(item, Quotes::None), self.ending));
        lines.collect::<Vec<_>>().concat()
    }

    /// Another value for a property that is there.
    fn rewrite(&self, entry: &Entry, there: Option<&Value>, value: &Value) -> Vec<Splice> {
        let old = there.and_then(Value::as_array).map(Vec::as_slice);
        let range = entry.value.range.clone();
        match (&entry.value.form, value) {
            (Form::Dashes(places), Value::Array(new)) if !new.is_empty() => {
                self.change_dashes(entry, places, old.unwrap_or_default(), new)
            }
            (Form::Brackets(places), Value::Array(new)) => {
                change_brackets(&range, places, old.unwrap_or_default(), new)
            }
            (Form::Dashes(_) | Form::OtherBlock, _) => {
                vec![(
                    entry.colon..entry.end,
                    self.behind_colon(value, entry.indent),
                )]
            }
            (_, Value::Array(new)) if !new.is_empty() => {
                let prefix = format!("{}- ", " ".repeat(entry.indent + 2));
                // A comment on the key's line stays there.
                vec![
                    (entry.colon..range.end.max(entry.colon), String::new()),
                    (entry.end..entry.end, self.dashes(new, &prefix)),
                ]
            }
            (Form::Nothing, Value::Null) => Vec::new(),
            (Form::Nothing, value) => {
                vec![(
                    entry.colon..entry.colon,
                    format!(" {}", inline(value, Quotes::None)),
                )]
            }
            (_, Value::Null) => vec![(entry.colon..range.end, String::new())],
            (Form::Scalar(quotes), value) => vec![(range, inline(value, *quotes))],
            (_, value) => vec![(range, inline(value, Quotes::None))],
        }
    }

    /// Lines of a list come and go; those of items that stay are not touched.
    fn change_dashes(
        &self,
        entry: &Entry,
        places: &[usize],
        old: &[Value],
        new: &[Value],
    ) -> Vec<Splice> {
        let line = |index: usize| {
            places
                .get(index)
                .map_or(entry.end, |at| self.layout.line_start(*at))
        };
        let prefix = places.first().and_then(|at| {
            let prefix = self.layout.block.get(self.layout.line_start(*at)..*at)?;
            (prefix.trim() == "-").then(|| prefix.to_owned())
        });
        let prefix = prefix.unwrap_or_else(|| format!("{}- ", " ".repeat(entry.indent + 2)));
        let Some((kept, added)) = kept_and_added(old, new) else {
            return vec![(line(0)..entry.end, self.dashes(new, &prefix))];
        };
        let gone = (0..old.len()).filter(|index| !kept.contains(index));
        let mut splices: Vec<Splice> = gone
            .map(|index| (line(index)..line(index + 1), String::new()))
            .collect();
        splices.push((entry.end..entry.end, self.dashes(added, &prefix)));
        splices
    }
}

/// Items between brackets come and go; those that stay are not touched.
fn change_brackets(
    range: &Range<usize>,
    places: &[Range<usize>],
    old: &[Value],
    new: &[Value],
) -> Vec<Splice> {
    let whole = || {
        vec![(
            range.clone(),
            inline(&Value::Array(new.to_vec()), Quotes::None),
        )]
    };
    let Some((kept, added)) = kept_and_added(old, new) else {
        return whole();
    };
    let (Some(last), false) = (places.last(), kept.is_empty()) else {
        return whole();
    };
    let mut splices: Vec<Splice> = Vec::new();
    let mut previous: Option<usize> = None;
    for (index, place) in places.iter().enumerate() {
        if kept.contains(&index) {
            previous = Some(index);
            continue;
        }
        // With the comma behind it, or with the one before it where no item stays behind it.
        let next = places
            .get(index + 1)
            .filter(|_| kept.iter().any(|kept| *kept > index));
        let before = previous.and_then(|index| places.get(index));
        let gone = match (next, before) {
            (Some(next), _) => place.start..next.start,
            (None, Some(before)) => before.end..last.end,
            (None, None) => place.clone(),
        };
        let is_covered = splices
            .iter()
            .any(|(range, _)| range.end >= gone.end && range.start <= gone.start);
        if !is_covered {
            splices.push((gone, String::new()));
        }
    }
    let added: Vec<String> = added
        .iter()
        .map(|item| format!(", {}", in_brackets(item)))
        .collect();
    splices.push((last.end..last.end, added.concat()));
    splices
}

/// The indices of old items that stay, and the new items behind them; `None` where the new list is
/// not the old one without some, and with more at its end.
fn kept_and_added<'a>(old: &[Value], new: &'a [Value]) -> Option<(Vec<usize>, &'a [Value])> {
    let mut kept = Vec::new();
    let mut rest = new;
    for (index, item) in old.iter().enumerate() {
        if let Some((first, others)) = rest.split_first()
            && first == item
        {
            kept.push(index);
            rest = others;
        }
    }
    let is_in_order = !rest.iter().any(|item| old.contains(item));
    is_in_order.then_some((kept, rest))
}

#[cfg(test)]
mod tests;
