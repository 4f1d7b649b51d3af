//! D6, F3: names change hands, and a grant goes by the person it was made for.

use serde_json::json;
use vault_mcp::{
    login::{Identity, ProviderKind},
    mcp::Era,
    storage::memory::MemoryStorage,
};

use crate::support::{
    app::{Bearer, Post, TestApp},
    oauth::{Browser, Callback, LOOPBACK, Tokens, handle, request},
};

/// Somebody at the login provider: a name and the provider's own id.
type Person = (&'static str, &'static str);

/// A grant, and what became of the world since. `cat` stands for a name, `id:` for the provider's
/// prefix of entries by id.
struct Case {
    title: &'static str,
    /// Who had logged in before.
    before: &'static [Person],
    /// The list at the time of the grant.
    list: &'static str,
    /// Who gave it.
    grant: Person,
    /// The list as it is now.
    now: &'static str,
    /// Who has logged in since, and whether they were admitted.
    since: &'static [(Person, bool)],
    /// What the grant allows by now.
    expected: &'static str,
}

const CAT: Person = ("cat", "7");
const OTHER: Person = ("cat", "8");

const CASES: &[Case] = &[
    Case {
        title: "a name that was renamed stays the person's",
        before: &[],
        list: "cat",
        grant: CAT,
        now: "cat",
        since: &[(("lynx", "7"), false)],
        expected: "write",
    },
    Case {
        title: "a name that somebody else registered, or an address that was given to a successor",
        before: &[],
        list: "cat",
        grant: CAT,
        now: "cat",
        since: &[(OTHER, false), (("CAT", "8"), false)],
        expected: "write",
    },
    Case {
        title: "by id, and a name that nobody has logged in with yet",
        before: &[],
        list: "id:7",
        grant: CAT,
        now: "cat",
        since: &[],
        expected: "nothing",
    },
    Case {
        title: "by id, and a name that somebody else was the first to log in with",
        before: &[],
        list: "id:7",
        grant: CAT,
        now: "cat",
        since: &[(OTHER, true)],
        expected: "nothing",
    },
    Case {
        title: "by id to read, and a name of somebody else's to write",
        before: &[],
        list: "id:7:read",
        grant: CAT,
        now: "cat id:9",
        since: &[(OTHER, true)],
        expected: "nothing",
    },
    Case {
        title: "by id, and a name that the same person logged in with",
        before: &[],
        list: "id:7",
        grant: CAT,
        now: "cat",
        since: &[(CAT, true)],
        expected: "write",
    },
    Case {
        title: "by id and name, and then by name",
        before: &[],
        list: "id:7 cat",
        grant: CAT,
        now: "cat",
        since: &[(OTHER, false)],
        expected: "write",
    },
    Case {
        title: "by id beside a name of somebody else's, and then by name",
        before: &[OTHER],
        list: "cat id:7",
        grant: CAT,
        now: "cat",
        since: &[],
        expected: "nothing",
    },
    Case {
        title: "somebody else's entry takes nothing away",
        before: &[OTHER],
        list: "cat:read id:7",
        grant: CAT,
        now: "cat:read id:7",
        since: &[],
        expected: "write",
    },
    Case {
        title: "somebody else's entry gives nothing",
        before: &[OTHER],
        list: "cat id:7:read",
        grant: CAT,
        now: "cat id:7:read",
        since: &[],
        expected: "read",
    },
    Case {
        title: "one's own entries give the lesser right",
        before: &[],
        list: "id:7 cat:read",
        grant: CAT,
        now: "id:7 cat:read",
        since: &[],
        expected: "read",
    },
    Case {
        title: "an entry that may mean the person takes away",
        before: &[],
        list: "id:7",
        grant: CAT,
        now: "id:7 cat:read",
        since: &[],
        expected: "read",
    },
    Case {
        title: "and takes nothing away once it means somebody else",
        before: &[],
        list: "id:7",
        grant: CAT,
        now: "id:7 cat:read",
        since: &[(OTHER, true)],
        expected: "write",
    },
    Case {
        title: "by name, and then by id",
        before: &[],
        list: "cat",
        grant: CAT,
        now: "id:7",
        since: &[(OTHER, false)],
        expected: "write",
    },
    Case {
        title: "by name, and then by the id of somebody else",
        before: &[],
        list: "cat",
        grant: CAT,
        now: "id:8",
        since: &[(OTHER, true)],
        expected: "nothing",
    },
    Case {
        title: "by name, and then by the person's new name",
        before: &[],
        list: "cat",
        grant: CAT,
        now: "lynx",
        since: &[(("lynx", "7"), true)],
        expected: "nothing",
    },
];

