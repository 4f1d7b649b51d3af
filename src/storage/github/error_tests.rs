//! GitHub's exact texts and what each of them means.

use http::HeaderValue;

use super::*;

const SHA: &str = "95b966ae1c166bd92f8ae7d1c313e738c731dfc3";
const NOW: Timestamp = Timestamp::from_unix_seconds(1_796_000_000);

fn meaning(status: u16, headers: &[(&'static str, &str)], body: &str) -> Refusal {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    classify(
        StatusCode::from_u16(status).unwrap(),
        &map,
        body.as_bytes(),
        NOW,
    )
}

/// The body GitHub sends with a plain refusal: its `status` is a string.
fn says(status: u16, message: &str) -> Refusal {
    let body = serde_json::json!({
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": status.to_string(),
    });
    meaning(status, &[], &body.to_string())
}

fn limited(seconds: u64) -> Refusal {
    Refusal::Final(StorageError::RateLimited {
        retry_after: Duration::from_secs(seconds),
    })
}

#[test]
fn refusals_of_a_change_are_told_apart_by_their_texts() {
    let cases: &[(u16, &str, Refusal)] = &[
        (
            409,
            &format!("notes/a.md does not match {SHA}"),
            Refusal::ShaMismatch,
        ),
        (
            409,
            &format!("notes/it is at x but expected y.md does not match {SHA}"),
            Refusal::ShaMismatch,
        ),
        (409, "a.md does not match not-a-sha", Refusal::ShaMismatch),
        (
            422,
            "Invalid request.\n\n\"sha\" wasn't supplied.",
            Refusal::ShaMissing,
        ),
        (
            409,
            &format!("is at {SHA} but expected {SHA}"),
            Refusal::TipMoved,
        ),
        (
            409,
            &format!("refs/heads/main expected to be at {SHA}"),
            Refusal::TipMoved,
        ),
        (409, "Git Repository is empty.", Refusal::EmptyRepository),
        (404, "This repository is empty.", Refusal::EmptyRepository),
        (422, "No commit found for SHA: heads/gone", Refusal::Missing),
        (404, "Not Found", Refusal::Missing),
        (404, "Branch gone not found", Refusal::Missing),
        (
            409,
            "Could not update file: 2 of 2 required status checks are expected. Changes must be made \
             through a pull request.",
            denied(Denial::ProtectedBranch),
        ),
        (
            409,
            "Could not create file: Changes must be made through a pull request.",
            denied(Denial::ProtectedBranch),
        ),
        (
            409,
            "Repository rule violations found\n\nChanges must be made through a pull request.\n\n",
            denied(Denial::RuleViolation(
                "Repository rule violations found Changes must be made through a pull request."
                    .to_owned(),
            )),
        ),
    ];
    for (status, message, expected) in cases {
        assert_eq!(&says(*status, message), expected, "{status} {message}");
    }
}

#[test]
fn a_found_secret_is_named_by_kind_and_never_shown() {
    let body = serde_json::json!({
        "message": "Repository rule violations found\n\nSecret detected in content: hunter2",
        "documentation_url": "https://docs.github.com/rest",
        "status": "409",
        "metadata": { "secret_scanning": { "bypass_placeholders": [
            { "placeholder_id": "2a", "token_type": "GITHUB_PERSONAL_ACCESS_TOKEN" },
            { "placeholder_id": "2b", "token_type": "AWS_KEY" },
        ] } },
    });
    let kinds = "GITHUB_PERSONAL_ACCESS_TOKEN, AWS_KEY".to_owned();
    assert_eq!(
        meaning(409, &[], &body.to_string()),
        denied(Denial::SecretFound(kinds))
    );
}

#[test]
fn rights_that_are_missing_are_told_apart() {
    let cases: &[(u16, &str, Denial)] = &[
        (401, "Bad credentials", Denial::BadCredentials),
        (401, "Requires authentication", Denial::BadCredentials),
        (
            403,
            "Repository was archived so is read-only.",
            Denial::Archived,
        ),
        (
            403,
            "Resource not accessible by personal access token",
            Denial::MissingPermission,
        ),
        (
            403,
            "Resource protected by organization SAML enforcement. You must grant your personal access \
             token access to this organization.",
            Denial::SingleSignOn,
        ),
    ];
    for (status, message, denial) in cases {
        assert_eq!(says(*status, message), denied(denial.clone()), "{message}");
    }
    let sso = [(
        "x-github-sso",
        "required; url=https://github.com/orgs/o/sso?authorization_request=A",
    )];
    assert_eq!(meaning(403, &sso, "{}"), denied(Denial::SingleSignOn));
}

#[test]
fn rate_limits_say_how_long_to_wait() {
    let reset_in_90 = (NOW.unix_seconds() + 90).to_string();
    let exceeded = r#"{"message":"API rate limit exceeded for user ID 1."}"#;
    let secondary =
        r#"{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}"#;
    for status in [403, 429] {
        let spent = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &*reset_in_90),
        ];
        assert_eq!(meaning(status, &spent, exceeded), limited(90));
        assert_eq!(
            meaning(status, &[("retry-after", "17")], secondary),
            limited(17)
        );
        assert_eq!(
            meaning(status, &[("retry-after", "0")], secondary),
            limited(1)
        );
        assert_eq!(meaning(status, &[], secondary), limited(60));
    }
    let in_the_past = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1")];
    assert_eq!(meaning(403, &in_the_past, exceeded), limited(1));
    let plenty = [
        ("x-ratelimit-remaining", "4999"),
        ("x-ratelimit-reset", &*reset_in_90),
    ];
    let refused = r#"{"message":"Resource not accessible by personal access token"}"#;
    assert_eq!(
        meaning(403, &plenty, refused),
        denied(Denial::MissingPermission)
    );
    assert_eq!(meaning(429, &[], "<html>"), limited(60));
}

#[test]
fn failures_of_github_leave_the_outcome_open() {
    for status in [500, 502, 503, 504, 522] {
        assert_eq!(
            meaning(status, &[], "<html>unicorn</html>"),
            Refusal::NoOutcome
        );
    }
}

#[test]
fn what_nobody_expects_is_kept_for_the_log_in_one_short_line() {
    let expected = |text: &str| Refusal::Final(StorageError::Unexpected(text.to_owned()));
    let user_agent = "Request forbidden by administrative rules. Please make sure your request has a \
                      User-Agent header";
    assert_eq!(
        says(403, user_agent),
        expected(&format!("403: {user_agent}"))
    );
    assert_eq!(
        meaning(403, &[], user_agent),
        expected(&format!("403: {user_agent}"))
    );
    assert_eq!(
        says(422, "path cannot start with a slash"),
        expected("422: path cannot start with a slash")
    );
    assert_eq!(
        says(422, "content is not valid Base64"),
        expected("422: content is not valid Base64")
    );
    assert_eq!(says(400, "a\r\nb\u{1b}[2J"), expected("400: a b[2J"));
    assert_eq!(meaning(418, &[], "no json"), expected("418: no json"));
    let Refusal::Final(StorageError::Unexpected(text)) = says(400, &"x".repeat(10_000)) else {
        panic!("another refusal");
    };
    assert_eq!(text.len(), "400: ".len() + TEXT_LIMIT);
}
