//! Reading what Node's test runner writes as TAP (<https://testanything.org>).

use super::tally::{Report, Skip};

/// The runner's own totals, with names read from the test points above them.
///
/// `None` without totals: the runner did not get to its end.
pub(crate) fn parse(text: &str) -> Option<Report> {
    let total = |what: &str| {
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("# ")?.strip_prefix(what));
        lines
            .filter_map(|rest| rest.trim().parse::<usize>().ok())
            .next_back()
    };
    let mut report = Report {
        passed: total("pass ")?,
        failed: total("fail ")? + total("cancelled ")?,
        ..Report::default()
    };
    let mut last_failed = false;
    for line in text.lines().map(str::trim_start) {
        // A suite fails with its tests, which are named already.
        if last_failed && line == "type: 'suite'" {
            report.failures.pop();
        }
        let (point, failed) = match (line.strip_prefix("ok "), line.strip_prefix("not ok ")) {
            (Some(point), _) => (point, false),
            (_, Some(point)) => (point, true),
            (None, None) => continue,
        };
        let Some((_, description)) = point.split_once(" - ") else {
            continue;
        };
        let (name, directive) = directive(description);
        last_failed = failed && directive.is_none();
        match directive {
            // A skipped suite is one point, and the runner's totals leave it out.
            Some(reason) => report.skips.push(Skip { name, reason }),
            None if failed => report.failures.push(name),
            None => {}
        }
    }
    Some(report)
}

/// Splits `NAME # SKIP reason` and `NAME # TODO reason`; a `#` of the name itself is escaped.
fn directive(description: &str) -> (String, Option<String>) {
    for keyword in ["SKIP", "TODO"] {
        if let Some((name, reason)) = description.split_once(&format!(" # {keyword}")) {
            let reason = reason.trim();
            let reason = if reason.is_empty() {
                "no reason given"
            } else {
                reason
            };
            return (unescape(name), Some(reason.to_owned()));
        }
    }
    (unescape(description), None)
}

fn unescape(name: &str) -> String {
    name.trim().replace("\\#", "#").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
TAP version 13
# Subtest: a suite
    # Subtest: works
    ok 1 - works
      ---
      duration_ms: 1.2
      ...
    # Subtest: breaks \\#2
    not ok 2 - breaks \\#2
      ---
      type: 'test'
      ...
    1..2
not ok 1 - a suite
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
# Subtest: a real vault
ok 2 - a real vault # SKIP set VAULT_MCP_REAL_VAULT=DIR
ok 3 - later # SKIP
1..3
# tests 3
# suites 2
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 0
# duration_ms 46.1
";

    #[test]
    fn totals_and_names_are_read() {
        let report = parse(OUTPUT).unwrap();
        assert_eq!((report.passed, report.failed), (1, 1));
        assert_eq!(report.failures, ["breaks #2"]);
        let skips: Vec<_> = report
            .skips
            .iter()
            .map(|s| (&*s.name, &*s.reason))
            .collect();
        let expected = [
            ("a real vault", "set VAULT_MCP_REAL_VAULT=DIR"),
            ("later", "no reason given"),
        ];
        assert_eq!(skips, expected);
    }

    #[test]
    fn a_runner_that_died_has_no_totals() {
        assert_eq!(parse("TAP version 13\nok 1 - works\n"), None);
    }
}
