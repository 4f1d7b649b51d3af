//! F3: what a change was allowed when its request came may be over when its turn has come.
//!
//! Everything is real but the transport: the index with its queue, a look-alike of GitHub, the
//! guard, and the object that keeps grants. What happens in between happens at the one moment that
//! counts: the change has its turn, and nothing has been sent.

use std::{
    cell::RefCell,
    fmt,
    rc::{Rc, Weak},
};

use async_trait::async_trait;
use futures_util::future::join;
use serde_json::{Value, json};
use vault_mcp::{
    login::ProviderKind,
    mcp::Era,
    storage::index::VaultIndex,
    vault::{
        permit::{CheckFailed, Permit, PermitCheck},
        remote::{self, LinkError, RemoteStorage, StorageLink},
    },
};

use crate::support::{
    app::{Bearer, Deployment, Post, TestApp},
    index::{AtIndex, note},
    oauth::{LOOPBACK, Tokens},
    storage::{open_policy, run},
};

/// The index behind a wire, as an object of its own is.
struct Wire(VaultIndex);

#[async_trait(?Send)]
impl StorageLink for Wire {
    async fn call(&self, call: String) -> Result<String, LinkError> {
        remote::answer(&call, &self.0, &open_policy()).await
    }
}

/// What happens before a permit is checked for the first time.
type Meanwhile = Box<dyn FnOnce(&World) -> Interim>;

/// What came of it.
enum Interim {
    /// A grant or a token is to be revoked.
    Revoke(Vec<(&'static str, String)>),
    /// The server is deployed in another way.
    Redeployed(Box<TestApp<RemoteStorage>>),
    /// Something that is done already.
    Done,
}

/// The check of permits, with something that happens before it.
#[derive(Default)]
struct Turn {
    world: RefCell<Weak<World>>,
    meanwhile: RefCell<Option<Meanwhile>>,
    deployed: RefCell<Option<TestApp<RemoteStorage>>>,
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turn")
    }
}

#[async_trait(?Send)]
impl PermitCheck for Turn {
    async fn is_valid(&self, permit: &Permit) -> Result<bool, CheckFailed> {
        let world = self.world.borrow().upgrade().unwrap();
        let meanwhile = self.meanwhile.take();
        match meanwhile.map(|happens| happens(&world)) {
            Some(Interim::Revoke(fields)) => {
                let fields: Vec<_> = fields.iter().map(|(k, v)| (*k, v.as_str())).collect();
                assert_eq!(world.app.server.revoke(&fields).await, 200);
            }
            Some(Interim::Redeployed(app)) => *self.deployed.borrow_mut() = Some(*app),
            Some(Interim::Done) | None => {}
        }
        let permits = self
            .deployed
            .borrow()
            .as_ref()
            .unwrap_or(&world.app)
            .permits();
        permits.is_valid(permit).await
    }
}

struct World {
    vault: AtIndex,
    app: TestApp<RemoteStorage>,
    turn: Rc<Turn>,
}

impl World {
    async fn new() -> Rc<Self> {
        let vault = AtIndex::built(vec![note("Old.md", "old"), note("Gone.md", "gone")]).await;
        let turn = Rc::new(Turn::default());
        let index = vault.guarded(Rc::clone(&turn) as Rc<dyn PermitCheck>);
        let app = TestApp::over(RemoteStorage::new(Rc::new(Wire(index))));
        let world = Rc::new(Self {
            vault,
            app,
            turn: Rc::clone(&turn),
        });
        *turn.world.borrow_mut() = Rc::downgrade(&world);
        world
    }

    async fn log_in(&self) -> Tokens {
        self.app.server.log_in_as("owner@example.test");
        self.app.server.sign_in_at(LOOPBACK).await
    }

    /// Tells what is to happen when the next change has its turn.
    fn meanwhile(&self, happens: impl FnOnce(&Self) -> Interim + 'static) {
        *self.turn.meanwhile.borrow_mut() = Some(Box::new(happens));
    }

