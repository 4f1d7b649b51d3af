//! Hidden notes leave no trace in the object's database: not a row, not a word, not a count.

use vault_mcp::{
    runtime::{Sql, SqlValue},
    vault::{
        policy::{VaultPolicy, parse_prefixes},
        storage::{Indexed, OverviewQuery, VaultStorage},
    },
};
use vault_mcp_dev::SeedFile;

use crate::support::{
    index::AtIndex,
    storage::{Subject, run},
};

/// Words that only hidden notes have: in path, title, alias, heading, tag, property, link, text.
const SECRETS: [&str; 9] = [
    "hiddenpath",
    "hiddentitle",
    "hiddenalias",
    "hiddenheading",
    "hiddentag",
    "hiddenkey",
    "hiddenvalue",
    "hiddenlink",
    "hiddentext",
];

const HIDDEN: &str = "---\ntitle: hiddentitle\naliases: [hiddenalias]\ntags: [hiddentag]\n\
                      hiddenkey: hiddenvalue\n---\n# hiddenheading\n[[hiddenlink]] hiddentext ⁂⁂ 隠語\n";

fn denying() -> VaultPolicy {
    VaultPolicy::new(
        Vec::new(),
        &parse_prefixes("Private, .trash").unwrap(),
        false,
    )
}

/// Every value of every table, the words of the full-text index among them.
fn everything(sql: &dyn Sql) -> Vec<String> {
    sql.exec(
        "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5vocab(search, 'instance')",
        &[],
    )
    .unwrap();
    let mut values = Vec::new();
    for table in [
        "meta",
        "notes",
        "tags",
        "properties",
        "links",
        "search",
        "words",
        "obstacles",
        "writes",
    ] {
        for row in sql.exec(&format!("SELECT * FROM {table}"), &[]).unwrap() {
            values.extend(row.0.into_iter().map(|value| match value {
                SqlValue::Text(text) => text.to_lowercase(),
                SqlValue::Blob(bytes) => String::from_utf8_lossy(&bytes).to_lowercase(),
                SqlValue::Null | SqlValue::Integer(_) | SqlValue::Real(_) => String::new(),
            }));
        }
    }
    sql.exec("DROP TABLE words", &[]).unwrap();
    values
}

fn traces(sql: &dyn Sql) -> Vec<&'static str> {
    let values = everything(sql);
    let more = ["⁂", "隠語", "隠", "private"];
    SECRETS
        .into_iter()
        .chain(more)
        // The policy's own words stand in its fingerprint.
        .filter(|secret| values.iter().any(|value| value.contains(secret)))
        .collect()
}

fn seeds() -> Vec<SeedFile> {
    vec![
        SeedFile::regular("Open.md", "open text"),
        SeedFile::regular("Private/hiddenpath.md", HIDDEN),
        SeedFile::regular(".obsidian/hiddenpath.md", HIDDEN),
        SeedFile::regular("Open/.trash/hiddenpath.md", HIDDEN),
    ]
}

#[test]
fn a_hidden_note_leaves_no_trace_whenever_it_is_hidden() {
    run(async {
        let vault = AtIndex::built(seeds()).await;
        // So that the test can fail: an open policy shows all of it.
        let found = traces(&*vault.sql);
        for secret in SECRETS.into_iter().chain(["⁂", "隠語"]) {
            assert!(
                found.contains(&secret),
                "{secret} is not even in the open vault"
            );
        }
        let index = vault.reopened(denying());
        let allowed = ["private"];
        let left = |found: Vec<&'static str>| -> Vec<&'static str> {
            found
                .into_iter()
                .filter(|trace| !allowed.contains(trace))
                .collect()
        };
        assert_eq!(
            left(traces(&*vault.sql)),
            [""; 0],
            "after the policy changed"
        );
        index.work().await.unwrap();
        assert_eq!(
            left(traces(&*vault.sql)),
            [""; 0],
            "after it was built anew"
        );
        vault
            .push(&[
                ("Private/hiddenpath 2.md", Some(HIDDEN.as_bytes())),
                ("Open/.trash/hiddenpath.md", None),
            ])
            .await;
        let policy = denying();
        let query = OverviewQuery {
            sieve: &policy,
            named: &[],
        };
        let Indexed::Answer(overview) = index.overview(&query).await.unwrap() else {
            panic!("no overview");
        };
        assert_eq!(
            (overview.notes, overview.bytes, overview.distinct_tags),
            (1, 9, 0)
        );
        assert_eq!((overview.folders.len(), overview.tags.len()), (0, 0));
        assert_eq!(left(traces(&*vault.sql)), [""; 0], "after a push");
    });
}
