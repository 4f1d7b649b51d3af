use super::{Needed, Pattern, PatternError, is_composed};
use crate::{
    path::VaultPath,
    text::{Document, Hit},
};

fn hit(pattern: &str, path: &str, text: &str) -> Option<Hit> {
    let path = VaultPath::parse(path).unwrap();
    let mut matcher = Pattern::parse(pattern).unwrap().matcher().unwrap();
    let document = Document { path: &path, text };
    let hit = matcher.hit(&document);
    assert_eq!(matcher.holds(&document), hit.is_some(), "{pattern:?}");
    hit
}

/// The line of the first match in a text; the path has none.
fn line(pattern: &str, text: &str) -> Option<usize> {
    hit(pattern, "~.md", text).map(|hit| hit.excerpt.unwrap().line)
}

#[test]
fn a_pattern_is_matched_a_line_at_a_time() {
    for (pattern, text, expected) in [
        ("b$", "ab\ncb", Some(1)),
        ("^b", "ab\nb", Some(2)),
        ("^b$", "ab\r\nb\r\n", Some(2)),
        (r"a\s+b", "a\nb\na\tb", Some(3)),
        ("a[^x]b", "a\nb", None),
        ("(?s)a.b", "a\nb", None),
        (r"\Ab\z", "a\nb", Some(2)),
        // A carriage return inside of a line is a character like the rest.
        ("a.b", "a\rb", Some(1)),
        // The mark of byte order is not seen.
        ("^# T", "\u{feff}# T\n", Some(1)),
        ("^title: x$", "---\r\ntitle: x\r\n---\r\n", Some(2)),
    ] {
        assert_eq!(line(pattern, text), expected, "{pattern:?} in {text:?}");
    }
}

#[test]
fn a_match_may_be_empty() {
    assert_eq!(line("^$", "a\n\nb"), Some(2));
    assert_eq!(line("^$", "a\nb\n"), None);
    assert_eq!(line("x*", "a"), Some(1));
    // Every note has a path, and no note of no bytes has a line.
    assert_eq!(hit("x*", "~.md", "").unwrap().excerpt, None);
    assert_eq!(hit("^$", "~.md", ""), None);
}

#[test]
fn case_and_unicode() {
    for (pattern, text, found) in [
        ("todo", "TODO", false),
        ("(?i)todo", "ToDo", true),
        ("(?i)STRASSE", "straße", false),
        ("(?i)straße", "STRAẞE", true),
        ("(?i)ёлка", "ЁЛКА", true),
        ("(?i)σισυφος", "ΣΙΣΥΦΟΣ", true),
        ("(?i)k", "\u{212a}", true),
        (r"^\w+$", "हिन्दी", true),
        (r"^\w+$", "ភាសាខ្មែរ", true),
        (r"^\w+$", "日本語", true),
        (r"^\w$", "-", false),
        (r"^\d+$", "٣٥", true),
        (r"\bёж\b", "и ёж!", true),
        (r"\bёж\b", "ёжик", false),
        (r"a\sb", "a\u{3000}b", true),
        (r"^\p{Lu}\p{Ll}$", "Éa", true),
        ("^.$", "🗺", true),
        ("[à-ü]", "ö", true),
    ] {
        assert_eq!(
            line(pattern, text).is_some(),
            found,
            "{pattern:?} in {text:?}"
        );
    }
}

#[test]
fn what_looks_the_same_is_the_same() {
    for (pattern, text) in [
        ("^caf\u{e9}$", "cafe\u{301}"),
        ("^cafe\u{301}$", "caf\u{e9}"),
        ("^caf.$", "cafe\u{301}"),
        ("[e\u{301}x]$", "caf\u{e9}"),
        ("\u{d55c}", "\u{1112}\u{1161}\u{11ab}"),
    ] {
        assert!(line(pattern, text).is_some(), "{pattern:?} in {text:?}");
    }
    let hit = hit("b+", "~.md", "one\n# H\nCafe\u{301} abbc").unwrap();
    let excerpt = hit.excerpt.unwrap();
    assert_eq!(
        (
            excerpt.line,
            excerpt.section.as_deref(),
            excerpt.snippet.as_str()
        ),
        (3, Some("H"), "Caf\u{e9} abbc")
    );
    assert!(is_composed("é日한") && !is_composed("e\u{301}"));
}

