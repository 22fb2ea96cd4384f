//! The app's own copies of tokens, which its [`SecretStore`] keeps.
//!
//! The database holds digests, so a copy that is lost cannot be found again; a
//! new token takes its place.

use std::io;
use std::path::{Path, PathBuf};

use porchlight_api::Message;
use porchlight_core::DatabaseError;
use porchlight_core::tokens::{Scope, TokenError, Tokens};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::task::JoinSet;

use crate::tokens::secret_store::{Secret, SecretStore};

/// The scopes of the tokens that the app keeps for itself.
const OWN: [Scope; 3] = [Scope::Heartbeat, Scope::Upload, Scope::Admin];

/// What a heartbeat token is called that takes a lost one's place.
const OWN_NAME: &str = "this app";
/// What the token is called that pictures of watched folders are uploaded with.
const UPLOAD_NAME: &str = "this app's watched folders";

/// What the token for everything is called that takes a lost one's place.
const EVERYTHING_NAME: &str = "this app's commands";

/// The minimum length of a token from the environment.
const LEAST: usize = 16;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum OwnTokenError {
    /// It was not made.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The copy was not kept.
    #[error("the app's own tokens cannot be kept in {file}: {cause}")]
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A variable holds what cannot be a token.
    #[error(
        "{0} holds no token: it must not be empty, and letters, digits and signs alone can be in it"
    )]
    Variable(&'static str),
    /// A variable holds a token that can be guessed.
    #[error("{0} is shorter than 16 characters and can be guessed: use 32 random ones")]
    Guessable(&'static str),
}

impl From<OwnTokenError> for Message {
    fn from(error: OwnTokenError) -> Self {
        match error {
            OwnTokenError::Token(error) => error.into(),
            OwnTokenError::Database(error) => error.into(),
            OwnTokenError::File { file, cause } => Self::OwnTokensUnkept {
                place: (&file).into(),
                why: cause.into(),
            },
            // Only a start meets these, which prints them.
            error @ (OwnTokenError::Variable(_) | OwnTokenError::Guessable(_)) => Self::text(error),
        }
    }
}

/// The copies.
#[derive(Clone)]
pub struct OwnTokens {
    store: SecretStore,
}

impl OwnTokens {
    /// The copies that belong to a data folder. Without `keyring` they are in
    /// the file alone: what runs with no desktop must never wait for one.
    pub fn of(folder: &Path, keyring: bool) -> Self {
        Self {
            store: SecretStore::of(folder, keyring),
        }
    }

    /// Moves copies from the file into the keyring if there is one now.
    pub async fn move_to_keyring(&self) {
        if let Err(error) = self.store.move_to_keyring().await {
            tracing::warn!(%error, "the app's own secrets stay in their file");
        }
    }

    /// On the first run makes one token for heartbeats and one for everything,
    /// whatever tokens the owner has made before it. The copies come first: a
    /// start that fails half-way leaves no token without a copy.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub async fn make_first(&self, tokens: &Tokens) -> Result<(), OwnTokenError> {
        let keep = async |made: &[(Scope, SecretString)]| {
            for (scope, token) in made {
                self.keep(*scope, token).await?;
            }
            Ok::<(), OwnTokenError>(())
        };
        tokens
            .make_first(&[Scope::Heartbeat, Scope::Admin], keep)
            .await?;
        Ok(())
    }

    /// The app's own token for heartbeats; a new one where the copy is lost
    /// or was revoked.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub async fn for_heartbeats(&self, tokens: &Tokens) -> Result<SecretString, OwnTokenError> {
        self.own(tokens, Scope::Heartbeat, OWN_NAME).await
    }

    /// The app's own token for uploads of watched folders, which deletes
    /// nothing; a new one where there is none, or it is lost or was revoked.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub async fn for_uploads(&self, tokens: &Tokens) -> Result<SecretString, OwnTokenError> {
        self.own(tokens, Scope::Upload, UPLOAD_NAME).await
    }

    async fn own(
        &self,
        tokens: &Tokens,
        scope: Scope,
        name: &str,
    ) -> Result<SecretString, OwnTokenError> {
        if let Some(token) = self.kept(scope).await {
            let bearer = tokens.recognise(token.expose_secret()).await?;
            if bearer.is_some_and(|bearer| bearer.scope.covers(scope)) {
                return Ok(token);
            }
        }
        self.make(tokens, scope, name).await
    }

    async fn make(
        &self,
        tokens: &Tokens,
        scope: Scope,
        name: &str,
    ) -> Result<SecretString, OwnTokenError> {
        // No one else ever had the one before.
        tokens.revoke(name).await?;
        let token = tokens.create(name, scope).await?;
        self.keep(scope, &token).await?;
        tracing::info!(%scope, "the app has created a new token for itself: there was none, or it was lost or revoked");
        Ok(token)
    }

    /// Creates the app's own token for everything again, where its copy is lost or
    /// was revoked; its number.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub async fn renew_for_everything(
        &self,
        tokens: &Tokens,
    ) -> Result<Option<i64>, OwnTokenError> {
        if let Some(token) = self.kept(Scope::Admin).await
            // To look is no use of it.
            && let Some(number) = tokens.number_of(&token).await?
        {
            return Ok(Some(number));
        }
        let made = self.make(tokens, Scope::Admin, EVERYTHING_NAME).await?;
        Ok(tokens.number_of(&made).await?)
    }

    /// The numbers of the tokens that the app itself uses.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn numbers(&self, tokens: &Tokens) -> Result<Vec<i64>, DatabaseError> {
        let mut numbers = Vec::new();
        // Concurrently: a keyring may be slow for each.
        let mut kept = JoinSet::new();
        for scope in OWN {
            let own = self.clone();
            kept.spawn(async move { own.kept(scope).await });
        }
        for token in kept.join_all().await.into_iter().flatten() {
            numbers.extend(tokens.number_of(&token).await?);
        }
        Ok(numbers)
    }

    /// Whether the copies are in the file, where there is no keyring.
    pub fn are_in_a_file(&self) -> bool {
        self.store.has_tokens_in_file()
    }

    /// Where the copies are.
    pub(crate) fn store(&self) -> &SecretStore {
        &self.store
    }

    async fn keep(&self, scope: Scope, token: &SecretString) -> Result<(), OwnTokenError> {
        let kept = self.store.keep(Secret::Token(scope), token).await;
        let file = self.store.file();
        kept.map_err(|cause| OwnTokenError::File { file, cause })
    }

    async fn kept(&self, scope: Scope) -> Option<SecretString> {
        self.store.kept(Secret::Token(scope)).await
    }
}

