//! A real vault, where `VAULT_MCP_REAL_VAULT` names its folder. What is found there is held to the
//! folder itself, so that any vault will do.

use std::{collections::BTreeMap, fs, path::Path, rc::Rc};

use vault_mcp::{
    login::allowlist::Access,
    vault::{
        path::VaultPath,
        policy::{VaultPolicy, parse_prefixes},
        text::{Document, Query, fold, search},
    },
};

use crate::support::vaults::{Vault, all_of, vault};

/// The Markdown files of the vault, by path.
fn notes() -> BTreeMap<String, Vec<u8>> {
    let root = std::env::var("VAULT_MCP_REAL_VAULT").expect("set VAULT_MCP_REAL_VAULT=DIR");
    let mut notes = BTreeMap::new();
    collect(Path::new(&root), "", &mut notes);
    assert!(!notes.is_empty(), "{root} holds no notes");
    notes
}

fn collect(folder: &Path, prefix: &str, notes: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{path}/"), notes);
        } else if path.to_lowercase().ends_with(".md") {
            notes.insert(path, fs::read(entry.path()).unwrap());
        }
    }
}

fn in_memory(notes: &BTreeMap<String, Vec<u8>>) -> Rc<Vault> {
    let notes: Vec<(&str, &[u8])> = notes
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    vault(&notes)
}

#[tokio::test]
#[ignore = "set VAULT_MCP_REAL_VAULT=DIR"]
async fn all_is_listed_but_what_lies_under_a_dot() {
    let notes = notes();
    let client = in_memory(&notes).client_under("", "", Access::ReadOnly);
    let visible: Vec<&String> = notes
        .keys()
        .filter(|path| !path.split('/').any(|segment| segment.starts_with('.')))
        .collect();
    let mut listed = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut request = all_of("");
        request.cursor = cursor.as_deref();
        let page = client.list(&request).await.unwrap();
        assert_eq!(page.total, visible.len());
        listed.extend(page.notes.into_iter().map(|note| String::from(note.path)));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(listed.iter().collect::<Vec<_>>(), visible);
}

#[test]
#[ignore = "set VAULT_MCP_REAL_VAULT=DIR"]
fn all_that_is_visible_is_writable_but_instructions_for_agents() {
    let policy = VaultPolicy::new(Vec::new(), &parse_prefixes("").unwrap(), false);
    let unwritable: Vec<String> = notes()
        .into_keys()
        .filter(|path| {
            let path = VaultPath::parse(path).unwrap();
            policy.read(&path).is_ok() && policy.write(&path).is_err()
        })
        .collect();
    for path in &unwritable {
        let name = path.rsplit('/').next().unwrap().to_lowercase();
        assert!(
            ["agents.md", "claude.md", "gemini.md"].contains(&name.as_str()),
            "{path}"
        );
    }
}

#[test]
#[ignore = "set VAULT_MCP_REAL_VAULT=DIR"]
fn every_note_is_found_by_its_longest_line() {
    let notes: Vec<(VaultPath, String)> = notes()
        .into_iter()
        .filter_map(|(path, bytes)| {
            Some((
                VaultPath::parse(&path).ok()?,
                String::from_utf8(bytes).ok()?,
            ))
        })
        .collect();
    // Every language in turn, without looking at every note for every note.
    for (path, text) in notes.iter().step_by(97) {
        let Some(line) = text.lines().max_by_key(|line| line.len()) else {
            continue;
        };
        let words: Vec<&str> = line.split_whitespace().take(12).collect();
        let quoted = words.join(" ").replace(['"', '“', '”'], " ");
        let Ok(query) = Query::parse(&format!("\"{quoted}\"")) else {
            continue;
        };
        let found = search(&query, [Document { path, text }]);
        assert_eq!(found.len(), 1, "{path}: {quoted}");
        let excerpt = found[0].excerpt.as_ref().unwrap();
        let shown = text.lines().nth(excerpt.line - 1).unwrap();
        let first = fold(words[0].trim_matches(['"', '“', '”']));
        assert!(
            fold(shown).contains(&first),
            "{path}: line {}",
            excerpt.line
        );
    }
}
