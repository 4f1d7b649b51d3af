//! The plain scan: every note is looked at. The measure of a complete answer.

use std::cmp::Reverse;

use super::{
    excerpt::Excerpt,
    fold::{Folded, fold},
    query::{Clause, Query},
};
use crate::{
    markdown::{Heading, Properties, headings},
    path::VaultPath,
    title,
};

/// How many places of one clause are weighed for the excerpt.
const PLACES: usize = 64;

/// A note to look at.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Where it is.
    pub path: &'a VaultPath,
    /// What it says.
    pub text: &'a str,
}

/// A note in which a query was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where it is.
    pub path: VaultPath,
    /// Its title: see [`title::of_note`].
    pub title: String,
    /// The place in its text that says most about the query; `None` where the path alone does.
    pub excerpt: Option<Excerpt>,
}

/// The part of a path that is searched: all but the extension, which every note has.
#[must_use]
pub fn searchable_path(path: &VaultPath) -> &str {
    path.as_str()
        .rsplit_once('.')
        .map_or(path.as_str(), |(stem, _)| stem)
}

/// Finds every note in which all clauses of `query` are found, each in one of the note's names (its
/// path, its title, an alias) or in its text.
///
/// Notes come first whose names hold more of the clauses, then those in whose text they are found
/// more often, then by path.
#[must_use]
pub fn search<'a>(query: &Query, documents: impl IntoIterator<Item = Document<'a>>) -> Vec<Hit> {
    let mut hits: Vec<(Reverse<Rank>, Hit)> = documents
        .into_iter()
        .filter_map(|document| look_at(query, &document))
        .map(|(rank, hit)| (Reverse(rank), hit))
        .collect();
    hits.sort_by(|(rank, hit), (other_rank, other)| {
        rank.cmp(other_rank).then_with(|| hit.path.cmp(&other.path))
    });
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// What a hit is worth; the greater, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// How many clauses the names hold.
    named: usize,
    /// How often the clauses are found in the text, each counted up to [`PLACES`] times.
    places: usize,
}

/// Whether [`search`] finds a note, in less time: for whoever needs nothing else of it.
#[must_use]
pub fn holds(query: &Query, document: &Document<'_>) -> bool {
    let text = fold(document.text);
    let elsewhere: Vec<&Clause> = query
        .clauses()
        .iter()
        .filter(|clause| clause.find(&text, 0).is_none())
        .collect();
    elsewhere.is_empty() || Names::holding(&elsewhere, document).is_some()
}

/// What a note is called, where its text does not say it as it is read.
struct Names {
    title: String,
    headings: Vec<Heading>,
    /// The path, the title and the aliases, folded.
    folded: Vec<String>,
}

impl Names {
    /// The names of a note, if each of `clauses` is found in one of them.
    fn holding(clauses: &[&Clause], document: &Document<'_>) -> Option<Self> {
        let path = fold(searchable_path(document.path));
        let properties = Properties::of(document.text);
        // A note without frontmatter has no names but what its path and its text say.
        let is_hopeless =
            properties.is_empty() && clauses.iter().any(|clause| clause.find(&path, 0).is_none());
        if is_hopeless {
            return None;
        }
        let headings = headings(document.text);
        let title = title::from(document.path, &properties, &headings);
        let aliases = properties.aliases().map(|alias| fold(&alias));
        let names = Self {
            folded: [path, fold(&title)].into_iter().chain(aliases).collect(),
            title,
            headings,
        };
        clauses
            .iter()
            .all(|clause| names.hold(clause))
            .then_some(names)
    }

    fn hold(&self, clause: &Clause) -> bool {
        let mut names = self.folded.iter();
        names.any(|name| clause.find(name, 0).is_some())
    }
}

fn look_at(query: &Query, document: &Document<'_>) -> Option<(Rank, Hit)> {
    let text = Folded::new(document.text);
    let mut places = Vec::new();
    let mut elsewhere = Vec::new();
    for (index, clause) in query.clauses().iter().enumerate() {
        let before = places.len();
        places.extend(places_of(clause, text.as_str()).map(|(start, end)| Place {
            clause: index,
            start: text.start_in_original(start),
            end: text.end_in_original(end),
        }));
        if places.len() == before {
            elsewhere.push(clause);
        }
    }
    let names = Names::holding(&elsewhere, document)?;
    let rank = Rank {
        named: query.clauses().iter().filter(|c| names.hold(c)).count(),
        places: places.len(),
    };
    let excerpt = best_place(document.text, &places)
        .map(|place| Excerpt::around(document.text, &names.headings, place.start..place.end));
    let path = document.path.clone();
    let title = names.title;
    Some((
        rank,
        Hit {
            path,
            title,
            excerpt,
        },
    ))
}

