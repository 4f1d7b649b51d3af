use super::{Denied, VaultPolicy, parse_prefixes};
use crate::vault::{
    path::{DirPath, VaultPath},
    storage::Sieve,
};

fn policy(allowed: &str, denied: &str) -> VaultPolicy {
    let allowed = parse_prefixes(allowed).unwrap();
    VaultPolicy::new(allowed, &parse_prefixes(denied).unwrap(), false)
}

fn path(text: &str) -> VaultPath {
    VaultPath::parse(text).unwrap()
}

fn shows(policy: &VaultPolicy, text: &str) -> bool {
    policy.read(&path(text)).is_ok()
}

#[test]
fn only_notes_in_any_letter_case() {
    let policy = policy("", "");
    for note in [
        "a.md",
        "a.MD",
        "a.Md",
        "a.markdown",
        "a.MARKDOWN",
        "a.b.md",
        "a/b.md",
    ] {
        assert!(shows(&policy, note), "{note}");
    }
    for other in [
        "a", "md", "a.txt", "a.md.txt", "a.md ", "a.md.", "a.mdx", "a.canvas", "a.ＭＤ",
    ] {
        assert_eq!(policy.read(&path(other)), Err(Denied::NotANote), "{other}");
    }
    assert_eq!(
        policy.read(&path("a.mar\u{212a}down")),
        Err(Denied::NotANote)
    );
}

#[test]
fn no_allowed_prefix_is_the_whole_vault() {
    let policy = VaultPolicy::new(Vec::new(), &[], false);
    assert!(shows(&policy, "a.md") && shows(&policy, "a/b.md"));
    assert_eq!(policy.dir(&DirPath::root()), Ok(()));
    let root = VaultPolicy::new(vec![DirPath::root()], &[], false);
    assert_eq!(policy.fingerprint(), root.fingerprint());
}

#[test]
fn allowed_prefixes_compare_exactly_and_by_whole_segments() {
    let policy = policy("Projects, Notes/2026.md", "");
    assert!(shows(&policy, "Projects/a.md") && shows(&policy, "Projects/b/c.md"));
    assert!(shows(&policy, "Notes/2026.md"));
    for hidden in [
        "projects/a.md",
        "Projects2/a.md",
        "Projects.md",
        "Notes/2027.md",
        "a.md",
        "x/Projects/a.md",
    ] {
        assert!(!shows(&policy, hidden), "{hidden}");
    }
}

#[test]
fn denied_prefixes_win_in_every_spelling() {
    let policy = policy("Projects", "Projects/Privé");
    assert!(shows(&policy, "Projects/Privées/a.md"));
    for hidden in [
        "Projects/Privé/a.md",
        "Projects/privé/a.md",
        "Projects/PRIVÉ/b/c.md",
        "Projects/Prive\u{301}/a.md",
    ] {
        assert!(!shows(&policy, hidden), "{hidden}");
    }
    assert_eq!(
        policy.dir(&DirPath::parse("Projects/PRIVE\u{301}").unwrap()),
        Err(Denied::Hidden)
    );
}

#[test]
fn a_denied_root_shows_nothing() {
    let policy = VaultPolicy::new(vec![DirPath::root()], &[DirPath::root()], false);
    assert!(!shows(&policy, "a.md"));
    assert_eq!(policy.dir(&DirPath::root()), Err(Denied::Hidden));
}

#[test]
fn folders_above_and_below_an_allowed_prefix_may_be_listed() {
    let policy = policy("Projects/Work", "Projects/Work/Private");
    for dir in ["", "Projects", "Projects/Work", "Projects/Work/Deep"] {
        assert_eq!(policy.dir(&DirPath::parse(dir).unwrap()), Ok(()), "{dir}");
    }
    for dir in [
        "Daily",
        "Projects/Other",
        "projects",
        "Projects/Work/Private",
        ".git",
        "Projects/.x",
    ] {
        assert_eq!(
            policy.dir(&DirPath::parse(dir).unwrap()),
            Err(Denied::Hidden),
            "{dir}"
        );
    }
}

#[test]
fn agent_files_are_readable_and_never_writable() {
    let policy = policy("", "");
    for file in [
        "CLAUDE.md",
        "claude.MD",
        "a/b/AGENTS.md",
        "Gemini.md",
        "CLAUDE.local.md",
        "AGENTS.override.md",
        "CLAU\u{200c}DE.md",
    ] {
        assert!(shows(&policy, file), "{file}");
        assert_eq!(policy.write(&path(file)), Err(Denied::AgentFile), "{file}");
        assert_eq!(policy.create(&path(file)), Err(Denied::AgentFile), "{file}");
    }
    for file in [
        "CLAUDE.markdown",
        "My CLAUDE.md",
        "AGENTS/a.md",
        "agents2.md",
    ] {
        assert!(policy.write(&path(file)).is_ok(), "{file}");
    }
}

#[test]
fn a_read_only_vault_refuses_every_change_but_hides_as_before() {
    let policy = VaultPolicy::new(vec![DirPath::root()], &[], true);
    assert!(shows(&policy, "a.md"));
    assert_eq!(policy.write(&path("a.md")), Err(Denied::ReadOnly));
    assert_eq!(policy.create(&path("a.md")), Err(Denied::ReadOnly));
    assert_eq!(policy.write(&path(".git/a.md")), Err(Denied::Hidden));
}

#[test]
fn what_cannot_be_created_can_be_changed() {
    let policy = policy("", "");
    for name in ["CON.md", "a?.md", "a /b.md"] {
        assert!(policy.write(&path(name)).is_ok(), "{name}");
        assert!(
            matches!(policy.create(&path(name)), Err(Denied::Uncreatable(_))),
            "{name}"
        );
    }
    assert!(
        policy
            .create(&path("C# notes.md"))
            .unwrap()
            .unlinkable()
            .is_some()
    );
    assert!(
        policy
            .create(&path("C notes.md"))
            .unwrap()
            .unlinkable()
            .is_none()
    );
}

#[test]
fn the_sieve_is_the_read_policy() {
    let policy = policy("Notes", "Notes/Private");
    for (text, admitted) in [
        ("Notes/a.md", true),
        ("Notes/../a.md", false),
        ("Notes/Private/a.md", false),
        ("Notes/.x/a.md", false),
        ("Notes/a.png", false),
        ("", false),
    ] {
        assert_eq!(policy.admit(text).is_some(), admitted, "{text}");
    }
}

#[test]
fn the_fingerprint_names_what_is_shown() {
    let base = policy("A,B", "C").fingerprint();
    assert_eq!(base.len(), 64);
    assert_eq!(policy("B,A", "c/").fingerprint(), base);
    assert_ne!(policy("A", "C").fingerprint(), base);
    assert_ne!(policy("A,B", "C,D").fingerprint(), base);
    assert_ne!(policy("a,B", "C").fingerprint(), base);
    let read_only = VaultPolicy::new(
        parse_prefixes("A,B").unwrap(),
        &parse_prefixes("C").unwrap(),
        true,
    );
    assert_eq!(read_only.fingerprint(), base);
}
