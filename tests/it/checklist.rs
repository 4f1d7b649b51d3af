//! `docs/authorization-checklist.md` and the tests agree: every rule is there, has a test that is
//! there, and every test that is named for a rule says so in its own name.

use std::collections::BTreeSet;

use crate::support::docs_tests::{assert_rows_name_tests, rows_with_tests};

const PAGE: &str = "authorization-checklist.md";

/// The rules, by letter and how many there are. Beside them there is B4a.
const RULES: [(&str, u32); 11] = [
    ("A", 9),
    ("B", 12),
    ("C", 13),
    ("D", 7),
    ("E", 15),
    ("F", 7),
    ("G", 15),
    ("H", 4),
    ("GH", 6),
    ("GO", 3),
    ("O", 9),
];

#[test]
fn every_rule_is_in_the_table_once() {
    let numbered = RULES
        .iter()
        .flat_map(|(letter, count)| (1..=*count).map(move |number| format!("{letter}{number}")));
    let expected: BTreeSet<String> = numbered.chain(["B4a".to_owned()]).collect();
    let rows = rows_with_tests(PAGE);
    let rules: BTreeSet<String> = rows.iter().map(|(rule, _)| rule.clone()).collect();
    assert_eq!(rules.len(), rows.len(), "a rule stands twice");
    assert_eq!(rules, expected);
}

#[test]
fn every_rule_has_a_test_that_is_there() {
    assert_rows_name_tests(PAGE, 101);
}

/// `module::e7_e8_what_it_shows` on the host, `file.test.mjs: E7, E8: what it shows` elsewhere.
#[test]
fn every_test_says_which_rules_it_is_for() {
    for (rule, tests) in rows_with_tests(PAGE) {
        let on_the_host = tests.iter().filter(|test| test.contains("::"));
        assert!(on_the_host.count() > 0, "{rule}: nothing on the host");
        for test in &tests {
            let says_so = match test.split_once("::") {
                Some((_, name)) => name
                    .split('_')
                    .any(|word| word.to_uppercase() == rule.to_uppercase()),
                None => test
                    .split(": ")
                    .nth(1)
                    .is_some_and(|rules| rules.split(", ").any(|there| there == rule)),
            };
            assert!(says_so, "{rule}: {test}");
        }
    }
}
