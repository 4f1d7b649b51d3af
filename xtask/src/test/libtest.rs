//! Reading what `cargo test` prints.

use super::tally::{Report, Skip};

/// Sums the results of all test programs in `lines`.
pub(crate) fn parse(lines: &[String]) -> Report {
    let mut report = Report::default();
    for line in lines {
        if let Some(counts) = line.strip_prefix("test result: ") {
            report.passed += count(counts, "passed");
            report.failed += count(counts, "failed");
        } else if let Some((name, outcome)) = test_line(line) {
            if outcome == "FAILED" {
                report.failures.push(name.to_owned());
            } else if let Some(reason) = outcome.strip_prefix("ignored") {
                let reason = reason
                    .strip_prefix(", ")
                    .unwrap_or("ignored without a reason");
                report.skips.push(Skip {
                    name: name.to_owned(),
                    reason: reason.to_owned(),
                });
            }
        }
    }
    report
}

/// The number in front of `what` in `ok. 3 passed; 0 failed; 1 ignored; …`.
fn count(counts: &str, what: &str) -> usize {
    let words: Vec<&str> = counts
        .split([' ', ';'])
        .filter(|word| !word.is_empty())
        .collect();
    let mut pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .find(|(_, word)| **word == what)
        .and_then(|(number, _)| number.parse().ok())
        .unwrap_or(0)
}

/// `test NAME ... OUTCOME`.
fn test_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_programs_are_summed() {
        let output = "\
running 3 tests
test vault::path::rejects ... ok
test real::lists ... ignored, set VAULT_MCP_REAL_VAULT=DIR
test odd ... ignored
test broken ... FAILED

failures:

test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test src/lib.rs - parse (line 3) ... ok

test result: ok. 11 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let lines: Vec<String> = output.lines().map(str::to_owned).collect();
        let report = parse(&lines);
        assert_eq!((report.passed, report.failed), (12, 1));
        assert_eq!(report.failures, ["broken"]);
        let skips: Vec<_> = report
            .skips
            .iter()
            .map(|s| (&*s.name, &*s.reason))
            .collect();
        let expected = [
            ("real::lists", "set VAULT_MCP_REAL_VAULT=DIR"),
            ("odd", "ignored without a reason"),
        ];
        assert_eq!(skips, expected);
    }
}
