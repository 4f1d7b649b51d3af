//! ID tokens (OpenID Connect Core section 3.1.3.7): what makes one believable.
//!
//! The `openidconnect` crate verifies signature, issuer, audience, expiry and nonce. What it leaves
//! to its caller is here: the authorized party, `nbf`, a tolerance for clocks, the access token's
//! hash, and a subject that is one.

use std::time::{Duration, UNIX_EPOCH};

use oauth2::{AccessToken, ClientId};
use openidconnect::{
    AccessTokenHash, AdditionalClaims, ClaimsVerificationError, IdToken, IdTokenVerifier,
    IssuerUrl, Nonce, SignatureVerificationError,
    core::{
        CoreGenderClaim, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    },
};
use serde::{Deserialize, Serialize};

use super::{email::EmailClaims, issuer::Issuer};
use crate::{login::allowlist::is_subject, runtime::Timestamp, secret::Secret};

/// How far the provider's clock and ours may be apart.
const LEEWAY: Duration = Duration::from_mins(1);

/// What an ID token has to fit.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a Issuer,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a Secret,
    pub(super) algorithms: &'a [CoreJwsSigningAlgorithm],
    /// The access token that came with it.
    pub(super) access_token: &'a AccessToken,
    pub(super) now: Timestamp,
}

/// What a believable ID token says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) subject: String,
    pub(super) email: EmailClaims,
    /// `name`, in whichever language came without a tag.
    pub(super) display_name: Option<String>,
    /// `hd`: the organisation at Google.
    pub(super) hosted_domain: Option<String>,
}

/// Why an ID token is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum IdTokenError {
    /// It is no signed token, or a claim is missing or of a wrong type.
    #[error("the ID token is malformed, or lacks a claim that it must have")]
    Malformed,
    /// `typ`, `cty` or `crit` ask for something else.
    #[error("the ID token's header announces another kind of token")]
    Header,
    /// It is not signed, or in a way that is not accepted.
    #[error("the ID token's algorithm is not accepted")]
    Algorithm,
    /// No key of the provider fits. There may be newer keys.
    #[error("the ID token is signed with an unknown key")]
    UnknownKey,
    /// Several keys fit, and the token does not say which.
    #[error("the ID token does not say with which key it is signed")]
    AmbiguousKey,
    /// The signature is wrong.
    #[error("the ID token's signature is wrong")]
    Signature,
    /// `iss` is not the provider.
    #[error("the ID token is from another issuer")]
    Issuer,
    /// `aud` does not hold our client id.
    #[error("the ID token is for another client")]
    Audience,
    /// `azp` is not our client id, or is missing although there are several audiences.
    #[error("the ID token was issued to another client")]
    AuthorizedParty,
    /// `exp` has passed.
    #[error("the ID token has expired")]
    Expired,
    /// `iat` or `nbf` is still to come.
    #[error("the ID token is not valid yet")]
    NotYetValid,
    /// `nonce` is not that of this login.
    #[error("the ID token belongs to another login")]
    Nonce,
    /// `at_hash` is not that of the access token.
    #[error("the ID token belongs to another access token")]
    AccessToken,
    /// `sub` is empty, too long, or has control characters.
    #[error("the ID token's subject is malformed")]
    Subject,
}

/// An ID token with the claims that we read beside the standard ones.
type Token = IdToken<
    FurtherClaims,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// Claims that the `openidconnect` crate does not name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FurtherClaims {
    /// RFC 7519 section 4.1.5; a number that may have a fraction.
    nbf: Option<f64>,
    hd: Option<String>,
}

impl AdditionalClaims for FurtherClaims {}

