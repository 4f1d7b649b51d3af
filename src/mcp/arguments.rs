//! Tool arguments: strict in meaning, lenient in form.
//!
//! Models and clients send `"10"` or `10.0` for 10, and `"true"` for true. Those mean one thing and
//! are taken. What is unknown, missing or out of range is refused with a sentence that says what is
//! expected. A refusal is a tool result, so that the model can read it and try again (MCP SEP-1303).

use rmcp::model::JsonObject;
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error};
use serde_json::Value;

/// Reads the arguments of a tool call; `None` is the same as `{}`.
///
/// # Errors
/// A sentence that names the argument and what it should be.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, String> {
    let mut arguments = arguments.unwrap_or_default();
    // A null stands for an argument that was left out: generated clients fill in all of them.
    arguments.retain(|_, value| !value.is_null());
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let argument = error.path().to_string();
        let problem = error.into_inner().to_string();
        // Where an argument is missing or unknown, the problem names it itself.
        if argument == "." || problem.contains(&format!("`{argument}`")) {
            shortened(&problem)
        } else {
            shortened(&format!("{argument}: {problem}"))
        }
    })
}

/// The beginning and the end of a sentence that quotes an argument of any length.
fn shortened(problem: &str) -> String {
    const BEGINNING: usize = 200;
    const END: usize = 400;
    let count = problem.chars().count();
    if count <= BEGINNING + END {
        return problem.to_owned();
    }
    let beginning = problem.chars().take(BEGINNING);
    beginning
        .chain(['…'])
        .chain(problem.chars().skip(count - END))
        .collect()
}

/// An optional whole number, also as text (`"10"`) or with an empty fraction (`10.0`).
pub(crate) fn integer<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(input)?;
    let number = match &value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse::<u64>()
                .ok()
                .or_else(|| whole(text.parse().ok()?))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("expected a whole number, got {value}")))
}

/// A list, also as text, or its only item alone.
pub(crate) fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    input: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let mut value = Value::deserialize(input)?;
    if let Value::String(text) = &value
        && let Ok(read @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text)
    {
        value = read;
    }
    let items = match value {
        Value::Array(items) => items,
        alone @ (Value::Object(_) | Value::String(_)) => vec![alone],
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => {
            return Err(D::Error::custom(format!("expected a list, got {other}")));
        }
    };
    let items = items.into_iter().map(|item| T::deserialize(item));
    items
        .collect::<Result<_, _>>()
        .map(Some)
        .map_err(D::Error::custom)
}

/// The same, where leaving it out is an empty list.
pub(crate) fn items<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    input: D,
) -> Result<Vec<T>, D::Error> {
    list(input).map(Option::unwrap_or_default)
}

/// An object, also as text.
pub(crate) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    input: D,
) -> Result<Option<T>, D::Error> {
    let mut value = Value::deserialize(input)?;
    if let Value::String(text) = &value
        && let Ok(read @ Value::Object(_)) = serde_json::from_str(text)
    {
        value = read;
    }
    if !value.is_object() {
        return Err(D::Error::custom(format!("expected an object, got {value}")));
    }
    T::deserialize(value).map(Some).map_err(D::Error::custom)
}

/// Yes or no, also as text.
pub(crate) fn flag<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(input)?;
    match &value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
    .ok_or_else(|| D::Error::custom(format!("expected true or false, got {value}")))
}

/// A list of names out of a fixed choice, also as text: names divided by commas, or a list in JSON.
pub(crate) fn choices<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    input: D,
) -> Result<Vec<T>, D::Error> {
    let texts: Vec<String> = items(input)?;
    let names = texts.iter().flat_map(|text| text.split(','));
    names
        .map(|name| serde_json::from_value(Value::from(name.trim())).map_err(D::Error::custom))
        .collect()
}

/// Properties with the values that they are to be or to have: an object, also as text. A value is a
/// text, a number, a truth value or null, or a list of those, all of which are meant.
pub(crate) fn properties<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<Vec<(String, String)>, D::Error> {
    let refused = |value: &Value| {
        D::Error::custom(format!(
            "expected an object of property names and values, such as {{\"status\": \"done\"}}, got {value}"
        ))
    };
    let mut value = Value::deserialize(input)?;
    if let Value::String(text) = &value {
        value = serde_json::from_str(text).map_err(|_| refused(&value))?;
    }
    let Value::Object(object) = &value else {
        return Err(refused(&value));
    };
    let mut pairs = Vec::new();
    for (key, value) in object {
        let alone = std::slice::from_ref(value);
        let values = value.as_array().map_or(alone, Vec::as_slice);
        for each in values {
            let text = match each {
                Value::Null => String::new(),
                Value::Bool(flag) => flag.to_string(),
                Value::Number(number) => number.to_string(),
                Value::String(text) => text.clone(),
                Value::Array(_) | Value::Object(_) => return Err(refused(each)),
            };
            pairs.push((key.clone(), text));
        }
    }
    Ok(pairs)
}

