//! Reading Markdown: just enough of it to find one's way in a note. Nothing here changes a text.

pub mod frontmatter;
pub mod headings;
mod html;
mod inline;
mod metadata;
pub mod properties;
pub mod section;
pub mod tags;
pub(in crate::vault) mod yaml;

pub use headings::{Heading, headings};
pub(super) use inline::without_extension;
pub use inline::{Link, links, name_of};
pub use metadata::Metadata;
pub use properties::Properties;
pub use section::{Section, SectionError, SectionName};
pub use tags::Tag;
