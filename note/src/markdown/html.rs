//! Where HTML stands instead of Markdown: HTML blocks (CommonMark 0.31, section 4.6).

/// An HTML block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlBlock {
    /// It ends with the line that holds one of these, in any letter case (kinds 1 to 5).
    Until(&'static [&'static str]),
    /// It ends before the next blank line (kinds 6 and 7).
    UntilBlank,
}

/// Elements whose content is no Markdown, blank lines included.
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];
const VERBATIM_ENDS: [&str; 4] = ["</pre>", "</script>", "</style>", "</textarea>"];

/// Elements that open a block wherever their tag begins a line, even in a paragraph.
const BLOCKS: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

impl HtmlBlock {
    /// The block that a line opens, which has no white space around it and stands in a paragraph or
    /// not.
    pub(super) fn opened_by(line: &str, in_paragraph: bool) -> Option<Self> {
        let inside = line.strip_prefix('<')?;
        for (beginning, end) in [("!--", &["-->"]), ("?", &["?>"]), ("![CDATA[", &["]]>"])] {
            if inside.starts_with(beginning) {
                return Some(Self::Until(end));
            }
        }
        if let Some(declaration) = inside.strip_prefix('!') {
            let is_one = declaration.starts_with(|c: char| c.is_ascii_alphabetic());
            return is_one.then_some(Self::Until(&[">"]));
        }
        let closes = inside.starts_with('/');
        let inside = inside.strip_prefix('/').unwrap_or(inside);
        let end = inside
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(inside.len());
        let (name, rest) = inside.split_at_checked(end)?;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let is = |names: &[&str]| names.iter().any(|each| each.eq_ignore_ascii_case(name));
        let name_ends = rest.is_empty() || rest.starts_with([' ', '\t', '>']);
        if !closes && name_ends && is(&VERBATIM) {
            return Some(Self::Until(&VERBATIM_ENDS));
        }
        if (name_ends || rest.starts_with("/>")) && is(&BLOCKS) {
            return Some(Self::UntilBlank);
        }
        // One whole tag alone on its line.
        let is_alone = (name_ends || rest.starts_with("/>"))
            && rest.find(['<', '>']).is_some_and(|at| at + 1 == rest.len());
        (is_alone && rest.ends_with('>') && !in_paragraph && !is(&VERBATIM))
            .then_some(Self::UntilBlank)
    }

    /// Whether a line is the last one of the block.
    pub(super) fn ends_with(&self, line: &str) -> bool {
        match self {
            Self::Until(ends) => {
                let line = line.to_ascii_lowercase();
                ends.iter()
                    .any(|end| line.contains(&end.to_ascii_lowercase()))
            }
            Self::UntilBlank => line.is_empty(),
        }
    }
}
