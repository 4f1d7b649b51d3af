//! The index's search against the plain scan, which is the measure of a complete answer.

use std::collections::BTreeSet;

use vault_mcp::{
    runtime::{Sql, SqlRow},
    storage::index::{Page, Stage},
    vault::{
        filter::NoteFilter,
        path::{DirPath, VaultPath},
        storage::{Revision, VaultStorage},
        text::{self, Document, Query},
    },
};
use vault_mcp_dev::SeedFile;

use crate::support::{
    index::AtIndex,
    storage::{Subject, info, open_policy, run, writable},
};

/// Notes in many scripts, with what makes searching hard.
const NOTES: [(&str, &str); 24] = [
    (
        "Boat/Engine.md",
        "# Engine\n\nChange the oil; engine oil, 5W-40.\nOil filter too.\n",
    ),
    (
        "Boat/Boat.md",
        "---\ntitle: 'The old boat'\ntags: [boat, wood]\n---\nSee [[Engine]] and #boat/refit.\n",
    ),
    ("Oil.md", "Paint, linseed oil, turpentine.\n"),
    (
        "C++ notes.md",
        "C++ is not C, nor C#. foo.bar(baz) and a*b; ^x$ too.\n",
    ),
    ("Café.md", "Un café crème à la Città. Naïve coöperation.\n"),
    ("Cafe\u{301} 2.md", "de\u{301}compose\u{301}\n"),
    ("Straße.md", "STRASSE und Straße, GROSS und groß.\n"),
    ("Łódź.md", "Miasto Łódź; zażółć gęślą jaźń.\n"),
    ("Ελλάδα.md", "Ἀθῆναι, ΑΘΗΝΑ, Αθήνα.\n"),
    ("Русский.md", "Ёлка и ежик; объём.\n"),
    (
        "日本語/メモ.md",
        "今日は良い天気です。系統を確認する。日本語の検索。\n",
    ),
    ("中文/笔记.md", "系統分析與設計。全文检索系统。\n"),
    ("한국어.md", "안녕하세요, 검색을 시험합니다.\n"),
    ("ภาษาไทย.md", "สวัสดีครับ ค้นหาข้อความ\n"),
    ("ភាសាខ្មែរ.md", "ភាសាខ្មែរ គឺជាភាសា\n"),
    ("हिन्दी.md", "हिन्दी भाषा में खोज; किताब।\n"),
    ("العربية.md", "البحث في النص العَرَبِيّ\n"),
    ("mixed.md", "abc日本def 語x C語 日本abc\n"),
    ("empty.md", ""),
    (
        "symbols.md",
        "→ ⇒ ∀x∈S: ¬p ∨ q — [[link|alias]] ![[pic.png]] $$E=mc^2$$\n",
    ),
    ("emoji 🗺️.md", "🗺️ map, 👩‍👩‍👧 family, ☕\n"),
    ("long.md", "hay hay hay\n\n\n\nneedle in a line\nbreak\n"),
    ("crlf.md", "\u{feff}first\r\nsecond line\r\n"),
    ("numbers.md", "2026-11-30, 1,000.50, 3rd, v1.2.3, 0x1F\n"),
];

/// Questions that were got wrong somewhere, and their neighbours.
const QUERIES: [&str; 70] = [
    "oil",
    "engine oil",
    "oil engine",
    "\"engine oil\"",
    "\"oil engine\"",
    "eng",
    "ngine",
    "boat",
    "boat/ref",
    "#boat/refit",
    "[[Engine]]",
    "the old boat",
    "C++",
    "c",
    "C#",
    "foo.bar(baz)",
    "a*b",
    "^x$",
    "cafe",
    "CAFÉ",
    "cafe\u{301}",
    "citta",
    "naive",
    "cooperation",
    "decompose",
    "strasse",
    "straße",
    "gross",
    "lodz",
    "zazolc",
    "αθηνα",
    "Αθηναι",
    "елка",
    "объем",
    "系統",
    "系",
    "统",
    "日本",
    "本語",
    "日本語",
    "語",
    "の検索",
    "검색",
    "색",
    "안녕",
    "ค้น",
    "สวัสดี",
    "ខ្មែរ",
    "ភាសា",
    "हिन्दी",
    "किता",
    "abc日本",
    "日本def",
    "\"日本 def\"",
    "→",
    "∀x∈S",
    "[[",
    "🗺️",
    "needle break",
    "\"line break\"",
    "v1.2",
    "md",
    "`x`",
    "oil,",
    "a*b;",
    "C++ is",
    "[[link|alias]] ![[pic",
    "\"oil; engine\"",
    "\"del C. foo.bar(baz)\"",
    "日本def C",
];

async fn indexed(notes: &[(&str, &str)]) -> AtIndex {
    let files = notes
        .iter()
        .map(|(path, text)| SeedFile::regular(*path, *text))
        .collect();
    AtIndex::built(files).await
}

