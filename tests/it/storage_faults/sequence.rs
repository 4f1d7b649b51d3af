//! One sequence of random operations.

use std::time::Duration;

use vault_mcp::vault::{
    VaultError,
    client::{
        DeleteRequest, FilterRequest, SearchMode, SearchRequest, WriteOutcome, WriteRequest,
        Written,
    },
    storage::Revision,
};
use vault_mcp_dev::SeedFile;

use crate::support::vaults::{all_of, create, overwrite};

use super::{
    ledger::{Fate, Ledger},
    weather::Weather,
    world::World,
};

/// How many operations a sequence has.
const OPERATIONS: u64 = 200;

/// The notes that it is about. The last one is left out of archives.
const PATHS: [&str; 9] = [
    "a.md",
    "b.md",
    "Folder/c.md",
    "Folder/deep/d.md",
    "new/e.md",
    "ü/f g#h?.md",
    "h.md",
    "i.md",
    "ignored.md",
];

#[derive(Clone, Copy, Debug)]
enum Operation {
    Create,
    Overwrite,
    OverwriteKnown,
    OverwriteStale,
    OverwriteSame,
    Delete,
    DeleteKnown,
    DeleteStale,
    Push,
    PushDeletion,
    Read,
    List,
    Search,
    Wait,
    Restart,
    Work,
}

use Operation as O;

const WEIGHTS: [(u64, Operation); 16] = [
    (14, O::Create),
    (18, O::Overwrite),
    (8, O::OverwriteKnown),
    (5, O::OverwriteStale),
    (3, O::OverwriteSame),
    (8, O::Delete),
    (4, O::DeleteKnown),
    (2, O::DeleteStale),
    (7, O::Push),
    (4, O::PushDeletion),
    (14, O::Read),
    (6, O::List),
    (5, O::Search),
    (10, O::Wait),
    (3, O::Restart),
    (4, O::Work),
];

/// Plays a sequence in which up to `at_once` of `weathers` are wrong at a time.
pub(super) async fn play(seed: u64, weathers: &[Weather], at_once: u64) -> (Ledger, usize) {
    let mut files = vec![
        SeedFile::regular("a.md", "the first a"),
        SeedFile::regular("Folder/c.md", "the first c"),
        SeedFile::regular("ignored.md", "the first ignored"),
        SeedFile::regular(".gitattributes", "ignored.md export-ignore\n"),
        SeedFile::regular("picture.png", [137, 80, 78, 71]),
    ];
    if seed % 5 == 4 {
        files.clear();
    }
    let world = World::start(seed, files).await;
    for number in 0..OPERATIONS {
        if world.chance.one_in(6) {
            // Half of the time all is well, so that something gets done.
            let count = if world.chance.one_in(2) {
                0
            } else {
                1 + world.chance.below(at_once)
            };
            let some = (0..count).map(|_| *world.chance.pick(weathers));
            world.change_weather(some.collect());
        }
        world.end_lag();
        let operation = world.chance.weighted(&WEIGHTS);
        let path = *world.chance.pick(&PATHS);
        // Shown where the test fails.
        println!("{number}: {operation:?} {path}, {}", world.report());
        step(&world, number, operation, path).await;
        // Late requests are those of one operation: GitHub gives up after ten seconds.
        world.http.deliver_all().await;
    }
    world.end().await
}

async fn step(world: &World, number: u64, operation: Operation, path: &str) {
    let text = format!("text{number}x of {path}\n");
    let held = world.ledger.borrow().text(path).map(str::to_owned);
    let known = world.ledger.borrow().revision(path);
    let stale = Revision::of(b"a text that no note ever had");
    let change = Write {
        number,
        path,
        text: &text,
        request: overwrite,
        expected: None,
    };
    let expecting = |expected| Write { expected, ..change };
    match operation {
        O::Create => {
            let request = create;
            write(world, Write { request, ..change }).await;
        }
        O::Overwrite => write(world, change).await,
        O::OverwriteKnown => {
            write(world, expecting(known.as_ref())).await;
        }
        O::OverwriteStale => {
            write(world, expecting(Some(&stale))).await;
        }
        O::OverwriteSame => {
            let text = held.as_deref().unwrap_or(&text);
            write(world, Write { text, ..change }).await;
        }
        O::Delete => delete(world, number, path, None).await,
        O::DeleteKnown => delete(world, number, path, known.as_ref()).await,
        O::DeleteStale => delete(world, number, path, Some(&stale)).await,
        O::Push => world.push(path, Some(&format!("pushed {text}"))).await,
        O::PushDeletion if held.is_some() => world.push(path, None).await,
        O::PushDeletion => {}
        O::Read => read(world, path).await,
        O::List => list(world).await,
        O::Search => search(world, path).await,
        O::Wait => {
            let seconds = world.chance.below(90);
            world.clock.advance(Duration::from_secs(seconds));
        }
        O::Restart => world.restart(),
        // Why work cannot be done is for the log; it is tried again.
        O::Work => drop(world.index().work().await),
    }
}

#[derive(Clone, Copy)]
struct Write<'a> {
    number: u64,
    path: &'a str,
    text: &'a str,
    request: for<'r> fn(&'r str, &'r str) -> WriteRequest<'r>,
    expected: Option<&'a Revision>,
}

