//! Users and repositories.

use serde_json::{Map, Value, json};

use super::Links;
use crate::github::hosted::Hosted;
use crate::github::tokens::{Contents, Token};

/// `simple-user`.
pub(crate) fn user(origin: &str, login: &str) -> Value {
    let api = format!("{origin}/users/{login}");
    json!({
        "login": login,
        "id": user_id(login),
        "node_id": format!("U_{login}"),
        "avatar_url": format!("{origin}/avatars/{login}"),
        "gravatar_id": "",
        "url": api,
        "html_url": format!("{origin}/{login}"),
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": "User",
        "site_admin": false,
    })
}

/// A user's number: stable, and different for different logins in practice.
pub(crate) fn user_id(login: &str) -> u64 {
    login
        .bytes()
        .fold(5_381, |id, byte| (id * 33 + u64::from(byte)) % 100_000_000)
}

/// The address of a user whose own address is private.
pub(crate) fn noreply(login: &str) -> String {
    format!("{}+{login}@users.noreply.github.com", user_id(login))
}

/// Suffixes of the `*_url` members that a repository has.
const URLS: [(&str, &str); 37] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
    ("url", ""),
];

/// Members that count what a private vault has none of.
const COUNTS: [&str; 10] = [
    "size",
    "forks",
    "forks_count",
    "watchers",
    "watchers_count",
    "stargazers_count",
    "subscribers_count",
    "network_count",
    "open_issues",
    "open_issues_count",
];

/// Parts of GitHub that this server does not have.
const FEATURES: [&str; 6] = [
    "has_issues",
    "has_projects",
    "has_downloads",
    "has_wiki",
    "has_pages",
    "has_discussions",
];

/// `full-repository`, without the members that only public or organisation repositories have.
///
/// `permissions` follow the token. On GitHub they may be the user's; nothing in these tests
/// depends on which.
pub(crate) fn repository(links: &Links, hosted: &Hosted, archived: bool, token: &Token) -> Value {
    let name = links.full_name.split('/').next_back().unwrap_or_default();
    let owner = hosted.owner();
    let push = token.contents == Contents::Write;
    let mut members: Map<String, Value> = URLS
        .into_iter()
        .map(|(key, suffix)| (key.to_owned(), links.api(suffix).into()))
        .collect();
    let facts = json!({
        "id": hosted.id,
        "node_id": format!("R_{}", hosted.id),
        "name": name,
        "full_name": links.full_name,
        "private": true,
        "visibility": "private",
        "owner": user(&links.origin, owner),
        "html_url": links.web(""),
        "git_url": format!("git://github.com/{}.git", links.full_name),
        "ssh_url": format!("git@github.com:{}.git", links.full_name),
        "clone_url": format!("{}.git", links.web("")),
        "svn_url": links.web(""),
        "description": null,
        "homepage": null,
        "language": null,
        "license": null,
        "mirror_url": null,
        "fork": false,
        "archived": archived,
        "disabled": false,
        "is_template": false,
        "default_branch": hosted.default_branch,
        "topics": [],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "pushed_at": "2026-01-01T00:00:00Z",
        "permissions": {
            "admin": false,
            "maintain": false,
            "push": push,
            "triage": push,
            "pull": true,
        },
    });
    if let Value::Object(facts) = facts {
        members.extend(facts);
    }
    members.extend(COUNTS.map(|key| (key.to_owned(), 0.into())));
    members.extend(FEATURES.map(|key| (key.to_owned(), false.into())));
    Value::Object(members)
}
