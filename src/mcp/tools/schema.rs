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
    Arc::new(schema)
}