/// Believes `token` or says why not.
pub(super) fn verify(
    token: &Secret,
    keys: &CoreJsonWebKeySet,
    expected: &Expected<'_>,
) -> Result<Claims, IdTokenError> {
    let token: Token = token
        .expose()
        .parse()
        .map_err(|_| IdTokenError::Malformed)?;
    let issuer =
        IssuerUrl::new(expected.issuer.as_str().to_owned()).map_err(|_| IdTokenError::Issuer)?;
    let expiry_cutoff =
        UNIX_EPOCH + Duration::from_secs(expected.now.before(LEEWAY).unix_seconds());
    // A verifier for clients without a secret: it cannot verify an HMAC, whatever is allowed.
    let verifier = IdTokenVerifier::new_public_client(
        ClientId::new(expected.client_id.to_owned()),
        issuer,
        keys.clone(),
    )
    .set_allowed_algs(expected.algorithms.iter().cloned())
    // Other audiences are no harm by themselves; `azp` has to say that the token is ours.
    .set_other_audience_verifier_fn(|_| true)
    .set_time_fn(move || expiry_cutoff.into());

    let nonce = Nonce::new(expected.nonce.expose().to_owned());
    let claims = token.claims(&verifier, &nonce)?;

    let others = claims
        .audiences()
        .iter()
        .any(|audience| audience.as_str() != expected.client_id);
    match claims.authorized_party() {
        Some(party) if party.as_str() != expected.client_id => {
            return Err(IdTokenError::AuthorizedParty);
        }
        None if others => return Err(IdTokenError::AuthorizedParty),
        Some(_) | None => {}
    }

    let latest = expected.now.after(LEEWAY).unix_seconds();
    let is_ahead = |time: i64| u64::try_from(time).is_ok_and(|time| time > latest);
    if is_ahead(claims.issue_time().timestamp()) {
        return Err(IdTokenError::NotYetValid);
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "times are far below 2^53 seconds"
    )]
    if claims
        .additional_claims()
        .nbf
        .is_some_and(|nbf| nbf > latest as f64)
    {
        return Err(IdTokenError::NotYetValid);
    }

    if let Some(hash) = claims.access_token_hash() {
        let key = token
            .signing_key(&verifier)
            .map_err(|_| IdTokenError::UnknownKey)?;
        let algorithm = token.signing_alg().map_err(|_| IdTokenError::Algorithm)?;
        let ours = AccessTokenHash::from_token(expected.access_token, algorithm, key)
            .map_err(|_| IdTokenError::AccessToken)?;
        if ours != *hash {
            return Err(IdTokenError::AccessToken);
        }
    }

    let subject = claims.subject().as_str();
    if !is_subject(subject) {
        return Err(IdTokenError::Subject);
    }
    Ok(Claims {
        subject: subject.to_owned(),
        email: EmailClaims::new(
            claims.email().map(|email| email.as_str()),
            claims.email_verified(),
        ),
        display_name: claims
            .name()
            .and_then(|name| name.get(None))
            .map(|name| name.to_string()),
        hosted_domain: claims.additional_claims().hd.clone(),
    })
}

impl From<ClaimsVerificationError> for IdTokenError {
    fn from(error: ClaimsVerificationError) -> Self {
        use ClaimsVerificationError as Claims;
        use SignatureVerificationError as Signature;
        match error {
            Claims::Expired(_) => Self::Expired,
            Claims::InvalidAudience(_) => Self::Audience,
            Claims::InvalidIssuer(_) => Self::Issuer,
            Claims::InvalidNonce(_) => Self::Nonce,
            Claims::InvalidSubject(_) => Self::Subject,
            Claims::Unsupported(_) => Self::Header,
            Claims::SignatureVerification(error) => match error {
                Signature::AmbiguousKeyId(_) => Self::AmbiguousKey,
                Signature::NoMatchingKey => Self::UnknownKey,
                Signature::DisallowedAlg(_)
                | Signature::NoSignature
                | Signature::UnsupportedAlg(_) => Self::Algorithm,
                Signature::CryptoError(_) | Signature::InvalidKey(_) | Signature::Other(_) | _ => {
                    Self::Signature
                }
            },
            Claims::InvalidAuthContext(_) | Claims::InvalidAuthTime(_) | Claims::Other(_) | _ => {
                Self::Malformed
            }
        }
    }
}