async fn write(world: &World, write: Write<'_>) {
    let message = format!("change {}", write.number);
    let request = WriteRequest {
        expected_revision: write.expected.map(Revision::as_str),
        message: Some(&message),
        ..(write.request)(write.path, write.text)
    };
    let made = world.client().write(&request).await;
    match made {
        Ok(written) => take_written(&mut world.ledger.borrow_mut(), &write, written),
        Err(error) => fail(world, write.number, write.path, Some(write.text), &error).await,
    }
}

fn take_written(ledger: &mut Ledger, write: &Write<'_>, written: Written) {
    let Write {
        number, path, text, ..
    } = *write;
    assert_eq!(written.path.as_str(), path);
    let held = ledger.revision(path);
    match written.outcome {
        WriteOutcome::Unchanged { .. } => {
            let there = Revision::of(text.as_bytes());
            assert!(ledger.may_show(path, Some(&there)), "{number}: unchanged");
            ledger.settle(number, Fate::Refused);
            return;
        }
        WriteOutcome::Planned { .. } => panic!("{number}: it was to be done"),
        WriteOutcome::Created(committed) => {
            assert_eq!(
                held, None,
                "{number}: {path} was there, and is said to be new"
            );
            assert_eq!(write.expected, None, "{number}: a missing note is no match");
            ledger.settle(number, Fate::Acknowledged(committed.commit));
        }
        WriteOutcome::Replaced {
            committed,
            replaced,
        } => {
            if let Some(held) = held {
                assert_eq!(replaced.revision, held, "{number}: what was replaced");
            }
            if let Some(expected) = write.expected {
                assert_eq!(replaced.revision, *expected, "{number}: what was expected");
            }
            ledger.settle(number, Fate::Acknowledged(committed.commit));
        }
    }
    ledger.record_acknowledged(path, Some(text));
}

async fn delete(world: &World, number: u64, path: &str, expected: Option<&Revision>) {
    let message = format!("change {number}");
    let request = DeleteRequest {
        path,
        expected_revision: expected.map(Revision::as_str),
        message: Some(&message),
    };
    let deleted = world.client().delete(&request).await;
    match deleted {
        Ok(deleted) => {
            let mut ledger = world.ledger.borrow_mut();
            let fate = match ledger.revision(path) {
                Some(held) => {
                    assert_eq!(deleted.replaced.revision, held, "{number}");
                    Fate::Acknowledged(deleted.committed.commit)
                }
                None => Fate::MadeBefore,
            };
            ledger.settle(number, fate);
            ledger.record_acknowledged(path, None);
        }
        Err(error) => fail(world, number, path, None, &error).await,
    }
}

/// A change that was not acknowledged.
async fn fail(world: &World, number: u64, path: &str, text: Option<&str>, error: &VaultError) {
    world.hear(error);
    let unknown = matches!(
        error,
        VaultError::UpstreamUnavailable {
            outcome_unknown: true,
            ..
        }
    );
    if !unknown {
        world.ledger.borrow_mut().settle(number, Fate::Refused);
        return;
    }
    world.http.deliver_all().await;
    let is_made = world
        .own_commits()
        .iter()
        .any(|(change, _)| *change == number);
    let mut ledger = world.ledger.borrow_mut();
    ledger.settle(number, Fate::Unknown);
    if is_made {
        ledger.record(path, text);
    }
}

async fn read(world: &World, path: &str) {
    let found = match world.client().read(path, None).await {
        Ok(note) => Some(Revision::of(note.text.as_bytes())),
        Err(VaultError::NotFound { .. }) => None,
        Err(error) => return world.hear(&error),
    };
    let ledger = world.ledger.borrow();
    assert!(
        ledger.may_show(path, found.as_ref()),
        "{path} is read as {found:?}, which it is not since the last change: {ledger:?}"
    );
}

async fn list(world: &World) {
    let page = match world.client().list(&all_of("")).await {
        Ok(page) => page,
        Err(error) => return world.hear(&error),
    };
    let ledger = world.ledger.borrow();
    let listed = |path: &str| {
        let mut notes = page.notes.iter();
        notes.find(|note| note.path.as_str() == path)
    };
    for path in ledger.paths() {
        let found = listed(path).map(|note| &note.revision);
        assert!(
            ledger.may_show(path, found),
            "{path} is listed as {found:?}, which it is not since the last change: {ledger:?}"
        );
    }
    for note in &page.notes {
        let path = note.path.as_str();
        assert!(ledger.paths().contains(path), "{path} is invented");
    }
}

async fn search(world: &World, path: &str) {
    let Some(needle) = world.ledger.borrow().text(path).and_then(|text| {
        let mut words = text.split_whitespace();
        words
            .find(|word| word.starts_with("text"))
            .map(str::to_owned)
    }) else {
        return;
    };
    let request = SearchRequest {
        query: &needle,
        mode: SearchMode::Text,
        dir: "",
        filter: FilterRequest::default(),
        limit: 20,
        cursor: None,
    };
    let found = match world.client().search(&request).await {
        Ok(found) => found,
        Err(error) => return world.hear(&error),
    };
    let ledger = world.ledger.borrow();
    let hits: Vec<_> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert!(
        hits.iter().all(|hit| *hit == path),
        "{needle} is in {path} alone, and found in {hits:?}"
    );
    // An index that is being built answers otherwise: what it finds is all there is.
    if ledger.is_known(path) {
        assert_eq!(hits, [path], "{needle} must be found");
    }
}
