//! Searching for patterns: the index against the reference, and both against line by line.

use std::collections::BTreeMap;

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use vault_mcp::{
    storage::memory::{File, MemoryStorage},
    vault::{
        filter::NoteFilter,
        markdown::Tag,
        path::DirPath,
        policy::{VaultPolicy, parse_prefixes},
        storage::{Indexed, Sieve, SweepPage, SweepQuery, VaultStorage},
        text::Pattern,
    },
};
use vault_mcp_dev::SeedFile;

use crate::support::{
    index::AtIndex,
    storage::{Subject, info, open_policy, run, writable},
};

const NOTES: [(&str, &[u8]); 14] = [
    (
        "Boat/Engine.md",
        "---\ntags: [boat]\n---\n# Engine\n- [ ] TODO: oil\n- [x] done 2026-11-30\n".as_bytes(),
    ),
    (
        "Boat/Log.md",
        b"#boat Task list, tasks, TASK\r\n\r\nlast line",
    ),
    ("C++ notes.md", b"C++ is not C. foo.bar(baz); a*b ^x$\n"),
    (
        "Cafe\u{301}.md",
        "decompose\u{301} Caf\u{e9} cafe\u{301}\n".as_bytes(),
    ),
    ("Straße.md", "STRASSE straße STRAẞE ſtraße\n".as_bytes()),
    ("Русский.md", "Ёлка и ежик; ОБЪЁМ.\n".as_bytes()),
    (
        "日本語/メモ.md",
        "今日は良い天気です。系統を確認する。\n".as_bytes(),
    ),
    ("ភាសាខ្មែរ.md", "ភាសាខ្មែរ គឺជាភាសា\n".as_bytes()),
    ("হিন্দি.md", "বাংলা ভাষা \u{9c7}\u{9be} হো\n".as_bytes()),
    (
        "한국어.md",
        "안녕하세요, \u{1112}\u{1161}\u{11ab}\n".as_bytes(),
    ),
    ("binary.md", b"\xff\xfe TODO"),
    ("empty.md", b""),
    ("kelvin.md", "300 \u{212a} and 100% \\ 5_5\n".as_bytes()),
    ("emoji 🗺️.md", "🗺️ map, 👩‍👩‍👧 family\n".as_bytes()),
];

const PATTERNS: [&str; 44] = [
    "TODO",
    "todo",
    "(?i)todo",
    "(?i)task",
    "(?i)tasks\\b",
    "^- \\[[ x]\\]",
    "\\d{4}-\\d\\d-\\d\\d",
    "^$",
    "x*",
    ".*",
    "^",
    "$",
    "m",
    "md",
    "\\.md",
    "C\\+\\+",
    "foo\\.bar\\(",
    "a\\*b|\\^x\\$",
    "é",
    "e\u{301}",
    "caf.",
    "(?i)CAFÉ",
    "decomposé",
    "(?i)straße",
    "(?i)strasse",
    "ſ",
    "(?i)s",
    "(?i)k",
    "\u{212a}",
    "K",
    "100%",
    "5_5",
    "\\\\",
    "(?i)ёлка",
    "объём|(?i)объём",
    "系統",
    "天.です",
    "ខ្មែរ",
    "\\bভাষা\\b",
    "한",
    "🗺",
    "👩.👩",
    "^Boat/",
    "last line$",
];

/// All pages, one after the other, as one.
async fn whole(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    pattern: &Pattern,
    (dir, filter): (&str, &NoteFilter),
    budget: u64,
) -> SweepPage<String> {
    let mut all = SweepPage::of_nothing();
    let mut after = None;
    loop {
        let query = SweepQuery {
            sieve: policy,
            pattern,
            dir: DirPath::parse(dir).unwrap(),
            filter,
            after: after.clone(),
            limit: 100,
            budget,
        };
        let Indexed::Answer(page) = storage.sweep(&query).await.unwrap() else {
            panic!("no index");
        };
        assert_eq!(page.found, page.hits.len());
        let stopped = page.stopped_at.clone();
        let page = page.with_paths(|path| Some(path.as_str().to_owned()));
        assert!(
            page.searched > all.searched || page.unsearched == 0,
            "no progress"
        );
        assert_eq!(stopped.is_some(), page.unsearched > 0);
        all.found += page.found;
        all.hits.extend(page.hits);
        all.searched = page.searched;
        all.by_path_only = page.by_path_only;
        if stopped.is_none() {
            return all;
        }
        after = stopped;
    }
}