/// A provider, with how it calls things.
struct At {
    provider: ProviderKind,
    issuer: &'static str,
    id: &'static str,
    domain: &'static str,
}

impl At {
    fn person(&self, (name, subject): Person) -> Identity {
        Identity {
            provider: self.provider,
            issuer: self.issuer.to_owned(),
            subject: subject.to_owned(),
            name: format!("{name}{}", self.domain),
            name_verified: true,
            display_name: None,
        }
    }

    /// A list as this provider's people are listed.
    fn list(&self, list: &str) -> &'static str {
        let entries = list.split(' ').map(|entry| {
            if let Some(id) = entry.strip_prefix("id:") {
                return format!("{}:{id}", self.id);
            }
            let (name, right) = entry.split_at(entry.find(':').unwrap_or(entry.len()));
            format!("{name}{}{right}", self.domain)
        });
        entries.collect::<Vec<_>>().join(" ").leak()
    }
}

const PROVIDERS: [At; 3] = [
    At {
        provider: ProviderKind::Github,
        issuer: "https://github.com",
        id: "id",
        domain: "",
    },
    At {
        provider: ProviderKind::Google,
        issuer: "https://accounts.google.com",
        id: "sub",
        domain: "@example.test",
    },
    At {
        provider: ProviderKind::Oidc,
        issuer: "https://login.example",
        id: "sub",
        domain: "@example.test",
    },
];

/// The tokens of a whole login, or `None` where a page refused it.
async fn log_in(app: &TestApp, person: Identity) -> Option<Tokens> {
    let server = &app.server;
    server.log_in(person);
    let client = server.client(LOOPBACK).await;
    let mut browser = Browser::new(server);
    let page = browser.authorize(&request(&client, LOOPBACK, &[])).await;
    let sent = browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    let back = browser.come_back(&sent).await;
    if back.status() == 403 {
        return None;
    }
    let code = Callback::of(&back).one("code");
    let (_, body) = server.redeem(&client, &code, LOOPBACK).await;
    Some(Tokens::of(&client, &body))
}

/// What a token allows, seen from outside.
async fn allowed(bearer: &Bearer<'_>, path: &str) -> &'static str {
    let arguments = json!({ "path": path, "content": "x", "mode": "create" });
    let post = Post::call(Era::Modern, "write_note", &arguments);
    match bearer.send(&post).await.outcome().as_str() {
        "ok" => "write",
        "READ_ONLY" | "403 insufficient_scope" => "read",
        "-32602" => "nothing",
        other => panic!("{other}"),
    }
}

async fn check(at: &At, case: &Case) {
    let title = format!("{:?}: {}", at.provider, case.title);
    let deployed = |list: &str| {
        let list = at.list(list);
        TestApp::deployed(MemoryStorage::with([]), |deployment| {
            deployment.provider = at.provider;
            deployment.issuer = at.issuer;
            deployment.allowlist = list;
        })
    };
    let app = deployed(case.list);
    for person in case.before {
        assert!(log_in(&app, at.person(*person)).await.is_some(), "{title}");
    }
    let tokens = log_in(&app, at.person(case.grant)).await.expect(&title);

    let now = at.list(case.now);
    let app = app.redeployed(|deployment| deployment.allowlist = now);
    for (person, admitted) in case.since {
        let tokens = log_in(&app, at.person(*person)).await;
        assert_eq!(tokens.is_some(), *admitted, "{title}");
    }

    let bearer = app.bearer(tokens.access.as_str());
    app.storage.take_calls();
    app.server.objects.calls.take();
    let allowed = allowed(&bearer, "Note.md").await;
    assert_eq!(allowed, case.expected, "{title}");
    let first_call = app.server.objects.calls.borrow()[0].clone();
    assert_eq!(first_call, "check_access", "{title}");
    let written = app.storage.take_calls();
    assert_eq!(
        written.iter().any(|call| call == "create Note.md"),
        case.expected == "write",
        "{title}: {written:?}"
    );

    // The tools that are offered, at the cost of one call to the object.
    app.server.objects.calls.take();
    let offered = bearer.tools().await;
    assert_eq!(offered.is_empty(), case.expected == "nothing", "{title}");
    assert_eq!(*app.server.objects.calls.borrow(), ["check_access"]);

    // A refresh gives no more than a request does.
    let (status, _) = app.server.refresh(&tokens.client, &tokens.refresh).await;
    let expected = if case.expected == "nothing" { 400 } else { 200 };
    assert_eq!(status, expected, "{title}");
}

#[tokio::test]
async fn d6_f3_a_grant_goes_by_the_person_it_was_made_for() {
    for at in &PROVIDERS {
        for case in CASES {
            check(at, case).await;
        }
    }
}
