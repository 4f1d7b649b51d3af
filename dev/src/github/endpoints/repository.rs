//! `GET /user`, `GET /user/repos`, `GET /repos/{owner}/{repo}`.

use serde_json::Value;

use crate::github::answer::Answer;
use crate::github::call::Call;
use crate::github::request::ApiRequest;
use crate::github::state::State;
use crate::github::switches::Switches;
use crate::github::tokens::Token;
use crate::github::wire::{self, Links};

/// The token's owner (GitHub docs, "Get the authenticated user").
pub(in crate::github) fn user(request: &ApiRequest, token: &Token) -> Answer {
    let mut user = wire::user(&request.origin(), &token.login);
    if let Value::Object(members) = &mut user {
        for key in [
            "name", "company", "blog", "location", "email", "hireable", "bio",
        ] {
            members.insert(key.to_owned(), Value::Null);
        }
        for key in ["public_repos", "public_gists", "followers", "following"] {
            members.insert(key.to_owned(), 0.into());
        }
        for key in ["created_at", "updated_at"] {
            members.insert(key.to_owned(), "2026-01-01T00:00:00Z".into());
        }
    }
    Answer::ok(&user)
}

/// The repositories the token reaches (GitHub docs, "List repositories for the authenticated
/// user").
pub(in crate::github) fn user_repositories(
    state: &State,
    request: &ApiRequest,
    token: &Token,
) -> Answer {
    let list = state
        .repositories()
        .iter()
        .filter(|hosted| token.reaches(&hosted.full_name))
        .map(|hosted| {
            let full_name = state.current_name(hosted);
            let links = Links {
                origin: request.origin(),
                full_name,
            };
            let archived = Switches::lists(&state.switches().archived, &hosted.full_name);
            wire::repository(&links, hosted, archived, token)
        })
        .collect();
    Answer::ok(&Value::Array(list))
}

/// The repository (GitHub docs, "Get a repository").
pub(super) fn get(call: &Call<'_>) -> Answer {
    let archived = Switches::lists(&call.state.switches().archived, &call.hosted.full_name);
    Answer::ok(&wire::repository(
        &call.links,
        call.hosted,
        archived,
        call.token,
    ))
}
