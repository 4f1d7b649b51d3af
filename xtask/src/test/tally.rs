//! The count over everything that was tested.

use std::fmt;

use crate::command::say;
use crate::failure::{Failure, Result};

/// A test that did not run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skip {
    /// The test's own name.
    pub(crate) name: String,
    /// What would make it run.
    pub(crate) reason: String,
}

/// What one test program said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// How many tests succeeded.
    pub(crate) passed: usize,
    /// How many failed; may be more than the names that could be read.
    pub(crate) failed: usize,
    /// Names of failed tests.
    pub(crate) failures: Vec<String>,
    /// The tests that did not run.
    pub(crate) skips: Vec<Skip>,
}

/// The sum. A check (formatting, lints, …) counts as one test.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    total: Report,
}

impl Tally {
    /// Announces and runs a check. A failed one does not keep the next from running.
    ///
    /// # Errors
    /// Only [`Failure::Interrupted`].
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        say(format!("{name} …"));
        match check() {
            Ok(()) => self.total.passed += 1,
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => {
                let text = failure.text().unwrap_or("failed");
                say(format!("{name}: {text}"));
                self.fail(name);
            }
        }
        Ok(())
    }

    /// Notes a check that cannot run here.
    pub(crate) fn skip(&mut self, name: &str, reason: &str) {
        self.total.skips.push(Skip {
            name: name.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// Adds what the test program `name` said. One that failed without naming a failed test counts
    /// as one failure: it did not compile, or it died.
    pub(crate) fn add(&mut self, name: &str, report: Report, succeeded: bool) {
        let silent = !succeeded && report.failed == 0;
        self.total.passed += report.passed;
        self.total.failed += report.failed;
        self.total.failures.extend(report.failures);
        self.total.skips.extend(report.skips);
        if silent {
            self.fail(&format!("{name} (did not run to the end)"));
        }
    }

    /// Whether anything failed.
    pub(crate) fn has_failures(&self) -> bool {
        self.total.failed > 0
    }

    fn fail(&mut self, name: &str) {
        self.total.failed += 1;
        self.total.failures.push(name.to_owned());
    }
}

/// Ends with the count alone on the last line.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            passed,
            failed,
            failures,
            skips,
        } = &self.total;
        writeln!(f)?;
        if !skips.is_empty() {
            writeln!(f, "skipped:")?;
            for Skip { name, reason } in skips {
                writeln!(f, "  {name}: {reason}")?;
            }
        }
        if !failures.is_empty() {
            writeln!(f, "failed:")?;
            for name in failures {
                writeln!(f, "  {name}")?;
            }
        }
        write!(
            f,
            "{passed} passed, {failed} failed, {} skipped",
            skips.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_count() {
        let mut tally = Tally::default();
        tally.check("formatting", || Ok(())).unwrap();
        tally
            .check("lints", || Err(Failure::new("`cargo clippy` failed")))
            .unwrap();
        let skips = vec![Skip {
            name: "real".to_owned(),
            reason: "no vault".to_owned(),
        }];
        tally.add(
            "host tests",
            Report {
                passed: 3,
                skips,
                ..Report::default()
            },
            true,
        );
        assert_eq!(
            tally.to_string(),
            "\nskipped:\n  real: no vault\nfailed:\n  lints\n4 passed, 1 failed, 1 skipped"
        );
        assert!(tally.has_failures());
    }

    #[test]
    fn a_program_that_dies_counts_as_a_failure() {
        let mut tally = Tally::default();
        tally.add(
            "host tests",
            Report {
                passed: 3,
                ..Report::default()
            },
            false,
        );
        assert!(tally.has_failures());
        assert!(tally.to_string().ends_with("3 passed, 1 failed, 0 skipped"));
    }

    #[test]
    fn an_interrupt_ends_the_run() {
        let interrupted = Tally::default().check("lints", || Err(Failure::Interrupted));
        assert!(matches!(interrupted, Err(Failure::Interrupted)));
    }
}