/// What the plain scan finds below `dir`.
fn scanned(notes: &[(&str, &str)], query: &Query, dir: &DirPath) -> BTreeSet<String> {
    let parsed: Vec<_> = notes
        .iter()
        .filter(|(path, _)| dir.strip(path).is_some())
        .map(|(path, text)| (VaultPath::parse(path).unwrap(), *text))
        .collect();
    let documents = parsed.iter().map(|(path, text)| Document { path, text });
    text::search(query, documents)
        .into_iter()
        .map(|hit| hit.path.as_str().to_owned())
        .collect()
}

async fn assert_finds_what_the_scan_finds(vault: &AtIndex, notes: &[(&str, &str)], query: &str) {
    let Ok(parsed) = Query::parse(query) else {
        return;
    };
    for dir in ["", "Boat", "日本語"] {
        let dir = DirPath::parse(dir).unwrap();
        let page = Page {
            offset: 0,
            limit: 1_000,
        };
        let found = vault
            .index
            .find(&parsed, &dir, &NoteFilter::default(), page)
            .await
            .unwrap();
        let paths: BTreeSet<_> = found
            .hits
            .iter()
            .map(|hit| hit.path.as_str().to_owned())
            .collect();
        assert_eq!(
            paths,
            scanned(notes, &parsed, &dir),
            "{query:?} in {:?}",
            dir.as_str()
        );
        assert_eq!(
            (found.total, found.stage),
            (paths.len(), Stage::Ready),
            "{query:?}"
        );
    }
}

#[test]
fn the_index_finds_what_the_scan_finds() {
    run(async {
        let vault = indexed(&NOTES).await;
        for query in QUERIES {
            assert_finds_what_the_scan_finds(&vault, &NOTES, query).await;
        }
    });
}

#[test]
fn the_index_finds_every_part_of_every_note_that_the_scan_finds() {
    run(async {
        let vault = indexed(&NOTES).await;
        for (path, text) in NOTES {
            let characters: Vec<char> = path.chars().chain(text.chars()).collect();
            // Parts of every length, at places that are spread over the note.
            for (length, step) in [(1, 5), (2, 3), (3, 4), (7, 6), (15, 11)] {
                for part in characters.windows(length).step_by(step) {
                    let part: String = part.iter().collect();
                    assert_finds_what_the_scan_finds(&vault, &NOTES, &part).await;
                }
            }
        }
    });
}

#[test]
fn a_query_is_never_the_engines_syntax() {
    run(async {
        let vault = indexed(&NOTES).await;
        for query in [
            "\"",
            "\"\"",
            "a\"b",
            "oil\" OR \"",
            "NEAR(oil engine)",
            "title:oil",
            "oil NOT engine",
            "oil*",
            "^oil",
            "-oil",
            "{title path}: oil",
            "oil + engine",
            "' OR 1=1 --",
            "\0",
            "(",
            ")",
        ] {
            assert_finds_what_the_scan_finds(&vault, &NOTES, query).await;
        }
    });
}

#[test]
fn what_was_just_written_is_found_and_what_was_deleted_is_not() {
    run(async {
        let vault = indexed(&NOTES).await;
        let find = async |query: &str| {
            let query = Query::parse(query).unwrap();
            let page = Page {
                offset: 0,
                limit: 10,
            };
            let found = vault
                .index
                .find(&query, &DirPath::root(), &NoteFilter::default(), page)
                .await
                .unwrap();
            found
                .hits
                .into_iter()
                .map(|hit| hit.path.as_str().to_owned())
                .collect::<Vec<_>>()
        };
        let (storage, path) = (&vault.index, writable("fresh.md"));
        storage
            .create(&open_policy(), &path, "a xylophone".as_bytes(), &info("x"))
            .await
            .unwrap();
        assert_eq!(find("xylophone").await, ["fresh.md"]);
        let base = Revision::of(b"a xylophone");
        storage
            .update(&path, &base, "a zither".as_bytes(), &info("x"))
            .await
            .unwrap();
        assert_eq!(find("xylophone").await, [""; 0]);
        assert_eq!(find("zither").await, ["fresh.md"]);
        vault
            .push(&[("pushed.md", Some(b"another zither")), ("Oil.md", None)])
            .await;
        assert_eq!(find("zither").await.len(), 2);
        assert_eq!(find("turpentine").await, [""; 0]);
        let base = Revision::of(b"a zither");
        storage.delete(&path, &base, &info("x")).await.unwrap();
        assert_eq!(find("zither").await, ["pushed.md"]);
    });
}