/// Makes the tokens in the environment valid for as long as this run lasts.
///
/// # Errors
/// When a variable holds what cannot be a token, or can be guessed.
pub fn accept_from_environment(tokens: &Tokens) -> Result<(), OwnTokenError> {
    for (_, token, scope) in for_this_run()? {
        tokens.accept_for_this_run(scope, &token);
    }
    Ok(())
}

/// The tokens in the environment that a service takes.
///
/// # Errors
/// When a variable holds what cannot be a token, or can be guessed.
pub fn for_this_run() -> Result<Vec<FromEnvironment>, OwnTokenError> {
    let found = from_environment()?;
    let short = |(_, token, _): &&FromEnvironment| token.expose_secret().len() < LEAST;
    match found.iter().find(short) {
        Some((variable, ..)) => Err(OwnTokenError::Guessable(variable)),
        None => Ok(found),
    }
}

type FromEnvironment = (&'static str, SecretString, Scope);

/// The tokens in the environment.
///
/// # Errors
/// When a variable holds what cannot be a token.
pub fn from_environment() -> Result<Vec<FromEnvironment>, OwnTokenError> {
    let mut found = Vec::new();
    for (variable, scope) in [
        ("PORCHLIGHT_HEARTBEAT_TOKEN", Scope::Heartbeat),
        ("PORCHLIGHT_ADMIN_TOKEN", Scope::Admin),
    ] {
        let Some(token) = std::env::var_os(variable) else {
            continue;
        };
        match token.into_string() {
            Ok(token) if can_be_a_token(&token) => found.push((variable, token.into(), scope)),
            _ => return Err(OwnTokenError::Variable(variable)),
        }
    }
    Ok(found)
}

/// What a header can carry as one word.
pub fn can_be_a_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
