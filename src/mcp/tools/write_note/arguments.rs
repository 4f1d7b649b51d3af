//! The arguments of `write_note`, and which of them go together.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{super::super::arguments, frontmatter::Frontmatter};
use crate::vault::{
    client::TextChange,
    edit::{self, MAX_EDITS, PropertyEdit},
};

/// The arguments of `write_note`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The note's path, such as "Projects/Boat.md". Folders come into being with their first note.
    pub(super) path: String,
    /// Plain text: the whole note with "overwrite" and "create", what to add with "append" and
    /// "prepend". Nothing is trimmed or converted, but added text gets the note's line ends.
    #[serde(default)]
    #[schemars(with = "String")]
    content: Option<String>,
    /// "overwrite" (the default) replaces the note, or makes it; "create" makes a new note and
    /// refuses to touch an existing one; "append" and "prepend" add lines at the note's end, or at
    /// its start behind the frontmatter, and make a missing note; "edit" replaces quoted text;
    /// "restore" brings back what the note held at an earlier commit, also a deleted note.
    #[serde(default)]
    #[schemars(extend("default" = "overwrite"))]
    mode: Mode,
    /// With mode "edit": what to replace. Each is made in what the one before left; all are made,
    /// or none.
    #[serde(default, deserialize_with = "arguments::list")]
    #[schemars(with = "Vec<Edit>")]
    edits: Option<Vec<Edit>>,
    /// The heading of one section, such as "Plans" or "Projects#Plans", to change only that:
    /// "overwrite" then replaces what stands below the heading.
    #[serde(default)]
    #[schemars(with = "String")]
    section: Option<String>,
    /// Changes of properties, with any mode or alone: "set" values by name, "unset" names, "add" to
    /// and "remove" from lists such as tags. Other properties keep every byte.
    #[serde(default, deserialize_with = "arguments::object")]
    #[schemars(with = "Frontmatter")]
    frontmatter: Option<Frontmatter>,
    /// With mode "restore": the commit that holds the note, 40 hexadecimal digits.
    #[serde(default)]
    #[schemars(with = "String")]
    at: Option<String>,
    /// The revision that the note must still have, from `read_note` or `list_notes`. If somebody
    /// has changed it since, nothing is written. Give it whenever the new text is based on the old.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) expected_revision: Option<String>,
    /// True to check everything and see the diff, and write nothing.
    #[serde(default, deserialize_with = "arguments::flag")]
    pub(super) dry_run: bool,
    /// One line that says what the change is for; it becomes the commit's subject.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) message: Option<String>,
}

/// What a write does.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Overwrite,
    Create,
    Append,
    Prepend,
    Edit,
    Restore,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Text of the note, quoted exactly, as much as makes it the only such place.
    old: String,
    /// What shall stand there instead. May be empty.
    new: String,
    /// True to replace every place where old is.
    #[serde(default, deserialize_with = "arguments::flag")]
    all: bool,
}

impl Mode {
    /// The name on the wire.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Overwrite => "overwrite",
            Self::Create => "create",
            Self::Append => "append",
            Self::Prepend => "prepend",
            Self::Edit => "edit",
            Self::Restore => "restore",
        }
    }

    /// The arguments that go with it beside those that go with every mode, and whether it cannot do
    /// without.
    const fn takes(self) -> &'static [(&'static str, Need)] {
        match self {
            Self::Create => &[("content", Need::Required)],
            Self::Overwrite | Self::Append | Self::Prepend => &[
                ("content", Need::Required),
                ("section", Need::Optional),
                ("expected_revision", Need::Optional),
            ],
            Self::Edit => &[
                ("edits", Need::Required),
                ("section", Need::Optional),
                ("expected_revision", Need::Optional),
            ],
            Self::Restore => &[
                ("at", Need::Required),
                ("expected_revision", Need::Optional),
            ],
        }
    }
}

/// Whether an argument has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

/// Edits as the vault takes them.
pub(super) struct Edits<'a> {
    text: Vec<edit::Edit<'a>>,
    pub(super) properties: Vec<PropertyEdit>,
}

impl Arguments {
    /// The edits that are asked for.
    ///
    /// # Errors
    /// A sentence where changes of properties contradict each other.
    pub(super) fn edits(&self) -> Result<Edits<'_>, String> {
        let text = self.edits.iter().flatten();
        let properties = self
            .frontmatter
            .as_ref()
            .map(Frontmatter::edits)
            .transpose()?;
        Ok(Edits {
            text: text
                .map(|Edit { old, new, all }| edit::Edit {
                    old,
                    new,
                    all: *all,
                })
                .collect(),
            properties: properties.unwrap_or_default(),
        })
    }

    /// What is to be done to the note.
    ///
    /// # Errors
    /// A sentence where an argument does not go with the mode, or one is missing: which, and what
    /// the mode takes.
    pub(super) fn text<'a>(&'a self, edits: &'a Edits<'_>) -> Result<TextChange<'a>, String> {
        if self.is_about_properties_alone() {
            return Ok(TextChange::Keep);
        }
        self.check_combination()?;
        let content = self.content.as_deref().unwrap_or_default();
        let section = self.section.as_deref();
        Ok(match self.mode {
            Mode::Overwrite => TextChange::Overwrite { content, section },
            Mode::Create => TextChange::Create { content },
            Mode::Append => TextChange::Append { content, section },
            Mode::Prepend => TextChange::Prepend { content, section },
            Mode::Edit => match edits.text.len() {
                0 => return Err("edits is empty: give at least one {\"old\", \"new\"}".to_owned()),
                count if count > MAX_EDITS => {
                    return Err(format!("edits are {count}, and {MAX_EDITS} is the most"));
                }
                _ => TextChange::Edit {
                    edits: &edits.text,
                    section,
                },
            },
            Mode::Restore => TextChange::Restore {
                at: self.at.as_deref().unwrap_or_default(),
            },
        })
    }

    /// Whether nothing is said about the text: then it stays.
    fn is_about_properties_alone(&self) -> bool {
        let is_silent = self.content.is_none()
            && self.edits.is_none()
            && self.section.is_none()
            && self.at.is_none();
        is_silent && self.frontmatter.is_some() && matches!(self.mode, Mode::Overwrite)
    }

    fn check_combination(&self) -> Result<(), String> {
        let given = [
            ("content", self.content.is_some()),
            ("edits", self.edits.is_some()),
            ("section", self.section.is_some()),
            ("at", self.at.is_some()),
            ("expected_revision", self.expected_revision.is_some()),
        ];
        let takes = self.mode.takes();
        let need = |argument| {
            takes
                .iter()
                .find(|(name, _)| *name == argument)
                .map(|(_, need)| *need)
        };
        for (argument, is_given) in given {
            let problem = match (is_given, need(argument)) {
                (true, None) => "does not go with",
                (false, Some(Need::Required)) => "is missing for",
                _ => continue,
            };
            return Err(format!(
                "{argument} {problem} mode \"{}\", which takes {}",
                self.mode.as_str(),
                enumeration(takes)
            ));
        }
        Ok(())
    }
}

/// Arguments as a sentence lists them.
fn enumeration(takes: &[(&str, Need)]) -> String {
    let names = takes.iter().map(|(name, need)| match need {
        Need::Required => (*name).to_owned(),
        Need::Optional => format!("{name} (optional)"),
    });
    ["path".to_owned()]
        .into_iter()
        .chain(names)
        .collect::<Vec<_>>()
        .join(", ")
}
