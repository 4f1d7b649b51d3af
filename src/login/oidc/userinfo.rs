//! The userinfo endpoint (OpenID Connect Core section 5.3), for what an ID token leaves out.

use ::http::{Request, StatusCode, header::ACCEPT};
use bytes::Bytes;
use oauth2::AccessToken;
use openidconnect::{SubjectIdentifier, UserInfoError, UserInfoUrl, core::CoreUserInfoClaims};

use super::email::EmailClaims;
use crate::login::{
    LoginError,
    upstream::{Upstream, UpstreamError, bearer},
};

/// What userinfo says of the person of an ID token.
#[derive(Debug)]
pub(super) struct UserInfo {
    pub(super) email: EmailClaims,
    pub(super) display_name: Option<String>,
}

/// Asks `endpoint` about the person `subject`; an answer about anybody else is refused, as section
/// 5.3.2 demands. A person about whom userinfo does not answer is not logged in: it might have
/// said that their address is not verified.
pub(super) async fn fetch(
    upstream: &Upstream,
    endpoint: &UserInfoUrl,
    access_token: &AccessToken,
    subject: &str,
) -> Result<UserInfo, LoginError> {
    let (name, credential) = bearer(access_token.secret())?;
    let request = Request::builder()
        .uri(endpoint.as_str())
        .header(ACCEPT, "application/json")
        .header(name, credential)
        .body(Bytes::new())
        .map_err(|_| untrusted("is at no address"))?;
    let response = upstream
        .send(request)
        .await
        .map_err(|error| error.at("the userinfo endpoint"))?;
    if response.status() != StatusCode::OK {
        return Err(untrusted(&format!(
            "answered with status {}",
            response.status().as_u16()
        )));
    }
    parse(response.body(), subject)
}

/// Reads an answer, which has to be about `subject`. One that is a signed token instead of JSON is
/// not asked for, and not read.
fn parse(body: &[u8], subject: &str) -> Result<UserInfo, LoginError> {
    let subject = SubjectIdentifier::new(subject.to_owned());
    let claims = CoreUserInfoClaims::from_json::<UpstreamError>(body, Some(&subject));
    let claims = claims.map_err(|error| {
        let someone_else = matches!(error, UserInfoError::ClaimsVerification(_));
        untrusted(if someone_else {
            "is about another person"
        } else {
            "cannot be read"
        })
    })?;
    Ok(UserInfo {
        email: EmailClaims::new(
            claims.email().map(|email| email.as_str()),
            claims.email_verified(),
        ),
        display_name: claims
            .name()
            .and_then(|name| name.get(None))
            .map(|name| name.to_string()),
    })
}

fn untrusted(problem: &str) -> LoginError {
    LoginError::Untrusted(format!("userinfo {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o5_userinfo_is_about_the_person_of_the_id_token() {
        for (body, expected) in [
            (
                r#"{"sub":"s1","email":"a@x.test","email_verified":true}"#,
                Ok(true),
            ),
            (
                r#"{"sub":"s1","email":"a@x.test","email_verified":"true"}"#,
                Ok(true),
            ),
            (r#"{"sub":"s1"}"#, Ok(false)),
            (
                r#"{"sub":"s1","email":null,"email_verified":null}"#,
                Ok(false),
            ),
            (
                r#"{"sub":"s2","email":"a@x.test"}"#,
                Err("userinfo is about another person"),
            ),
            (r#"{"email":"a@x.test"}"#, Err("userinfo cannot be read")),
            (
                r#"{"sub":"s1","email_verified":1}"#,
                Err("userinfo cannot be read"),
            ),
            (
                r#"{"sub":"s1","email_verified":"yes"}"#,
                Err("userinfo cannot be read"),
            ),
            (r#"{"sub":"s2","sub":"s1"}"#, Err("userinfo cannot be read")),
            (
                "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                Err("userinfo cannot be read"),
            ),
            ("", Err("userinfo cannot be read")),
        ] {
            let parsed = parse(body.as_bytes(), "s1").map(|userinfo| userinfo.email.is_complete());
            let expected = expected.map_err(|text: &str| LoginError::Untrusted(text.to_owned()));
            assert_eq!(parsed, expected, "{body}");
        }
    }
}
