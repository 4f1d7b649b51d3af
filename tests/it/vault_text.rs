//! What holds of the search analysis on any text, and what an index may rely on.

use proptest::prelude::*;
use vault_mcp::vault::{
    path::VaultPath,
    text::{Document, Folded, Query, Term, Token, TokenKind, fold, runs, search, tokens},
};

/// Texts in many scripts, with the symbols of Markdown and of attacks on search engines.
fn prose() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("C++".to_owned()),
        Just("#tag/sub".to_owned()),
        Just("[[link]]".to_owned()),
        Just("\"".to_owned()),
        Just("Straße".to_owned()),
        Just("Cafe\u{301}".to_owned()),
        Just("Łódź".to_owned()),
        Just("日本語".to_owned()),
        Just("のtower".to_owned()),
        Just("한국어".to_owned()),
        Just("ภาษาไทย".to_owned()),
        Just("ភាសាខ្មែរ".to_owned()),
        Just("हिन्दी".to_owned()),
        Just("می\u{200c}خواهم".to_owned()),
        Just("a".to_owned()),
        Just("ab".to_owned()),
        Just("-".to_owned()),
        Just("*".to_owned()),
        "[a-cA-C]{1,3}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// A note's text, and a query made of a part of it or of something else.
fn text_and_query() -> impl Strategy<Value = (String, String)> {
    (prose(), prose(), 0_usize..64, 0_usize..64, any::<bool>()).prop_map(
        |(text, other, from, length, quoted)| {
            let part: String = text.chars().skip(from).take(length).collect();
            let query = if part.trim().is_empty() { other } else { part };
            let query = if quoted {
                format!("\"{query}\"")
            } else {
                query
            };
            (text, query)
        },
    )
}

/// Whether there are tokens one after another that hold the terms.
fn has_in_a_row<'a>(tokens: impl Iterator<Item = Token<'a>>, terms: &[&Term]) -> bool {
    let all: Vec<Token<'_>> = tokens.collect();
    all.windows(terms.len()).any(|neighbours| {
        let mut pairs = neighbours.iter().zip(terms).enumerate();
        pairs.all(|(index, (token, term))| holds(token, term, index == 0))
    })
}

/// Whether a stretch of a text without white space has tokens one after another that hold the terms.
fn has_in_a_piece(folded: &str, terms: &[Term]) -> bool {
    let terms: Vec<&Term> = terms.iter().collect();
    let mut pieces = folded.split_whitespace();
    pieces.any(|piece| has_in_a_row(runs(piece), &terms))
}

fn holds(token: &Token<'_>, term: &Term, is_first: bool) -> bool {
    let begins_before = is_first && term.kind != TokenKind::Word;
    let text = term.text.as_str();
    token.kind == term.kind
        && match (begins_before, term.is_open) {
            (false, false) => token.text == text,
            (false, true) => token.text.starts_with(text),
            (true, false) => token.text.ends_with(text),
            (true, true) => token.text.contains(text),
        }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn folding_is_stable(text in any::<String>()) {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }

    #[test]
    fn folding_is_blind_to_normalization(text in prose()) {
        use unicode_normalization::UnicodeNormalization;
        prop_assert_eq!(fold(&text.nfc().collect::<String>()), fold(&text));
        prop_assert_eq!(fold(&text.nfd().collect::<String>()), fold(&text));
    }

    #[test]
    fn every_offset_leads_back_to_where_it_came_from(text in prose()) {
        let folded = Folded::new(&text);
        let mut last = 0;
        for (at, character) in folded.as_str().char_indices() {
            let end = at + character.len_utf8();
            let (start, end) = (folded.start_in_original(at), folded.end_in_original(end));
            prop_assert!(last <= start && start < end && end <= text.len());
            let origin = text.get(start..end);
            prop_assert!(origin.is_some(), "a character is cut");
            prop_assert!(fold(origin.unwrap()).contains(character));
            last = start;
        }
    }

    #[test]
    fn a_token_is_found_by_itself(text in prose()) {
        let folded = fold(&text);
        for token in tokens(&folded) {
            let query = Query::parse(token.text).unwrap();
            for clause in query.clauses() {
                let (start, end) = clause.find(&folded, 0).unwrap();
                prop_assert!(start <= token.start);
                prop_assert_eq!(&folded[start..end], token.text);
                prop_assert_eq!(clause.find(&folded, token.start).map(|found| found.0), Some(token.start));
            }
        }
    }

    #[test]
    fn what_is_found_holds_every_term_that_an_engine_looks_up((text, query) in text_and_query()) {
        let folded = fold(&text);
        let Ok(query) = Query::parse(&query) else { return Ok(()) };
        for clause in query.clauses() {
            if clause.find(&folded, 0).is_some() {
                let lookup = clause.lookup();
                for piece in &lookup.pieces {
                    prop_assert!(has_in_a_piece(&folded, piece), "{piece:?}");
                }
                for stretch in lookup.neighbours() {
                    prop_assert!(has_in_a_row(tokens(&folded), &stretch), "{stretch:?}");
                }
            }
        }
    }

    #[test]
    fn exact_terms_one_after_another_are_found((text, query) in text_and_query()) {
        let folded = fold(&text);
        let Ok(query) = Query::parse(&query) else { return Ok(()) };
        for clause in query.clauses() {
            let lookup = clause.lookup();
            if !lookup.is_exact {
                continue;
            }
            let in_index = match lookup.pieces.as_slice() {
                [piece] => has_in_a_piece(&folded, piece),
                pieces => has_in_a_row(tokens(&folded), &pieces.iter().flatten().collect::<Vec<_>>()),
            };
            prop_assert_eq!(clause.find(&folded, 0).is_some(), in_index, "{:?}", lookup);
        }
    }

    #[test]
    fn a_hit_shows_a_line_that_is_there((text, query) in text_and_query()) {
        let Ok(query) = Query::parse(&query) else { return Ok(()) };
        let path = VaultPath::parse("Folder/Note.md").unwrap();
        for hit in search(&query, [Document { path: &path, text: &text }]) {
            if let Some(excerpt) = hit.excerpt {
                let lines = text.matches('\n').count() + 1;
                prop_assert!((1..=lines).contains(&excerpt.line));
                prop_assert!(!excerpt.snippet.contains('\n'));
                prop_assert!(excerpt.snippet.chars().count() <= 400);
            }
        }
    }
}
