//! Reading Markdown: just enough of it to find one's way in a note. Nothing here changes a text.

pub mod frontmatter;
pub mod headings;
mod inline;
mod metadata;
pub mod properties;
pub mod tags;
mod yaml;

pub use headings::{Heading, headings};
pub use inline::{Link, name_of};
pub use metadata::Metadata;
pub use properties::Properties;
pub use tags::Tag;
