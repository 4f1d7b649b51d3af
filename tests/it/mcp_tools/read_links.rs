//! `read_note` with what is around a note: its properties, where its links lead, and what links to it.

use serde_json::{Value, json};
use vault_mcp::storage::memory::File;

use crate::support::{app::TestApp, recording::Everywhere};

const NOTES: [(&str, &str); 6] = [
    (
        "Index.md",
        "---\ntitle: Start\nrating: 4\nup: '[[Boat]]'\n---\n# Start\n[[Boat#Sails|her]] ![[photo.png]]\n\n## More\n[[Boat]] [[Nowhere]] [t](Areas/Plan%20B.md) [[Hidden]]\n",
    ),
    ("Projects/Boat.md", "# The boat\n\nsee [[index]]\n"),
    ("Areas/Plan B.md", "[up](../Projects/Boat.md)\n"),
    (".trash/Hidden.md", "[[Boat]] [[Index]]"),
    ("Private/Diary.md", "[[Boat]]"),
    ("Plain.md", "no links\n"),
];

async fn facts(app: &TestApp, arguments: Value) -> Value {
    app.owner().await.call("read_note", arguments).await.facts()
}

#[tokio::test]
async fn properties_come_as_json() {
    let app = TestApp::of(&[
        ("a.md", "---\ntitle: A: B\nrating: 4\ntags: [x, y]\n---\n"),
        ("b.md", "no properties"),
        (
            "c.md",
            format!("---\nlong: {}\n---\ntext", "x".repeat(40_000)).as_str(),
        ),
    ]);
    let ask = |path: &str| json!({ "path": path, "include": ["frontmatter"] });
    let found = facts(&app, ask("a.md")).await;
    assert_eq!(
        found["frontmatter"],
        json!({ "title": "A: B", "rating": 4, "tags": ["x", "y"] })
    );
    assert_eq!(facts(&app, ask("b.md")).await["frontmatter"], json!({}));
    let long = app.owner().await.call("read_note", ask("c.md")).await;
    assert!(long.characters() <= 50_000);
    assert_eq!(long.facts()["frontmatter"], Value::Null);
    assert!(long.facts()["frontmatter_left_out"].is_string());
    assert_eq!(
        facts(&app, json!({ "path": "a.md" })).await["frontmatter"],
        Value::Null
    );
}

#[tokio::test]
async fn links_come_with_where_they_lead() {
    let app = TestApp::of(&NOTES);
    let link = |target: &str, path: Option<&str>, line: usize| json!({ "target": target, "path": path, "line": line });
    let boat = Some("Projects/Boat.md");
    let all = [
        link("Boat", boat, 4),
        link("Boat#Sails", boat, 7),
        link("photo.png", None, 7),
        link("Nowhere", None, 10),
        link("Areas/Plan B.md", Some("Areas/Plan B.md"), 10),
        link("Hidden", None, 10),
    ];
    for include in [
        json!(["links"]),
        json!("links"),
        json!("frontmatter, links"),
        json!("[\"links\"]"),
    ] {
        let found = facts(&app, json!({ "path": "Index.md", "include": include })).await;
        assert_eq!(
            found["links"],
            json!({ "total": 6, "links": all }),
            "{include}"
        );
        assert_eq!(found["backlinks"], Value::Null);
    }
    // Of what is read, and there each once.
    let more = json!({ "path": "Index.md", "include": ["links"], "section": "More" });
    let mut in_more = all[3..].to_vec();
    in_more.insert(0, link("Boat", boat, 10));
    let found = facts(&app, more).await;
    assert_eq!(found["links"], json!({ "total": 4, "links": in_more }));
    let none = json!({ "path": "Plain.md", "include": ["links"] });
    assert_eq!(
        facts(&app, none).await["links"],
        json!({ "total": 0, "links": [] })
    );
}

/// What may not be seen links to nothing, and nothing leads there.
#[tokio::test]
async fn backlinks_are_those_of_visible_notes() {
    let app = TestApp::deployed(
        vault_mcp::storage::memory::MemoryStorage::with(
            NOTES.map(|(path, text)| (path.to_owned(), File::regular(text))),
        ),
        |deployment| deployment.denied = "Private/",
    );
    let found = facts(
        &app,
        json!({ "path": "Projects/Boat.md", "include": ["backlinks", "links"] }),
    )
    .await;
    assert_eq!(
        found["backlinks"],
        json!({
            "total": 2,
            "notes": [
                { "path": "Areas/Plan B.md", "title": "Plan B", "line": 1 },
                { "path": "Index.md", "title": "Start", "line": 4 },
            ],
        })
    );
    let links = json!([{ "target": "index", "path": "Index.md", "line": 3 }]);
    assert_eq!(found["links"], json!({ "total": 1, "links": links }));
    let index = facts(
        &app,
        json!({ "path": "Index.md", "include": ["backlinks"] }),
    )
    .await;
    let notes = json!([{ "path": "Projects/Boat.md", "title": "The boat", "line": 3 }]);
    assert_eq!(index["backlinks"], json!({ "total": 1, "notes": notes }));
    let plain = facts(
        &app,
        json!({ "path": "Plain.md", "include": ["backlinks"] }),
    )
    .await;
    assert_eq!(plain["backlinks"], json!({ "total": 0, "notes": [] }));
}

