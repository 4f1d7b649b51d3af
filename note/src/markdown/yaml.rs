//! YAML as frontmatter uses it: one mapping, read into values of bounded size.
//!
//! The parser is `saphyr-parser`, which gives events and builds nothing. What is built of them here
//! has limits, because anybody may have written the note: anchors are copied where an alias stands
//! for them, and a few lines of those can stand for gigabytes.

use std::{borrow::Cow, collections::HashMap};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// The longest block that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;
/// The most values that one block holds, those that aliases stand for included.
const MAX_VALUES: usize = 4_096;
/// How deep values may lie in each other.
const MAX_DEPTH: usize = 16;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar as it is written, without its quotes and with its escapes resolved.
    Scalar {
        /// Its characters.
        text: String,
        /// Whether it stands there plainly, so that `true` and `3` are no texts.
        is_plain: bool,
    },
    /// A sequence.
    List(Vec<Value>),
    /// A mapping, in its order.
    Map(Vec<(String, Value)>),
}

/// Why a block is not read: it is no YAML, no mapping, or beyond a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a YAML mapping that is read here")]
pub struct Unreadable;

/// Reads a block whose root is a mapping; an empty block is an empty mapping.
///
/// Of a key that is there twice, the first value counts. A key that is no scalar is left out with
/// its value.
///
/// # Errors
/// [`Unreadable`], and then nothing of the block is read.
pub fn mapping(block: &str) -> Result<Vec<(String, Value)>, Unreadable> {
    if block.len() > MAX_BYTES {
        return Err(Unreadable);
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(block) {
        let (event, _) = event.map_err(|_| Unreadable)?;
        builder.take(event)?;
    }
    match builder.root {
        None => Ok(Vec::new()),
        Some(Value::Map(pairs)) => Ok(pairs),
        Some(Value::Scalar {
            text,
            is_plain: true,
        }) if text.is_empty() => Ok(Vec::new()),
        Some(Value::Scalar { .. } | Value::List(_)) => Err(Unreadable),
    }
}

/// Puts values together out of events.
#[derive(Default)]
struct Builder {
    root: Option<Value>,
    /// The lists and mappings that are not closed yet, the innermost last.
    open: Vec<Open>,
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
}

/// A list or mapping that is not closed yet.
struct Open {
    anchor: usize,
    /// How many values there were before it.
    before: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Value>),
    Map {
        pairs: Vec<(String, Value)>,
        key: Key,
    },
}

