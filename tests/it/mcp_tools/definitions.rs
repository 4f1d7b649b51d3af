//! Tool definitions are a public API: people's prompts and clients' permissions refer to them. Each
//! has a snapshot, so that a change shows as a difference that can be read.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use vault_mcp::mcp::{Era, tools::ToolName};

use crate::support::app::TestApp;

/// The definitions as a client gets them.
async fn definitions() -> Vec<Value> {
    let app = TestApp::of(&[("Note.md", "")]);
    let owner = app.owner().await;
    let modern = owner.result(Era::Modern, "tools/list", &json!({})).await;
    let legacy = owner.result(Era::Legacy, "tools/list", &json!({})).await;
    assert_eq!(modern["tools"], legacy["tools"]);
    assert_eq!(modern.get("nextCursor"), None);
    modern["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn every_definition_is_what_its_snapshot_says() {
    let definitions = definitions().await;
    assert_eq!(definitions.len(), ToolName::ALL.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (tool, definition) in ToolName::ALL.into_iter().zip(&definitions) {
            assert_eq!(definition["name"], tool.as_str(), "the order is fixed");
            insta::assert_json_snapshot!(format!("mcp_tool_{}", tool.as_str()), definition);
        }
    });
}

#[tokio::test]
async fn names_are_unique_portable_and_promise_no_rename_or_move() {
    let mut names = BTreeSet::new();
    for definition in definitions().await {
        let name = definition["name"].as_str().unwrap().to_owned();
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{name}"
        );
        assert_eq!(
            ToolName::parse(&name).map(ToolName::as_str),
            Some(name.as_str())
        );
        for word in ["rename", "move", "copy"] {
            assert!(!name.contains(word), "{name}");
            let schema = definition["inputSchema"].to_string();
            assert!(!schema.contains(&format!("\"{word}\"")), "{name}: {word}");
        }
        assert!(names.insert(name.clone()), "{name} stands twice");
    }
}

#[tokio::test]
async fn annotations_are_written_and_true() {
    for definition in definitions().await {
        let name = definition["name"].as_str().unwrap();
        let tool = ToolName::parse(name).unwrap();
        let annotations = &definition["annotations"];
        assert_eq!(
            *annotations,
            json!({
                "readOnlyHint": !tool.is_mutation(),
                "destructiveHint": tool.is_mutation(),
                "idempotentHint": tool != ToolName::WriteNote,
                "openWorldHint": false,
            }),
            "{name}"
        );
        assert!(!definition["title"].as_str().unwrap().is_empty(), "{name}");
        assert!(
            definition["description"].as_str().unwrap().len() > 80,
            "{name}"
        );
    }
}

/// Some model providers refuse a whole list of tools for one schema that is more than an object.
#[tokio::test]
async fn schemas_are_plain_objects_that_every_client_takes() {
    for definition in definitions().await {
        let name = &definition["name"];
        let schema = &definition["inputSchema"];
        let members: BTreeSet<&str> = schema
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let plain = ["type", "properties", "required", "additionalProperties"];
        assert!(members.is_subset(&plain.into()), "{name}: {members:?}");
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        let text = schema.to_string();
        for keyword in ["$ref", "$defs", "$schema", "anyOf", "allOf", "not\":"] {
            assert!(!text.contains(keyword), "{name}: {keyword}");
        }
        for (argument, property) in schema["properties"].as_object().unwrap() {
            let place = format!("{name}.{argument}");
            let description = property["description"].as_str();
            let description = description.unwrap_or_else(|| panic!("{place} says nothing"));
            assert!(description.len() > 20, "{place}: {description}");
            assert!(description.ends_with('.'), "{place}: {description}");
            assert!(!description.contains('\n'), "{place}: {description}");
            let default = property.get("default");
            let fits = match property["type"].as_str() {
                Some("string") => default.is_none_or(Value::is_string),
                Some("integer") => default.is_none_or(Value::is_u64),
                Some("object") => default.is_none_or(Value::is_object),
                Some("array") => default.is_none_or(Value::is_array),
                Some("boolean") => default.is_none_or(Value::is_boolean),
                other => panic!("{place} is {other:?}"),
            };
            assert!(fits, "{place} has the default {default:?}");
            assert_eq!(property.get("format"), None, "{place}");
            let argument_is_snake = argument
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(argument_is_snake, "{place}");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            let required = required.as_str().unwrap();
            assert!(
                schema["properties"][required].is_object(),
                "{name}.{required}"
            );
        }
    }
}

/// Whoever tries a server out calls its first tool without arguments.
#[tokio::test]
async fn the_first_tool_needs_no_arguments() {
    let first = &definitions().await[0];
    assert_eq!(first["inputSchema"].get("required"), None);
    let app = TestApp::of(&[("Note.md", "")]);
    let name = first["name"].as_str().unwrap();
    let facts = app.owner().await.call(name, json!({})).await.facts();
    assert_eq!(facts["total"], 1);
}

/// Names and the main arguments are fixed.
#[tokio::test]
async fn the_arguments_that_people_rely_on_are_there() {
    let definitions = definitions().await;
    for (tool, arguments) in [
        (
            ToolName::ListNotes,
            [
                "dir",
                "depth",
                "tag",
                "frontmatter",
                "modified_since",
                "sort",
                "limit",
                "cursor",
            ]
            .as_slice(),
        ),
        (
            ToolName::ReadNote,
            &[
                "path", "paths", "section", "lines", "outline", "include", "at",
            ],
        ),
        (
            ToolName::SearchNotes,
            &["query", "dir", "tag", "frontmatter", "limit", "cursor"],
        ),
        (
            ToolName::WriteNote,
            &[
                "path",
                "content",
                "mode",
                "edits",
                "section",
                "frontmatter",
                "at",
                "dry_run",
                "expected_revision",
                "message",
            ],
        ),
        (ToolName::NoteHistory, &["path", "limit", "cursor", "diff"]),
        (ToolName::DeleteNote, &["path", "expected_revision"]),
    ] {
        let definition = definitions
            .iter()
            .find(|definition| definition["name"] == tool.as_str())
            .unwrap();
        for argument in arguments {
            let property = &definition["inputSchema"]["properties"][*argument];
            assert!(property.is_object(), "{tool:?}.{argument}");
        }
    }
}

/// A model that is told of a tool which does not exist calls it.
#[tokio::test]
async fn texts_for_the_model_speak_of_tools_that_exist() {
    let app = TestApp::of(&[("Note.md", "")]);
    let owner = app.owner().await;
    let discovered = owner
        .result(Era::Modern, "server/discover", &json!({}))
        .await;
    let instructions = discovered["instructions"].as_str().unwrap().to_owned();
    let mut texts = vec![instructions.clone()];
    texts.extend(definitions().await.iter().map(Value::to_string));
    for text in &texts {
        let words =
            text.split(|character: char| !character.is_ascii_lowercase() && character != '_');
        for word in words.filter(|word| word.ends_with("_note") || word.ends_with("_notes")) {
            assert!(ToolName::parse(word).is_some(), "{word}");
        }
    }
    for tool in ToolName::ALL {
        assert!(instructions.contains(tool.as_str()), "{tool:?}");
    }
}
