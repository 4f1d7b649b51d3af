//! Whatever is sent: no panic, an answer in JSON, and never a status that blames the server.

use proptest::prelude::*;
use serde_json::{Value, json};
use vault_mcp::mcp::{Era, METHODS, tools::ToolName};

use super::app;
use crate::support::app::{Answer, Post, TestApp};

/// A server and a token for it, on a runtime of their own.
struct Target {
    runtime: tokio::runtime::Runtime,
    app: TestApp,
    token: String,
}

impl Target {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let app = app();
        let token = runtime.block_on(async { app.owner().await.token().to_owned() });
        Self {
            runtime,
            app,
            token,
        }
    }

    /// The answer, which `send` has seen to be JSON where it has a body.
    fn send(&self, post: &Post) -> Answer {
        self.runtime
            .block_on(self.app.bearer(self.token.as_str()).send(post))
    }

    fn check(&self, post: &Post) -> Result<(), TestCaseError> {
        let answer = self.send(post);
        let status = answer.status().as_u16();
        prop_assert!(
            status == 200 || status == 202 || (400..500).contains(&status),
            "{status}"
        );
        prop_assert_ne!(status, 401, "the token was good");
        if status != 202 {
            let message = answer.json();
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            prop_assert!(message["result"].is_null() != message["error"].is_null());
        }
        Ok(())
    }
}

/// Names that messages of this protocol have, and others.
fn name() -> impl Strategy<Value = String> {
    let known: Vec<String> = METHODS
        .iter()
        .map(|method| method.name)
        .chain([
            "jsonrpc",
            "id",
            "method",
            "params",
            "result",
            "error",
            "_meta",
            "name",
            "arguments",
            "uri",
            "cursor",
            "path",
            "content",
            "dir",
            "limit",
            "lines",
            "mode",
            "list_notes",
            "search_notes",
            "read_note",
            "write_note",
            "delete_note",
            "query",
            "protocolVersion",
            "capabilities",
            "clientInfo",
            "2.0",
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/clientCapabilities",
            "2026-07-28",
            "2025-11-25",
            "Note.md",
        ])
        .map(str::to_owned)
        .collect();
    prop_oneof![4 => prop::sample::select(known), 1 => any::<String>()]
}

/// Any JSON, made of such names.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        name().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..6).prop_map(|members| members
                .into_iter()
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

fn era() -> impl Strategy<Value = Era> {
    prop_oneof![Just(Era::Legacy), Just(Era::Modern)]
}

fn run<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: std::fmt::Debug,
{
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest::test_runner::TestRunner::new(config)
        .run(strategy, test)
        .unwrap();
}

#[test]
fn any_bytes_are_answered() {
    let target = Target::new();
    run(500, &prop::collection::vec(any::<u8>(), 0..200), |body| {
        target.check(&Post::raw(body))
    });
}

#[test]
fn any_json_is_answered() {
    let target = Target::new();
    run(500, &value(), |body| target.check(&Post::json(&body)));
}

#[test]
fn any_envelope_is_answered() {
    let target = Target::new();
    let strategy = (value(), name(), value(), prop::option::of(value()));
    run(500, &strategy, |(id, method, params, more)| {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if let Some(more) = more {
            message["result"] = more;
        }
        target.check(&Post::json(&message))
    });
}

#[test]
fn any_parameters_of_any_method_are_answered() {
    let target = Target::new();
    let members = prop::collection::vec((name(), value()), 0..5);
    run(800, &(era(), name(), members), |(era, method, members)| {
        let params: serde_json::Map<_, _> = members.into_iter().collect();
        // What belongs into a header has to fit into one.
        prop_assume!(method.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
        target.check(&Post::of(era, &method, &params.into()))
    });
}

#[test]
fn any_arguments_of_any_tool_are_answered_and_none_fails_the_protocol() {
    let target = Target::new();
    let tool = prop::sample::select(ToolName::ALL.map(ToolName::as_str).to_vec());
    let members = prop::collection::vec((name(), value()), 0..6);
    run(800, &(era(), tool, members), |(era, tool, members)| {
        let arguments: serde_json::Map<_, _> = members.into_iter().collect();
        let answer = target.send(&Post::call(era, tool, &arguments.into()));
        prop_assert_eq!(answer.status().as_u16(), 200);
        let result = answer.result();
        let length = result["content"].to_string().chars().count();
        prop_assert!(length < 60_000, "{} characters", length);
        Ok(())
    });
}

#[test]
fn any_header_values_are_answered() {
    let target = Target::new();
    let header = prop::sample::select(vec![
        "accept",
        "content-type",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "last-event-id",
    ]);
    let text = "[\\x20-\\x7e\\x80-\\xff\t]{0,40}";
    run(
        500,
        &(era(), header, text, any::<bool>()),
        |(era, header, text, again)| {
            let bytes: String = text.chars().filter(|c| u32::from(*c) < 0x100).collect();
            let post = Post::call(era, "read_note", &json!({ "path": "Note.md" }));
            let post = post.header(header, &bytes);
            let post = if again {
                post.and_header(header, &bytes)
            } else {
                post
            };
            target.check(&post)
        },
    );
}
