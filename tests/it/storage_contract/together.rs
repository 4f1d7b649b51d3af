//! Several notes at once, and the links between them.

use vault_mcp::vault::{
    policy::{VaultPolicy, Visible, parse_prefixes},
    storage::{
        CommitId, ENOUGH_BYTES, Indexed, LinkQuery, LinkedNote, Links, StorageError, VaultStorage,
    },
};

use super::{Start, note};
use crate::support::storage::{info, list, open_policy, visible, writable};

fn all_visible(paths: &[&str]) -> Vec<Visible> {
    paths.iter().map(|path| visible(path)).collect()
}

/// What each path holds, or the twins that it has; and the commits at which that was.
async fn texts(
    storage: &dyn VaultStorage,
    paths: &[&str],
    at: Option<&CommitId>,
) -> (Vec<String>, Vec<Option<CommitId>>) {
    let policy = open_policy();
    let lookups = storage
        .read_together(&policy, &all_visible(paths), at)
        .await;
    let lookups = lookups.unwrap().into_iter().map(Result::unwrap);
    let text = |lookup: vault_mcp::vault::storage::Lookup| {
        let text = lookup.note.map_or_else(
            || {
                format!(
                    "{:?}",
                    lookup.twins.iter().map(Visible::as_str).collect::<Vec<_>>()
                )
            },
            |note| String::from_utf8(note.content).unwrap(),
        );
        (text, lookup.commit)
    };
    lookups.map(text).unzip()
}

pub(super) async fn several_notes_are_read_at_one_commit(start: impl Start) {
    let vault = start(vec![
        note("a.md", "one"),
        note("b.md", ""),
        note("dir/C.md", "three"),
    ])
    .await;
    let storage = vault.storage();
    let first = list(storage, "", None).await.unwrap().commit;
    let paths = ["dir/c.md", "a.md", "nowhere.md", "b.md", "a.md"];
    let (found, commits) = texts(storage, &paths, None).await;
    assert_eq!(found, ["[\"dir/C.md\"]", "one", "[]", "", "one"]);
    assert_eq!(commits, vec![first.clone(); 5]);

    vault.push(&[("a.md", Some(b"two")), ("b.md", None)]).await;
    let second = list(storage, "", None).await.unwrap().commit;
    let (found, commits) = texts(storage, &["a.md", "b.md"], None).await;
    assert_eq!(found, ["two", "[]"]);
    assert_eq!(commits, vec![second.clone(); 2]);
    // As they were, the deleted one too.
    let (found, commits) = texts(storage, &["b.md", "a.md"], first.as_ref()).await;
    assert_eq!(found, ["", "one"]);
    assert_eq!(commits, vec![first; 2]);
    let (found, _) = texts(storage, &["a.md"], second.as_ref()).await;
    assert_eq!(found, ["two"]);

    let elsewhere = CommitId::parse(&"ab".repeat(20)).unwrap();
    let unknown = storage
        .read_together(&open_policy(), &all_visible(&["a.md"]), Some(&elsewhere))
        .await;
    assert_eq!(unknown.unwrap_err(), StorageError::UnknownCommit);
    let none = storage.read_together(&open_policy(), &[], None).await;
    assert_eq!(none.unwrap(), []);
}

pub(super) async fn several_notes_are_read_until_they_are_enough(start: impl Start) {
    let large = vec![b'x'; ENOUGH_BYTES];
    let vault = start(vec![note("large.md", large), note("small.md", "s")]).await;
    let storage = vault.storage();
    for (paths, read) in [
        (&["large.md", "small.md", "small.md"][..], 1),
        (&["small.md", "large.md", "small.md"], 2),
        (&["small.md", "nowhere.md", "small.md"], 3),
    ] {
        let (found, _) = texts(storage, paths, None).await;
        assert_eq!(found.len(), read, "{paths:?}");
    }
}

async fn links(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    notes: &[(&str, &[&str])],
    backlinks: usize,
) -> Option<Links> {
    let notes = notes.iter().map(|(path, targets)| LinkedNote {
        path: visible(path),
        targets: targets.iter().map(ToString::to_string).collect(),
    });
    let query = LinkQuery {
        sieve: policy,
        notes: &notes.collect::<Vec<_>>(),
        backlinks,
    };
    match storage.links(&query).await.unwrap() {
        Indexed::Answer(links) => Some(links),
        Indexed::Building(_) => None,
    }
}

