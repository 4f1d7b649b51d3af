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
        (422, "Update is not a fast forward", Refusal::TipMoved),
        (
            422,
            "path cannot start with a slash",
            Refusal::Final(StorageError::PathRefused),
        ),
        (
            422,
            "path contains a malformed path component",
            Refusal::Final(StorageError::PathRefused),
        ),
        (
            409,
            "Could not delete file: Protected branch update failed for refs/heads/main.",
            denied(Denial::ProtectedBranch),
        ),
        (
            403,
            "You're not authorized to push to this branch. Visit https://docs.github.com/ for more \
             information.",
            denied(Denial::ProtectedBranch),
        ),
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
    // Without the kinds, the text is still GitHub's about the secret, and may quote it.
    for message in [
        "Repository rule violations found\n\nSecret detected in content: hunter2",
        "Push cannot contain secrets: hunter2",
    ] {
        for status in [409, 422] {
            let unnamed = denied(Denial::SecretFound(UNNAMED_SECRET.to_owned()));
            assert_eq!(says(status, message), unnamed);
        }
    }
}

#[test]
fn rights_that_are_missing_are_told_apart() {
    let cases: &[(u16, &str, Denial)] = &[
        (401, "Bad credentials", Denial::BadCredentials),
        (401, "Requires authentication", Denial::BadCredentials),
        (
            403,
            "Maximum number of login attempts exceeded. Please try again later.",
            Denial::LockedOut,
        ),
        (
            403,
            "Although you appear to have the correct authorization credentials, the `o` organization \
             has an IP allow list enabled, and your IP address is not permitted to access this \
             resource.",
            Denial::AddressNotAllowed,
        ),
        (
            403,
            "Resource not accessible by integration",
            Denial::MissingPermission,
        ),
        (403, "Repository access blocked", Denial::Blocked),
        (451, "Repository access blocked", Denial::Blocked),
        (
            403,
            "This installation has been suspended",
            Denial::App(AppProblem::Suspended),
        ),
        (
            404,
            "Integration not found",
            Denial::App(AppProblem::BadKey),
        ),
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

/// What an app asks for is about no repository, and its credential is of its own making.
#[test]
fn the_same_answers_mean_something_else_to_an_app() {
    let app = |problem| denied(Denial::App(problem));
    for (status, message, expected) in [
        (
            401,
            "A JSON web token could not be decoded",
            app(AppProblem::BadKey),
        ),
        (401, "Bad credentials", app(AppProblem::BadKey)),
        // Ahead by more than a minute, by more than two, and behind by more than eight.
        (
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion \
             was issued",
            app(AppProblem::WrongClock),
        ),
        (
            401,
            "'Expiration time' claim ('exp') is too far in the future",
            app(AppProblem::WrongClock),
        ),
        (
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at \
             which the assertion expires",
            app(AppProblem::WrongClock),
        ),
        (404, "Integration not found", app(AppProblem::BadKey)),
        (404, "Not Found", app(AppProblem::NotInstalled)),
        (
            403,
            "This installation has been suspended",
            app(AppProblem::Suspended),
        ),
        (502, "Server Error", Refusal::NoOutcome),
        (
            422,
            "The permissions requested are not granted to this installation.",
            Refusal::Final(StorageError::Rejected(
                "422: The permissions requested are not granted to this installation.".to_owned(),
            )),
        ),
    ] {
        assert_eq!(app_refusal(says(status, message)), expected, "{message}");
    }
}

/// GitHub describes what it will not give out: by a code, not by its text.
#[test]
fn what_is_too_large_is_no_missing_right() {
    let body = r#"{"message":"This API returns blobs up to 100 MB in size.","errors":[{"resource":"Blob","field":"data","code":"too_large"}]}"#;
    assert_eq!(meaning(403, &[], body), Refusal::TooLarge);
    // The elements may be texts too.
    let body = r#"{"message":"Validation Failed","errors":["too_large"]}"#;
    assert_eq!(meaning(403, &[], body), denied(Denial::MissingPermission));
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
    let locked =
        r#"{"message":"Maximum number of login attempts exceeded. Please try again later."}"#;
    assert_eq!(
        meaning(403, &[("retry-after", "17")], locked),
        denied(Denial::LockedOut)
    );
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
    for status in [408, 500, 502, 503, 504, 522] {
        assert_eq!(
            meaning(status, &[], "<html>unicorn</html>"),
            Refusal::NoOutcome
        );
    }
}

#[test]
fn what_nobody_expects_is_kept_for_the_log_in_one_short_line() {
    let expected = |text: &str| Refusal::Final(StorageError::Rejected(text.to_owned()));
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
        says(422, "content is not valid Base64"),
        expected("422: content is not valid Base64")
    );
    assert_eq!(says(400, "a\r\nb\u{1b}[2J"), expected("400: a b[2J"));
    assert_eq!(meaning(418, &[], "no json"), expected("418: no json"));
    // No refusal at all: what became of the request is open.
    assert_eq!(
        meaning(302, &[], "elsewhere"),
        Refusal::Final(StorageError::Unexpected("302: elsewhere".to_owned()))
    );
    let Refusal::Final(StorageError::Rejected(text)) = says(400, &"x".repeat(10_000)) else {
        panic!("another refusal");
    };
    assert_eq!(text.len(), "400: ".len() + TEXT_LIMIT);
}
