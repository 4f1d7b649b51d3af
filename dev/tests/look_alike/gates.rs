//! What stands before every operation: headers, credentials, permissions, names.

use serde_json::json;
use vault_mcp_dev::github::Forbidden;
use vault_mcp_dev::{LookAlike, SeedFile, Times, tokens};

use crate::client::{Client, git, start};

const VAULT: &str = "/repos/example/vault";

#[tokio::test]
async fn a_request_without_a_user_agent_is_forbidden_in_plain_text() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let bearer = format!("Bearer {}", tokens::FULL);
    let reply = client
        .bare("GET", VAULT, &[("authorization", &bearer)], b"")
        .unwrap()
        .expect(403);
    let text = String::from_utf8(reply.bytes).unwrap();
    assert!(text.contains("Please make sure your request has a User-Agent header"));
    let log = github.requests();
    assert_eq!(
        (log[0].user_agent.as_deref(), log[0].counted),
        (None, false)
    );
}

#[tokio::test]
async fn both_schemes_carry_a_token() {
    let (github, client) = start(&[("a.md", "a")]).await;
    for scheme in ["Bearer", "token", "bearer", "Token"] {
        let value = format!("{scheme} {}", tokens::FULL);
        let headers = [("user-agent", "x"), ("authorization", &*value)];
        client
            .bare("GET", VAULT, &headers, b"")
            .unwrap()
            .expect(200);
    }
    let schemes: Vec<_> = github
        .requests()
        .into_iter()
        .map(|request| request.authorization.unwrap())
        .collect();
    assert_eq!(schemes, ["bearer", "token", "bearer", "token"]);
}

#[tokio::test]
async fn each_token_sees_what_it_may() {
    let files = vec![SeedFile::regular("a.md", "a")];
    let github = LookAlike::builder()
        .seed(files.clone())
        .another("example/other", files)
        .start()
        .await
        .unwrap();
    let with = |token| Client::new(github.url(), token);
    let contents = format!("{VAULT}/contents/a.md");
    let body = json!({"message": "m", "content": "eA=="});

    for bad in [tokens::EXPIRED, "github_pat_unknown"] {
        let reply = with(Some(bad)).get("").expect(401);
        assert_eq!(
            reply.json(),
            json!({
                "message": "Bad credentials",
                "documentation_url": "https://docs.github.com/rest",
                "status": "401",
            })
        );
    }
    // No access at all: the repository does not exist.
    for token in [None, Some(tokens::OTHER_REPOSITORY)] {
        let client = with(token);
        for reply in [
            client.get(""),
            client.get("/contents/a.md"),
            client.write("PUT", "b.md", &body),
        ] {
            assert_eq!(reply.expect(404).message(), "Not Found");
        }
    }
    with(Some(tokens::OTHER_REPOSITORY))
        .send("GET", "/repos/example/other", &[], b"")
        .expect(200);
    with(None).send("GET", "/user", &[], b"").expect(401);

    let reader = with(Some(tokens::READ_ONLY));
    reader.get("/contents/a.md").expect(200);
    for method in ["PUT", "DELETE"] {
        let reply = reader.write(method, "a.md", &body).expect(403);
        assert_eq!(
            reply.header("x-accepted-github-permissions"),
            "contents=write"
        );
        assert_eq!(
            reply.message(),
            "Resource not accessible by personal access token"
        );
    }
    github.switches(|switches| switches.not_found_for_permission = true);
    reader.write("PUT", "b.md", &body).expect(404);

    let nobody = with(Some(tokens::NO_CONTENTS));
    nobody.get("").expect(200);
    let reply = nobody.send("GET", &contents, &[], b"").expect(403);
    assert_eq!(
        reply.header("x-accepted-github-permissions"),
        "contents=read"
    );

    let names = |token| {
        let list = with(Some(token))
            .send("GET", "/user/repos", &[], b"")
            .expect(200)
            .json();
        let names = list.as_array().unwrap().iter();
        names
            .map(|one| one["full_name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(tokens::FULL), ["example/vault"]);
    assert_eq!(
        names(tokens::EVERY_REPOSITORY),
        ["example/vault", "example/other"]
    );
    assert_eq!(git(&github, &["rev-list", "--count", "main"]), "1");
}

#[tokio::test]
async fn the_repository_answers_to_name_and_id_in_any_case() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    let repository = client.get("").expect(200).json();
    assert_eq!(repository["full_name"], "example/vault");
    assert_eq!(repository["private"], true);
    assert_eq!(repository["archived"], false);
    let by_id = format!("/repositories/{}", repository["id"]);
    assert_eq!(
        client.send("GET", &by_id, &[], b"").expect(200).json(),
        repository
    );
    client
        .send("GET", &format!("{by_id}/contents/a.md"), &[], b"")
        .expect(200);
    client
        .send("GET", "/repos/EXAMPLE/Vault", &[], b"")
        .expect(200);
    for missing in ["/repos/example/nothing", "/repositories/1", "/nothing"] {
        client.send("GET", missing, &[], b"").expect(404);
    }
    assert_eq!(
        client.send("GET", "/user", &[], b"").expect(200).json()["login"],
        "example"
    );
}

#[tokio::test]
async fn versions_that_do_not_exist_are_refused() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    for version in ["2022-11-28", "2026-03-10"] {
        let reply = client
            .get_with("", &[("x-github-api-version", version)])
            .expect(200);
        assert_eq!(reply.header("x-github-api-version-selected"), version);
    }
    let reply = client
        .get_with("", &[("x-github-api-version", "v3")])
        .expect(400);
    assert!(
        reply
            .message()
            .contains("\"v3\", is not a supported version")
    );
    assert_eq!(
        client.get("").header("x-github-api-version-selected"),
        "2022-11-28"
    );
}

#[tokio::test]
async fn every_answer_tells_when_the_token_ends() {
    let (_github, client) = start(&[("a.md", "a")]).await;
    for rest in ["", "/contents/a.md", "/contents/nothing"] {
        let reply = client.get(rest);
        let expiry = reply.header("github-authentication-token-expiration");
        assert_eq!(expiry, "2027-12-31 00:00:00 UTC");
    }
}

#[tokio::test]
async fn a_known_tag_is_304_for_the_token_that_got_it() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let reader = Client::new(github.url(), Some(tokens::READ_ONLY));
    let sha = git(&github, &["rev-parse", "main:a.md"]);
    for rest in [
        "/git/ref/heads/main",
        "/git/trees/main?recursive=1",
        &format!("/git/blobs/{sha}"),
        "/contents/a.md",
    ] {
        let first = client.get(rest).expect(200);
        let tag = first.header("etag").to_owned();
        assert_ne!(
            reader.get(rest).header("etag"),
            tag,
            "{rest}: tags must differ by token"
        );

        let before = github.counted_requests();
        let known = [("if-none-match", &*tag)];
        let again = client.get_with(rest, &known).expect(304);
        assert_eq!((again.bytes.len(), again.header("etag")), (0, &*tag));
        assert_eq!(
            again.header("x-ratelimit-remaining"),
            client
                .get_with(rest, &known)
                .header("x-ratelimit-remaining")
        );
        let several = format!("\"other\", {}", tag.trim_start_matches("W/"));
        client
            .get_with(rest, &[("if-none-match", &several)])
            .expect(304);
        assert_eq!(
            github.counted_requests(),
            before,
            "{rest}: a 304 is not counted"
        );

        reader.get_with(rest, &known).expect(200);
        assert_eq!(github.counted_requests(), before + 1);
    }
    let tag = client.get("/git/ref/heads/main").header("etag").to_owned();
    client.put("b.md", "b", &json!(null)).expect(201);
    client
        .get_with("/git/ref/heads/main", &[("if-none-match", &tag)])
        .expect(200);
}

