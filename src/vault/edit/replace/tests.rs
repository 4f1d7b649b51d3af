use proptest::prelude::*;

use super::{super::Difference, Edit, EditError, EditProblem, LineEnding, Near, replace};

const fn edit<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit {
        old,
        new,
        all: false,
    }
}

const fn everywhere<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit {
        old,
        new,
        all: true,
    }
}

fn edited(text: &str, edits: &[Edit<'_>]) -> Result<String, EditError> {
    replace(text, 0..text.len(), edits)
}

fn problem(text: &str, edits: &[Edit<'_>]) -> (usize, EditProblem) {
    let error = edited(text, edits).unwrap_err();
    (error.edit, error.problem)
}

#[test]
fn quoted_text_is_replaced_where_it_is() {
    for (text, edits, result) in [
        ("one two three", &[edit("two", "2")][..], "one 2 three"),
        ("one", &[edit("one", "")], ""),
        ("a b", &[edit("a", "b")], "b b"),
        // One after the other: the second sees what the first has left.
        ("a b c", &[edit("a", "x"), edit("c", "y")], "x b y"),
        ("a a b", &[edit("a a", "x"), edit("b", "a")], "x a"),
        ("a\nb\na\n", &[edit("b\na", "c"), edit("a", "d")], "d\nc\n"),
        ("a a a", &[everywhere("a", "bb")], "bb bb bb"),
        ("aaa", &[everywhere("aa", "b")], "ba"),
        ("a a", &[everywhere("a", "b"), edit(" ", "-")], "b-b"),
        ("same", &[edit("same", "same")], "same"),
        (
            "日本語 é",
            &[edit("本", "x"), edit("é", "e\u{301}")],
            "日x語 e\u{301}",
        ),
        // What was inserted beside is not touched.
        ("ab", &[edit("a", "x"), edit("b", "y")], "xy"),
        (
            "a-b",
            &[edit("-", ""), edit("b", "c"), edit("a", "d")],
            "dc",
        ),
    ] {
        assert_eq!(
            edited(text, edits).as_deref(),
            Ok(result),
            "{text:?} {edits:?}"
        );
    }
}

#[test]
fn a_line_break_is_a_line_break() {
    for (text, edits, result) in [
        (
            "a\r\nb\r\nc",
            &[edit("a\nb", "x\ny\nz")][..],
            "x\r\ny\r\nz\r\nc",
        ),
        ("a\nb\nc", &[edit("a\r\nb", "x\r\ny")], "x\ny\nc"),
        ("a\r\nb\r\n", &[edit("b", "b\n")], "a\r\nb\r\n\r\n"),
        ("a\r\nb", &[edit("\n", " ")], "a b"),
        (
            "a\r\nb\r\n",
            &[everywhere("\n", "\n\n")],
            "a\r\n\r\nb\r\n\r\n",
        ),
        ("a b", &[edit(" ", "\n")], "a\nb"),
        // Of a mixed note, what is quoted and not changed keeps its own.
        (
            "a\nb\r\nc\r\nd\n",
            &[edit("a\nb\nc\nd", "a\nx\ny\nc\nd")],
            "a\nx\ny\r\nc\r\nd\n",
        ),
        // A lone carriage return is no line break.
        ("a\rb\r\n", &[edit("a\rb", "c")], "c\r\n"),
        ("\r\r\n", &[edit("\r\r\n", "x\n")], "x\r\n"),
    ] {
        assert_eq!(
            edited(text, edits).as_deref(),
            Ok(result),
            "{text:?} {edits:?}"
        );
    }
}

#[test]
fn what_is_not_there_once_is_refused_with_lines() {
    for (text, edits, number, problem_is) in [
        (
            "a\nb\na\n",
            &[edit("a", "x")][..],
            1,
            EditProblem::NotUnique(vec![1, 3]),
        ),
        (
            "aaa",
            &[edit("aa", "x")],
            1,
            EditProblem::NotUnique(vec![1, 1]),
        ),
        (
            "\u{e9}\u{e9}\u{e9}",
            &[edit("\u{e9}\u{e9}", "x")],
            1,
            EditProblem::NotUnique(vec![1, 1]),
        ),
        ("a", &[edit("", "x")], 1, EditProblem::Empty),
        ("a", &[edit("b", "x")], 1, EditProblem::NotFound(None)),
        ("", &[edit("b", "x")], 1, EditProblem::NotFound(None)),
        ("a", &[everywhere("b", "x")], 1, EditProblem::NotFound(None)),
        // Lines are those of the note as it is, whatever earlier edits have made of them.
        (
            "a\nb\nc\nb\n",
            &[edit("a", "1\n2\n3"), edit("b", "x")],
            2,
            EditProblem::NotUnique(vec![2, 4]),
        ),
        (
            "a\nb\nc\n",
            &[edit("a\nb", "c"), edit("c", "x")],
            2,
            EditProblem::NotUnique(vec![1, 3]),
        ),
        (
            "a\nTwo\n",
            &[edit("a", "1\n2\n3"), edit("two", "x")],
            2,
            EditProblem::NotFound(Some(Near::Differs {
                line: 2,
                by: Difference::LetterCase,
            })),
        ),
    ] {
        assert_eq!(
            problem(text, edits),
            (number, problem_is),
            "{text:?} {edits:?}"
        );
    }
}

#[test]
fn an_edit_does_not_touch_what_an_earlier_one_wrote() {
    for (text, edits, number, earlier) in [
        ("a", &[edit("a", "b"), edit("b", "c")][..], 2, 1),
        ("a b", &[edit("a", "x"), edit("x b", "c")], 2, 1),
        (
            "a b c",
            &[edit("c", "x"), edit("a", "yy"), edit("b x", "c")],
            3,
            1,
        ),
        ("a b", &[edit("a", "xx"), edit("x b", "c")], 2, 1),
        ("a b", &[edit("a", "x"), edit("a b", "c")], 2, 1),
        // Where something was cut out, what stood around it was not together.
        ("a-b", &[edit("-", ""), edit("ab", "c")], 2, 1),
        ("a a", &[everywhere("a", "b"), everywhere("b", "c")], 2, 1),
        (
            "a c",
            &[edit("a", "b"), edit("c", "d"), everywhere("d", "e")],
            3,
            2,
        ),
    ] {
        let expected = (number, EditProblem::Overlaps(earlier));
        assert_eq!(problem(text, edits), expected, "{text:?} {edits:?}");
    }
}

#[test]
fn edits_are_kept_to_their_part() {
    let text = "# A\r\nx\r\n# B\r\nx\r\ny\r\n";
    let part = 8..text.len();
    assert_eq!(
        replace(text, part.clone(), &[edit("x", "z")]).as_deref(),
        Ok("# A\r\nx\r\n# B\r\nz\r\ny\r\n")
    );
    let outside = replace(text, 0..8, &[edit("y", "z")]).unwrap_err();
    assert_eq!(
        outside.problem,
        EditProblem::NotFound(Some(Near::Elsewhere { line: 5 }))
    );
    let twice = replace("x\nx\nx\n", 2..6, &[edit("x", "y")]).unwrap_err();
    assert_eq!(twice.problem, EditProblem::NotUnique(vec![2, 3]));
    let near = replace(text, part, &[edit("Y", "z")]).unwrap_err();
    let by = Difference::LetterCase;
    assert_eq!(
        near.problem,
        EditProblem::NotFound(Some(Near::Differs { line: 5, by }))
    );
}

/// A text in which `x`, `y` and `z` stand once each, with the texts around them.
fn around() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("([a\u{e9}]|\r\n|\n|\r){0,6}", 4)
}

proptest! {
    /// Every byte outside of the places that edits name is there as it was.
    #[test]
    fn what_is_not_quoted_stays(
        around in around(),
        written in prop::collection::vec("[b\u{e9}\n]{0,4}", 3),
        order in Just(["x", "y", "z"]).prop_shuffle(),
        count in 0_usize..4,
    ) {
        let [first, second, third, fourth] = around.as_slice() else { unreachable!() };
        let text = format!("{first}x{second}y{third}z{fourth}");
        let edits: Vec<_> = order.iter().zip(&written).take(count).map(|(old, new)| edit(old, new)).collect();
        let result = edited(&text, &edits).unwrap();
        let written = edits.iter().map(|edit| edit.new);
        let ending = std::iter::once(text.as_str()).chain(written).find_map(LineEnding::of);
        let mut expected = text.clone();
        for edit in &edits {
            let new = ending.map_or(edit.new.into(), |ending| ending.apply(edit.new));
            expected = expected.replace(edit.old, &new);
        }
        prop_assert_eq!(result, expected);
    }

    /// Whatever the edits are, nothing panics; and made they are only where each quote was found.
    #[test]
    fn edits_of_any_kind_are_made_or_refused(
        text in "(a|b|\r\n|\n|\u{e9}){0,12}",
        edits in prop::collection::vec(("(a|b|\n){0,3}", "(a|c|\n){0,3}", any::<bool>()), 0..4),
    ) {
        let edits: Vec<_> = edits.iter().map(|(old, new, all)| Edit { old, new, all: *all }).collect();
        if edits.is_empty() {
            prop_assert_eq!(edited(&text, &edits), Ok(text));
            return Ok(());
        }
        let flat = |text: &str| text.replace("\r\n", "\n");
        match edited(&text, &edits) {
            Ok(result) => {
                // The plain way to the same text: one `replace` after another.
                let expected = edits.iter().fold(flat(&text), |text, edit| {
                    text.replace(&flat(edit.old), &flat(edit.new))
                });
                prop_assert_eq!(flat(&result), expected);
            }
            Err(error) => prop_assert!((1..=edits.len()).contains(&error.edit)),
        }
    }
}
