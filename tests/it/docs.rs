//! What is written beside the code agrees with it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use vault_mcp::{
    config::{Config, Environment, KEYS},
    mcp::tools::ToolName,
};

use crate::support::{
    docs::{EXAMPLE, README, WRANGLER, example_defaults, example_variables},
    docs_tests::assert_rows_name_tests,
};

struct Variables(BTreeMap<String, String>);

impl Environment for Variables {
    fn get(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }
}

/// Each key is listed once, set or in a comment, and each that is listed is read.
#[test]
fn the_example_lists_every_key() {
    let listed: Vec<String> = example_variables()
        .into_iter()
        .chain(example_defaults())
        .map(|(key, _)| key)
        .collect();
    let unique: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), listed.len(), "a key is listed twice");
    let read: BTreeSet<&str> = KEYS.iter().copied().collect();
    let not_listed: Vec<_> = read.difference(&unique).collect();
    let not_read: Vec<_> = unique.difference(&read).collect();
    assert!(not_listed.is_empty(), "read and not listed: {not_listed:?}");
    assert!(not_read.is_empty(), "listed and not read: {not_read:?}");
}

/// A default that a comment shows is what happens where the key is left out.
#[test]
fn the_defaults_that_the_example_shows_are_the_defaults() {
    let read = |variables: BTreeMap<String, String>| {
        format!("{:?}", Config::read(&Variables(variables)).unwrap())
    };
    let bare: BTreeMap<String, String> = example_variables().into_iter().collect();
    let mut count = 0;
    for (key, value) in example_defaults().into_iter().filter(|(_, value)| {
        // An ellipsis stands for what only the reader can know.
        !value.is_empty() && !value.contains('…')
    }) {
        let mut spelled_out = bare.clone();
        spelled_out.insert(key.clone(), value);
        assert_eq!(read(spelled_out), read(bare.clone()), "{key}");
        count += 1;
    }
    assert!(count >= 6, "{count} defaults");
}

#[test]
fn every_key_is_explained() {
    let mut explained = false;
    for line in EXAMPLE.lines() {
        let assigns = KEYS.iter().any(|key| {
            line.trim_start_matches("# ")
                .starts_with(&format!("{key}="))
        });
        if assigns {
            assert!(explained, "{line} stands without a word");
        } else {
            // A comment explains the keys below it, up to the next empty line.
            explained = line.starts_with("# ") || (explained && !line.is_empty());
        }
    }
}

#[test]
fn the_readme_has_a_row_for_every_tool_and_no_other() {
    let (_, section) = README
        .split_once("\n## Tools\n")
        .expect("a section on tools");
    let section = section.split("\n## ").next().unwrap();
    let named: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, _)| name)
        .collect();
    let tools: Vec<&str> = ToolName::ALL.into_iter().map(ToolName::as_str).collect();
    assert_eq!(named, tools);
}

/// Whoever reads the documentation copies its values.
#[test]
fn the_secrets_of_the_example_are_nobodys() {
    for (key, value) in example_variables() {
        let secret = ["SECRET", "KEY", "TOKEN"]
            .iter()
            .any(|word| key.ends_with(word));
        if secret {
            let says_so = ["local", "LOCAL", "example"]
                .iter()
                .any(|word| value.contains(word));
            assert!(says_so, "{key} does not say that it is an example");
        }
        for host in value
            .split_whitespace()
            .filter_map(|part| part.split_once("://"))
        {
            assert!(host.1.starts_with("localhost"), "{key} names a host");
        }
    }
    for (key, value) in example_defaults() {
        assert!(!key.ends_with("SECRET") || value.is_empty(), "{key}");
    }
}

/// A deployment's own values come as secrets and variables.
#[test]
fn wrangler_toml_names_nobody_and_keeps_its_promises() {
    let settings: Vec<&str> = WRANGLER
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    for never in [
        "account_id",
        "[vars]",
        "routes",
        "route ",
        "zone",
        "kv_namespaces",
    ] {
        let found = settings.iter().find(|line| line.starts_with(never));
        assert_eq!(found, None);
    }
    for key in KEYS {
        assert!(!settings.iter().any(|line| line.contains(key)), "{key}");
    }
    for always in [
        "preview_urls = false",
        "invocation_logs = false",
        "compatibility_flags = [\"global_fetch_strictly_public\"]",
    ] {
        assert!(settings.contains(&always), "{always}");
    }
    assert!(
        !WRANGLER.contains("new_classes"),
        "objects are on SQLite from the start"
    );
}