/// The key of the value that comes next.
#[derive(Default)]
enum Key {
    /// It has not come yet.
    #[default]
    Awaited,
    /// A scalar.
    Scalar(String),
    /// No scalar: its value is left out.
    Other,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), Unreadable> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1)?;
                let value = Value::Scalar {
                    text: text.into_owned(),
                    is_plain: style == ScalarStyle::Plain && !is_text(tag.as_ref()),
                };
                self.keep(anchor, &value, 1);
                self.add(value)
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, Kind::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.open(
                anchor,
                Kind::Map {
                    pairs: Vec::new(),
                    key: Key::Awaited,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                // An anchor that is still open would hold itself.
                let (value, size) = self.anchors.get(&anchor).cloned().ok_or(Unreadable)?;
                self.count(size)?;
                self.add(value)
            }
            // A second document would be lost.
            Event::DocumentStart(_) if self.root.is_some() => Err(Unreadable),
            Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::StreamStart
            | Event::StreamEnd
            | Event::Nothing => Ok(()),
        }
    }

    fn count(&mut self, values: usize) -> Result<(), Unreadable> {
        self.values += values;
        (self.values <= MAX_VALUES).then_some(()).ok_or(Unreadable)
    }

    fn keep(&mut self, anchor: usize, value: &Value, size: usize) {
        // The parser numbers anchors from 1; 0 is none.
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
    }

    fn open(&mut self, anchor: usize, kind: Kind) -> Result<(), Unreadable> {
        if self.open.len() == MAX_DEPTH {
            return Err(Unreadable);
        }
        let before = self.values;
        self.count(1)?;
        self.open.push(Open {
            anchor,
            before,
            kind,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        let closed = self.open.pop().ok_or(Unreadable)?;
        let value = match closed.kind {
            Kind::List(items) => Value::List(items),
            Kind::Map { pairs, .. } => Value::Map(pairs),
        };
        self.keep(closed.anchor, &value, self.values - closed.before);
        self.add(value)
    }

    fn add(&mut self, value: Value) -> Result<(), Unreadable> {
        match self.open.last_mut().map(|open| &mut open.kind) {
            None if self.root.is_some() => return Err(Unreadable),
            None => self.root = Some(value),
            Some(Kind::List(items)) => items.push(value),
            Some(Kind::Map { pairs, key }) => match std::mem::take(key) {
                Key::Awaited => {
                    *key = match value {
                        Value::Scalar { text, .. } => Key::Scalar(text),
                        Value::List(_) | Value::Map(_) => Key::Other,
                    };
                }
                Key::Scalar(key) if pairs.iter().all(|(there, _)| *there != key) => {
                    pairs.push((key, value));
                }
                Key::Scalar(_) | Key::Other => {}
            },
        }
        Ok(())
    }
}

/// Whether a tag says that a scalar is a text whatever it looks like: `!!str`, or one of somebody's
/// own.
fn is_text(tag: Option<&Cow<'_, Tag>>) -> bool {
    tag.is_some_and(|tag| !tag.is_yaml_core_schema() || tag.suffix == "str")
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, Unreadable, Value, mapping};

    fn text(text: &str) -> Value {
        Value::Scalar {
            text: text.to_owned(),
            is_plain: false,
        }
    }

    fn plain(text: &str) -> Value {
        Value::Scalar {
            text: text.to_owned(),
            is_plain: true,
        }
    }

    #[test]
    fn values_in_the_order_of_the_block() {
        let block = "b: 1\na: \"x\\u00e9\"\nlist: [p, 'q']\nmap:\n  k: v\nempty:\nb: 2\n? [x]\n: y\nblock: |\n  l1\n  l2\ntag: !!str 5\n";
        let pairs = mapping(block).unwrap();
        let pair = |key: &str, value| (key.to_owned(), value);
        assert_eq!(
            pairs,
            [
                pair("b", plain("1")),
                pair("a", text("xé")),
                pair("list", Value::List(vec![plain("p"), text("q")])),
                pair("map", Value::Map(vec![pair("k", plain("v"))])),
                pair("empty", plain("")),
                pair("block", text("l1\nl2\n")),
                pair("tag", text("5")),
            ]
        );
    }

    #[test]
    fn what_is_no_mapping_is_not_read() {
        assert_eq!(mapping(""), Ok(Vec::new()));
        assert_eq!(mapping("# only a comment\n"), Ok(Vec::new()));
        for block in [
            "text",
            "- a\n- b",
            "a: b: c",
            "a: [",
            "a: *unknown",
            "a: 1\n---\nb: 2",
        ] {
            assert_eq!(mapping(block), Err(Unreadable), "{block:?}");
        }
    }

    #[test]
    fn an_alias_stands_for_what_was_anchored() {
        let pairs = mapping("a: &x [1, 2]\nb: *x\n").unwrap();
        assert_eq!(pairs.first().map(|p| &p.1), pairs.get(1).map(|p| &p.1));
        assert_eq!(mapping("a: &x [*x]"), Err(Unreadable));
    }

    #[test]
    fn a_block_that_would_grow_without_bounds_is_not_read() {
        let mut lines = vec!["a0: &a0 [x, x, x, x, x, x, x, x, x]".to_owned()];
        for level in 1..40 {
            let before = level - 1;
            let aliases = vec![format!("*a{before}"); 9].join(", ");
            lines.push(format!("a{level}: &a{level} [{aliases}]"));
        }
        let bomb = lines.join("\n");
        let deep = format!("a: {}{}", "[".repeat(200), "]".repeat(200));
        let indented: Vec<_> = (0..100).map(|n| format!("{}k:", " ".repeat(n))).collect();
        let many: Vec<_> = (0..5_000).map(|n| format!("k{n}: 1")).collect();
        let long = format!("a: {}", "x".repeat(MAX_BYTES));
        for block in [bomb, deep, indented.join("\n"), many.join("\n"), long] {
            assert_eq!(mapping(&block), Err(Unreadable));
        }
    }
}
