//! Reading Markdown: just enough of it to find one's way in a note. Nothing here changes a text.

pub mod frontmatter;
pub mod headings;

pub use headings::{Heading, headings};
