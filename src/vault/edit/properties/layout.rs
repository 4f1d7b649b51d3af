//! Where the properties stand in a block of frontmatter.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use super::scalar::Quotes;

/// The properties of a block, from the top.
pub(super) struct Layout<'a> {
    pub(super) block: &'a str,
    lines: Vec<usize>,
    pub(super) entries: Vec<Entry>,
}

/// A property: offsets are bytes of the block.
pub(super) struct Entry {
    pub(super) key: String,
    /// Where the line starts that the key is on.
    pub(super) start: usize,
    /// The column of the key.
    pub(super) indent: usize,
    /// Right behind the colon.
    pub(super) colon: usize,
    pub(super) value: Node,
    /// Where the last line of the value ends.
    pub(super) end: usize,
}

/// A value. The range is where it stands; of blocks, where it starts.
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) form: Form,
}

/// How a value is written.
pub(super) enum Form {
    /// Not at all.
    Nothing,
    /// A text or the like, on the key's line.
    Scalar(Quotes),
    /// `[a, b]`, with the places of its items.
    Brackets(Vec<Range<usize>>),
    /// A line or more for each item, with the places where the items start behind their dashes.
    Dashes(Vec<usize>),
    /// Something else on the key's line, such as `{a: 1}` or an alias.
    OtherInline,
    /// Something else on lines of its own, such as a mapping or a text behind `|`.
    OtherBlock,
}

/// Why a block cannot be laid out: it is no YAML from this line on, counted from 0, or no plain
/// mapping.
pub(super) enum Unclear {
    Invalid(usize),
    NoMapping,
}

impl<'a> Layout<'a> {
    pub(super) fn of(block: &'a str) -> Result<Self, Unclear> {
        let mut layout = Self {
            block,
            lines: line_starts(block),
            entries: Vec::new(),
        };
        let mut walk = Walk::default();
        for event in Parser::new_from_str(block) {
            let (event, span) =
                event.map_err(|error| Unclear::Invalid(error.marker().line().saturating_sub(1)))?;
            layout.take(&mut walk, &event, span)?;
        }
        let starts: Vec<usize> = layout.entries.iter().map(|entry| entry.start).collect();
        let ends = starts.into_iter().skip(1).chain([block.len()]);
        for (index, next) in ends.enumerate() {
            let end = layout.own_end(index, next);
            if let Some(entry) = layout.entries.get_mut(index) {
                entry.end = end;
            }
        }
        Ok(layout)
    }

