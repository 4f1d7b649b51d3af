//! [`Principal`]: who is asking, through which client, and what they may do.

use url::Url;

use crate::{
    login::{Identity, ProviderKind, allowlist::Access},
    oauth::token::GrantId,
    vault::{commit::Author, permit::Permit},
};

/// The authenticated party of one request: a person, the client that acts for them, and what they
/// may do. Only the [`Guard`](super::Guard) makes one.
#[derive(Clone, Debug)]
pub struct Principal {
    pub(super) identity: Identity,
    pub(super) client_name: String,
    pub(super) grant_id: GrantId,
    pub(super) access: Access,
    pub(super) could_write: bool,
    pub(super) permit: Permit,
}

impl Principal {
    /// The person.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What the client calls itself; nobody vouches for it.
    #[must_use]
    pub fn client_name(&self) -> &str {
        &self.client_name
    }

    /// The grant that the token belongs to.
    #[must_use]
    pub const fn grant_id(&self) -> &GrantId {
        &self.grant_id
    }

    /// What this request may do.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }

    /// Whether another token would let this person write: theirs does not, and the allowlist and
    /// the vault do. Where they do not either, a challenge would send their client into a loop of
    /// logins.
    #[must_use]
    pub fn could_be_granted_more(&self) -> bool {
        self.access == Access::ReadOnly && self.could_write
    }

    /// The person as the author of commits, the client for their trailer, and what to show when the
    /// turn of a change has come.
    ///
    /// Git wants an address. Where the login gave none, it is one that nobody can receive mail at:
    /// GitHub's own form for its accounts, or the subject at the issuer's host.
    #[must_use]
    pub fn author(&self) -> Author {
        let Identity {
            issuer,
            subject,
            name,
            display_name,
            ..
        } = &self.identity;
        let shown = display_name.as_deref().filter(|name| !name.is_empty());
        let named = Some(name.as_str()).filter(|name| !name.is_empty());
        let host = Url::parse(issuer)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let host = host.as_deref().unwrap_or("invalid");
        let email = match self.identity.provider {
            ProviderKind::Github => format!("{subject}+{name}@users.noreply.{host}"),
            ProviderKind::Google | ProviderKind::Oidc => {
                named.map_or_else(|| format!("{subject}@{host}"), str::to_owned)
            }
        };
        Author::new(
            shown.or(named).unwrap_or(subject),
            &email,
            &self.client_name,
        )
        .with_permit(self.permit.clone())
    }
}
