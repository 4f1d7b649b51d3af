//! What push protection looks for.

/// Prefixes of credentials, each with the name GitHub has for the kind and the least number of
/// characters that follow (GitHub docs, "Supported secret scanning patterns").
const PATTERNS: [(&str, &str, usize); 6] = [
    ("github_pat_", "GITHUB_PERSONAL_ACCESS_TOKEN", 30),
    ("ghp_", "GITHUB_PERSONAL_ACCESS_TOKEN", 36),
    ("AKIA", "AWS_ACCESS_KEY_ID", 16),
    ("xoxb-", "SLACK_API_TOKEN", 20),
    ("sk-ant-", "ANTHROPIC_API_KEY", 20),
    (
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "OPENSSH_PRIVATE_KEY",
        0,
    ),
];

/// The kind of the first credential in the bytes.
pub(super) fn find(bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    PATTERNS.into_iter().find_map(|(prefix, kind, least)| {
        let of_a_token = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        text.match_indices(prefix)
            .filter_map(|(at, _)| text.get(at + prefix.len()..))
            .any(|rest| rest.chars().take_while(of_a_token).count() >= least)
            .then_some(kind)
    })
}