fn filters() -> [(&'static str, NoteFilter); 3] {
    let mut tagged = NoteFilter::default();
    tagged.require_tag(&Tag::parse("boat").unwrap());
    [
        ("", NoteFilter::default()),
        ("Boat", NoteFilter::default()),
        ("", tagged),
    ]
}

async fn assert_same(vault: &AtIndex, measure: &MemoryStorage, parsed: &Pattern) {
    let pattern = parsed.as_str();
    let policy = open_policy();
    for (dir, filter) in &filters() {
        let expected = whole(measure, &policy, parsed, (dir, filter), u64::MAX).await;
        for budget in [u64::MAX, 60, 0] {
            let found = whole(&vault.index, &policy, parsed, (dir, filter), budget).await;
            assert_eq!(found, expected, "{pattern:?} in {dir:?} with {budget}");
        }
        let slowly = whole(measure, &policy, parsed, (dir, filter), 60).await;
        assert_eq!(slowly, expected, "{pattern:?} in {dir:?}");
    }
}

async fn vaults(notes: &[(&str, &[u8])]) -> (AtIndex, MemoryStorage) {
    let seeds = notes
        .iter()
        .map(|(path, bytes)| SeedFile::regular(*path, *bytes));
    let files = notes
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), File::regular(bytes)));
    (
        AtIndex::built(seeds.collect()).await,
        MemoryStorage::with(files),
    )
}

#[test]
fn the_index_finds_what_looking_at_every_line_finds() {
    run(async {
        let (vault, measure) = vaults(&NOTES).await;
        for pattern in PATTERNS {
            let pattern = Pattern::parse(pattern).expect(pattern);
            assert_same(&vault, &measure, &pattern).await;
        }
        // The measure itself is not empty-handed.
        let pattern = Pattern::parse("(?i)todo|m").unwrap();
        let everywhere = ("", &NoteFilter::default());
        let found = whole(&measure, &open_policy(), &pattern, everywhere, u64::MAX).await;
        let paths: Vec<_> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "Boat/Engine.md",
                "Cafe\u{301}.md",
                "emoji 🗺️.md",
                "empty.md"
            ]
        );
        assert_eq!((found.searched, found.by_path_only), (14, 1));
    });
}

/// A pattern out of a part of a note: parts of it as they are, loosened, or left to choice.
fn patterns() -> impl Strategy<Value = String> {
    let text: Vec<char> = NOTES
        .iter()
        .flat_map(|(path, bytes)| {
            format!("{path}\n{}", String::from_utf8_lossy(bytes))
                .chars()
                .collect::<Vec<_>>()
        })
        .collect();
    let part = (0..text.len(), 1_usize..6).prop_map(move |(from, length)| {
        let part = text
            .iter()
            .skip(from)
            .take(length)
            .filter(|c| !c.is_control());
        regex_escape(&part.collect::<String>())
    });
    let loose = prop::sample::select(
        &[
            "", ".", ".*", ".?", r"\w+", r"\s*", "(?i)", "^", "$", r"\b", "|", "[^a]", "{2}", "+",
            "?",
        ][..],
    );
    prop::collection::vec((part, loose), 1..4).prop_map(|parts| {
        let parts = parts
            .into_iter()
            .flat_map(|(part, loose)| [part, loose.to_owned()]);
        parts.collect::<String>()
    })
}

fn regex_escape(text: &str) -> String {
    let escape = |c: char| {
        if r"\.+*?()|[]{}^$".contains(c) {
            format!("\\{c}")
        } else {
            c.into()
        }
    };
    text.chars().map(escape).collect()
}

#[test]
fn generated_patterns_find_the_same_before_and_after_pushes_writes_and_deletes() {
    run(async {
        let (vault, measure) = vaults(&NOTES).await;
        let mut files: BTreeMap<String, Vec<u8>> = NOTES
            .iter()
            .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()))
            .collect();
        let mut runner = TestRunner::deterministic();
        let patterns = patterns();
        // Not everything that is put together is a pattern.
        let mut next = || {
            let mut drawn = std::iter::repeat_with(|| patterns.new_tree(&mut runner).unwrap());
            drawn
                .find_map(|drawn| Pattern::parse(&drawn.current()).ok())
                .unwrap()
        };
        for _ in 0..120 {
            assert_same(&vault, &measure, &next()).await;
        }
        // 1. A push, 2. a write, 3. a delete.
        let pushed = "cafe\u{301} TODO 系統".as_bytes();
        vault
            .push(&[("pushed.md", Some(pushed)), ("empty.md", None)])
            .await;
        vault.assert_same().await;
        let written = "Task, 天気です, STRAẞE".as_bytes();
        vault
            .index
            .create(&open_policy(), &writable("written.md"), written, &info("x"))
            .await
            .unwrap();
        let gone = writable("kelvin.md");
        let base = vault_mcp::vault::storage::Revision::of(&files["kelvin.md"]);
        vault.index.delete(&gone, &base, &info("x")).await.unwrap();
        files.insert("pushed.md".to_owned(), pushed.to_vec());
        files.insert("written.md".to_owned(), written.to_vec());
        files.retain(|path, _| path != "kelvin.md" && path != "empty.md");
        let measure = MemoryStorage::with(
            files
                .into_iter()
                .map(|(path, bytes)| (path, File::regular(bytes))),
        );
        for pattern in PATTERNS {
            let pattern = Pattern::parse(pattern).expect(pattern);
            assert_same(&vault, &measure, &pattern).await;
        }
        for _ in 0..60 {
            assert_same(&vault, &measure, &next()).await;
        }
    });
}

