//! `GET git/commits/{sha}`, `GET commits`, `GET commits/{ref}`.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::git::Oid;
use crate::github::answer::{Answer, Validator};
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::media::Media;
use crate::github::wire;

/// Files on one page of a commit (GitHub docs, "Get a commit": 300, at most 3,000 over all pages).
const FILES_PER_PAGE: usize = 300;

/// A commit object (GitHub docs, "Get a commit object").
pub(super) async fn object(call: &Call<'_>, sha: &str) -> Result<Answer, ApiError> {
    let oid: Oid = sha.parse().map_err(|_| ApiError::MalformedSha)?;
    let commit = call.hosted.git.commit(oid).await?;
    let commit = call.require(commit, ApiError::NotFound).await?;
    Ok(Answer::ok(&wire::git_commit(&call.links, &commit)))
}

/// A commit with what it changed (GitHub docs, "Get a commit"). With the `sha` media type its 40
/// digits alone, which also are the entity tag: a known name asks "has it moved?".
pub(super) async fn get(call: &Call<'_>, name: &str) -> Result<Answer, ApiError> {
    let commit = call.resolve_commit(name).await?;
    let commit = call
        .require(commit, ApiError::NoCommitForSha(name.to_owned()))
        .await?;
    if call.request.media() == Media::Sha {
        let sha = commit.oid.to_string();
        let kind = "application/vnd.github.sha; charset=utf-8";
        let tag = Validator::Exact(format!("\"{sha}\""));
        return Ok(Answer::of(StatusCode::OK, kind, sha).validated(tag));
    }
    let base = match commit.parents.first() {
        Some(parent) => *parent,
        None => Oid::EMPTY_TREE,
    };
    let files = call.hosted.git.diff(base, commit.oid).await?;
    let (page, per_page) = paging(call, FILES_PER_PAGE, FILES_PER_PAGE);
    let (additions, deletions) = files.iter().fold((0, 0), |(a, d), file| {
        (a + file.additions, d + file.deletions)
    });
    let shown: Vec<_> = files
        .iter()
        .take(10 * FILES_PER_PAGE)
        .skip((page - 1) * per_page)
        .take(per_page)
        .map(|file| wire::compare_file(&call.links, commit.oid, file))
        .collect();
    let mut body = wire::rest_commit(&call.links, &commit);
    if let Value::Object(members) = &mut body {
        let total = additions + deletions;
        members.insert(
            "stats".to_owned(),
            json!({"total": total, "additions": additions, "deletions": deletions}),
        );
        members.insert("files".to_owned(), shown.into());
    }
    let mut answer = Answer::ok(&body);
    let pages = files.len().min(10 * FILES_PER_PAGE).div_ceil(per_page);
    link_pages(call, &mut answer, &format!("/commits/{name}"), page, pages);
    Ok(answer)
}

/// The commits that lead to `sha` (default branch without it), newest first, those that touch
/// `path` when it is given (GitHub docs, "List commits").
pub(super) async fn list(call: &Call<'_>) -> Result<Answer, ApiError> {
    let start = call
        .request
        .query("sha")
        .unwrap_or_else(|| call.hosted.default_branch.clone());
    let start = call
        .require(call.resolve(&start).await?, ApiError::NotFound)
        .await?
        .to_string();
    let (page, per_page) = paging(call, 30, 100);

    let mut filter = vec![start];
    for (parameter, option) in [("since", "--since"), ("until", "--until")] {
        if let Some(moment) = call.request.query(parameter) {
            filter.push(format!("{option}={moment}"));
        }
    }
    if let Some(author) = call.request.query("author") {
        filter.push("--fixed-strings".to_owned());
        filter.push(format!("--author={author}"));
    }
    filter.push("--".to_owned());
    if let Some(path) = call.request.query("path").filter(|path| !path.is_empty()) {
        filter.push(format!(":(literal){path}"));
    }

    let mut count_args = vec!["rev-list".to_owned(), "--count".to_owned()];
    count_args.extend(filter.iter().cloned());
    let total = call.hosted.git.run(&count_args).await?;
    let total: usize = String::from_utf8_lossy(&total)
        .trim()
        .parse()
        .unwrap_or_default();

    let mut args = vec![
        "rev-list".to_owned(),
        format!("--skip={}", (page - 1) * per_page),
        format!("--max-count={per_page}"),
    ];
    args.extend(filter);
    let mut commits = Vec::new();
    for oid in oids(&call.hosted.git.run(&args).await?) {
        if let Some(commit) = call.hosted.git.commit(oid).await? {
            commits.push(wire::rest_commit(&call.links, &commit));
        }
    }
    let mut answer = Answer::ok(&Value::Array(commits));
    link_pages(
        call,
        &mut answer,
        "/commits",
        page,
        total.div_ceil(per_page),
    );
    Ok(answer)
}

/// The object names on the lines of git's output.
pub(super) fn oids(output: &[u8]) -> Vec<Oid> {
    String::from_utf8_lossy(output)
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect()
}

/// The page asked for and its size.
pub(super) fn paging(call: &Call<'_>, default: usize, most: usize) -> (usize, usize) {
    let page = call.request.query_number("page").unwrap_or(1);
    let per_page = call
        .request
        .query_number("per_page")
        .unwrap_or(default)
        .min(most);
    (page, per_page)
}

/// Adds the `Link` header (GitHub docs, "Using pagination in the REST API").
pub(super) fn link_pages(
    call: &Call<'_>,
    answer: &mut Answer,
    rest: &str,
    page: usize,
    pages: usize,
) {
    let address = |page: usize| {
        let query = call.request.uri.query().unwrap_or_default();
        let mut pairs = url::form_urlencoded::Serializer::new(String::new());
        pairs.extend_pairs(
            url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key != "page"),
        );
        pairs.append_pair("page", &page.to_string());
        format!("{}?{}", call.links.api(rest), pairs.finish())
    };
    let mut links = Vec::new();
    if page > 1 {
        links.push((page - 1, "prev"));
    }
    if page < pages {
        links.push((page + 1, "next"));
        links.push((pages, "last"));
    }
    if page > 1 {
        links.push((1, "first"));
    }
    if !links.is_empty() {
        let links: Vec<_> = links
            .into_iter()
            .map(|(page, rel)| format!("<{}>; rel=\"{rel}\"", address(page)))
            .collect();
        answer.header("link", &links.join(", "));
    }
}
