//! What the index answers about tags, properties, folders and order, against the reading of every
//! note, which is the measure.

use std::collections::BTreeMap;

use proptest::{prelude::*, test_runner::TestRunner};
use vault_mcp::{
    runtime::{Sql, SqlValue, Timestamp},
    storage::memory::{File, MemoryStorage},
    vault::{
        filter::NoteFilter,
        markdown::Tag,
        path::DirPath,
        storage::{
            BrowsePage, BrowseQuery, Indexed, Order, OverviewQuery, SearchQuery, VaultStorage,
        },
        text::Query,
    },
};
use vault_mcp_dev::SeedFile;

use crate::support::{
    index::AtIndex,
    storage::{Subject, info, open_policy, read, run, writable},
};

/// What notes are made of: each line says something that a filter or a query asks for, or looks as
/// if it did.
const LINES: [&str; 14] = [
    "#boat and #wood/oak",
    "#Boat/refit `#code`",
    "#boats are no boat",
    "- [ ] oil the [[Engine]]",
    "- [x] done 日本語",
    "```\n#fenced [[no link]]\n```",
    "C++ and [[Engine|it]]",
    "Café, STRASSE",
    "![[pic.png]] → there",
    "## Heading #tagged",
    "title: no frontmatter",
    "a | b || c",
    "",
    "oil engine",
];

const FRONTMATTERS: [&str; 8] = [
    "",
    "---\ntags: [boat, '#oak']\nstatus: Done\n---\n",
    "---\ntitle: \"Caf\\u00e9 log\"\nstatus: done\nrating: 3\n---\n",
    "---\naliases: [The oil, She]\nwho: [Ines, Wren]\nrating: 3.0\n---\n",
    "---\ntitle: A: broken\ntags: boat/refit\nrating: '3'\n---\n",
    "---\nstatus:\nnested: {status: done}\n---\n",
    "---\nbomb: &a [x, x]\nstatus: *a\n---\n",
    "---\nno end: here\n",
];

const PATHS: [&str; 9] = [
    "a.md",
    "Boat/Engine.md",
    "Boat/Log/1.md",
    "Boat/Log/2.markdown",
    "Boat.md",
    "boat2/x.md",
    "日本/メモ.md",
    "C++ [draft].md",
    "AGENTS.md",
];

fn note() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(&LINES[..]), 0..5);
    (prop::sample::select(&FRONTMATTERS[..]), lines)
        .prop_map(|(frontmatter, lines)| format!("{frontmatter}{}\n", lines.join("\n")))
}

/// Changes, one after another: what a path is to hold, and whether we write it or somebody pushes.
fn changes() -> impl Strategy<Value = Vec<(&'static str, Option<String>, bool)>> {
    let change = (
        prop::sample::select(&PATHS[..]),
        prop::option::of(note()),
        any::<bool>(),
    );
    prop::collection::vec(change, 1..8)
}

fn filters() -> Vec<NoteFilter> {
    let tags = [
        None,
        Some("boat"),
        Some("#Boat/refit"),
        Some("oak"),
        Some("fenced"),
    ];
    let properties: [&[(&str, &str)]; 6] = [
        &[],
        &[("status", "DONE")],
        &[("rating", "3")],
        &[("who", "ines"), ("Who", "Wren")],
        &[("status", "")],
        &[("status", "x"), ("bomb", "x")],
    ];
    let mut filters = Vec::new();
    for tag in tags {
        for pairs in properties {
            let mut filter = NoteFilter::default();
            if let Some(tag) = tag {
                filter.require_tag(&Tag::parse(tag).unwrap());
            }
            for (key, value) in pairs {
                filter.require_property(key, value);
            }
            filters.push(filter);
        }
    }
    filters
}

const QUERIES: [&str; 13] = [
    "[[",
    "- [ ]",
    "C++",
    "->",
    "→",
    "|",
    "||",
    "#",
    "oil",
    "café",
    "\"the oil\"",
    "she",
    "日本",
];

/// A page without its commit: the two backends have different histories.
fn page(answer: Indexed<BrowsePage>) -> BrowsePage {
    match answer {
        Indexed::Answer(page) => BrowsePage {
            commit: None,
            ..page
        },
        Indexed::Building(progress) => panic!("no index: {progress:?}"),
    }
}

async fn assert_same_answers(vault: &AtIndex, measure: &MemoryStorage) {
    let policy = open_policy();
    for filter in &filters() {
        for (dir, depth) in [("", None), ("Boat", None), ("Boat", Some(1)), ("", Some(2))] {
            for (order, offset) in [(Order::Path, 0), (Order::Modified, 0), (Order::Path, 2)] {
                let query = BrowseQuery {
                    sieve: &policy,
                    dir: DirPath::parse(dir).unwrap(),
                    depth,
                    filter,
                    order,
                    offset,
                    limit: 4,
                };
                assert_eq!(
                    page(vault.index.browse(&query).await.unwrap()),
                    page(measure.browse(&query).await.unwrap()),
                    "{query:?}"
                );
            }
        }
        for text in QUERIES {
            let query = Query::parse(text).unwrap();
            for dir in ["", "Boat"] {
                let query = SearchQuery {
                    sieve: &policy,
                    query: &query,
                    dir: DirPath::parse(dir).unwrap(),
                    filter,
                    offset: 0,
                    limit: 100,
                };
                let mut found = vault.index.search(&query).await.unwrap();
                let mut expected = measure.search(&query).await.unwrap();
                for page in [&mut found, &mut expected] {
                    page.commit = None;
                    page.hits
                        .sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
                }
                assert_eq!(found, expected, "{text:?} in {dir:?} with {filter:?}");
            }
        }
    }
    let query = OverviewQuery {
        sieve: &policy,
        named: &["agents.md"],
    };
    let (Indexed::Answer(found), Indexed::Answer(expected)) = (
        vault.index.overview(&query).await.unwrap(),
        measure.overview(&query).await.unwrap(),
    ) else {
        panic!("no overview");
    };
    assert_eq!(
        (
            found.notes,
            found.bytes,
            found.folders,
            found.tags,
            found.distinct_tags,
            found.named
        ),
        (
            expected.notes,
            expected.bytes,
            expected.folders,
            expected.tags,
            expected.distinct_tags,
            expected.named
        )
    );
}

