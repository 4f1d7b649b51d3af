use super::{Lookup, MAX_CLAUSES, Query, QueryError, Term};
use crate::text::{TokenKind, fold};

fn is_found(query: &str, text: &str) -> bool {
    let text = fold(text);
    let query = Query::parse(query).unwrap();
    query
        .clauses()
        .iter()
        .all(|clause| clause.find(&text, 0).is_some())
}

#[track_caller]
fn found(query: &str, texts: &[&str]) {
    for text in texts {
        assert!(is_found(query, text), "{query:?} is not found in {text:?}");
    }
}

#[track_caller]
fn not_found(query: &str, texts: &[&str]) {
    for text in texts {
        assert!(!is_found(query, text), "{query:?} is found in {text:?}");
    }
}

#[test]
fn all_words_in_any_order() {
    found(
        "engine oil",
        &["oil for the engine", "Engine: OIL!", "oil\nengine"],
    );
    not_found(
        "engine oil",
        &["engine", "oil", "engines and oil", "engine of boil"],
    );
}

#[test]
fn the_last_word_is_a_prefix_and_no_other() {
    found("eng", &["engine", "the Engine", "eng"]);
    not_found("eng", &["strength"]);
    found("oil eng", &["oil of the engine"]);
    not_found("oi engine", &["oil of the engine"]);
    found("oi  ", &["oil"]);
}

#[test]
fn case_accents_and_normalization_do_not_matter() {
    found("cafe", &["Café", "CAFE\u{301}", "cafés"]);
    found("CAFÉ", &["cafe"]);
    found("strasse", &["Straße"]);
    found("αθηνα", &["Ἀθήνα"]);
    found("елка", &["Ёлка"]);
    found("don't", &["don’t", "DON'T"]);
}

#[test]
fn marks_are_part_of_words() {
    found("हिन्दी", &["भाषा हिन्दी है"]);
    not_found("हद", &["हिन्दी"]);
    found("ភាសាខ្មែរ", &["ខ្ញុំរៀនភាសាខ្មែរ"]);
}

#[test]
fn any_part_of_a_run_without_spaces() {
    for part in ["日", "本語", "語の", "東京都", "の"] {
        found(part, &["これは日本語の東京都です"]);
    }
    found("系統", &["這個系統很好"]);
    found("한국", &["한국어를 배우다"]);
    found("국어", &["한국어를 배우다"]);
    found("ไทย", &["ภาษาไทยง่าย"]);
    not_found("日語", &["日本語"]);
    found("東京 大阪", &["大阪から東京まで"]);
    found("iphone15で", &["私のiPhone15で撮る"]);
    not_found("phone15で", &["iPhone15で"]);
}

#[test]
fn symbols_are_found_literally() {
    found("C++", &["C++", "I like c++.", "(C++)"]);
    not_found("C++", &["C", "C+", "C + +", "ABC++"]);
    found("#tag/sub", &["#tag/sub", "x #Tag/Subtle"]);
    not_found("#tag/sub x", &["#tag/subtle x"]);
    found("[[link]]", &["see [[Link]]."]);
    not_found("[[link]]", &["[[link|alias]]", "link"]);
    found("foo.bar(baz)", &["call foo.bar(baz);"]);
    not_found("foo.bar(baz)", &["foo bar baz", "foo.bar (baz)"]);
    found("a*", &["a*b", "a*"]);
    not_found("a*", &["ab", "a"]);
    found("^x$", &["^x$"]);
    found("++", &["C++"]);
    found("50%", &["50% off", "50%"]);
    not_found("50%", &["50 percent", "150%"]);
    found("a-a", &["xa-a-a"]);
    found("🗺️", &["The 🗺 map"]);
}

#[test]
fn nothing_is_syntax() {
    for text in [
        "OR",
        "NOT x",
        "a AND b",
        "col:val",
        "-x",
        "NEAR(a b)",
        "repo:torvalds/linux",
        "x\\",
    ] {
        found(text, &[text]);
    }
    not_found("a OR b", &["a", "b"]);
    not_found("secret repo:torvalds/linux", &["secret"]);
}

