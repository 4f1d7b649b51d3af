//! Who calls the endpoint: with a token, or without one.

use http::{StatusCode, header};
use serde_json::{Value, json};
use vault_mcp::{http::App, mcp::Era};

use super::{Answer, Post, ToolAnswer};

/// Somebody without a token.
#[derive(Debug)]
pub(crate) struct Anonymous<'a> {
    app: &'a App,
}

impl<'a> Anonymous<'a> {
    pub(super) const fn new(app: &'a App) -> Self {
        Self { app }
    }

    /// The answer to a request.
    pub(crate) async fn send(&self, post: &Post) -> Answer {
        endpoint_answer(self.app, post).await
    }
}

/// Somebody with an access token.
#[derive(Debug)]
pub(crate) struct Bearer<'a> {
    app: &'a App,
    token: String,
}

impl<'a> Bearer<'a> {
    pub(super) const fn new(app: &'a App, token: String) -> Self {
        Self { app, token }
    }

    /// The access token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The answer to a request that brings the token.
    pub(crate) async fn send(&self, post: &Post) -> Answer {
        let value = format!("Bearer {}", self.token);
        endpoint_answer(self.app, &post.clone().header("authorization", &value)).await
    }

    /// The result of a request that must succeed.
    pub(crate) async fn result(&self, era: Era, method: &str, params: &Value) -> Value {
        self.send(&Post::of(era, method, params)).await.result()
    }

    /// What a tool answers.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        let post = Post::call(Era::Modern, tool, &arguments);
        ToolAnswer::of(&self.send(&post).await.result())
    }

    /// The names of the tools that are offered.
    pub(crate) async fn tools(&self) -> Vec<String> {
        let result = self.result(Era::Modern, "tools/list", &json!({})).await;
        let tools = result["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// An answer of the endpoint, with what holds of every one of them: nothing is cached, scripts may
/// read it, there is no session, and a body is JSON.
async fn endpoint_answer(app: &App, post: &Post) -> Answer {
    let answer = Answer::new(app.respond(&post.request()).await);
    if answer.status() == StatusCode::NO_CONTENT {
        return answer;
    }
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{post:?}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    assert_eq!(answer.header("mcp-session-id"), None);
    if answer.text().is_empty() {
        assert_eq!(answer.header(header::CONTENT_TYPE.as_str()), None);
    } else {
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.json().is_object(), "{}", answer.text());
    }
    answer
}
