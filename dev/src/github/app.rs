//! The GitHub App that the look-alike knows, and its one installation.
//!
//! Sources: GitHub docs, "Generating a JSON Web Token (JWT) for a GitHub App", "Generating an
//! installation access token for a GitHub App", and the schemas `installation` and
//! `installation-token` of GitHub's `OpenAPI` description.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};

use super::error::ApiError;

/// The app's number.
pub const ID: u64 = 100_001;
/// The app's client identifier, which a JSON Web Token may name in place of the number.
pub const CLIENT_ID: &str = "Iv23liLOOKALIKE00001";
/// The number of its installation.
pub const INSTALLATION_ID: u64 = 200_002;
/// The app's name in addresses; its commits are by `look-alike-app[bot]`.
pub const SLUG: &str = "look-alike-app";
/// The app's private key as GitHub hands it out, in PKCS#1. It opens this server alone.
pub const PRIVATE_KEY: &str = include_str!("../../keys/app.pkcs1.pem");
/// The same key in PKCS#8.
pub const PRIVATE_KEY_PKCS8: &str = include_str!("../../keys/app.pkcs8.pem");
/// The other half of it.
const PUBLIC_KEY: &[u8] = include_bytes!("../../keys/app.public.pem");

/// The longest that a JSON Web Token may hold, in seconds.
const JWT_LIFE: u64 = 600;
/// For how long an installation token holds, in seconds.
pub(crate) const TOKEN_LIFE: u64 = 3_600;

/// Where the app is installed. Tests change it as its owner would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// The full names of the repositories it selects; `None` for all.
    pub repositories: Option<Vec<String>>,
    /// Its permissions: name and level.
    pub permissions: BTreeMap<String, String>,
    /// Whether the account has suspended it.
    #[serde(default)]
    pub suspended: bool,
    /// Whether the account has uninstalled it.
    #[serde(default)]
    pub uninstalled: bool,
}

impl Installation {
    /// The installation that a vault server should be given.
    pub(crate) fn on(full_name: &str) -> Self {
        let permissions = [("contents", "write"), ("metadata", "read")];
        Self {
            repositories: Some(vec![full_name.to_owned()]),
            permissions: permissions
                .map(|(name, level)| (name.to_owned(), level.to_owned()))
                .into(),
            suspended: false,
            uninstalled: false,
        }
    }
}

/// The app as the server keeps it.
#[derive(Debug)]
pub(crate) struct App {
    installation: Mutex<Installation>,
}

#[derive(Deserialize)]
struct Claims {
    iat: u64,
    exp: u64,
    iss: serde_json::Value,
}

impl App {
    pub(crate) const fn new(installation: Installation) -> Self {
        Self {
            installation: Mutex::new(installation),
        }
    }

    /// The installation, to read or to change.
    pub(crate) fn installation(&self) -> MutexGuard<'_, Installation> {
        self.installation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a JSON Web Token is the app's, and holds at `now`.
    pub(crate) fn verify(jwt: &str, now: u64) -> Result<(), ApiError> {
        let key = DecodingKey::from_rsa_pem(PUBLIC_KEY).map_err(|_| ApiError::ServerError)?;
        let mut rules = Validation::new(Algorithm::RS256);
        // Its times are compared below, against this server's clock.
        rules.validate_exp = false;
        rules.required_spec_claims.clear();
        let claims = jsonwebtoken::decode::<Claims>(jwt, &key, &rules)
            .map_err(|_| ApiError::JwtUndecodable)?
            .claims;
        if claims.iat > now {
            return Err(ApiError::JwtFromTheFuture);
        }
        if claims.exp <= now {
            return Err(ApiError::JwtExpired);
        }
        if claims.exp > now + JWT_LIFE {
            return Err(ApiError::JwtTooLong);
        }
        // A number, or a text.
        let issuer = claims
            .iss
            .as_str()
            .map_or_else(|| claims.iss.to_string(), str::to_owned);
        if issuer == ID.to_string() || issuer == CLIENT_ID {
            Ok(())
        } else {
            Err(ApiError::IntegrationNotFound)
        }
    }
}
