//! The properties of a note: what its frontmatter says.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use super::{
    Tag, frontmatter,
    yaml::{self, Value},
};
use crate::path::fold;

/// The names of the property that holds tags, and of the one that holds other names of the note.
const TAGS: [&str; 2] = ["tags", "tag"];
const ALIASES: [&str; 2] = ["aliases", "alias"];

/// How many characters of a name or value are compared.
const COMPARED: usize = 500;

/// The properties of a note, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties(Vec<(String, Value)>);

impl Properties {
    /// The properties that the frontmatter of `text` gives.
    ///
    /// Frontmatter that is no YAML mapping as a whole is read property by property, so that one
    /// broken line does not hide the others: `title: Boats: a history` is no YAML, and everybody
    /// knows what it means. Beyond 64 KiB, 4,096 values or 16 levels there are no properties.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let block = frontmatter::split(text).block();
        Self(yaml::mapping(block).unwrap_or_else(|_| one_by_one(block)))
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of `title`, on one line; `None` where it is missing, empty or no scalar.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let (_, value) = self.0.iter().find(|(key, _)| key == "title")?;
        match value {
            Value::Scalar { text, .. } => Some(on_one_line(text)).filter(|title| !title.is_empty()),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The other names of the note: `aliases` or `alias`, a list, or a text divided by commas.
    pub fn aliases(&self) -> impl Iterator<Item = String> {
        let texts = self.texts_of(ALIASES, divides_aliases);
        texts
            .map(|text| on_one_line(&text))
            .filter(|alias| !alias.is_empty())
    }

    /// The tags: `tags` or `tag`, a list, or a text divided by commas or white space, with or
    /// without `#`. What Obsidian would not take for a tag is left out.
    pub fn tags(&self) -> impl Iterator<Item = Tag> {
        let texts = self.texts_of(TAGS, divides_tags);
        texts.filter_map(|text| Tag::parse(&text).ok())
    }

    /// What stands inside the wikilinks that are values or items of values.
    pub(super) fn wikilinks(&self) -> impl Iterator<Item = String> {
        let items = self.0.iter().flat_map(|(_, value)| items(value));
        items.filter_map(|item| {
            let text = scalar(item)?;
            let inside = text.trim().strip_prefix("[[")?.strip_suffix("]]")?;
            Some(inside.to_owned())
        })
    }

    /// Every property that can be asked for, as the pair of what its key and its value compare by
    /// (see [`comparable_key`] and [`comparable`]). A list stands for each of its items.
    pub fn comparables(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().flat_map(|(key, value)| {
            let key = comparable_key(key);
            items(value).iter().filter_map(move |item| match item {
                Value::Scalar { text, is_plain } if *is_plain && is_null(text) => {
                    Some((key.clone(), String::new()))
                }
                Value::Scalar { text, .. } => Some((key.clone(), comparable(text))),
                Value::List(_) | Value::Map(_) => None,
            })
        })
    }

    /// The texts of the properties with one of these names, in any letter case.
    fn texts_of(
        &self,
        names: [&'static str; 2],
        divides: fn(char) -> bool,
    ) -> impl Iterator<Item = String> {
        let properties = self.0.iter().filter(move |(key, _)| is_one_of(names, key));
        properties.flat_map(move |(_, value)| match value {
            Value::List(items) => items.iter().filter_map(scalar).collect(),
            Value::Scalar { .. } => scalar(value)
                .iter()
                .flat_map(|text| text.split(divides))
                .map(str::to_owned)
                .collect(),
            Value::Map(_) => Vec::new(),
        })
    }
}

fn is_one_of(names: [&str; 2], key: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(key))
}

fn divides_tags(character: char) -> bool {
    character == ',' || character.is_whitespace()
}

const fn divides_aliases(character: char) -> bool {
    matches!(character, ',' | '\n')
}

/// Whether a property of this name holds tags.
#[must_use]
pub fn is_tags(key: &str) -> bool {
    is_one_of(TAGS, key)
}

/// What divides a text that stands for a list in a property of this name; `None` where a text there
/// is one value.
#[must_use]
pub fn divider(key: &str) -> Option<fn(char) -> bool> {
    if is_tags(key) {
        Some(divides_tags)
    } else if is_one_of(ALIASES, key) {
        Some(divides_aliases)
    } else {
        None
    }
}

/// What a property's name compares by: neither letter case nor normalization matters.
#[must_use]
pub fn comparable_key(key: &str) -> String {
    fold(key.trim()).chars().take(COMPARED).collect()
}

/// What a value compares by: as a number where it reads as one (`3`, `3.0` and `"3"` are the same),
/// otherwise as text without white space around it, neither letter case nor normalization mattering.
/// Nothing and an empty text are the same. Only the first 500 characters of a text count.
#[must_use]
pub fn comparable(text: &str) -> String {
    let text = text.trim();
    match number(text) {
        Some(number) => number.to_string(),
        None => fold(text).chars().take(COMPARED).collect(),
    }
}

/// The items of a list, or the value itself.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        Value::Scalar { .. } | Value::Map(_) => std::slice::from_ref(value),
    }
}

/// The text of a scalar; `None` for nothing and for what is no scalar.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Scalar { text, is_plain } if !(*is_plain && is_null(text)) => Some(text.clone()),
        Value::Scalar { .. } | Value::List(_) | Value::Map(_) => None,
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The null of YAML's core schema (YAML 1.2.2, section 10.3.2).
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The number of YAML's core schema that a text is.
#[must_use]
pub fn number(text: &str) -> Option<serde_json::Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().map(Into::into);
    }
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8).ok().map(Into::into);
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Some(integer.into());
    }
    let float: f64 = text.parse().ok()?;
    if float.fract() == 0.0
        && let Ok(integer) = format!("{float}").parse::<i64>()
    {
        return Some(integer.into());
    }
    serde_json::Number::from_f64(float)
}

