//! What changed between two texts, line by line.
//!
//! The comparison is `gix-imara-diff`'s, which gitoxide keeps: Myers' algorithm with git's own
//! heuristics, so that two long texts without a line in common are no matter of minutes.

use std::{fmt::Write as _, ops::Range};

use gix_imara_diff::{Algorithm, Diff as Comparison, InternedInput};

/// The most characters of a diff's text.
const MAX_TEXT: usize = 10_000;
/// The most characters of a line in it.
const MAX_LINE: usize = 500;
/// How many lines are shown around what changed.
const CONTEXT: usize = 3;

/// What changed between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// A unified diff without the two lines that name files; a long one is cut after a line.
    pub text: String,
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// How many lines of the diff were left out of its text.
    pub left_out: usize,
}

/// Lines of one text that stand where lines of another stood, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    before: Range<usize>,
    after: Range<usize>,
}

/// The lines of a text with what ends them.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What makes `after` of `before`, in order. Hunks do not touch each other.
fn hunks(before: &[&str], after: &[&str]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut comparison = Comparison::compute(Algorithm::Myers, &input);
    // Hunks that could stand higher or lower are placed as `git diff` does, where people read best.
    comparison.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let hunks = comparison.hunks().map(|hunk| Hunk {
        before: range(hunk.before),
        after: range(hunk.after),
    });
    hunks.collect()
}

impl Diff {
    /// What makes `after` of `before`.
    ///
    /// ```
    /// use vault_mcp::vault::diff::Diff;
    ///
    /// let diff = Diff::between("one\ntwo\n", "one\n2\n");
    /// assert_eq!(diff.text, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    /// ```
    #[must_use]
    pub fn between(before: &str, after: &str) -> Self {
        let (before, after) = (lines(before), lines(after));
        let hunks = hunks(&before, &after);
        let mut diff = Self::default();
        for hunk in &hunks {
            diff.removed += hunk.before.len();
            diff.added += hunk.after.len();
        }
        let mut room = MAX_TEXT;
        let near = |one: &Hunk, next: &Hunk| next.before.start - one.before.end <= 2 * CONTEXT;
        for group in hunks.chunk_by(near) {
            diff.write_group(group, &before, &after, &mut room);
        }
        diff
    }

    /// Writes hunks that are so near to each other that they share the lines between them.
    fn write_group(&mut self, group: &[Hunk], before: &[&str], after: &[&str], room: &mut usize) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let above = first.before.start.min(CONTEXT);
        let below = (before.len() - last.before.end).min(CONTEXT);
        let header = format!(
            "@@ -{} +{} @@\n",
            lines_of(first.before.start - above..last.before.end + below),
            lines_of(first.after.start - above..last.after.end + below),
        );
        self.write_line(&header, "", room);
        let mut written = first.before.start - above;
        for hunk in group {
            self.write_lines(before, written..hunk.before.start, " ", room);
            self.write_lines(before, hunk.before.clone(), "-", room);
            self.write_lines(after, hunk.after.clone(), "+", room);
            written = hunk.before.end;
        }
        self.write_lines(before, written..last.before.end + below, " ", room);
    }

    fn write_lines(&mut self, lines: &[&str], range: Range<usize>, mark: &str, room: &mut usize) {
        for line in lines.get(range).unwrap_or_default() {
            self.write_line(line, mark, room);
        }
    }

    fn write_line(&mut self, line: &str, mark: &str, room: &mut usize) {
        let end = line
            .strip_suffix('\n')
            .map_or("\n\\ No newline at end of file\n", |_| "\n");
        let line = line.strip_suffix('\n').unwrap_or(line);
        let (line, cut) = match line.char_indices().nth(MAX_LINE) {
            Some((at, _)) => line.split_at_checked(at).unwrap_or((line, "")),
            None => (line, ""),
        };
        let size = mark.len() + line.chars().count() + end.len();
        // Once a line is left out, so are all that follow.
        if self.left_out > 0 || size > *room {
            *room = 0;
            self.left_out += 1;
            return;
        }
        *room -= size;
        self.text.push_str(mark);
        self.text.push_str(line);
        if !cut.is_empty() {
            // Writing to a text does not fail.
            let _ = write!(self.text, "… ({} more characters)", cut.chars().count());
        }
        self.text.push_str(end);
    }
}

/// A range of lines as a diff names it: the first line and how many; of none, the line before.
fn lines_of(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use proptest::prelude::*;

    use super::{Diff, MAX_LINE, MAX_TEXT};

    #[test]
    fn lines_that_changed_are_shown_with_those_around() {
        for (before, after, text) in [
            ("a\n", "a\n", ""),
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            (
                "a",
                "a\n",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
            (
                "a\r\nb\r\n",
                "a\r\nc\r\n",
                "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n",
            ),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
                "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
            ),
        ] {
            assert_eq!(
                Diff::between(before, after).text,
                text,
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn what_is_long_is_cut_and_counted() {
        let long = "é".repeat(MAX_LINE + 7);
        let diff = Diff::between("", &long);
        assert!(
            diff.text.contains("é… (7 more characters)\n"),
            "{}",
            diff.text
        );
        let before: String = (0..5_000).flat_map(|_| ["old line\n"]).collect();
        let after: String = (0..5_000).flat_map(|_| ["new line\n"]).collect();
        let diff = Diff::between(&before, &after);
        assert_eq!((diff.added, diff.removed), (5_000, 5_000));
        assert!(diff.text.chars().count() <= MAX_TEXT);
        let shown = diff.text.lines().count();
        assert_eq!(shown + diff.left_out, 10_001);
        assert!(diff.text.ends_with("-old line\n"));
    }

    /// Two texts of a megabyte without a line in common.
    #[test]
    fn texts_that_have_nothing_in_common_are_compared_all_the_same() {
        let text = |word: &str| -> String {
            (0..60_000)
                .map(|n| word.replace('N', &n.to_string()))
                .collect()
        };
        let diff = Diff::between(&text("first N text\n"), &text("another N text\n"));
        assert_eq!((diff.added, diff.removed), (60_000, 60_000));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// `git apply` makes the one text of the other with the diff.
        #[test]
        fn git_takes_the_diff_for_one(
            before in prop::collection::vec("[abc\u{e9}]{0,2}\r?\n", 0..12),
            after in prop::collection::vec("[abc\u{e9}]{0,2}\r?\n", 0..12),
            ends in any::<(bool, bool)>(),
        ) {
            let text = |lines: Vec<String>, is_ended: bool| {
                let text = lines.concat();
                if is_ended { text } else { text.trim_end_matches('\n').to_owned() }
            };
            let (before, after) = (text(before, ends.0), text(after, ends.1));
            let diff = Diff::between(&before, &after);
            prop_assume!(before != after && !before.is_empty() && !after.is_empty());
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("a.md"), &before).unwrap();
            let patch = format!("--- a/a.md\n+++ b/a.md\n{}", diff.text);
            fs::write(folder.path().join("patch"), patch).unwrap();
            let applied = Command::new("git")
                .args(["apply", "--whitespace=nowarn", "patch"])
                .current_dir(folder.path())
                .output()
                .unwrap();
            prop_assert!(applied.status.success(), "{:?} {}", applied, diff.text);
            let made = fs::read_to_string(folder.path().join("a.md")).unwrap();
            prop_assert_eq!(made, after);
        }
    }
}