/// The integer that a floating-point number is, where it is one.
fn whole(number: f64) -> Option<u64> {
    /// Above this, doubles no longer tell neighbouring integers apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the guard keeps the number whole, not negative and exact"
    )]
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(default, deserialize_with = "integer")]
        limit: Option<u64>,
    }

    fn limit(value: &Value) -> Result<Option<u64>, String> {
        let arguments = json!({ "limit": value });
        parse::<Sample>(arguments.as_object().cloned()).map(|sample| sample.limit)
    }

    #[test]
    fn whole_numbers_are_taken_in_every_form_clients_send() {
        for form in [
            json!(10),
            json!("10"),
            json!(10.0),
            json!("10.0"),
            json!(" 10 "),
        ] {
            assert_eq!(limit(&form), Ok(Some(10)), "{form}");
        }
        assert_eq!(limit(&Value::Null), Ok(None));
        assert_eq!(parse::<Sample>(None).unwrap().limit, None);
    }

    #[test]
    fn what_is_no_whole_number_is_refused_with_the_value() {
        for form in [
            json!(-1),
            json!(1.5),
            json!("ten"),
            json!(""),
            json!([1]),
            json!(true),
            json!(1e300),
        ] {
            let refusal = limit(&form).unwrap_err();
            assert!(
                refusal.contains("expected a whole number"),
                "{form}: {refusal}"
            );
        }
    }

    #[test]
    fn flags_and_lists_are_taken_in_every_form_clients_send() {
        #[derive(Debug, Deserialize)]
        struct Forms {
            #[serde(default, deserialize_with = "flag")]
            outline: bool,
            #[serde(default, deserialize_with = "list")]
            paths: Option<Vec<String>>,
        }
        let parsed = |name: &str, value: Value| {
            let arguments = json!({ name: value });
            parse::<Forms>(arguments.as_object().cloned())
        };
        for (form, flag) in [
            (json!(true), true),
            (json!("true"), true),
            (json!(" True "), true),
            (json!(false), false),
            (json!("false"), false),
            (json!(null), false),
        ] {
            assert_eq!(
                parsed("outline", form.clone()).unwrap().outline,
                flag,
                "{form}"
            );
        }
        for form in [json!(1), json!("yes"), json!(""), json!([true])] {
            let refusal = parsed("outline", form.clone()).unwrap_err();
            assert!(
                refusal.contains("outline: expected true or false"),
                "{refusal}"
            );
        }
        for (form, texts) in [
            (json!(["a", "b"]), vec!["a", "b"]),
            (json!(r#"["a", "b"]"#), vec!["a", "b"]),
            (json!("a"), vec!["a"]),
            (json!("a, b"), vec!["a, b"]),
            (json!([]), vec![]),
        ] {
            let found = parsed("paths", form.clone()).unwrap().paths.unwrap();
            assert_eq!(found, texts, "{form}");
        }
        assert_eq!(parsed("paths", json!(null)).unwrap().paths, None);
        for form in [json!(1), json!([1]), json!("[1]"), json!({ "a": "b" })] {
            let refusal = parsed("paths", form.clone()).unwrap_err();
            assert!(refusal.starts_with("paths"), "{refusal}");
        }
    }

    #[test]
    fn properties_are_taken_in_every_form_clients_send() {
        #[derive(Debug, Deserialize)]
        struct Filtered {
            #[serde(deserialize_with = "properties")]
            frontmatter: Vec<(String, String)>,
        }
        let parsed = |value: Value| {
            let arguments = json!({ "frontmatter": value });
            parse::<Filtered>(arguments.as_object().cloned())
        };
        let all = json!({ "a": "x", "b": 3, "c": true, "d": null, "e": ["y", 1.5] });
        for form in [all.clone(), json!(all.to_string())] {
            let found = parsed(form).unwrap().frontmatter;
            let pairs: Vec<_> = found
                .iter()
                .map(|(k, v)| (k.as_str(), v.as_str()))
                .collect();
            let expected = [
                ("a", "x"),
                ("b", "3"),
                ("c", "true"),
                ("d", ""),
                ("e", "y"),
                ("e", "1.5"),
            ];
            assert_eq!(pairs, expected);
        }
        for form in [
            json!("status"),
            json!(["a"]),
            json!(1),
            json!({ "a": { "b": 1 } }),
            json!("[]"),
        ] {
            let refusal = parsed(form.clone()).unwrap_err();
            assert!(
                refusal.contains("frontmatter: expected an object"),
                "{form}: {refusal}"
            );
        }
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_expected_ones() {
        let arguments = json!({ "folder": "x" });
        let refusal = parse::<Sample>(arguments.as_object().cloned()).unwrap_err();
        assert!(
            refusal.contains("unknown field `folder`, expected `limit`"),
            "{refusal}"
        );
    }
}
