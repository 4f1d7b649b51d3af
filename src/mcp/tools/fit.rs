//! How much fits into one answer.

use std::borrow::Cow;

use serde::Serialize;

/// The most characters of a title or heading that facts repeat. A heading may be as long as a note.
const MAX_TITLE: usize = 200;

/// The items that fit.
pub(in crate::mcp) struct Fit {
    /// How many.
    pub(in crate::mcp) count: usize,
    /// The characters that they take.
    pub(in crate::mcp) size: usize,
}

/// How many items, in their order, fit into `room` characters.
pub(in crate::mcp) fn into(sizes: impl Iterator<Item = usize>, room: usize) -> Fit {
    let mut fit = Fit { count: 0, size: 0 };
    for size in sizes {
        if fit.size + size > room {
            break;
        }
        fit.count += 1;
        fit.size += size;
    }
    fit
}

/// The first of `items`, as many as fit into `room` characters as JSON, and the first that does not.
pub(in crate::mcp) fn first<T: Serialize>(
    items: impl IntoIterator<Item = T>,
    room: usize,
) -> (Vec<T>, Option<T>) {
    let mut left = room;
    let mut shown = Vec::new();
    for item in items {
        let Some(rest) = left.checked_sub(size(&item)) else {
            return (shown, Some(item));
        };
        left = rest;
        shown.push(item);
    }
    (shown, None)
}

/// The characters of an item as JSON, with the comma after it.
pub(in crate::mcp) fn size(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.chars().count() + 1)
}

/// A title or heading, cut where it is too long for a fact.
pub(in crate::mcp) fn title(text: &str) -> Cow<'_, str> {
    if text.chars().nth(MAX_TITLE).is_none() {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().take(MAX_TITLE - 1);
    Cow::Owned(kept.chain(['…']).collect())
}