/// The shapes of GitHub's tokens, of private keys, and of our own tokens.
#[test]
fn no_document_holds_a_secret() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut documents = vec![
        ("README.md".to_owned(), README.to_owned()),
        (".dev.vars.example".to_owned(), EXAMPLE.to_owned()),
        ("wrangler.toml".to_owned(), WRANGLER.to_owned()),
    ];
    for folder in ["", "docs", "docs/decisions"] {
        for entry in fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                let text = fs::read_to_string(format!("{root}/{folder}/{name}")).unwrap();
                documents.push((name, text));
            }
        }
    }
    assert!(documents.len() > 8, "{}", documents.len());
    for (name, text) in &documents {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let token = [
                "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "vmcp_at_", "vmcp_rt_",
            ]
            .iter()
            .any(|start| word.starts_with(start) && word.len() > 20);
            assert!(!token, "{name}: {word}");
            let fine_grained = word.starts_with("github_pat_") && word.len() > 20;
            assert!(!fine_grained || word.contains("LOCAL"), "{name}: {word}");
        }
        assert!(!text.contains("PRIVATE KEY-----"), "{name}");
    }
}

/// The sections that other documents and error texts send people to.
#[test]
fn links_between_documents_lead_somewhere() {
    let root = env!("CARGO_MANIFEST_DIR");
    for (_, rest) in README
        .match_indices("](")
        .map(|(at, _)| README.split_at(at + 2))
    {
        let target = rest.split(')').next().unwrap();
        if target.contains("://") || target.starts_with('#') {
            continue;
        }
        let file = target.split('#').next().unwrap();
        assert!(fs::exists(format!("{root}/{file}")).unwrap(), "{target}");
    }
}

#[test]
fn every_known_failure_names_the_tests_that_would_catch_it() {
    assert_rows_name_tests("known-failures.md", 40);
}

/// What was seen of a client says nothing of another version of it.
#[test]
fn the_clients_are_those_that_are_pinned() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |file: &str| fs::read_to_string(format!("{root}/{file}")).unwrap();
    let document = read("docs/clients.md");
    let row = |name: &str| {
        let names = |line: &&str| line.starts_with(&format!("| {name}"));
        let found = document.lines().find(names);
        found.unwrap_or_else(|| panic!("no row for {name}"))
    };
    let npm = |file: &str, package: &str| {
        let manifest: serde_json::Value = serde_json::from_str(&read(file)).unwrap();
        ["dependencies", "devDependencies"]
            .iter()
            .find_map(|kind| manifest[kind][package].as_str().map(str::to_owned))
            .unwrap_or_else(|| panic!("{package} is not in {file}"))
    };
    let python = |file: &str, package: &str| {
        let pinned = format!("\n{package}==");
        let text = read(file);
        let (_, version) = text.split_once(&pinned).unwrap();
        version.trim().to_owned()
    };
    let locked = |package: &str| {
        let text = read("Cargo.lock");
        let (_, rest) = text
            .split_once(&format!("name = \"{package}\"\nversion = \""))
            .unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let (own, further) = ("package.json", "tests/clients/package.json");
    for (client, version) in [
        ("Claude Code |", npm(own, "@anthropic-ai/claude-code")),
        ("Claude Code, by", npm(own, "@anthropic-ai/claude-code")),
        ("Codex, by", npm(further, "@openai/codex")),
        ("opencode |", npm(further, "opencode-ai")),
        ("mcp-remote |", npm(further, "mcp-remote")),
        (
            "TypeScript SDK v1 |",
            npm(further, "@modelcontextprotocol/sdk"),
        ),
        (
            "TypeScript SDK v2 |",
            npm(own, "@modelcontextprotocol/client"),
        ),
        (
            "MCP Inspector |",
            npm(own, "@modelcontextprotocol/inspector"),
        ),
        (
            "the official conformance suite |",
            npm(own, "@modelcontextprotocol/conformance"),
        ),
        (
            "Python SDK |",
            python("tests/e2e/python/requirements.in", "mcp"),
        ),
        (
            "fastmcp |",
            python("tests/clients/requirements.in", "fastmcp"),
        ),
        ("rmcp |", locked("rmcp")),
    ] {
        let row = row(client);
        assert!(row.contains(&format!("| {version} |")), "{version}: {row}");
    }
}

/// What stands in front of a server can stop claude.ai without a trace in its log.
#[test]
fn h2_the_documents_say_what_must_pass_an_edge() {
    let root = env!("CARGO_MANIFEST_DIR");
    let operations = fs::read_to_string(format!("{root}/docs/operations.md")).unwrap();
    for word in [
        "Block AI bots",
        "Bot Fight Mode",
        "Access",
        "WAF",
        "Claude-User",
        "python-httpx",
        "160.79.104.0/21",
        "/mcp",
        "/token",
        "/register",
        "/authorize",
        "/.well-known/*",
        "A record",
    ] {
        assert!(operations.contains(word), "{word}");
    }
}
