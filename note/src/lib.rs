//! What a note is, apart from where it is kept and who may see it: its [`path`], its [`title`], what its
//! [`markdown`] says, and what its [`text`] means to a search.
//!
//! Everything here is computed from text alone. It stands in a crate of its own because a search spends
//! its time here: the Worker's other code is compiled for size, this for speed.

pub mod echo;
pub mod ignorable;
pub mod markdown;
pub mod path;
pub mod text;
pub mod title;
