//! The grant type `authorization_code` (RFC 6749 section 4.1.3, RFC 7636 section 4.5).

use super::{Failure, Issued, TokenError};
use crate::oauth::{
    AuthorizationServer,
    parameters::Parameters,
    state::{CodeRedemption, FoundClient, RedeemCode},
    token::{IssuedToken, TokenKind},
    types::CodeVerifier,
};

impl AuthorizationServer {
    /// Redeems a code. All that the code is bound to is compared where it is stored, in the same
    /// step that marks it as redeemed: of requests that race, exactly one gets tokens, and the next
    /// one ends the grant.
    pub(super) async fn redeem_code(
        &self,
        parameters: &Parameters,
        found: &FoundClient,
    ) -> Result<Issued, Failure> {
        let code = parameters.one("code")?.ok_or(TokenError::Missing("code"))?;
        let verifier = parameters
            .one("code_verifier")?
            .ok_or(TokenError::Missing("code_verifier"))?;
        let verifier = CodeVerifier::parse(verifier).ok_or(TokenError::Verifier)?;
        let code = IssuedToken::parse_as(TokenKind::Code, code, &self.settings.sealing_key)
            .ok_or(TokenError::CodeUnknown)?;

        let id = code.grant().clone();
        let (access, refresh, tokens) = self.new_tokens(&id)?;
        let redeem = RedeemCode {
            id: id.clone(),
            code: code.digest(),
            client: found.client.id.clone(),
            redirect_uri: parameters.one("redirect_uri")?.map(str::to_owned),
            challenge: verifier.challenge(),
            resource: self.settings.base_url.resource(),
            tokens,
            revoke_before: self.settings.revoke_before,
        };
        let (grant, pinned, access_expires_at) = match self.state.apply(redeem).await? {
            CodeRedemption::Redeemed {
                grant,
                pinned,
                access_expires_at,
            } => (grant, pinned, access_expires_at),
            CodeRedemption::Replayed(grant) => {
                let replayed = TokenError::Code(crate::oauth::grant::CodeRefusal::Replayed);
                return Err(self.failure(replayed, &id, &grant));
            }
            CodeRedemption::Refused(refusal) => {
                return Err(Failure {
                    grant: Some(id),
                    ..TokenError::Code(refusal).into()
                });
            }
            CodeRedemption::Unknown => return Err(TokenError::CodeUnknown.into()),
        };
        self.recheck(&id, &grant, pinned).await?;
        self.log_issued("code_redeemed", found, &id, &grant);
        Ok(Issued {
            access: access.secret().clone(),
            access_expires_at,
            refresh: grant.client.may_refresh.then(|| refresh.secret().clone()),
            scope: grant.scope,
        })
    }
}