/// `.*` finds every note that is shown; what is hidden is no note, counts for nothing and costs
/// nothing.
#[test]
fn a_hidden_note_is_not_matched_not_counted_and_not_paid_for() {
    run(async {
        let large = "hidden ".repeat(5_000);
        let shown: [(&str, &[u8]); 2] = [("a.md", b"one"), ("z.md", b"two")];
        let hidden: [(&str, &[u8]); 3] = [
            ("Private/b.md", large.as_bytes()),
            (".obsidian/c.md", large.as_bytes()),
            ("m/.trash/d.md", b"hidden"),
        ];
        let all: Vec<_> = shown.into_iter().chain(hidden).collect();
        let denying = || VaultPolicy::new(Vec::new(), &parse_prefixes("Private").unwrap(), false);
        let (vault, measure) = vaults(&all).await;
        let index = vault.reopened(denying());
        index.work().await.unwrap();
        let policy = denying();
        for storage in [&index as &dyn VaultStorage, &measure] {
            for pattern in [".*", "hidden", "Private", "(?i)HIDDEN|one|two"] {
                let pattern = Pattern::parse(pattern).unwrap();
                let query = SweepQuery {
                    sieve: &policy,
                    pattern: &pattern,
                    dir: DirPath::root(),
                    filter: &NoteFilter::default(),
                    after: None,
                    limit: 10,
                    // Enough for the two, and for nothing else.
                    budget: 14,
                };
                let Indexed::Answer(page) = storage.sweep(&query).await.unwrap() else {
                    panic!("no index");
                };
                let hits: Vec<_> = page.hits.iter().map(|hit| hit.path.as_str()).collect();
                let expected: &[&str] = match pattern.as_str() {
                    "hidden" | "Private" => &[],
                    _ => &["a.md", "z.md"],
                };
                assert_eq!(hits, expected, "{pattern:?}");
                assert_eq!(
                    (page.searched, page.unsearched, page.by_path_only),
                    (2, 0, 0)
                );
            }
        }
        assert!(policy.admit("Private/b.md").is_none());
    });
}

#[test]
fn a_call_stops_where_its_budget_ends_and_says_where() {
    run(async {
        let notes: Vec<(String, String)> = (0..10)
            .map(|n| (format!("{n}.md"), format!("needle {n} {}", "x".repeat(84))))
            .collect();
        let notes: Vec<(&str, &[u8])> = notes
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_bytes()))
            .collect();
        let (vault, measure) = vaults(&notes).await;
        let policy = open_policy();
        for storage in [&vault.index as &dyn VaultStorage, &measure] {
            let sweep = async |pattern: &str, after: Option<&str>, limit, budget| {
                let pattern = Pattern::parse(pattern).unwrap();
                let query = SweepQuery {
                    sieve: &policy,
                    pattern: &pattern,
                    dir: DirPath::root(),
                    filter: &NoteFilter::default(),
                    after: after.and_then(|path| policy.admit(path)),
                    limit,
                    budget,
                };
                let Indexed::Answer(page) = storage.sweep(&query).await.unwrap() else {
                    panic!("no index");
                };
                let stopped = page.stopped_at.map(|path| path.as_str().to_owned());
                (
                    page.found,
                    page.hits.len(),
                    page.searched,
                    page.unsearched,
                    stopped,
                )
            };
            // A note with its path has 97 or 98 bytes.
            let stopped = |path: &str| Some(path.to_owned());
            assert_eq!(
                sweep("n.*x", None, 20, 300).await,
                (3, 3, 3, 7, stopped("2.md"))
            );
            assert_eq!(
                sweep("n.*x", Some("2.md"), 20, 300).await,
                (3, 3, 6, 4, stopped("5.md"))
            );
            assert_eq!(
                sweep("n.*x", Some("8.md"), 20, 300).await,
                (1, 1, 10, 0, None)
            );
            // What is found beyond the page is counted all the same.
            assert_eq!(
                sweep("n.*x", None, 2, 300).await,
                (3, 2, 3, 7, stopped("2.md"))
            );
            assert_eq!(sweep("n.*x", None, 2, 5_000).await, (10, 2, 10, 0, None));
            // One note is looked at, whatever it takes.
            assert_eq!(
                sweep("n.*x", None, 20, 0).await,
                (1, 1, 1, 9, stopped("0.md"))
            );
        }
        // The index knows where not to look.
        let pattern = Pattern::parse("needle 7").unwrap();
        let query = SweepQuery {
            sieve: &policy,
            pattern: &pattern,
            dir: DirPath::root(),
            filter: &NoteFilter::default(),
            after: None,
            limit: 20,
            budget: 0,
        };
        let Indexed::Answer(page) = vault.index.sweep(&query).await.unwrap() else {
            panic!("no index");
        };
        assert_eq!((page.found, page.searched, page.unsearched), (1, 10, 0));
    });
}
