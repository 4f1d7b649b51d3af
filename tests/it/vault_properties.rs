//! What holds of every path, tried on many.

use proptest::prelude::*;
use vault_mcp::vault::{
    path::{DirPath, VaultPath, fold},
    policy::{VaultPolicy, parse_prefixes},
    storage::Sieve,
};

/// Texts made of what paths and attacks on them are made of.
fn pathlike() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("/".to_owned()),
        Just(".".to_owned()),
        Just("..".to_owned()),
        Just("\\".to_owned()),
        Just("%".to_owned()),
        Just("%2e".to_owned()),
        Just("%252f".to_owned()),
        Just("%5C".to_owned()),
        Just("~1".to_owned()),
        Just(":$".to_owned()),
        Just("C:".to_owned()),
        Just(" ".to_owned()),
        Just("\0".to_owned()),
        Just("\u{200c}".to_owned()),
        Just(".git".to_owned()),
        Just("Private".to_owned()),
        Just("Café".to_owned()),
        Just("Cafe\u{301}".to_owned()),
        Just(".md".to_owned()),
        "[a-zA-Z0-9]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn policy() -> VaultPolicy {
    VaultPolicy::new(
        Vec::new(),
        &parse_prefixes("Private, a/Café").unwrap(),
        false,
    )
}

/// Percent-decodes once, where it can be done.
fn decode_once(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let escape = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = escape
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    decoded
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_024,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_parsed_path_keeps_its_bytes_and_is_in_plain_form(text in pathlike()) {
        if let Ok(path) = VaultPath::parse(&text) {
            prop_assert_eq!(path.as_str(), &text);
            let segments: Vec<&str> = path.segments().collect();
            prop_assert_eq!(segments.join("/"), text.clone());
            for segment in segments {
                prop_assert!(!matches!(segment, "" | "." | ".."));
            }
            let plain = !text.contains(|c: char| c.is_control() || c == '\\');
            prop_assert!(plain);
        }
    }

    #[test]
    fn no_number_of_decodings_makes_a_parsed_path_climb(text in pathlike()) {
        if VaultPath::parse(&text).is_ok() {
            let mut text = text;
            for _ in 0..8 {
                let decoded = String::from_utf8_lossy(&decode_once(&text)).into_owned();
                prop_assert!(!decoded.split(['/', '\\']).any(|s| matches!(s, "." | "..")));
                prop_assert!(!decoded.starts_with(['/', '\\']) && !decoded.contains('\0'));
                text = decoded;
            }
        }
    }

    #[test]
    fn a_folder_parses_where_a_file_in_it_does(text in pathlike()) {
        let file = VaultPath::parse(&format!("{text}/a.md"));
        let folder = DirPath::parse(&text);
        if let Ok(file) = file {
            prop_assert_eq!(folder.as_ref(), Ok(&file.parent()));
            prop_assert_eq!(file.parent().strip(file.as_str()), Some("a.md"));
        }
    }

    #[test]
    fn folding_is_stable_and_blind_to_case_and_normalization(text in any::<String>()) {
        use unicode_normalization::UnicodeNormalization;
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded.clone());
        prop_assert_eq!(fold(&text.nfc().collect::<String>()), folded.clone());
        prop_assert_eq!(fold(&text.nfd().collect::<String>()), folded.clone());
        prop_assert_eq!(folded.matches('/').count(), text.matches('/').count());
    }

    #[test]
    fn folding_is_blind_to_the_case_of_letters_with_simple_case(text in "[a-zà-öø-þα-ωа-яա-ֆ/. ]*") {
        prop_assert_eq!(fold(&text.to_uppercase()), fold(&text.to_lowercase()));
    }

    #[test]
    fn what_is_visible_is_a_note_without_a_hidden_segment(text in pathlike()) {
        let policy = policy();
        if let Some(visible) = policy.admit(&text) {
            prop_assert_eq!(visible.as_str(), &text);
            prop_assert!(text.to_lowercase().ends_with(".md") || text.to_lowercase().ends_with(".markdown"));
            prop_assert!(!text.split('/').any(|segment| segment.starts_with('.')));
            prop_assert!(!text.to_lowercase().starts_with("private/"));
            // Every folder above a visible note may be listed.
            let above = std::iter::successors(Some(visible.path().parent()), DirPath::parent);
            for folder in above {
                prop_assert_eq!(policy.dir(&folder), Ok(()), "{}", folder);
            }
        }
    }

    #[test]
    fn every_right_needs_the_lesser_one(text in pathlike()) {
        let policy = policy();
        let Ok(path) = VaultPath::parse(&text) else { return Ok(()) };
        let (read, write, create) =
            (policy.read(&path), policy.write(&path), policy.create(&path));
        prop_assert!(write.is_err() || read.is_ok());
        prop_assert!(create.is_err() || write.is_ok());
        if let (Ok(visible), Ok(writable)) = (&read, &write) {
            prop_assert_eq!(writable.visible(), visible);
        }
    }

    #[test]
    fn denying_more_never_shows_more(text in pathlike()) {
        let open = VaultPolicy::new(Vec::new(), &[], false);
        prop_assert!(policy().admit(&text).is_none() || open.admit(&text).is_some());
    }

    #[test]
    fn twins_of_a_denied_path_are_denied(text in pathlike()) {
        use unicode_normalization::UnicodeNormalization;
        let denied = format!("Private/{text}");
        let policy = policy();
        for twin in [
            denied.to_uppercase(),
            denied.to_lowercase(),
            denied.nfc().collect(),
            denied.nfd().collect(),
        ] {
            prop_assert!(policy.admit(&twin).is_none(), "{:?}", twin);
        }
    }
}