    /// The requests that would have changed something.
    fn sent(&self) -> Vec<String> {
        let changes = |line: &String| !line.starts_with("GET ");
        self.vault.requests().into_iter().filter(changes).collect()
    }
}

/// One change of each kind.
fn changes() -> [(&'static str, Value); 3] {
    [
        (
            "write_note",
            json!({ "path": "New.md", "content": "new", "mode": "create" }),
        ),
        ("write_note", json!({ "path": "Old.md", "content": "new" })),
        ("delete_note", json!({ "path": "Gone.md" })),
    ]
}

async fn outcome(bearer: &Bearer<'_>, (tool, arguments): &(&'static str, Value)) -> String {
    let post = Post::call(Era::Modern, tool, arguments);
    bearer.send(&post).await.outcome()
}

fn revoke(tokens: &Tokens, token: &str) -> Interim {
    Interim::Revoke(vec![
        ("client_id", tokens.client.clone()),
        ("token", token.to_owned()),
    ])
}

fn redeploy(world: &World, change: impl FnOnce(&mut Deployment)) -> Interim {
    Interim::Redeployed(Box::new(world.app.redeployed(change)))
}

#[test]
fn f3_a_change_is_not_sent_once_the_right_to_it_is_gone() {
    type Happens = fn(&World, &Tokens) -> Interim;
    let cases: [(&str, Happens, &str); 10] = [
        ("nothing", |_, _| Interim::Done, "ok"),
        (
            "the grant is revoked",
            |_, tokens| revoke(tokens, &tokens.refresh),
            "READ_ONLY",
        ),
        (
            "the token is revoked",
            |_, tokens| revoke(tokens, &tokens.access),
            "READ_ONLY",
        ),
        (
            "the token expires",
            |world, _| {
                world.app.server.wait(3_601);
                Interim::Done
            },
            "READ_ONLY",
        ),
        (
            "the entry is removed",
            |world, _| redeploy(world, |to| to.allowlist = "reader@example.test"),
            "READ_ONLY",
        ),
        (
            "the entry is to read by now",
            |world, _| redeploy(world, |to| to.allowlist = "owner@example.test:read"),
            "READ_ONLY",
        ),
        (
            "the vault is to read by now",
            |world, _| redeploy(world, |to| to.read_only = true),
            "READ_ONLY",
        ),
        (
            "the provider is another",
            |world, _| redeploy(world, |to| to.provider = ProviderKind::Google),
            "READ_ONLY",
        ),
        (
            "somebody else is added to the list",
            |world, _| {
                redeploy(world, |to| {
                    to.allowlist = "owner@example.test new@example.test";
                })
            },
            "ok",
        ),
        (
            "nobody can be asked",
            |world, _| {
                world.app.server.objects.down.set(true);
                Interim::Done
            },
            "UPSTREAM_UNAVAILABLE",
        ),
    ];
    run(async {
        for change in &changes() {
            for (title, happens, expected) in &cases {
                let world = World::new().await;
                let tokens = world.log_in().await;
                let bearer = world.app.bearer(tokens.access.as_str());
                world.vault.look_alike.reset_requests();
                let before = world.vault.head();
                let happens = *happens;
                world.meanwhile(move |world| happens(world, &tokens));
                let outcome = outcome(&bearer, change).await;
                assert_eq!(outcome, *expected, "{title}: {change:?}");
                let done = *expected == "ok";
                assert_eq!(world.sent().len(), usize::from(done), "{title}");
                assert_eq!(world.vault.head() != before, done, "{title}");
                let withdrawn = world.app.server.events.reasons();
                assert_eq!(
                    withdrawn.contains(&"change_withdrawn"),
                    *expected == "READ_ONLY",
                    "{title}"
                );
            }
        }
    });
}

/// One change has the turn, another one waits for it, and is overtaken by the end of its grant.
#[test]
fn f3_a_change_that_waits_in_the_queue_is_not_sent_when_its_grant_has_ended() {
    run(async {
        let world = World::new().await;
        let (first, second) = (world.log_in().await, world.log_in().await);
        world.vault.look_alike.reset_requests();
        let ended = second.clone();
        world.meanwhile(move |_| revoke(&ended, &ended.refresh));
        let [create, replace, _] = changes();
        let bearers = [&first, &second].map(|tokens| world.app.bearer(tokens.access.as_str()));
        let outcomes = join(
            outcome(&bearers[0], &create),
            outcome(&bearers[1], &replace),
        );
        let outcomes = Box::pin(outcomes).await;
        assert_eq!(outcomes, ("ok".to_owned(), "READ_ONLY".to_owned()));
        assert_eq!(world.sent(), ["PUT /contents/New.md 201"]);
        assert_eq!(world.vault.content("Old.md").await, "old");

        // It is said once more what the model is to do, and the log names the request.
        let event = world.app.server.events.last();
        assert_eq!(event.reason, "change_withdrawn");
        assert!(event.request.is_some() && event.grant.is_some());
    });
}

/// Whatever makes a permit up, or brings none, changes nothing.
#[tokio::test]
async fn f3_a_permit_that_nobody_gave_is_none() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let owner = app.owner().await;
    app.server.objects.calls.take();
    for text in ["", "{}", "null", "x", r#"{"grant":"","token":""}"#] {
        let permit = Permit::new(text.to_owned());
        assert_eq!(app.permits().is_valid(&permit).await, Ok(false), "{text}");
    }
    assert!(!format!("{:?}", Permit::new(owner.token().to_owned())).contains("vmcp"));
}