/// The notes that link to each, with the line of the first link.
fn backlinks(links: &Links) -> Vec<(usize, Vec<(&str, usize)>)> {
    let of = |note: &vault_mcp::vault::storage::NoteLinks| note.backlinks_total;
    links
        .notes
        .iter()
        .map(|note| {
            let each = note.backlinks.iter();
            (of(note), each.map(|b| (b.path.as_str(), b.line)).collect())
        })
        .collect()
}

pub(super) async fn links_lead_where_obsidian_takes_them(start: impl Start) {
    let vault = start(vec![
        note(
            "Index.md",
            "---\nup: '[[Boat]]'\n---\n[[Projects/Boat]] [[Index]] [[Boat#Sails|sails]]\n",
        ),
        note("Boat.md", "[p](Projects/Boat.md)\n"),
        note("Projects/Boat.md", "a boat"),
        note(
            "Projects/List.md",
            "x\n\n- [[Boat]], again [[Boat]]\n- ![[boat.md]]\n- [up](../Boat.md)\n",
        ),
        note("Areas/Plain.md", "[b](../Projects/Boat.md#x) `[[Boat]]`\n"),
        note("Projects/photo.png", "no note"),
        note(".hidden/Secret.md", "[[Projects/Boat]] [[Boat]]"),
        note("latin.md", b"[[Boat]] \xe9".to_vec()),
    ])
    .await;
    let storage = vault.storage();
    let policy = open_policy();
    let both: [(&str, &[&str]); 2] = [
        (
            "Projects/Boat.md",
            &["Boat", "photo.png", "Secret", ".hidden/Secret", "../index"],
        ),
        ("Boat.md", &[]),
    ];
    let Some(found) = links(storage, &policy, &both, 10).await else {
        // The backend that keeps nothing.
        assert!(!vault.knows_links(), "no answer about links");
        return;
    };
    assert_eq!(found.commit, list(storage, "", None).await.unwrap().commit);
    let resolved = |number: usize| -> Vec<Option<&str>> {
        let resolved = found.notes[number].resolved.iter();
        resolved
            .map(|path| path.as_ref().map(Visible::as_str))
            .collect()
    };
    // The whole path comes before what is near.
    assert_eq!(
        resolved(0),
        [Some("Boat.md"), None, None, None, Some("Index.md")]
    );
    assert_eq!(resolved(1), []);
    assert_eq!(
        backlinks(&found),
        [
            (
                3,
                vec![("Areas/Plain.md", 1), ("Boat.md", 1), ("Index.md", 4)]
            ),
            (2, vec![("Index.md", 2), ("Projects/List.md", 3)]),
        ]
    );
    let first = links(storage, &policy, &both, 1).await.unwrap();
    let totals: Vec<_> = first
        .notes
        .iter()
        .map(|note| (note.backlinks_total, note.backlinks.len()))
        .collect();
    assert_eq!(totals, [(3, 1), (2, 1)]);
    let none = links(storage, &policy, &both, 0).await.unwrap();
    assert_eq!(none.notes[0].backlinks_total, 0);

    // What a change makes of it is known at once.
    storage
        .create(
            &policy,
            &writable("New.md"),
            b"\n[[Projects/Boat]]",
            &info("x"),
        )
        .await
        .unwrap();
    vault.push(&[("Boat.md", None)]).await;
    let found = links(storage, &policy, &both[..1], 10).await.unwrap();
    assert_eq!(
        found.notes[0].resolved[0].as_ref().map(Visible::as_str),
        Some("Projects/Boat.md")
    );
    let (total, linking) = backlinks(&found).remove(0);
    assert_eq!(total, 4, "{linking:?}");
    assert!(linking.contains(&("New.md", 2)) && linking.contains(&("Index.md", 2)));
    let denied = parse_prefixes("New.md").unwrap();
    let narrow = VaultPolicy::new(Vec::new(), &denied, false);
    let found = links(storage, &narrow, &both[..1], 10).await.unwrap();
    assert!(!backlinks(&found)[0].1.contains(&("New.md", 2)));
}