#[test]
fn a_path_is_a_line_of_its_own_without_the_extension() {
    let path = "Daily/2026-11-30.md";
    for (pattern, found) in [
        (r"^Daily/\d{4}-\d\d-\d\d$", true),
        (r"/2026", true),
        (r"\.md", false),
        ("m", false),
    ] {
        let hit = hit(pattern, path, "text");
        assert_eq!(hit.is_some(), found, "{pattern}");
        assert!(hit.is_none_or(|hit| hit.excerpt.is_none()));
    }
}

#[test]
fn what_is_no_pattern_says_why() {
    for (pattern, said) in [
        ("(a", "unclosed group (at character 1)"),
        ("日本[", "unclosed character class (at character 3)"),
        (
            "*a",
            "repetition operator missing expression (at character 1)",
        ),
        ("a(?=b)", "look-around"),
        (r"(a)\1", "backreferences are not supported"),
        (r"\p{Nonsense}", "Unicode property"),
        ("a{2,1}", "invalid repetition count range"),
        (r"a\n", "line break"),
        ("(ab|\n)", "line break"),
        (r"\r$", "line break"),
        ("", "is empty"),
        (r"\w{1000}", "too large"),
        ("((((a{99}){99}){99}){99}){99}", "too large"),
    ] {
        let error = Pattern::parse(pattern).unwrap_err().to_string();
        assert!(error.contains(said), "{pattern:?}: {error}");
    }
    assert_eq!(
        Pattern::parse(&"a".repeat(1_001)).unwrap_err(),
        PatternError::TooLong { characters: 1_001 }
    );
    let deep = format!("{}a{}", "(".repeat(400), ")".repeat(400));
    assert!(matches!(
        Pattern::parse(&deep).unwrap_err(),
        PatternError::Invalid { .. }
    ));
}

/// What makes other engines take forever.
#[test]
fn no_pattern_explodes() {
    let text = format!("{}b", "a".repeat(20_000));
    for pattern in [
        "^(a+)+$",
        "(a*)*c",
        "(a|aa)+$",
        "(.*){1,20}c",
        r"(\w+\s?)+$x?c",
    ] {
        assert_eq!(line(pattern, &text), None, "{pattern}");
    }
}

/// What is needed as text: parts in brackets, `_` for any character, capitals for either case.
fn shown(needed: &Needed) -> String {
    use super::Letter;
    let all = |parts: &[Needed], mark: &str| {
        let parts: Vec<String> = parts.iter().map(shown).collect();
        format!("[{}]", parts.join(mark))
    };
    match needed {
        Needed::All(parts) => all(parts, " & "),
        Needed::Any(parts) => all(parts, " | "),
        Needed::Literal(literal) => {
            let letter = |letter: &Letter| match letter {
                Letter::Exactly(character) => *character,
                Letter::EitherCase(character) => character.to_ascii_uppercase(),
                Letter::Unknown => '_',
            };
            literal.0.iter().map(letter).collect()
        }
    }
}

#[test]
fn what_every_match_has() {
    for (pattern, expected) in [
        ("todo", "todo"),
        (r"^- \[ \] .*$", "- [ ] "),
        (r"\d{4}-\d\d", "-"),
        (r"a\db", "a_b"),
        ("(?i)deed", "DEED"),
        ("(?i)task", "TA"),
        ("(?i)tasks?ab", "[TA & AB]"),
        ("ab+c", "[ab & c]"),
        ("ab*c", "[a & c]"),
        ("x(ab){2}c", "xababc"),
        ("(foo|bar)baz", "[[foo | bar] & baz]"),
        ("foo|bar|", ""),
        ("(foo|b.r)", "[foo | b_r]"),
        (r"\w+", ""),
        (r"\bfoo\b bar", "foo bar"),
        ("[[:upper:]]x", "x"),
        (".*", ""),
    ] {
        let needed = Pattern::parse(pattern).unwrap().needed();
        assert_eq!(
            needed.as_ref().map(shown).unwrap_or_default(),
            expected,
            "{pattern}"
        );
    }
}
