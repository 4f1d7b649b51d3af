//! GitHub's webhook: who may ring, what is read of a delivery, and what rings.

use std::{cell::Cell, rc::Rc};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use hmac::{Hmac, Mac};
use http::{Method, Request};
use serde_json::json;
use sha2::Sha256;
use vault_mcp::runtime::{ByteStream, FetchError};

use crate::support::app::{Answer, TestApp};

const SECRET: &str = "the secret of the webhook";
const AFTER: &str = "1234567890123456789012345678901234567890";

fn app() -> TestApp {
    TestApp::of(&[("a.md", "a")])
}

fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    format!("sha256={:x}", mac.finalize().into_bytes())
}

/// A delivery as GitHub sends it, and what a test makes of it.
struct Delivery {
    method: Method,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Result<Bytes, FetchError>>,
    /// How many pieces were read.
    read: Rc<Cell<usize>>,
}

impl Delivery {
    fn of(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let signed = signature(SECRET, &body);
        Self {
            method: Method::POST,
            headers: vec![
                ("host", "vault.example".to_owned()),
                ("content-type", "application/json".to_owned()),
                ("x-github-event", "push".to_owned()),
                ("x-hub-signature-256", signed),
            ],
            pieces: vec![Ok(body)],
            read: Rc::default(),
        }
    }

    fn push() -> Self {
        Self::of(json!({ "ref": "refs/heads/main", "after": AFTER }).to_string())
    }

    /// With another value in a header, or without it.
    fn with(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.headers.retain(|(there, _)| *there != name);
        self.headers
            .extend(value.map(|value| (name, value.to_owned())));
        self
    }

    async fn send(self, app: &TestApp) -> Answer {
        let read = Rc::clone(&self.read);
        let pieces = stream::iter(self.pieces).inspect(move |_| read.set(read.get() + 1));
        let body: ByteStream = Box::pin(pieces);
        let mut request = Request::builder()
            .method(self.method)
            .uri("https://vault.example/webhook/github");
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        app.answer(request.body(body).unwrap()).await
    }
}

#[tokio::test]
async fn a_signed_push_rings_with_its_branch_and_commit_and_nothing_else() {
    let app = app();
    let payload = json!({
        "before": "x".repeat(100),
        "commits": [{ "id": "y", "ref": "refs/heads/evil", "after": "z" }],
        "repository": { "ref": "refs/heads/evil", "after": "z" },
        "after": AFTER,
        "ref": "refs/heads/some/branch",
        "forced": true,
    });
    let answer = Delivery::of(payload.to_string()).send(&app).await;
    assert_eq!(answer.status(), 202);
    assert_eq!(
        app.storage.take_calls(),
        [format!("hear of refs/heads/some/branch {AFTER}")]
    );
}

#[tokio::test]
async fn what_stands_behind_the_beginning_of_a_large_delivery_is_hashed_and_not_needed() {
    let app = app();
    let beginning = format!("{{\"ref\":\"refs/heads/main\",\"after\":\"{AFTER}\",\"commits\":\"");
    let body = [beginning.as_bytes(), &vec![b'x'; 20 << 20], b"\"}"].concat();
    let mut delivery = Delivery::of(body.clone());
    delivery.pieces = body
        .chunks(1 << 16)
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    assert_eq!(delivery.send(&app).await.status(), 202);
    assert_eq!(app.storage.take_calls().len(), 1);
    // The same with its last bytes changed is not what was signed.
    let mut delivery = Delivery::of(body.clone());
    let mut forged = body;
    *forged.last_mut().unwrap() = b' ';
    delivery.pieces = vec![Ok(forged.into())];
    assert_eq!(delivery.send(&app).await.status(), 401);
    assert_eq!(app.storage.take_calls(), Vec::<String>::new());
}

