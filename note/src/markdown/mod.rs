//! Reading Markdown: just enough of it to find one's way in a note. Nothing here changes a text.

pub mod frontmatter;
pub mod headings;
mod html;
mod inline;
mod metadata;
pub mod properties;
pub mod section;
pub mod tags;
pub mod yaml;

pub use headings::{Heading, headings};
pub use inline::{Link, links, name_of, without_extension};
pub use metadata::Metadata;
pub use properties::Properties;
pub use section::{Section, SectionError, SectionName};
pub use tags::Tag;
