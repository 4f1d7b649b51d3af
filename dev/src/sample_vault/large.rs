//! Notes too large for one answer, written by code so that the repository stays small.

use std::fmt::Write as _;

use crate::seed::SeedFile;

/// Path of the note that is larger than GitHub's Contents API returns as JSON.
pub const LARGE_NOTE: &str = "Archive/Lighthouse log.md";

/// The last line of [`LARGE_NOTE`], which nothing else in the vault repeats: a search that finds it
/// has read the note to its end.
pub const LARGE_NOTE_LAST_LINE: &str =
    "The lamp was electrified; the keeper's foghorn is redundant.";

/// The Contents API sends no content for a file larger than this many bytes (GitHub REST
/// documentation, "Get repository content").
const CONTENTS_API_LIMIT: usize = 1024 * 1024;

/// More characters on one line than one result may hold.
const LONG_LINE_WORDS: usize = 12_000;

const WINDS: &[&str] = &["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
const SKIES: &[&str] = &[
    "clear",
    "overcast",
    "rain",
    "drizzle",
    "fog",
    "sleet",
    "high cloud",
    "haze",
];
const EVENTS: &[&str] = &[
    "Trimmed the wick and polished the lens.",
    "A schooner passed at dawn, no signal.",
    "Relief boat could not land.",
    "Painted the gallery rail.",
    "Gulls on the gallery again.",
    "Oil low; wrote to the harbour office.",
    "Two fishermen came in out of the swell and stayed for soup.",
    "Nothing to report.",
    "Wound the clockwork twice in the night.",
    "Found a glass float, green.",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The log of a lighthouse, and a transcript without a line break.
pub(super) fn files() -> Vec<SeedFile> {
    vec![
        SeedFile::regular(LARGE_NOTE, lighthouse_log()),
        SeedFile::regular("Archive/Transcript on one line.md", transcript()),
    ]
}

/// Whole years of entries until the limit is passed by a fifth. The headings repeat each year.
fn lighthouse_log() -> String {
    let mut dice = Dice(1896);
    let mut log =
        String::from("---\ntags: [archive, log]\nsource: the tin box\n---\n# Lighthouse log\n");
    for year in 1896.. {
        line(&mut log, format_args!("\n## {year}"));
        for month in MONTHS {
            line(&mut log, format_args!("\n### {month}\n"));
            // The keeper rested after the twenty-eighth.
            for day in 1..=28 {
                let (wind, sky) = (dice.pick(WINDS), dice.pick(SKIES));
                let (force, event) = (dice.roll(10), dice.pick(EVENTS));
                line(
                    &mut log,
                    format_args!("- {day:02}: wind {wind} {force}, {sky}. {event}"),
                );
            }
        }
        if log.len() > CONTENTS_API_LIMIT / 5 * 6 {
            break;
        }
    }
    line(&mut log, format_args!("\n{LARGE_NOTE_LAST_LINE}"));
    log
}

fn transcript() -> String {
    let mut dice = Dice(2019);
    let spoken = [
        "so",
        "and",
        "the",
        "harbour",
        "well",
        "yes",
        "no",
        "boats",
        "mm-hm",
        "海",
        "ทะเล",
    ];
    let words: Vec<&str> = (0..LONG_LINE_WORDS).map(|_| dice.pick(&spoken)).collect();
    words.join(" ")
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{content}");
}

/// A linear congruential generator (constants of Numerical Recipes): the same note on every machine.
struct Dice(u32);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The low bits of such a generator repeat soon.
        usize::from((self.0 >> 16) as u16) % sides
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words
            .get(self.roll(words.len()))
            .copied()
            .unwrap_or_default()
    }
}
