use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PropertyChange, PropertyEdit, PropertyError, edit_properties};

fn edit(key: &str, change: PropertyChange) -> PropertyEdit {
    PropertyEdit {
        key: key.to_owned(),
        change,
    }
}

fn set(key: &str, value: Value) -> PropertyEdit {
    edit(key, PropertyChange::Set(value))
}

fn unset(key: &str) -> PropertyEdit {
    edit(key, PropertyChange::Unset)
}

fn add(key: &str, items: &[&str]) -> PropertyEdit {
    edit(
        key,
        PropertyChange::Add(items.iter().map(|item| json!(item)).collect()),
    )
}

fn remove(key: &str, items: &[&str]) -> PropertyEdit {
    edit(
        key,
        PropertyChange::Remove(items.iter().map(|item| json!(item)).collect()),
    )
}

fn in_block(block: &str, edit: PropertyEdit) -> Result<String, PropertyError> {
    let note = format!("---\n{block}---\nbody: no\n");
    let result = edit_properties(&note, &[edit])?;
    let block = result
        .strip_prefix("---\n")
        .and_then(|rest| rest.strip_suffix("---\nbody: no\n"));
    Ok(block.expect("the rest of the note as it was").to_owned())
}

/// A text that stands for a list is divided as it is where the property is read.
#[test]
fn names_on_lines_are_names_of_their_own() {
    for (block, edit, after) in [
        (
            "aliases: |\n  She\n  The boat\n",
            add("aliases", &["X"]),
            "aliases:\n  - She\n  - The boat\n  - X\n",
        ),
        (
            "alias: |\n  She\n  The boat\n",
            remove("alias", &["She"]),
            "alias:\n  - The boat\n",
        ),
        (
            "aliases: She, The boat\n",
            add("aliases", &["X"]),
            "aliases:\n  - She\n  - The boat\n  - X\n",
        ),
    ] {
        assert_eq!(in_block(block, edit).as_deref(), Ok(after), "{block:?}");
    }
}

/// Whatever stands behind a value on its line stays there: white space and comments.
#[test]
fn what_follows_a_value_stays() {
    for value in [
        "x",
        "'x'",
        "\"x\"",
        "'it''s'",
        "\"a \\\" b\"",
        "\"a # b\"",
        "'a # b'",
        "'\\'",
        "''",
        "1",
        "[x]",
        "[ 'x' , y ]",
        "[\"x\"  ]",
        "{k: 'v'}",
        "&x 'y'",
        "!!str 'y'",
        "'日本'",
    ] {
        for behind in ["", " ", " \t ", " # why", "   # it's \"so\""] {
            for next in ["", "b: 'y' # b\n"] {
                let block = format!("a: {value}{behind}\n{next}");
                assert_eq!(
                    in_block(&block, set("a", json!(7))).as_deref(),
                    Ok(format!("a: 7{behind}\n{next}").as_str()),
                    "{block:?}"
                );
            }
        }
    }
    for (block, after) in [
        ("'a' : 'x' # why\n", "'a' : 7 # why\n"),
        ("\"a\"  :  \"x\"  # why\n", "\"a\"  :  7  # why\n"),
    ] {
        assert_eq!(in_block(block, set("a", json!(7))).as_deref(), Ok(after));
    }
    for (block, after) in [
        (
            "a: [ 'x' , \"y\" ] # why\n",
            "a: [ 'x' , \"y\", z ] # why\n",
        ),
        ("a: ['x'  ] # why\n", "a: ['x', z  ] # why\n"),
    ] {
        assert_eq!(in_block(block, add("a", &["z"])).as_deref(), Ok(after));
    }
}