#[test]
fn phrases() {
    found(
        "\"quoted phrase\"",
        &[
            "a Quoted phrase.",
            "quoted\nphrase",
            "**quoted** phrase",
            "quoted-phrase",
        ],
    );
    not_found(
        "\"quoted phrase\"",
        &["phrase quoted", "quoted a phrase", "quoted phrases"],
    );
    found("\"c++ code\"", &["C++ code", "c++: code"]);
    not_found("\"c++ code\"", &["C code"]);
    found("\"a b\" c", &["c a b", "a b cd"]);
    found("\"a a b\"", &["a a a b"]);
    found("“smart quotes”", &["smart quotes"]);
    found("\"東京 tower\"", &["東京 Tower", "東京Tower"]);
}

#[test]
fn a_quote_that_opens_nothing_is_a_character() {
    found("5\"", &["a 5\" disk"]);
    not_found("5\"", &["5 disks"]);
    found("\"open", &["an \"open one"]);
    not_found("\"open", &["an open one"]);
    found("\"\"", &["say \"\""]);
    found("say\"hi\"", &["say\"hi\""]);
}

#[test]
fn what_is_no_query() {
    for text in ["", " ", "\n\t", "\u{200b}", "\u{3000}"] {
        assert_eq!(Query::parse(text), Err(QueryError::Empty), "{text:?}");
    }
    assert_eq!(
        Query::parse(&"a".repeat(1_001)),
        Err(QueryError::TooLong { characters: 1_001 })
    );
    let many: Vec<String> = (0..=MAX_CLAUSES).map(|n| n.to_string()).collect();
    assert_eq!(
        Query::parse(&many.join(" ")),
        Err(QueryError::TooMany { clauses: 33 })
    );
    // What is said twice is one thing.
    assert_eq!(Query::parse(&"a ".repeat(400)).unwrap().clauses().len(), 2);
}

/// A lookup as text: a piece in brackets, symbols in quotes, `…` after what may go on, and `=` before
/// what is exact.
fn shown(lookup: &Lookup) -> String {
    let term = |term: &Term| {
        let quote = if term.kind == TokenKind::Symbols {
            "'"
        } else {
            ""
        };
        let open = if term.is_open { "…" } else { "" };
        format!("{quote}{}{quote}{open}", term.text)
    };
    let piece = |terms: &Vec<Term>| {
        let terms: Vec<String> = terms.iter().map(term).collect();
        format!("[{}]", terms.join(" "))
    };
    let pieces: String = lookup.pieces.iter().map(piece).collect();
    format!("{}{pieces}", if lookup.is_exact { "=" } else { "" })
}

#[test]
fn what_an_engine_can_look_up() {
    for (query, expected) in [
        ("Engine oil", "=[engine] =[oil…]"),
        ("\"Engine oil\"", "=[engine][oil]"),
        ("日本", "=[日本…]"),
        ("日本 日", "=[日本…] =[日…]"),
        ("C++", "=[c '++'…]"),
        ("`x`", "=['`' x '`'…]"),
        ("#tag/sub", "=['#' tag '/' sub…]"),
        ("\"#tag/sub\"", "=['#' tag '/' sub]"),
        ("東京tower", "=[東京 tower…]"),
        ("東京。", "=[東京 '。'…]"),
        ("\"東京 tower\"", "[東京…][tower]"),
        ("++", "=['++'…]"),
        ("\"a -\"", "[a]['-'…]"),
        ("\"hello, world\"", "[hello ','…][world]"),
    ] {
        let query = Query::parse(query).unwrap();
        let lookups = query.clauses().iter().map(super::Clause::lookup);
        let lookups: Vec<String> = lookups.map(|lookup| shown(&lookup)).collect();
        assert_eq!(lookups.join(" "), expected);
    }
}

#[test]
fn the_words_of_a_phrase_are_neighbours_as_far_as_they_say() {
    for (query, expected) in [
        ("foo.bar(baz)", "foo bar baz"),
        ("foo.bar", "foo bar…"),
        ("\"a - b, c\"", "a b c"),
        ("\"東京 tower x\"", "東京… / tower x"),
        ("\"tower 東京、 大阪\"", "tower 東京 大阪…"),
        ("++", ""),
    ] {
        let lookup = Query::parse(query).unwrap().clauses()[0].lookup();
        let shown = |term: &&Term| format!("{}{}", term.text, if term.is_open { "…" } else { "" });
        let stretches = lookup.neighbours().into_iter().map(|terms| {
            let terms: Vec<String> = terms.iter().map(shown).collect();
            terms.join(" ")
        });
        assert_eq!(
            stretches.collect::<Vec<_>>().join(" / "),
            expected,
            "{query}"
        );
    }
}
