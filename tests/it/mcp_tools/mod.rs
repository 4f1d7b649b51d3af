//! The tools as a model meets them: definitions, arguments, answers, errors.

mod access;
mod arguments;
mod cap;
mod definitions;
mod errors;
mod failing;
mod list;
mod overview;
mod read;
mod read_links;
mod read_parts;
mod read_several;
mod search;
mod write;
mod write_frontmatter;
mod write_parts;
mod write_restore;
mod write_section;
mod write_trial;