    fn take(&mut self, walk: &mut Walk, event: &Event<'_>, span: Span) -> Result<(), Unclear> {
        let range = self.offset(span.start)..self.offset(span.end);
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_in_brackets = self.content(range.start).1.starts_with(['[', '{']);
                match walk.depth {
                    0 if is_in_brackets || matches!(event, Event::SequenceStart(..)) => {
                        return Err(Unclear::NoMapping);
                    }
                    // A key has to be a text.
                    1 if walk.key.is_none() => return Err(Unclear::NoMapping),
                    1 => {
                        let is_list = matches!(event, Event::SequenceStart(..));
                        let form = match (is_list, is_in_brackets) {
                            (true, true) => Form::Brackets(Vec::new()),
                            (true, false) => Form::Dashes(Vec::new()),
                            (false, true) => Form::OtherInline,
                            (false, false) => Form::OtherBlock,
                        };
                        walk.value = Some(Node { range, form });
                    }
                    2 => walk.start_item(range.start),
                    _ => {}
                }
                walk.depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let end = self.bracket_end(&range).unwrap_or(range.end);
                walk.depth = walk.depth.saturating_sub(1);
                match walk.depth {
                    1 => {
                        if let Some(mut value) = walk.value.take() {
                            value.range.end = end;
                            self.finish(walk, value)?;
                        }
                    }
                    2 => walk.end_item(end),
                    _ => {}
                }
            }
            Event::Scalar(text, style, ..) => match (walk.depth, &walk.key) {
                (0, _) if !text.is_empty() => return Err(Unclear::NoMapping),
                (1, None) => walk.key = Some((text.to_string(), span)),
                (1, Some(_)) => {
                    let form = scalar_form(text, *style);
                    let range = self.without_what_follows(range, *style);
                    self.finish(walk, Node { range, form })?;
                }
                (2, _) => walk.item(self.without_what_follows(range, *style)),
                _ => {}
            },
            Event::Alias(_) => match (walk.depth, &walk.key) {
                (1, None) => return Err(Unclear::NoMapping),
                (1, Some(_)) => self.finish(
                    walk,
                    Node {
                        range,
                        form: Form::OtherInline,
                    },
                )?,
                (2, _) => walk.item(range),
                _ => {}
            },
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::Nothing => {}
        }
        Ok(())
    }

    /// Where the bracket ends that ends a list or a mapping, where one does: the parser's end of that
    /// lies behind the white space and the comment that follow it.
    fn bracket_end(&self, range: &Range<usize>) -> Option<usize> {
        let text = self.block.get(range.start..)?;
        let bracket = text.trim_start();
        let at = range.start + (text.len() - bracket.len());
        bracket.starts_with([']', '}']).then_some(at + 1)
    }

    /// The range of a scalar. The parser's end of a quoted one lies behind the white space and the
    /// comment that follow it.
    fn without_what_follows(&self, range: Range<usize>, style: ScalarStyle) -> Range<usize> {
        let quote = match style {
            ScalarStyle::SingleQuoted => '\'',
            ScalarStyle::DoubleQuoted => '"',
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => return range,
        };
        let (start, text) = self.content(range.start);
        let end = quoted_len(text, quote).map_or(range.end, |length| start + length);
        range.start..end
    }

    /// Takes in a key with its value.
    fn finish(&mut self, walk: &mut Walk, value: Node) -> Result<(), Unclear> {
        let (key, span) = walk.key.take().ok_or(Unclear::NoMapping)?;
        let behind = self.offset(span.end);
        let rest = self.block.get(behind..).unwrap_or_default();
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        // `? key` has its colon elsewhere.
        let colon = rest.get(gap..).filter(|rest| rest.starts_with(':'));
        let line = span.start.line().saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or_default();
        let is_first = self.block.get(start..self.offset(span.start));
        if colon.is_none() || is_first.is_none_or(|before| !before.trim().is_empty()) {
            return Err(Unclear::NoMapping);
        }
        self.entries.push(Entry {
            key,
            start,
            indent: span.start.col(),
            colon: behind + gap + 1,
            value,
            end: start,
        });
        Ok(())
    }

    /// Where the last line ends that belongs to an entry, given where the next one starts. Blank
    /// lines behind it do not, nor comments that are not indented.
    fn own_end(&self, index: usize, next: usize) -> usize {
        let Some(entry) = self.entries.get(index) else {
            return next;
        };
        let is_inline = matches!(
            entry.value.form,
            Form::Nothing | Form::Scalar(_) | Form::Brackets(_) | Form::OtherInline
        );
        if is_inline {
            let last = match entry.value.form {
                Form::Nothing => entry.colon,
                Form::Scalar(_)
                | Form::Brackets(_)
                | Form::Dashes(_)
                | Form::OtherInline
                | Form::OtherBlock => entry.value.range.end,
            };
            return self.line_end(last);
        }
        let mut end = next;
        let lines = self.block.get(entry.start..next).unwrap_or_default();
        for line in lines.split_inclusive('\n').rev() {
            let content = line.trim_start();
            let indent = line.len() - content.len();
            let is_apart =
                content.is_empty() || (content.starts_with('#') && indent <= entry.indent);
            if !is_apart {
                break;
            }
            end -= line.len();
        }
        end
    }

    /// Where the line ends that an offset is on, its line break included.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let next = self.lines.partition_point(|start| *start <= offset);
        self.lines.get(next).copied().unwrap_or(self.block.len())
    }

    /// Where the line starts that an offset is on.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        let next = self.lines.partition_point(|start| *start <= offset);
        let line = next.checked_sub(1).and_then(|line| self.lines.get(line));
        line.copied().unwrap_or_default()
    }

    fn offset(&self, marker: Marker) -> usize {
        let line = marker.line().saturating_sub(1);
        let Some(start) = self.lines.get(line).copied() else {
            return self.block.len();
        };
        let rest = self.block.get(start..).unwrap_or_default();
        let column = rest.char_indices().nth(marker.col());
        start + column.map_or(rest.len(), |(at, _)| at)
    }

    /// What stands at an offset behind an anchor and a tag (YAML 1.2.2, section 6.9), and where that
    /// is.
    fn content(&self, offset: usize) -> (usize, &'a str) {
        let mut text = self.block.get(offset..).unwrap_or_default();
        while text.starts_with(['&', '!']) {
            let property = text.split(char::is_whitespace).next().unwrap_or_default();
            text = text.get(property.len()..).unwrap_or_default().trim_start();
        }
        (self.block.len() - text.len(), text)
    }
}

/// Where one is in the events of a block.
#[derive(Default)]
struct Walk {
    depth: usize,
    key: Option<(String, Span)>,
    /// The list or mapping that is being read as a property's value.
    value: Option<Node>,
}

impl Walk {
    fn item(&mut self, range: Range<usize>) {
        let end = range.end;
        self.start_item(range.start);
        self.end_item(end);
    }

    fn start_item(&mut self, start: usize) {
        match self.value.as_mut().map(|value| &mut value.form) {
            Some(Form::Brackets(items)) => items.push(start..start),
            Some(Form::Dashes(items)) => items.push(start),
            _ => {}
        }
    }

    fn end_item(&mut self, end: usize) {
        if let Some(Form::Brackets(items)) = self.value.as_mut().map(|value| &mut value.form)
            && let Some(item) = items.last_mut()
        {
            item.end = end;
        }
    }
}

fn scalar_form(text: &str, style: ScalarStyle) -> Form {
    match style {
        ScalarStyle::Plain if text.is_empty() => Form::Nothing,
        ScalarStyle::Plain => Form::Scalar(Quotes::None),
        ScalarStyle::SingleQuoted => Form::Scalar(Quotes::Single),
        ScalarStyle::DoubleQuoted => Form::Scalar(Quotes::Double),
        ScalarStyle::Literal | ScalarStyle::Folded => Form::OtherBlock,
    }
}

/// How many bytes a quoted scalar takes at the start of `text`, its quotes included: a single quote
/// is doubled inside, what a backslash escapes in double quotes does not end them (YAML 1.2.2,
/// section 7.3).
fn quoted_len(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        match (character, quote) {
            ('\\', '"') => _ = characters.next(),
            ('\'', '\'') if next == Some('\'') => _ = characters.next(),
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Where lines start: behind every line break that YAML knows (section 5.4).
fn line_starts(block: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut characters = block.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let is_pair = character == '\r' && characters.peek().is_some_and(|next| next.1 == '\n');
        if matches!(character, '\n' | '\r') && !is_pair {
            starts.push(at + 1);
        }
    }
    starts
}
