//! How much fits into one answer.

use serde::Serialize;

/// The items that fit.
pub(super) struct Fit {
    /// How many.
    pub(super) count: usize,
    /// The characters that they take.
    pub(super) size: usize,
}

/// How many items, in their order, fit into `room` characters.
pub(super) fn into(sizes: impl Iterator<Item = usize>, room: usize) -> Fit {
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

/// The characters of an item as JSON, with the comma after it.
pub(super) fn size(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.chars().count() + 1)
}