/// The properties of a block that is no YAML as a whole: each line that starts one, with the lines
/// below it that belong to it.
fn one_by_one(block: &str) -> Vec<(String, Value)> {
    let mut pairs: Vec<(String, Value)> = Vec::new();
    let mut lines = block.split_inclusive('\n').peekable();
    // What is over a limit as a whole is not to be let in by pieces.
    let mut left = 256;
    while let Some(first) = lines.next() {
        let mut property = first.to_owned();
        while let Some(more) = lines.next_if(|line| !starts_property(line)) {
            property.push_str(more);
        }
        if left == 0 || !starts_property(first) {
            continue;
        }
        left -= 1;
        let read = yaml::mapping(&property).unwrap_or_else(|_| as_text(&property));
        pairs.extend(
            read.into_iter()
                .filter(|(key, _)| pairs.iter().all(|(there, _)| there != key))
                .collect::<Vec<_>>(),
        );
    }
    pairs
}

fn starts_property(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && line
            .split_once(':')
            .is_some_and(|(_, value)| value.is_empty() || value.starts_with(char::is_whitespace))
}

/// A property of one line whose value is no YAML, such as `title: Boats: a history`.
fn as_text(property: &str) -> Vec<(String, Value)> {
    let Some((key, value)) = property.trim_end().split_once(':') else {
        return Vec::new();
    };
    let text = value.trim().to_owned();
    // What begins like something else in YAML is not guessed at.
    let is_broken = text.contains('\n')
        || text.starts_with([
            '|', '>', '[', '{', '&', '*', '!', '%', '@', '`', '#', '"', '\'',
        ]);
    if is_broken {
        return Vec::new();
    }
    let value = Value::Scalar {
        text,
        is_plain: false,
    };
    vec![(key.trim_end().to_owned(), value)]
}

impl Serialize for Properties {
    /// A JSON object in the frontmatter's order.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, &as_json(value))?;
        }
        map.end()
    }
}

/// A value by YAML's core schema.
#[must_use]
pub fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Scalar { text, is_plain } => match text.as_str() {
            _ if !is_plain => json!(text),
            "true" | "True" | "TRUE" => json!(true),
            "false" | "False" | "FALSE" => json!(false),
            _ if is_null(text) => json!(null),
            _ => number(text).map_or_else(|| json!(text), |number| json!(number)),
        },
        Value::List(items) => items.iter().map(as_json).collect(),
        Value::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| (key.clone(), as_json(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Properties, comparable};
    use crate::markdown::Tag;

    fn properties(block: &str) -> Properties {
        Properties::of(&format!("---\n{block}\n---\nbody: no\n"))
    }

    fn tags(block: &str) -> Vec<String> {
        let tags = properties(block).tags().collect::<Vec<Tag>>();
        tags.iter().map(|tag| tag.as_str().to_owned()).collect()
    }

    #[test]
    fn values_become_json_by_the_core_schema() {
        let found = properties(
            "z: 1\na: 1.50\nb: true\nc: ~\nd: '3'\ne: 2026-11-30\nf: [x, 0x10, 1e3]\ng: {k: v}\nh: .inf",
        );
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            r#"{"z":1,"a":1.5,"b":true,"c":null,"d":"3","e":"2026-11-30","f":["x",16,1000],"g":{"k":"v"},"h":".inf"}"#
        );
    }

    #[test]
    fn names_and_tags_in_every_form_people_write() {
        for block in [
            "tags: [Boat, '#wood/oak']",
            "tags:\n  - Boat\n  - \"#wood/oak\"",
            "tags: Boat, wood/oak",
            "Tags: Boat wood/oak",
            "tag: '#Boat #wood/oak'",
        ] {
            assert_eq!(tags(block), ["Boat", "wood/oak"], "{block}");
        }
        assert_eq!(tags("tags: [2026, a b, '', x2026, {k: v}, ~]"), ["x2026"]);
        let aliases = |block: &str| properties(block).aliases().collect::<Vec<_>>();
        assert_eq!(
            aliases("aliases: [The boat, 'She, again', 7]"),
            ["The boat", "She, again", "7"]
        );
        assert_eq!(aliases("alias: The boat, she"), ["The boat", "she"]);
        assert_eq!(aliases("aliases:"), [""; 0]);
    }

    #[test]
    fn a_broken_line_does_not_hide_the_others() {
        let found = properties("title: Boats: a history\ntags: [a,\n  b]\nbad: [\nrating: 5");
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            r#"{"title":"Boats: a history","tags":["a","b"],"rating":5}"#
        );
    }

    #[test]
    fn what_is_the_same_compares_equal() {
        for (one, other) in [
            ("3", "3.0"),
            ("3", " 3 "),
            ("0x10", "16"),
            ("Done", "DONE"),
            ("Cafe\u{301}", "café"),
            ("-0.50", "-.5"),
            ("1e3", "1000"),
        ] {
            assert_eq!(comparable(one), comparable(other), "{one} {other}");
        }
        for (one, other) in [
            ("3", "30"),
            ("inf", "infinity"),
            ("1.2.3", "1.2"),
            ("nan", ""),
        ] {
            assert_ne!(comparable(one), comparable(other), "{one} {other}");
        }
    }

    #[test]
    fn lists_compare_by_their_items() {
        let found: Vec<_> = properties("Status: Done\nwho: [Ines, 3, [x]]\nnone:\nmap: {a: b}")
            .comparables()
            .collect();
        let pairs: Vec<_> = found
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("status", "done"),
                ("who", "ines"),
                ("who", "3"),
                ("none", "")
            ]
        );
    }
}
