//! A small client that sends what it is told and hides nothing of the answer.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::config::AutoHeaderValue;
use ureq::http::{HeaderMap, Request};
use vault_mcp_dev::{LookAlike, RunningLookAlike, SeedFile, tokens};

/// Ask for bytes.
pub(crate) const RAW: (&str, &str) = ("accept", "application/vnd.github.raw+json");

pub(crate) struct Client {
    agent: Agent,
    origin: String,
    token: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
            .to_str()
            .unwrap()
    }

    /// Panics unless the status is this one.
    pub(crate) fn expect(self, status: u16) -> Self {
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status, status, "{text}");
        self
    }
}

impl Client {
    pub(crate) fn new(origin: &str, token: Option<&str>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .timeout_global(Some(Duration::from_secs(30)))
            .build()
            .new_agent();
        Self {
            agent,
            origin: origin.to_owned(),
            token: token.map(str::to_owned),
        }
    }

    pub(crate) fn of(github: &RunningLookAlike) -> Self {
        Self::new(github.url(), Some(tokens::FULL))
    }

    /// Sends exactly these headers; `target` is a path or a whole address.
    pub(crate) fn bare(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Reply, ureq::Error> {
        let uri = match target.strip_prefix('/') {
            Some(_) => format!("{}{target}", self.origin),
            None => target.to_owned(),
        };
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = if body.is_empty() {
            self.agent.run(request.body(()).unwrap())?
        } else {
            self.agent.run(request.body(body).unwrap())?
        };
        Ok(Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            bytes: response
                .body_mut()
                .with_config()
                .limit(1 << 30)
                .read_to_vec()?,
        })
    }

    /// Adds what every request to GitHub should have.
    pub(crate) fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let bearer = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let mut all = vec![("user-agent", "look-alike-test")];
        if let Some(bearer) = &bearer {
            all.push(("authorization", bearer));
        }
        all.extend_from_slice(headers);
        self.bare(method, target, &all, body).unwrap()
    }

    /// GET below `/repos/example/vault`.
    pub(crate) fn get(&self, rest: &str) -> Reply {
        self.get_with(rest, &[])
    }

    pub(crate) fn get_with(&self, rest: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("GET", &format!("/repos/example/vault{rest}"), headers, b"")
    }

    /// PUT of a file, with further members of the body.
    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>, more: &Value) -> Reply {
        let mut body = json!({"message": "write", "content": STANDARD.encode(text)});
        merge(&mut body, more);
        self.write("PUT", path, &body)
    }

    pub(crate) fn delete(&self, path: &str, more: &Value) -> Reply {
        let mut body = json!({"message": "remove"});
        merge(&mut body, more);
        self.write("DELETE", path, &body)
    }

    pub(crate) fn write(&self, method: &str, path: &str, body: &Value) -> Reply {
        let target = format!("/repos/example/vault/contents/{path}");
        self.send(method, &target, &[], body.to_string().as_bytes())
    }
}

fn merge(body: &mut Value, more: &Value) {
    let Some(more) = more.as_object() else { return };
    body.as_object_mut().unwrap().extend(more.clone());
}

/// A look-alike with these ordinary files.
pub(crate) async fn start(files: &[(&str, &str)]) -> (RunningLookAlike, Client) {
    let files = files
        .iter()
        .map(|(path, text)| SeedFile::regular(*path, *text))
        .collect();
    start_with(files).await
}

pub(crate) async fn start_with(files: Vec<SeedFile>) -> (RunningLookAlike, Client) {
    let github = LookAlike::builder().seed(files).start().await.unwrap();
    let client = Client::of(&github);
    (github, client)
}

/// The first line of a git command's output.
pub(crate) fn git(github: &RunningLookAlike, args: &[&str]) -> String {
    github.git(args).unwrap().trim_end_matches('\n').to_owned()
}
