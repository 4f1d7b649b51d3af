//! Changing a note's text: from what it says to what it shall say, and nothing else.
//!
//! **Bytes that the caller did not touch stay as they are**: line ends, a byte order mark, white
//! space, a missing final newline. Text that is put in takes the line ends of the note that it is
//! put into. Nothing here knows of paths, policy or commits.

mod insert;
mod line_ending;
mod near;
mod properties;
mod replace;
mod section;

pub use insert::{append, prepend};
pub use line_ending::LineEnding;
pub use near::{Difference, Near};
pub use properties::{PropertyChange, PropertyEdit, PropertyError, edit_properties};
pub use replace::{Edit, EditError, EditProblem, MAX_EDITS, replace};
pub use section::{RepeatsHeading, append_to, overwrite_in, prepend_to};