/// Where a clause was found in a note's text.
#[derive(Clone, Copy)]
struct Place {
    clause: usize,
    start: usize,
    end: usize,
}

/// The places of a clause, from the top.
fn places_of(clause: &Clause, folded: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (start, end) = clause.find(folded, from)?;
        from = end;
        Some((start, end))
    })
    .take(PLACES)
}

/// The first place on the line that has most of the clauses; the first such line.
fn best_place<'a>(text: &str, places: &'a [Place]) -> Option<&'a Place> {
    let line_of = |place: &Place| {
        text.get(..place.start)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1)
    };
    let mut lines: Vec<(usize, &Place)> =
        places.iter().map(|place| (line_of(place), place)).collect();
    lines.sort_by_key(|(line, place)| (*line, place.start));
    lines
        .chunk_by(|(line, _), (other, _)| line == other)
        .map(|on_line| {
            let mut clauses: Vec<usize> = on_line.iter().map(|(_, place)| place.clause).collect();
            clauses.sort_unstable();
            clauses.dedup();
            (clauses.len(), on_line)
        })
        // `max_by_key` would take the last of equals.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .and_then(|(_, on_line)| on_line.first().map(|(_, place)| *place))
}

#[cfg(test)]
mod tests {
    use super::{Document, Hit, holds, search};
    use crate::{path::VaultPath, text::Query};

    fn hits(query: &str, notes: &[(&str, &str)]) -> Vec<Hit> {
        let notes: Vec<(VaultPath, &str)> = notes
            .iter()
            .map(|(path, text)| (VaultPath::parse(path).unwrap(), *text))
            .collect();
        let documents = notes.iter().map(|(path, text)| Document { path, text });
        let query = Query::parse(query).unwrap();
        let hits = search(&query, documents.clone());
        let held = documents.filter(|document| holds(&query, document)).count();
        assert_eq!(held, hits.len(), "{query:?}");
        hits
    }

    fn paths(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.path.as_str()).collect()
    }

    #[test]
    fn clauses_may_be_in_the_path_or_in_the_text() {
        let notes = [
            ("Boat/Engine.md", "oil\n"),
            ("Boat.md", "engine and oil"),
            ("Oil.md", "paint"),
            ("Engine.md", "boats"),
        ];
        assert_eq!(
            paths(&hits("engine oil", &notes)),
            ["Boat/Engine.md", "Boat.md"]
        );
        let by_path = &hits("boat/eng", &notes)[0];
        assert_eq!(
            (by_path.path.as_str(), &by_path.excerpt),
            ("Boat/Engine.md", &None)
        );
        // The extension is no word of anybody's note.
        assert_eq!(hits("md", &notes), []);
    }

    #[test]
    fn a_title_and_aliases_are_found_as_the_frontmatter_means_them() {
        let notes = [(
            "n.md",
            "---\ntitle: \"Caf\\u00e9 \\x41rt\"\naliases: [\"Tide\\x20table\"]\n---\nbody\n",
        )];
        for query in ["café", "cafe art", "\"tide table\"", "tab", "body café"] {
            assert_eq!(paths(&hits(query, &notes)), ["n.md"], "{query}");
        }
        assert_eq!(hits("\"art tide\"", &notes), []);
    }

    #[test]
    fn titles_come_first_then_how_often_then_the_path() {
        let notes = [
            ("b.md", "tide"),
            ("a.md", "tide"),
            ("c.md", "tide tide tide"),
            ("d.md", "# Tide\n"),
            ("Tide.md", "other"),
        ];
        assert_eq!(
            paths(&hits("tide", &notes)),
            ["d.md", "Tide.md", "c.md", "a.md", "b.md"]
        );
    }

    #[test]
    fn the_excerpt_shows_the_line_with_most_of_the_query() {
        let text = "\u{feff}# Log\n\nengine\n\n## Café\n\nthe Engine took oil\nengine oil\n";
        let hit = &hits("engine oil", &[("a.md", text)])[0];
        let excerpt = hit.excerpt.clone().unwrap();
        assert_eq!(
            (excerpt.line, excerpt.section.as_deref()),
            (7, Some("Café"))
        );
        assert_eq!(excerpt.snippet, "the Engine took oil");
        assert_eq!(hit.title, "Log");
    }

    #[test]
    fn a_match_far_down_is_found() {
        let text = format!("{}\nneedle", "hay ".repeat(100_000));
        let hit = &hits("needle", &[("a.md", &text)])[0];
        assert_eq!(hit.excerpt.as_ref().unwrap().line, 2);
    }
}
