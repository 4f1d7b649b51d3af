//! JSON Schemas of arguments, in the form that all clients take.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

/// The schema of a tool's arguments.
///
/// One plain object without references, title or dialect: some model providers refuse a whole list
/// of tools for a `$ref` or a combinator at the top of one schema.
pub(super) fn of<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else {
        return Arc::default();
    };
    schema.remove("title");
    schema.remove("description");
    // A tool without arguments has none of them, which is to be said too.
    let properties = schema
        .entry("properties")
        .or_insert_with(|| Value::Object(JsonObject::new()));
    if let Value::Object(properties) = properties {
        properties.values_mut().for_each(plain);
    }
    Arc::new(schema)
}

/// Takes out of an argument's schema what says nothing to a model, or trips a strict validator.
fn plain(property: &mut Value) {
    let Value::Object(property) = property else {
        return;
    };
    // "Left out" is not a value: neither null nor an empty list is one of the argument's type.
    let is_nothing = |value: &Value| value.is_null() || *value == Value::Array(Vec::new());
    property.retain(|keyword, value| !(keyword == "default" && is_nothing(value)));
    // What a list is for is said of the list.
    if let Some(Value::Object(items)) = property.get_mut("items") {
        items.remove("description");
    }
    // Names of Rust's numbers, which JSON Schema does not know.
    property.remove("format");
    if let Some(Value::String(description)) = property.get_mut("description") {
        // Where a line of source ends means nothing.
        *description = description.replace('\n', " ");
    }
}