#[test]
fn values_are_set_where_they_stand() {
    for (block, edit, after) in [
        ("a: 1\n", set("a", json!(2)), "a: 2\n"),
        (
            "a:   1   # why\nb: 2\n",
            set("a", json!("x")),
            "a:   x   # why\nb: 2\n",
        ),
        ("a: 'x'\n", set("a", json!("y's")), "a: 'y''s'\n"),
        ("a: \"x\"\n", set("a", json!("y")), "a: \"y\"\n"),
        ("a:\nb: 2\n", set("a", json!("x")), "a: x\nb: 2\n"),
        ("a: # why\n", set("a", json!("x")), "a: x # why\n"),
        ("a: x\n", set("a", json!(null)), "a:\n"),
        ("a: x # why\n", set("a", json!(null)), "a: # why\n"),
        (
            "a: x\n",
            set("a", json!(["p", "q: r"])),
            "a:\n  - p\n  - \"q: r\"\n",
        ),
        (
            "a: x # why\nb: 1\n",
            set("a", json!(["p"])),
            "a: # why\n  - p\nb: 1\n",
        ),
        ("a: [x, 'y']\n", set("a", json!("z")), "a: z\n"),
        ("a: [x]\n", set("a", json!(["p", "q"])), "a: [p, q]\n"),
        (
            "a: [x, 'y'] # why\n",
            set("a", json!(["x", "y", "z"])),
            "a: [x, 'y', z] # why\n",
        ),
        (
            "a:\n  - x\n  - y\nb: 1\n",
            set("a", json!("z")),
            "a: z\nb: 1\n",
        ),
        (
            "a:\n- x\n- y\nb: 1\n",
            set("a", json!(["y", "z"])),
            "a:\n- y\n- z\nb: 1\n",
        ),
        (
            "a: |\n  one\n\n  # two\n\n# about b\nb: 1\n",
            set("a", json!("z")),
            "a: z\n\n# about b\nb: 1\n",
        ),
        (
            "a:\n  k: v\n  # about k\nb: 1\n",
            set("a", json!(true)),
            "a: true\nb: 1\n",
        ),
        (
            "a: {k: v}\nb: 1\n",
            set("a", json!({ "k": 1 })),
            "a: {\"k\": 1}\nb: 1\n",
        ),
        (
            "a: one\n  two\nb: 1\n",
            set("a", json!("z")),
            "a: z\nb: 1\n",
        ),
        ("b: 1\n", set("a", json!("x")), "b: 1\na: x\n"),
        (
            "b: 1\n# last\n",
            set("a", json!([])),
            "b: 1\n# last\na: []\n",
        ),
        (
            "  b: 1\n",
            set("a", json!(["x"])),
            "  b: 1\n  a:\n    - x\n",
        ),
        ("Status: x\n", set("status", json!("z")), "Status: z\n"),
        ("\"a b\": x\n", set("a b", json!("z")), "\"a b\": z\n"),
        ("a: &x 1\nb: 2\n", set("a", json!(3)), "a: 3\nb: 2\n"),
        ("", set("a: b", json!(1.50)), "\"a: b\": 1.5\n"),
        (
            "日本: 語 # é\nb: 2\n",
            set("日本", json!("x")),
            "日本: x # é\nb: 2\n",
        ),
        // What it says already is not written again, however it is written.
        (
            "a: '1'\nb: 0x10\nc: [x,y]\n",
            set("b", json!(16)),
            "a: '1'\nb: 0x10\nc: [x,y]\n",
        ),
        ("a: [x,  y]\n", set("a", json!(["x", "y"])), "a: [x,  y]\n"),
        ("a: 1\n", set("a", json!("1")), "a: \"1\"\n"),
    ] {
        let shown = format!("{block:?} {edit:?}");
        assert_eq!(in_block(block, edit).as_deref(), Ok(after), "{shown}");
    }
}

#[test]
fn a_property_is_taken_away_with_its_lines() {
    for (block, key, after) in [
        ("a: 1\nb: 2\n", "a", "b: 2\n"),
        (
            "a: 1\n# about b\nb: 2 # x\nc: 3\n",
            "b",
            "a: 1\n# about b\nc: 3\n",
        ),
        ("a:\n  - x\n  - y\n\nb: 2\n", "a", "\nb: 2\n"),
        ("a:\n- x\n# about b\nb: 2\n", "a", "# about b\nb: 2\n"),
        ("a: >-\n  x\n  y\nb: 2\n", "a", "b: 2\n"),
        ("a: [\n  x,\n  y\n]\nb: 2\n", "a", "b: 2\n"),
        ("a: 1\n", "a", ""),
        ("a: 1\n", "b", "a: 1\n"),
    ] {
        assert_eq!(
            in_block(block, unset(key)).as_deref(),
            Ok(after),
            "{block:?} {key}"
        );
    }
}