#[tokio::test]
async fn what_its_head_condemns_is_refused_unread() {
    let good = signature(SECRET, b"");
    let digest = good.strip_prefix("sha256=").unwrap();
    let unsigned = [
        None,
        Some(String::new()),
        Some("sha256=".to_owned()),
        Some(digest.to_owned()),
        Some(format!("sha1={digest}")),
        Some(format!("SHA256={digest}")),
        Some(format!("sha256={}", &digest[1..])),
        Some(format!("sha256={digest}0")),
        Some(format!("sha256={}", digest.replace(|_: char| true, "g"))),
        Some(format!("sha256=+{}", &digest[1..])),
    ];
    for signature in unsigned {
        let app = app();
        let delivery = Delivery::push().with("x-hub-signature-256", signature.as_deref());
        let read = Rc::clone(&delivery.read);
        let answer = delivery.send(&app).await;
        assert_eq!(
            (answer.status().as_u16(), read.get()),
            (401, 0),
            "{signature:?}"
        );
        assert_eq!(app.storage.take_calls(), Vec::<String>::new());
    }
    for kind in [
        None,
        Some("application/x-www-form-urlencoded"),
        Some("text/plain"),
        Some("json"),
    ] {
        let app = app();
        let delivery = Delivery::push().with("content-type", kind);
        let read = Rc::clone(&delivery.read);
        let answer = delivery.send(&app).await;
        assert_eq!((answer.status().as_u16(), read.get()), (415, 0), "{kind:?}");
        assert_eq!(app.storage.take_calls(), Vec::<String>::new());
    }
    for (method, host, status) in [
        (Method::GET, "vault.example", 405),
        (Method::OPTIONS, "vault.example", 405),
        (Method::POST, "evil.example", 403),
    ] {
        let app = app();
        let mut delivery = Delivery::push().with("host", Some(host));
        delivery.method = method;
        let read = Rc::clone(&delivery.read);
        let answer = delivery.send(&app).await;
        assert_eq!((answer.status().as_u16(), read.get()), (status, 0));
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(app.storage.take_calls(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_forged_delivery_rings_nothing() {
    let body = json!({ "ref": "refs/heads/main", "after": AFTER }).to_string();
    let forgeries = [
        signature("another secret", body.as_bytes()),
        signature("", body.as_bytes()),
        signature(SECRET, b""),
        signature(SECRET, format!("{body} ").as_bytes()),
        format!("sha256={}", "0".repeat(64)),
    ];
    for forged in forgeries {
        let app = app();
        let delivery = Delivery::of(body.clone()).with("x-hub-signature-256", Some(&forged));
        let answer = delivery.send(&app).await;
        assert_eq!(answer.outcome(), "401 unauthorized", "{forged}");
        assert_eq!(app.storage.take_calls(), Vec::<String>::new(), "{forged}");
    }
}

#[tokio::test]
async fn other_events_and_pushes_that_say_nothing_are_answered_and_ring_nothing() {
    let push = json!({ "ref": "refs/heads/main", "after": AFTER }).to_string();
    let cases = [
        (Some("ping"), push.clone()),
        (Some("PUSH"), push.clone()),
        (Some("workflow_run"), push.clone()),
        (None, push.clone()),
        (Some("push"), String::new()),
        (Some("push"), "junk".to_owned()),
        (Some("push"), "[]".to_owned()),
        (Some("push"), format!("[{push}]")),
        (Some("push"), json!({ "after": AFTER }).to_string()),
        (
            Some("push"),
            json!({ "ref": "refs/heads/main" }).to_string(),
        ),
        (
            Some("push"),
            json!({ "ref": 1, "after": AFTER }).to_string(),
        ),
        (
            Some("push"),
            json!({ "ref": "refs/heads/main", "after": "main" }).to_string(),
        ),
        (
            Some("push"),
            json!({ "ref": "refs/heads/main", "after": null }).to_string(),
        ),
    ];
    for (event, body) in cases {
        let app = app();
        let answer = Delivery::of(body.clone())
            .with("x-github-event", event)
            .send(&app)
            .await;
        assert_eq!(answer.status(), 202, "{event:?} {body}");
        assert_eq!(
            app.storage.take_calls(),
            Vec::<String>::new(),
            "{event:?} {body}"
        );
    }
}

#[tokio::test]
async fn too_much_and_too_little_ring_nothing() {
    let app = app();
    let mut endless = Delivery::push();
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    endless.pieces = vec![Ok(piece); 100];
    let read = Rc::clone(&endless.read);
    assert_eq!(endless.send(&app).await.status(), 413);
    assert_eq!(read.get(), 26, "read on after the limit");
    let mut broken = Delivery::push();
    broken
        .pieces
        .push(Err(FetchError::Network("gone".to_owned())));
    assert_eq!(broken.send(&app).await.status(), 400);
    assert_eq!(app.storage.take_calls(), Vec::<String>::new());
}

#[tokio::test]
async fn without_a_secret_there_is_no_webhook() {
    let app = app().redeployed(|deployment| deployment.webhook_secret = None);
    for method in [Method::POST, Method::GET, Method::OPTIONS] {
        let mut delivery = Delivery::push();
        delivery.method = method;
        let read = Rc::clone(&delivery.read);
        let answer = delivery.send(&app).await;
        assert_eq!(
            (answer.outcome().as_str(), read.get()),
            ("404 not_found", 0)
        );
        assert_eq!(app.storage.take_calls(), Vec::<String>::new());
    }
}
