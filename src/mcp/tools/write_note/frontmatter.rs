//! The argument `frontmatter` of `write_note`: what to do to properties.

use std::collections::{BTreeMap, BTreeSet};

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::super::arguments;
use crate::vault::{
    echo::Echo,
    edit::{PropertyChange, PropertyEdit},
};

/// Changes of properties.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Frontmatter {
    /// New values by name, such as {"status": "done", "due": "2026-01-31", "rating": 4}.
    #[serde(default)]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    set: JsonObject,
    /// Names of properties to take away.
    #[serde(default, deserialize_with = "arguments::items")]
    unset: Vec<String>,
    /// Items to add: a list for each name, such as for "tags". What is there already stays.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    add: JsonObject,
    /// Items to take out: a list for each name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    remove: JsonObject,
}

impl Frontmatter {
    /// The edits: what is taken away first, then what is set, then what lists get and lose.
    ///
    /// # Errors
    /// A sentence where a property is named twice.
    pub(super) fn edits(&self) -> Result<Vec<PropertyEdit>, String> {
        let items = |value: &Value| {
            let list = value.as_array().cloned();
            list.unwrap_or_else(|| vec![value.clone()])
        };
        let unset = self.unset.iter().map(|key| (key, PropertyChange::Unset));
        let set = self
            .set
            .iter()
            .map(|(key, value)| (key, PropertyChange::Set(value.clone())));
        let remove = self
            .remove
            .iter()
            .map(|(key, value)| (key, PropertyChange::Remove(items(value))));
        let add = self
            .add
            .iter()
            .map(|(key, value)| (key, PropertyChange::Add(items(value))));
        let whole: Vec<_> = unset.chain(set).collect();
        let mut names = BTreeSet::new();
        for name in whole.iter().map(|(key, _)| *key).chain(
            self.remove
                .keys()
                .chain(self.add.keys())
                .collect::<BTreeSet<_>>(),
        ) {
            if !names.insert(name) {
                return Err(format!(
                    "frontmatter says two things about {}: name a property in set or in unset, or its items in add and remove",
                    Echo(name)
                ));
            }
        }
        let all = whole.into_iter().chain(add).chain(remove);
        Ok(all
            .map(|(key, change)| PropertyEdit {
                key: key.clone(),
                change,
            })
            .collect())
    }
}