#[tokio::test]
async fn a_renamed_repository_redirects_with_method_and_query() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let id = client.get("").json()["id"].clone();
    github.switches(|switches| {
        switches.renamed = vec![("example/vault".to_owned(), "example/notes".to_owned())];
    });
    let reply = client.get("/contents/a.md?ref=main").expect(301);
    let location = format!("{}/repositories/{id}/contents/a.md?ref=main", github.url());
    assert_eq!(reply.header("location"), location);
    assert_eq!(
        reply.json(),
        json!({
            "message": "Moved Permanently",
            "url": location,
            "documentation_url": "https://docs.github.com/v3/#http-redirects",
        })
    );
    client.send("GET", &location, &[], b"").expect(200);

    let body = json!({"message": "m", "content": "eA=="});
    let reply = client.write("PUT", "b.md", &body).expect(307);
    let target = reply.header("location").to_owned();
    assert_eq!(git(&github, &["rev-list", "--count", "main"]), "1");
    client
        .send("PUT", &target, &[], body.to_string().as_bytes())
        .expect(201);

    let renamed = client
        .send("GET", "/repos/example/notes", &[], b"")
        .expect(200)
        .json();
    assert_eq!(
        [&renamed["full_name"], &renamed["id"]],
        [&json!("example/notes"), &id]
    );
}

#[tokio::test]
async fn refusals_of_the_whole_repository() {
    let (github, client) = start(&[("a.md", "a")]).await;
    let body = json!({"message": "m", "content": "eA=="});
    let name = || vec!["example/vault".to_owned()];

    github.switches(|switches| switches.archived = name());
    let reply = client.write("PUT", "b.md", &body).expect(403);
    assert_eq!(reply.message(), "Repository was archived so is read-only.");
    assert_eq!(client.get("").json()["archived"], true);
    client.get("/contents/a.md").expect(200);

    github.reset_switches();
    github.switches(|switches| switches.missing = name());
    client.get("").expect(404);

    github.reset_switches();
    github.switches(|switches| switches.unauthorized = Times::Next(1));
    client.get("").expect(401);
    client.get("").expect(200);

    for (form, text) in [
        (
            Forbidden::Permission,
            "Resource not accessible by personal access token",
        ),
        (
            Forbidden::Sso,
            "Resource protected by organization SAML enforcement.",
        ),
        (
            Forbidden::LoginAttempts,
            "Maximum number of login attempts exceeded.",
        ),
        (
            Forbidden::IpAllowList,
            "Although you appear to have the correct authorization",
        ),
    ] {
        github.switches(|switches| switches.forbidden = Some(form));
        let reply = client.get("/contents/a.md").expect(403);
        assert!(reply.message().starts_with(text));
        assert_eq!(
            reply.headers.contains_key("x-github-sso"),
            form == Forbidden::Sso
        );
        assert!(reply.header("x-ratelimit-remaining") != "0");
    }
}
