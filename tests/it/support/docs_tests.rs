//! The tests that a document's tables name, held against the tests that there are.
//!
//! A host test is named by its file and function, `vault_list::an_empty_vault_is_empty`; a `mod.rs` or `tests.rs`
//! goes by its folder's name. A test in JavaScript is named by its file and title, `search.test.mjs: a title`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Each row of the tables in `docs/NAME`: its first cell, and the code spans of its last, which name tests.
pub(crate) fn rows_with_tests(name: &str) -> Vec<(String, Vec<String>)> {
    let document = fs::read_to_string(format!("{ROOT}/docs/{name}")).unwrap();
    let lines: Vec<&str> = document.lines().collect();
    // A table's head stands above its line of dashes.
    let is_rule = |line: &str| line.starts_with("| ---");
    let head = |at: usize| lines.get(at + 1).is_some_and(|next| is_rule(next));
    lines
        .iter()
        .enumerate()
        .filter(|(at, line)| line.starts_with("| ") && !is_rule(line) && !head(*at))
        .map(|(_, line)| {
            let (first, rest) = line.trim_matches('|').split_once(" | ").unwrap();
            let (_, last) = rest.rsplit_once(" | ").unwrap_or(("", rest));
            let spans = last.split('`').skip(1).step_by(2).map(str::to_owned);
            (first.trim().to_owned(), spans.collect())
        })
        .collect()
}

/// Asserts that `docs/NAME` has at least `least` rows, that each names a test, and that each test it names exists.
pub(crate) fn assert_rows_name_tests(name: &str, least: usize) {
    let rows = rows_with_tests(name);
    assert!(rows.len() >= least, "{name}: {} rows", rows.len());
    let existing = all_tests();
    for (first, named) in rows {
        assert!(!named.is_empty(), "{name}: no test for {first}");
        for test in named {
            assert!(existing.contains(&test), "{name}: there is no {test}");
        }
    }
}

/// The name of every test there is, as documents write it.
fn all_tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in [
        "src",
        "note/src",
        "tests",
        "dev/src",
        "dev/tests",
        "xtask/src",
    ] {
        for file in files_below(Path::new(ROOT).join(folder).as_path()) {
            let text = fs::read_to_string(&file).unwrap();
            let base = file.file_name().unwrap().to_str().unwrap();
            if is_rust(&file) {
                let module = module(&file);
                names.extend(functions(&text).map(|test| format!("{module}::{test}")));
            } else {
                names.extend(titles(&text).map(|title| format!("{base}: {title}")));
            }
        }
    }
    names
}

/// Sources that may hold tests.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else if is_rust(&path) || path.to_str().unwrap().ends_with(".test.mjs") {
            found.push(path);
        }
    }
    found
}

fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

fn module(file: &Path) -> &str {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    match stem {
        "mod" | "tests" => file
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap(),
        stem => stem,
    }
}

/// The functions below `#[test]` and `#[tokio::test]`, and the cases that the macro `contract!` makes into such.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let plain = text.split("test]\n").skip(1).filter_map(|rest| {
        let (_, signature) = rest.split_once("fn ")?;
        Some(signature.split('(').next()?.trim())
    });
    let cases = text.split("\ncontract! {\n").skip(1);
    plain.chain(cases.flat_map(|rest| rest.lines().take_while(|line| *line != "}").map(str::trim)))
}

/// The titles given to `test(`, where they are literal.
fn titles(text: &str) -> impl Iterator<Item = &str> {
    text.split("test(").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let quote = rest
            .chars()
            .next()
            .filter(|first| "'\"`".contains(*first))?;
        rest.get(1..)?.split(quote).next()
    })
}
