//! Three-way merge of texts, line by line, as `git merge-file` does it.
//!
//! Two changes of one text go together where lines lie between them that neither has touched, or
//! where they are the same change. Changes that touch each other are a conflict: what the one was
//! made for may be gone with the other.

use std::ops::Range;

use super::diff::{Hunk, Placement, hunks, lines};

/// Lines on which two changes contradict each other, counted from 0; empty where the one side has
/// none left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The lines in our text.
    pub ours: Range<usize>,
    /// The lines in their text.
    pub theirs: Range<usize>,
}

/// What both changes make of `base`.
///
/// Merging is symmetric: who is called "we" plays no part.
///
/// ```
/// use vault_mcp::vault::merge::merge;
///
/// let base = "a\nb\nc\n";
/// assert_eq!(merge(base, "A\nb\nc\n", "a\nb\nC\n").unwrap(), "A\nb\nC\n");
/// assert_eq!(merge(base, "A\nb\nc\n", "x\nb\nc\n").unwrap_err().len(), 1);
/// ```
///
/// # Errors
/// Every [`Clash`], from the top.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<Clash>> {
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    let mut ours = Side::of(&base, &ours);
    let mut theirs = Side::of(&base, &theirs);
    let mut merged = String::new();
    let mut clashes = Vec::new();
    let mut copied = 0;
    while let Some(start) = [ours.next(), theirs.next()].into_iter().flatten().min() {
        // A stretch of the base that has what touches it on either side.
        let mut stretch = start..start;
        let (from_ours, from_theirs) = (ours.place(), theirs.place());
        while ours.take(&mut stretch) || theirs.take(&mut stretch) {}
        copy(&mut merged, &base, copied..start);
        copied = stretch.end;
        let our_lines = ours.since(from_ours, &stretch);
        let their_lines = theirs.since(from_theirs, &stretch);
        let (our_text, their_text) = (ours.lines(&our_lines), theirs.lines(&their_lines));
        let old_text = base.get(stretch).unwrap_or_default();
        if our_text == old_text || our_text == their_text {
            merged.extend(their_text.iter().copied());
        } else if their_text == old_text {
            merged.extend(our_text.iter().copied());
        } else {
            clashes.push(Clash {
                ours: our_lines,
                theirs: their_lines,
            });
        }
    }
    copy(&mut merged, &base, copied..base.len());
    if clashes.is_empty() {
        Ok(merged)
    } else {
        Err(clashes)
    }
}

fn copy(to: &mut String, lines: &[&str], range: Range<usize>) {
    to.extend(lines.get(range).unwrap_or_default().iter().copied());
}

/// One changed text, walked through from the top.
struct Side<'a> {
    text: &'a [&'a str],
    hunks: std::iter::Peekable<std::vec::IntoIter<Hunk>>,
    /// Lines that stand for each other, behind the hunks that were taken: in the base and here.
    level: Place,
}

/// A line of the base and the line of a changed text that stands for it.
#[derive(Clone, Copy, Default)]
struct Place {
    base: usize,
    here: usize,
}