/// Makes a change by our own write, or by somebody else's push.
async fn change(vault: &AtIndex, path: &str, content: Option<&str>, is_ours: bool) {
    if !is_ours {
        vault.push(&[(path, content.map(str::as_bytes))]).await;
        return;
    }
    let storage = &vault.index;
    let base = read(storage, path)
        .await
        .unwrap()
        .note
        .map(|note| note.revision);
    let note = writable(path);
    match (base, content.map(str::as_bytes)) {
        (None, Some(bytes)) => {
            storage
                .create(&open_policy(), &note, bytes, &info("x"))
                .await
                .unwrap();
        }
        (Some(base), Some(bytes)) => {
            storage
                .update(&note, &base, bytes, &info("x"))
                .await
                .unwrap();
        }
        (Some(base), None) => {
            storage.delete(&note, &base, &info("x")).await.unwrap();
        }
        (None, None) => {}
    }
}

#[test]
fn after_random_pushes_writes_and_deletes_the_index_answers_as_reading_everything_does() {
    let config = ProptestConfig {
        cases: 6,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let strategy = (prop::collection::vec(note(), PATHS.len() - 1), changes());
    TestRunner::new(config)
        .run(&strategy, |(notes, changes)| {
            let mut files: BTreeMap<&str, String> = PATHS.into_iter().zip(notes).collect();
            run(async {
                let seeds = files
                    .iter()
                    .map(|(path, text)| SeedFile::regular(*path, text.as_str()));
                let vault = AtIndex::built(seeds.collect()).await;
                for (path, content, is_ours) in changes {
                    // The look-alike makes no commit where nothing changes.
                    if files.get(path) == content.as_ref() || writable_is_refused(path, is_ours) {
                        continue;
                    }
                    change(&vault, path, content.as_deref(), is_ours).await;
                    match content {
                        Some(text) => files.insert(path, text),
                        None => files.remove(path),
                    };
                }
                let measure = MemoryStorage::with(
                    files
                        .iter()
                        .map(|(path, text)| ((*path).to_owned(), File::regular(text))),
                );
                // The last push is followed; then the times of commits, which the measure does not
                // know, are forgotten.
                vault.assert_same().await;
                vault
                    .sql
                    .exec("UPDATE notes SET modified = NULL", &[])
                    .unwrap();
                assert_same_answers(&vault, &measure).await;
            });
            Ok(())
        })
        .unwrap();
}

/// Agents' files cannot be written by us.
fn writable_is_refused(path: &str, is_ours: bool) -> bool {
    is_ours && path == "AGENTS.md"
}

#[test]
fn notes_are_found_and_ordered_by_when_they_were_changed() {
    run(async {
        let paths = ["a.md", "b.md", "c.md", "d.md"];
        let seeds = paths.iter().map(|path| SeedFile::regular(*path, "x"));
        let vault = AtIndex::built(seeds.collect()).await;
        for (path, modified) in [
            ("a.md", Some(100)),
            ("b.md", Some(300)),
            ("c.md", Some(200)),
            ("d.md", None),
        ] {
            let modified = modified.map_or(SqlValue::Null, SqlValue::Integer);
            let statement = "UPDATE notes SET modified = ? WHERE path = ?";
            vault.sql.exec(statement, &[modified, path.into()]).unwrap();
        }
        let policy = open_policy();
        let browse = async |filter: &NoteFilter| {
            let query = BrowseQuery {
                sieve: &policy,
                dir: DirPath::root(),
                depth: None,
                filter,
                order: Order::Modified,
                offset: 0,
                limit: 10,
            };
            let page = page(vault.index.browse(&query).await.unwrap());
            let paths: Vec<_> = page
                .entries
                .iter()
                .map(|e| e.path.as_str().to_owned())
                .collect();
            (paths, page.total, page.undated)
        };
        let all = browse(&NoteFilter::default()).await;
        assert_eq!(all.0, ["b.md", "c.md", "a.md", "d.md"]);
        assert_eq!((all.1, all.2), (4, 1));
        let mut since = NoteFilter::default();
        since.require_modified_since(Timestamp::from_unix_seconds(200));
        let recent = browse(&since).await;
        assert_eq!(
            (recent.0, recent.1, recent.2),
            (vec!["b.md".to_owned(), "c.md".to_owned()], 2, 1)
        );
    });
}