#[test]
fn items_come_and_go() {
    for (block, edit, after) in [
        (
            "tags:\n  - a\n  - b # why\n",
            add("tags", &["c"]),
            "tags:\n  - a\n  - b # why\n  - c\n",
        ),
        (
            "tags:\n- a\n\nb: 1\n",
            add("tags", &["#c/d", "A"]),
            "tags:\n- a\n- c/d\n\nb: 1\n",
        ),
        (
            "tags: [a, \"b\"]\n",
            add("tags", &["c", "d"]),
            "tags: [a, \"b\", c, d]\n",
        ),
        ("tags: []\n", add("tags", &["c"]), "tags: [c]\n"),
        (
            "tags: a, b\n",
            add("tags", &["c"]),
            "tags:\n  - a\n  - b\n  - c\n",
        ),
        ("tags:\n", add("tags", &["c"]), "tags:\n  - c\n"),
        ("a: 1\n", add("tags", &["c"]), "a: 1\ntags:\n  - c\n"),
        ("tags: [a]\n", add("tags", &["#A"]), "tags: [a]\n"),
        (
            "aliases: One Two\n",
            add("aliases", &["Three, four"]),
            "aliases:\n  - One Two\n  - Three, four\n",
        ),
        ("n: [x]\n", add("n", &["p, q"]), "n: [x, \"p, q\"]\n"),
        (
            "tags:\n  - a\n  - b\n  - c\n",
            remove("tags", &["#B"]),
            "tags:\n  - a\n  - c\n",
        ),
        (
            "tags:\n  # one\n  - a\n  - b\nx: 1\n",
            remove("tags", &["b"]),
            "tags:\n  # one\n  - a\nx: 1\n",
        ),
        (
            "tags: [a, 'b',  c]\n",
            remove("tags", &["a"]),
            "tags: ['b',  c]\n",
        ),
        (
            "tags: [a, 'b',  c]\n",
            remove("tags", &["b"]),
            "tags: [a, c]\n",
        ),
        (
            "tags: [a, 'b',  c]\n",
            remove("tags", &["b", "c"]),
            "tags: [a]\n",
        ),
        (
            "tags: [a, 'b',  c ]\n",
            remove("tags", &["a", "c"]),
            "tags: ['b' ]\n",
        ),
        ("tags: [a]\n", remove("tags", &["a"]), "tags: []\n"),
        (
            "tags:\n  - a\nb: 1\n",
            remove("tags", &["a"]),
            "tags: []\nb: 1\n",
        ),
        ("tags: a b\n", remove("tags", &["b"]), "tags:\n  - a\n"),
        ("tags: a\n", remove("tags", &["x"]), "tags: a\n"),
        ("b: 1\n", remove("tags", &["x"]), "b: 1\n"),
    ] {
        let shown = format!("{block:?} {edit:?}");
        assert_eq!(in_block(block, edit).as_deref(), Ok(after), "{shown}");
    }
}

#[test]
fn frontmatter_is_made_where_there_is_none() {
    let done = set("status", json!("done"));
    for (text, after) in [
        ("", "---\nstatus: done\n---\n"),
        ("body", "---\nstatus: done\n---\nbody"),
        (
            "\u{feff}a\r\nb",
            "\u{feff}---\r\nstatus: done\r\n---\r\na\r\nb",
        ),
        ("---\n---", "---\nstatus: done\n---"),
        ("--- \r\n--- \r\nx", "--- \r\nstatus: done\r\n--- \r\nx"),
        ("---\nno end\n", "---\nstatus: done\n---\n---\nno end\n"),
    ] {
        assert_eq!(
            edit_properties(text, std::slice::from_ref(&done)).as_deref(),
            Ok(after),
            "{text:?}"
        );
        assert_eq!(
            edit_properties(text, &[unset("status")]).as_deref(),
            Ok(text),
            "{text:?}"
        );
    }
    let several = [
        done,
        add("tags", &["a"]),
        unset("status"),
        set("x", json!(1)),
    ];
    assert_eq!(
        edit_properties("body", &several).as_deref(),
        Ok("---\ntags:\n  - a\nx: 1\n---\nbody")
    );
}

