//! Notes as resources: listed, described by a template, and read by URI, in both eras.

use std::collections::BTreeSet;

use http::StatusCode;
use serde_json::{Value, json};
use vault_mcp::{mcp::Era, storage::memory::File};

use crate::support::{
    app::{Bearer, Post, TestApp},
    hostile_paths::HOSTILE_PATHS,
    recording::{EVERYWHERE, Everywhere},
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

async fn list(bearer: &Bearer<'_>, era: Era, params: Value) -> Value {
    bearer.result(era, "resources/list", &params).await
}

async fn read(bearer: &Bearer<'_>, era: Era, uri: &str) -> Result<Value, Value> {
    let post = Post::of(era, "resources/read", &json!({ "uri": uri }));
    let answer = bearer.send(&post).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let mut message = answer.json();
    if message["error"].is_null() {
        Ok(message["result"].take())
    } else {
        Err(message["error"].take())
    }
}

/// There is no such resource, in the words of the era.
fn assert_not_found(answer: Result<Value, Value>, era: Era, uri: &str) {
    let error = answer.expect_err(uri);
    let code = match era {
        Era::Legacy => -32002,
        Era::Modern => -32602,
    };
    assert_eq!(error["code"], code, "{uri}");
    assert_eq!(error["data"], json!({ "uri": uri }));
    let said = error["message"].as_str().unwrap();
    assert_eq!(
        said,
        "there is no such resource; resources/list names them all"
    );
}

/// Every page of a list, one after the other.
async fn all(bearer: &Bearer<'_>, era: Era) -> (Vec<Value>, usize) {
    let mut listed = Vec::new();
    let mut params = json!({});
    for pages in 1.. {
        let mut page = list(bearer, era, params).await;
        assert!(page.to_string().chars().count() <= 50_000);
        listed.extend(page["resources"].as_array().unwrap().iter().cloned());
        if page["nextCursor"].is_null() {
            return (listed, pages);
        }
        params = json!({ "cursor": page["nextCursor"].take() });
    }
    unreachable!()
}

#[tokio::test]
async fn a_listed_note_says_where_what_and_how_large_it_is() {
    let app = TestApp::of(&[("Trips/Côte d'Azur.md", "# Sea & sun\n")]);
    let owner = app.owner().await;
    for era in ERAS {
        let page = list(&owner, era, json!({})).await;
        assert_eq!(
            page["resources"],
            json!([{
                "uri": "vault://note/Trips/C%C3%B4te%20d%27Azur.md",
                "name": "Côte d'Azur.md",
                "title": "Sea & sun",
                "description": "Trips/Côte d'Azur.md",
                "mimeType": "text/markdown",
                "size": 12,
            }])
        );
        // Nothing that the vault holds is kept, or a client would not see its own changes.
        assert_eq!(
            (&page["ttlMs"], &page["cacheScope"]),
            (&json!(0), &json!("private"))
        );
        assert_eq!(page["nextCursor"], Value::Null);
    }
}

#[tokio::test]
async fn a_long_list_comes_in_pages_that_hold_every_note_once() {
    let long = "name ".repeat(40);
    let notes: Vec<(String, String)> = (0..450)
        .map(|n| {
            (
                format!("folder {}/{long}{n:03}.md", n % 7),
                format!("note {n}"),
            )
        })
        .collect();
    let notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let app = TestApp::of(&notes);
    let owner = app.owner().await;
    for era in ERAS {
        let (listed, pages) = all(&owner, era).await;
        assert!(pages > 2, "{pages} pages");
        let uris: BTreeSet<&str> = listed
            .iter()
            .map(|note| note["uri"].as_str().unwrap())
            .collect();
        assert_eq!((listed.len(), uris.len()), (450, 450));
    }
    for cursor in ["", "x", "MTA"] {
        for method in ["resources/list", "resources/templates/list", "prompts/list"] {
            let post = Post::modern(method, &json!({ "cursor": cursor }));
            assert_eq!(owner.send(&post).await.failure(), (200, -32602), "{method}");
        }
    }
}

#[tokio::test]
async fn there_is_one_template() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    for era in ERAS {
        let result = owner
            .result(era, "resources/templates/list", &json!({}))
            .await;
        let templates = result["resourceTemplates"].as_array().unwrap();
        assert_eq!(templates.len(), 1);
        assert_eq!(templates[0]["uriTemplate"], "vault://note/{path}");
        assert_eq!(templates[0]["mimeType"], "text/markdown");
        assert_eq!(result["cacheScope"], "private");
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

/// What is listed can be read, whatever it is called, and so can the form in which clients expand the
/// template.
#[tokio::test]
async fn every_listed_uri_reads_its_own_note_verbatim() {
    let paths = [
        "Index.md",
        "My Notes/Café.md",
        "My Notes/Cafe\u{301} noir.md",
        "50% plan.md",
        "100%25.md",
        "a%3Db.md",
        "What is this?.md",
        "C# notes.md",
        "#inbox/a+b & c=d; e,f.md",
        "it's (1) @2 $3 !.md",
        "a:b*c.md",
        "👩\u{200d}🍳 日本語/メモ.md",
        "Note.MD",
    ];
    let texts: Vec<_> = paths
        .iter()
        .map(|path| format!("\u{feff}text of {path}\r\n"))
        .collect();
    let notes: Vec<_> = paths
        .into_iter()
        .zip(texts.iter().map(String::as_str))
        .collect();
    let app = TestApp::of(&notes);
    let owner = app.owner().await;
    for era in ERAS {
        let (listed, _) = all(&owner, era).await;
        assert_eq!(listed.len(), paths.len());
        for note in listed {
            let uri = note["uri"].as_str().unwrap();
            assert!(
                url::Url::parse(uri).is_ok_and(|url| url.as_str() == uri),
                "{uri}"
            );
            let path = note["description"].as_str().unwrap();
            let expanded = uri.replace("vault://note/", "").replace('/', "%2F");
            for uri in [uri, &format!("vault://note/{expanded}")] {
                let result = read(&owner, era, uri).await.unwrap();
                assert_eq!(
                    result["contents"],
                    json!([{
                        "uri": note["uri"],
                        "mimeType": "text/markdown",
                        "text": format!("\u{feff}text of {path}\r\n"),
                    }])
                );
                assert_eq!(
                    (&result["ttlMs"], &result["cacheScope"]),
                    (&json!(0), &json!("private"))
                );
            }
        }
    }
}

#[tokio::test]
async fn a_twin_is_read_under_its_own_uri() {
    let app = TestApp::of(&[("Cafe\u{301}.md", "nfd")]);
    let owner = app.owner().await;
    let result = read(&owner, Era::Modern, "vault://note/caf%C3%A9.md")
        .await
        .unwrap();
    assert_eq!(result["contents"][0]["uri"], "vault://note/Cafe%CC%81.md");
    assert_eq!(result["contents"][0]["text"], "nfd");
}

/// Hidden, missing, malformed and foreign are one answer, and what is refused costs nothing.
#[tokio::test]
async fn g14_what_is_no_note_that_may_be_shown_is_not_found() {
    let app = TestApp::deployed(Everywhere, |deployment| {
        deployment.denied = "Private/, Café/Geheim";
    });
    let owner = app.owner().await;
    let encode = |path: &str| {
        let every = percent_encoding::NON_ALPHANUMERIC;
        format!(
            "vault://note/{}",
            percent_encoding::utf8_percent_encode(path, every)
        )
    };
    let mut uris: Vec<String> = [
        "",
        "vault://note/",
        "vault://note",
        "file:///etc/passwd",
        "https://vault.example/Note.md",
        "vault://other/Note.md",
        "vault://note/Note.md?x",
        "vault://note/Note.md#x",
        "vault://note/Note",
        "vault://note/picture.png",
        "vault://note/a/../Note.md",
        "vault://note/%2e%2e/Note.md",
        "vault://note/%252e%252e/Note.md",
        "vault://note/.git/config.md",
        "vault://note/%2Egit/config.md",
        "vault://note/Private/x.md",
        "vault://note/PRIVATE%2Fx.md",
        "vault://note/Cafe%CC%81/Geheim/x.md",
        "vault://note/%ff.md",
        "vault://note/50%.md",
    ]
    .map(str::to_owned)
    .into();
    let mut shown = 0;
    for path in HOSTILE_PATHS.iter().flat_map(|(_, paths)| *paths) {
        let arguments = json!({ "path": path });
        if owner
            .send(&Post::call(Era::Modern, "read_note", &arguments))
            .await
            .result()["isError"]
            == true
        {
            uris.push(encode(path));
        } else {
            shown += 1;
            let result = read(&owner, Era::Modern, &encode(path)).await.unwrap();
            assert_eq!(
                result["contents"][0]["text"].as_str().unwrap().as_bytes(),
                EVERYWHERE
            );
        }
    }
    assert!(
        shown > 20 && uris.len() > 100,
        "{shown} shown, {} not",
        uris.len()
    );
    app.storage.take_calls();
    for uri in &uris {
        for era in ERAS {
            assert_not_found(read(&owner, era, uri).await, era, uri);
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
    for era in ERAS {
        let missing = "vault://note/Gone.md";
        let app = TestApp::of(&[("Note.md", "x")]);
        assert_not_found(read(&app.owner().await, era, missing).await, era, missing);
    }
}

#[tokio::test]
async fn a_list_holds_what_policy_shows_and_no_more() {
    let files = [
        "a.md",
        "Private/b.md",
        ".trash/c.md",
        "Private-not/d.md",
        "e.txt",
        "x/.git/f.md",
    ];
    let app = TestApp::deployed(
        vault_mcp::storage::memory::MemoryStorage::with(
            files.map(|path| (path.to_owned(), File::regular("secret"))),
        ),
        |deployment| deployment.denied = "private",
    );
    app.storage.inner().push(|files| {
        files.insert("Link.md".to_owned(), File::Symlink);
        files.insert("Module.md".to_owned(), File::Submodule);
    });
    let owner = app.owner().await;
    for era in ERAS {
        let (listed, _) = all(&owner, era).await;
        let paths: Vec<_> = listed
            .iter()
            .map(|note| note["description"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["Private-not/d.md", "a.md"]);
        for path in ["Link.md", "Module.md", "Private/b.md"] {
            let uri = format!("vault://note/{path}");
            assert_not_found(read(&owner, era, &uri).await, era, &uri);
        }
    }
}

/// A note that does not fit is an error that says how to read it, never a part taken for the whole.
#[tokio::test]
async fn what_cannot_be_given_whole_is_an_error_with_its_code() {
    let long = "line\n".repeat(11_000);
    let app = TestApp::of(&[
        ("Long.md", long.as_bytes()),
        ("Latin1.md", b"caf\xe9".as_slice()),
    ]);
    let owner = app.owner().await;
    for era in ERAS {
        for (uri, code, says) in [
            ("vault://note/Long.md", "TOO_LARGE", "read_note with lines"),
            ("vault://note/Latin1.md", "NOT_UTF8", "byte 3 of 4"),
        ] {
            let error = read(&owner, era, uri).await.unwrap_err();
            assert_eq!(
                (&error["code"], &error["data"]["code"]),
                (&json!(-32603), &json!(code))
            );
            let said = error["message"].as_str().unwrap();
            assert!(said.starts_with(code) && said.contains(says), "{said}");
        }
    }
}
