//! Values as YAML writes them, so that every reader of YAML takes them for what they are: those of
//! version 1.1 too, for which `no` is false and `12:30` is 750.

use std::fmt::Write as _;

use serde_json::Value;

/// How a text was written that a new one takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// None, where the text can do without.
    None,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
}

/// A value on one line. Lists and objects come in brackets.
pub(super) fn inline(value: &Value, quotes: Quotes) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text, quotes),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(in_brackets).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(key, value)| format!("{}: {}", double(key), in_brackets(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A value inside of brackets, where commas and brackets divide.
pub(super) fn in_brackets(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains([',', '[', ']', '{', '}']) => double(text),
        Value::String(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => inline(value, Quotes::None),
    }
}

fn quoted(text: &str, quotes: Quotes) -> String {
    let is_printable = text.chars().all(is_printable);
    match quotes {
        Quotes::None if is_plain(text) => text.to_owned(),
        Quotes::Single if is_printable => format!("'{}'", text.replace('\'', "''")),
        Quotes::None | Quotes::Single | Quotes::Double => double(text),
    }
}

/// `"…"`, with everything escaped that does not print.
fn double(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if is_printable(character) => quoted.push(character),
            // Writing to a text does not fail.
            _ => drop(write!(quoted, "\\U{:08X}", u32::from(character))),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character stands for itself in YAML (section 5.1), and is no line break.
const fn is_printable(character: char) -> bool {
    matches!(character,
        ' '..='~'
        | '\u{a0}'..='\u{2027}'
        | '\u{202a}'..='\u{d7ff}'
        | '\u{e000}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffd}'
        | '\u{10000}'..)
}

/// Whether a text can stand without quotes and is still taken for a text, or for the date it is.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && text.chars().all(is_printable)
        && !text.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`=<~".contains(c))
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.contains(" #")
        && !is_word(text)
        && (!looks_numeric(text) || is_date(text))
}

/// A word that some reader takes for null or for a truth value.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether it may be read as a number by somebody: decimal, hexadecimal, with a point, with
/// underscores, or in sixties.
fn looks_numeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+'))
        && (text
            .chars()
            .all(|c| c.is_ascii_hexdigit() || "xXoO_+-.: ".contains(c))
            || [".inf", ".nan"]
                .contains(&text.trim_start_matches('+').to_ascii_lowercase().as_str()))
}

/// `2026-01-02`, or that with a time: written plainly, Obsidian shows a date.
fn is_date(text: &str) -> bool {
    let has_form = |text: &str, form: &str| {
        text.len() == form.len()
            && text
                .bytes()
                .zip(form.bytes())
                .all(|(byte, form)| match form {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == form,
                })
    };
    ["0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"]
        .iter()
        .any(|form| has_form(text, form))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Quotes, inline};
    use crate::vault::markdown::{properties::as_json, yaml};

    #[test]
    fn texts_are_quoted_where_somebody_would_take_them_for_something_else() {
        for (text, written) in [
            ("draft", "draft"),
            ("two words", "two words"),
            ("日本語", "日本語"),
            ("2026-01-02", "2026-01-02"),
            ("2026-01-02T10:30", "2026-01-02T10:30"),
            ("3rd", "3rd"),
            ("a:b", "a:b"),
            ("C#", "C#"),
            ("it's", "it's"),
            ("", "\"\""),
            (" x", "\" x\""),
            ("a: b", "\"a: b\""),
            ("a:", "\"a:\""),
            ("a #b", "\"a #b\""),
            ("[[Boat]]", "\"[[Boat]]\""),
            ("#tag", "\"#tag\""),
            ("- x", "\"- x\""),
            ("12:30", "\"12:30\""),
            ("1_000", "\"1_000\""),
            ("0x1F", "\"0x1F\""),
            ("1e3", "\"1e3\""),
            (".5", "\".5\""),
            (".INF", "\".INF\""),
            ("No", "\"No\""),
            ("y", "\"y\""),
            ("null", "\"null\""),
            ("~", "\"~\""),
            ("---", "\"---\""),
            ("<<", "\"<<\""),
            ("say \"hi\"", "say \"hi\""),
            ("a\nb\t\\", "\"a\\nb\\t\\\\\""),
            (
                "\u{7f}\u{85}\u{2028}\u{feff}",
                "\"\\U0000007F\\U00000085\\U00002028\\U0000FEFF\"",
            ),
        ] {
            assert_eq!(inline(&json!(text), Quotes::None), written, "{text:?}");
        }
        assert_eq!(inline(&json!("it's"), Quotes::Single), "'it''s'");
        assert_eq!(inline(&json!("a\nb"), Quotes::Single), "\"a\\nb\"");
        assert_eq!(inline(&json!("a"), Quotes::Double), "\"a\"");
    }

    #[test]
    fn what_is_written_is_read_as_it_was_meant() {
        for value in [
            json!(null),
            json!(true),
            json!(-3),
            json!(1.5),
            json!("x, y"),
            json!(["a", 1, null, "b, c", "[[x]]", "no", ["d"]]),
            json!({ "a": [1, { "b: c": "d\n" }], "e": "" }),
        ] {
            for quotes in [Quotes::None, Quotes::Single, Quotes::Double] {
                let block = format!("key: {}\n", inline(&value, quotes));
                let read: Vec<(String, Value)> = yaml::mapping(&block)
                    .unwrap()
                    .iter()
                    .map(|(key, value)| (key.clone(), as_json(value)))
                    .collect();
                assert_eq!(read, [("key".to_owned(), value.clone())], "{block}");
            }
        }
    }
}