#[tokio::test]
async fn several_notes_each_have_their_links() {
    let app = TestApp::of(&NOTES);
    let paths = ["nowhere.md", "Plain.md", "Index.md", "Areas/Plan B.md"];
    let arguments = json!({ "paths": paths, "include": ["links", "backlinks"], "outline": true });
    let found = facts(&app, arguments).await;
    let of = |number: usize| {
        let note = &found["notes"][number];
        (
            note["links"]["total"].clone(),
            note["backlinks"]["total"].clone(),
        )
    };
    assert_eq!(of(0), (Value::Null, Value::Null));
    assert_eq!(of(1), (json!(0), json!(0)));
    assert_eq!(of(2), (json!(6), json!(1)));
    assert_eq!(of(3), (json!(1), json!(1)));
}

#[tokio::test]
async fn many_links_and_backlinks_fit_and_say_what_is_missing() {
    let text: Vec<String> = (0..2_000)
        .map(|number| format!("- [[{} {number}]]\n", "long".repeat(20)))
        .collect();
    let text = text.concat();
    let linking: Vec<String> = (0..300)
        .map(|number| format!("{number:03} {}.md", "n".repeat(180)))
        .collect();
    let mut notes: Vec<(&str, &str)> = linking
        .iter()
        .map(|path| (path.as_str(), "[[Hub]]"))
        .collect();
    notes.push(("Hub.md", &text));
    let app = TestApp::of(&notes);
    let owner = app.owner().await;
    let mut lines = Value::Null;
    let mut followed = 0;
    for _ in 0..60 {
        let arguments = json!({ "path": "Hub.md", "outline": true, "lines": lines, "include": ["links", "backlinks"] });
        let answer = owner.call("read_note", arguments).await;
        assert!(answer.characters() <= 50_000);
        let facts = answer.facts();
        let backlinks = &facts["backlinks"];
        assert_eq!(backlinks["total"], 300);
        let shown = backlinks["notes"].as_array().unwrap().len() as u64;
        assert!((20..=100).contains(&shown), "{shown}");
        assert_eq!(backlinks["left_out"], 300 - shown);
        followed += facts["links"]["links"].as_array().unwrap().len();
        lines = facts["links"]["next"].clone();
        if lines.is_null() {
            break;
        }
    }
    assert_eq!(followed, 2_000);
}

/// Links are followed in the state that was read; who links here is known of the newest one only.
#[tokio::test]
async fn links_of_a_note_as_it_was() {
    let app = TestApp::of(&NOTES);
    let first = app.storage.inner().head();
    app.storage.inner().push(|files| {
        files.remove("Projects/Boat.md");
        files.insert("Nowhere.md".to_owned(), File::regular("now here"));
    });
    let include = json!(["links", "backlinks"]);
    let then = facts(
        &app,
        json!({ "path": "Index.md", "at": first, "include": include }),
    )
    .await;
    assert_eq!(then["commit"], json!(first));
    assert_eq!(then["links"]["links"][0]["path"], "Projects/Boat.md");
    assert_eq!(then["links"]["links"][3]["path"], Value::Null);
    let unavailable = then["backlinks"]["unavailable"].as_str().unwrap();
    assert!(unavailable.contains("newest state"), "{unavailable}");
    let head = app.storage.inner().head();
    let now = facts(
        &app,
        json!({ "path": "Index.md", "at": head, "include": include }),
    )
    .await;
    assert_eq!(now["links"]["links"][0]["path"], Value::Null);
    assert_eq!(now["links"]["links"][3]["path"], "Nowhere.md");
    assert_eq!(now["backlinks"]["total"], 0);
}

/// Without an index the note and its links are there all the same.
#[tokio::test]
async fn an_index_that_is_being_built_keeps_nothing_but_backlinks_away() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    let arguments = json!({ "path": "Note.md", "include": ["links", "backlinks"] });
    let answer = owner.call("read_note", arguments).await;
    assert_eq!(answer.texts(), ["here\n"]);
    let facts = answer.facts();
    assert_eq!(facts["links"], json!({ "total": 0, "links": [] }));
    let unavailable = facts["backlinks"]["unavailable"].as_str().unwrap();
    assert!(unavailable.starts_with("INDEX_BUILDING: "), "{unavailable}");
}