#[test]
fn titles_come_first_and_pages_hold_together() {
    run(async {
        let notes: Vec<(String, String)> = (0..30)
            .map(|n| {
                (
                    format!("n{n:02}.md"),
                    format!("{} and the tide comes in", "word ".repeat(n)),
                )
            })
            .chain([("Tide.md".to_owned(), "other".to_owned())])
            .collect();
        let notes: Vec<_> = notes
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let vault = indexed(&notes).await;
        let query = Query::parse("tide").unwrap();
        let mut seen = Vec::new();
        for offset in (0..40).step_by(7) {
            let page = Page { offset, limit: 7 };
            let found = vault
                .index
                .find(&query, &DirPath::root(), &NoteFilter::default(), page)
                .await
                .unwrap();
            assert_eq!(found.total, 31);
            seen.extend(
                found
                    .hits
                    .into_iter()
                    .map(|hit| hit.path.as_str().to_owned()),
            );
        }
        assert_eq!(seen[0], "Tide.md");
        assert_eq!(
            (seen.len(), seen.iter().collect::<BTreeSet<_>>().len()),
            (31, 31)
        );
    });
}

#[test]
fn a_note_whose_text_is_not_at_hand_is_found_by_its_path() {
    run(async {
        let large = "needle ".repeat(300_000);
        let vault = indexed(&[("large.md", &large), ("a.md", "a")]).await;
        let find = async |query: &str| {
            let query = Query::parse(query).unwrap();
            let page = Page {
                offset: 0,
                limit: 10,
            };
            vault
                .index
                .find(&query, &DirPath::root(), &NoteFilter::default(), page)
                .await
                .unwrap()
        };
        let found = find("large").await;
        assert_eq!(
            (found.total, found.hits.len(), found.by_path_only),
            (1, 1, 1)
        );
        assert_eq!((found.searched, find("needle").await.total), (2, 0));
    });
}

/// The index takes no more than so many stretches with symbols of one note; the rest of what it knows
/// of the note, and every other note, is not touched by that.
#[test]
fn a_note_with_more_symbols_than_the_index_takes_is_searched_whole() {
    run(async {
        // A run of symbols takes five bytes a character.
        let dense = format!("{} 70007,70007 and 7,7 apples", "+-".repeat(210_000));
        let notes = [
            ("dense.md", dense.as_str()),
            ("a.md", "70007,70007 and more"),
            ("b.md", "70007, 70007 7,7apples"),
        ];
        let vault = indexed(&notes).await;
        let marked = vault
            .sql
            .exec(
                "SELECT rowid FROM search WHERE search MATCH 'compounds : Ω'",
                &[],
            )
            .unwrap();
        assert_eq!(marked.len(), 1);
        for query in ["70007,70007", "7,7 apples", "0007,70007", ",,", "70007"] {
            assert_finds_what_the_scan_finds(&vault, &notes, query).await;
        }
    });
}

#[test]
fn the_full_text_index_is_whole_after_every_kind_of_change() {
    run(async {
        let vault = indexed(&NOTES).await;
        vault
            .push(&[
                ("Oil.md", Some(b"other")),
                ("new.md", Some(b"n")),
                ("long.md", None),
            ])
            .await;
        let page = Page {
            offset: 0,
            limit: 10,
        };
        let query = Query::parse("other").unwrap();
        vault
            .index
            .find(&query, &DirPath::root(), &NoteFilter::default(), page)
            .await
            .unwrap();
        let statement = "INSERT INTO search(search) VALUES ('integrity-check')";
        let sql: &dyn Sql = &*vault.sql;
        sql.exec(statement, &[]).unwrap();
        let count = |table: &str| -> Vec<SqlRow> {
            sql.exec(&format!("SELECT count(*) FROM {table}"), &[])
                .unwrap()
        };
        assert_eq!(count("search"), count("notes"));
    });
}

#[test]
fn what_stands_far_down_in_a_note_is_found() {
    run(async {
        let filler = "Hay, straw and chaff in every line.\n";
        // Beyond where others stop: 6,000 characters, 64 KiB, 384 KB, and nearly all that a row holds.
        let depths = [5_999, 6_001, 65_537, 400_000, 1_890_000];
        let notes: Vec<(String, String)> = depths
            .iter()
            .map(|depth| {
                let above: String = filler.chars().cycle().take(*depth).collect();
                (
                    format!("{depth}.md"),
                    format!("{above} needle{depth} 系統{depth}\n"),
                )
            })
            .collect();
        let notes: Vec<_> = notes
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let vault = indexed(&notes).await;
        let whole = Page {
            offset: 0,
            limit: 10,
        };
        for depth in depths {
            for query in [format!("needle{depth}"), format!("系統{depth}")] {
                let parsed = Query::parse(&query).unwrap();
                let found = vault
                    .index
                    .find(&parsed, &DirPath::root(), &NoteFilter::default(), whole)
                    .await
                    .unwrap();
                let hits: Vec<_> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
                assert_eq!(hits, [format!("{depth}.md")], "{query}");
            }
        }
        let all = Query::parse("系統").unwrap();
        let found = vault
            .index
            .find(&all, &DirPath::root(), &NoteFilter::default(), whole)
            .await;
        assert_eq!(found.unwrap().total, depths.len());
    });
}