#[test]
fn what_cannot_be_changed_safely_is_refused() {
    let named = |key: &str| key.to_owned();
    for (block, edit, error) in [
        (
            "ok: 1\ntitle: A: B\n",
            set("ok", json!(2)),
            PropertyError::Invalid { line: 3 },
        ),
        (
            "a: [x\nb: 1\n",
            unset("b"),
            PropertyError::Invalid { line: 3 },
        ),
        ("- a\n- b\n", set("a", json!(1)), PropertyError::Unreadable),
        ("{a: 1}\n", set("a", json!(2)), PropertyError::Unreadable),
        ("just text\n", set("a", json!(2)), PropertyError::Unreadable),
        ("? a\n: 1\n", set("a", json!(2)), PropertyError::Unreadable),
        (
            "a: 1\na: 2\n",
            set("a", json!(3)),
            PropertyError::Repeated { key: named("a") },
        ),
        (
            "a: {k: v}\n",
            add("a", &["x"]),
            PropertyError::NoList { key: named("a") },
        ),
        ("a: 1\n", add("tags", &["two words"]), PropertyError::NoTag),
        ("a: 1\n", set(" ", json!(1)), PropertyError::BadName),
        ("a: 1\n", set("b\nc", json!(1)), PropertyError::BadName),
        // Others stand for what is anchored here.
        (
            "a: &x 1\nb: *x\n",
            set("a", json!(2)),
            PropertyError::Unsafe { key: named("a") },
        ),
        (
            "a: &x [1]\nb: *x\n",
            unset("a"),
            PropertyError::Unsafe { key: named("a") },
        ),
    ] {
        let shown = format!("{block:?} {edit:?}");
        assert_eq!(in_block(block, edit), Err(error), "{shown}");
    }
    let large = format!("a: {}\n", "x".repeat(70_000));
    assert_eq!(
        in_block(&large, set("b", json!(1))),
        Err(PropertyError::Unreadable)
    );
}

/// Properties as people write them, with a key that is filled in.
const WAYS: [&str; 17] = [
    "K: text\n",
    "K: 'quoted' # comment\n",
    "K: \"double \\u00e9\"\n",
    "K:\n",
    "K: # nothing\n",
    "K: 2026-01-02\n",
    "K: 12:30\n",
    "K: [a, 'b', c]\n",
    "K: [ 'a' , b ] # comment\n",
    "K: []\n",
    "K:\n  - a\n  - b\n",
    "K:\n- a\n# between\n- \"b\"\n",
    "# about K\nK: 1\n\n",
    "K: |\n  text\n\n  # more\n",
    "K:\n  sub: 1\n  list: [x]\n",
    "K: {sub: 1}\n",
    "K: \"[[Link]]\"   \n",
];

fn change() -> impl Strategy<Value = PropertyChange> {
    let value = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(7)),
        Just(json!("a")),
        Just(json!("x: #y")),
        Just(json!(["a", "z"])),
        Just(json!([])),
        Just(json!({ "sub": [1] })),
    ];
    let items = prop::collection::vec(
        prop_oneof![Just(json!("a")), Just(json!("b")), Just(json!("z"))],
        0..3,
    );
    prop_oneof![
        value.prop_map(PropertyChange::Set),
        Just(PropertyChange::Unset),
        items.clone().prop_map(PropertyChange::Add),
        items.prop_map(PropertyChange::Remove),
    ]
}

proptest! {
    /// Every line of every other property stays, and so does everything around the block.
    #[test]
    fn other_lines_stay(
        before in prop::collection::vec(prop::sample::select(&WAYS[..]), 0..4),
        own in prop::sample::select(&WAYS[..]),
        after in prop::collection::vec(prop::sample::select(&WAYS[..]), 0..4),
        change in change(),
        is_crlf in any::<bool>(),
    ) {
        let named = |ways: &[&str], name: &str| -> Vec<String> {
            let number = |(n, way): (usize, &&str)| way.replace('K', &format!("{name}{n}"));
            ways.iter().enumerate().map(number).collect()
        };
        let ended = |text: String| if is_crlf { text.replace('\n', "\r\n") } else { text };
        let head = ended(format!("\u{feff}---\n{}", named(&before, "before").concat()));
        let tail = ended(format!("{}---\nbody: 1\n\n---\nend", named(&after, "after").concat()));
        let text = format!("{head}{}{tail}", ended(own.replace('K', "key")));
        match edit_properties(&text, &[edit("key", change)]) {
            Ok(edited) => {
                prop_assert!(edited.starts_with(&head), "{edited:?}");
                prop_assert!(edited.ends_with(&tail), "{edited:?}");
                prop_assert_eq!(edited.matches('\n').count(), if is_crlf { edited.matches("\r\n").count() } else { edited.matches('\n').count() });
            }
            Err(error) => prop_assert!(matches!(error, PropertyError::NoList { .. }), "{error:?}"),
        }
    }
}