impl<'a> Side<'a> {
    fn of(base: &[&str], text: &'a [&'a str]) -> Self {
        Self {
            text,
            hunks: hunks(base, text, Placement::Last).into_iter().peekable(),
            level: Place::default(),
        }
    }

    /// Where in the base the next change begins.
    fn next(&mut self) -> Option<usize> {
        self.hunks.peek().map(|hunk| hunk.before.start)
    }

    const fn place(&self) -> Place {
        self.level
    }

    /// Takes the next change into a stretch of the base that it touches, and stretches that.
    fn take(&mut self, stretch: &mut Range<usize>) -> bool {
        let Some(hunk) = self.hunks.next_if(|hunk| hunk.before.start <= stretch.end) else {
            return false;
        };
        stretch.end = stretch.end.max(hunk.before.end);
        self.level = Place {
            base: hunk.before.end,
            here: hunk.after.end,
        };
        true
    }

    /// The lines here that stand for a stretch of the base, given a place before it and the place
    /// where this side is now.
    fn since(&self, before: Place, stretch: &Range<usize>) -> Range<usize> {
        let start = before.here + (stretch.start - before.base);
        let end = self.level.here + (stretch.end - self.level.base);
        start..end
    }

    fn lines(&self, range: &Range<usize>) -> &'a [&'a str] {
        self.text.get(range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use proptest::prelude::*;

    use super::{Clash, merge};

    #[test]
    fn changes_of_different_lines_go_together() {
        for (base, ours, theirs, merged) in [
            ("a\nb\nc\n", "a\nb\nc\n", "a\nb\nc\n", "a\nb\nc\n"),
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
            (
                "a\nb\nc\n",
                "x\na\nb\nc\n",
                "a\nb\nc\ny\n",
                "x\na\nb\nc\ny\n",
            ),
            ("a\nb\nc\n", "b\nc\n", "a\nb\n", "b\n"),
            ("a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n"),
            ("a\nb\nc\nd\ne\n", "a\nX\nc\nd\n", "a\nX\nc\nD\ne\n", ""),
            ("", "a\n", "a\n", "a\n"),
            (
                "a\r\nb\r\nc\r\n",
                "A\r\nb\r\nc\r\n",
                "a\r\nb\r\nC",
                "A\r\nb\r\nC",
            ),
        ] {
            if merged.is_empty() && !base.is_empty() {
                assert!(
                    merge(base, ours, theirs).is_err(),
                    "{base:?} {ours:?} {theirs:?}"
                );
            } else {
                assert_eq!(
                    merge(base, ours, theirs).as_deref(),
                    Ok(merged),
                    "{base:?} {ours:?} {theirs:?}"
                );
            }
        }
    }

    #[test]
    fn changes_that_touch_each_other_are_named_by_their_lines() {
        for (base, ours, theirs, clash) in [
            ("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", (1..2, 1..2)),
            ("a\nb\nc\n", "x\nb\nc\n", "a\ny\nc\n", (0..2, 0..2)),
            ("a\nb\n", "a\nb\nx\n", "a\nb\ny\n", (2..3, 2..3)),
            ("a\nb\nc\n", "a\nc\n", "a\nx\ny\nc\n", (1..1, 1..3)),
            ("", "a\n", "b\n", (0..1, 0..1)),
            ("1\na\nb\n", "0\n1\na\nx\n", "1\na\ny\nz\n", (3..4, 2..4)),
        ] {
            let clash = Clash {
                ours: clash.0,
                theirs: clash.1,
            };
            assert_eq!(
                merge(base, ours, theirs),
                Err(vec![clash]),
                "{base:?} {ours:?} {theirs:?}"
            );
        }
    }

    /// A text, and changes of some of its lines: each is replaced, cut out, or followed by another.
    fn changed() -> impl Strategy<Value = (Vec<String>, Vec<u8>, Vec<u8>)> {
        (0_usize..14).prop_flat_map(|count| {
            let base = (0..count)
                .map(|n| format!("line {n}\n"))
                .collect::<Vec<_>>();
            let changes =
                || prop::collection::vec(prop_oneof![6 => Just(0_u8), 1 => 1_u8..4], count);
            (Just(base), changes(), changes())
        })
    }

    fn apply(base: &[String], changes: &[u8], who: &str) -> String {
        let lines = base.iter().zip(changes).map(|(line, change)| match change {
            1 => format!("{who} {line}"),
            2 => String::new(),
            3 => format!("{line}{who} after {line}"),
            _ => line.clone(),
        });
        lines.collect()
    }

    proptest! {
        #[test]
        fn a_side_that_changed_nothing_yields_to_the_other(base in "[ab\n]{0,12}", text in "[ab\n]{0,12}") {
            prop_assert_eq!(merge(&base, &text, &base), Ok(text.clone()));
            prop_assert_eq!(merge(&base, &base, &text), Ok(text.clone()));
            prop_assert_eq!(merge(&base, &text, &text), Ok(text));
        }

        #[test]
        fn both_sides_are_treated_alike(base in "[ab\n]{0,12}", one in "[ab\n]{0,12}", other in "[ab\n]{0,12}") {
            let swapped = |clash: Clash| Clash { ours: clash.theirs, theirs: clash.ours };
            let there = merge(&base, &one, &other);
            let back = merge(&base, &other, &one);
            prop_assert_eq!(there, back.map_err(|clashes| clashes.into_iter().map(swapped).collect()));
        }

        /// Where lines lie between the changes, it does not matter which is made first.
        #[test]
        fn changes_with_lines_between_them_commute((base, ours, theirs) in changed()) {
            let is_apart = (0..base.len()).all(|n| {
                let near = n.saturating_sub(1)..=(n + 1).min(base.len() - 1);
                ours[n] == 0 || theirs[near].iter().all(|change| *change == 0)
            });
            prop_assume!(is_apart);
            let both: Vec<u8> = ours.iter().zip(&theirs).map(|(one, other)| one | other).collect();
            let text = base.concat();
            let merged = merge(&text, &apply(&base, &ours, "x"), &apply(&base, &theirs, "x"));
            prop_assert_eq!(merged, Ok(apply(&base, &both, "x")));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Git merges what we merge, to the same text, and sees a conflict where we do.
        #[test]
        fn git_merges_alike((base, ours, theirs) in changed()) {
            let texts = [
                ("ours", apply(&base, &ours, "x")),
                ("base", base.concat()),
                ("theirs", apply(&base, &theirs, "y")),
            ];
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in &texts {
                fs::write(folder.path().join(name), text).unwrap();
            }
            let git = Command::new("git")
                .args(["merge-file", "-p", "-q", "ours", "base", "theirs"])
                .current_dir(folder.path())
                .output()
                .unwrap();
            let [(_, ours), (_, base), (_, theirs)] = texts;
            match merge(&base, &ours, &theirs) {
                Ok(merged) => {
                    prop_assert!(git.status.success(), "git sees a conflict");
                    prop_assert_eq!(merged, String::from_utf8(git.stdout).unwrap());
                }
                Err(_) => prop_assert!(!git.status.success(), "git sees none"),
            }
        }
    }
}
