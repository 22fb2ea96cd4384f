//! The app's own copies of tokens: in the operating system's keyring, or where
//! there is none in a file that its owner alone can read.
//!
//! The database holds digests, so a copy that is lost cannot be found again; a
//! new token takes its place.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use keyring::v1::Entry;
use porchlight_core::DatabaseError;
use porchlight_core::tokens::{Scope, TokenError, Tokens};
use secrecy::{ExposeSecret as _, SecretString};

use crate::settings::file;

/// A keyring that asks its user something is not waited for any longer.
const KEYRING_LIMIT: Duration = Duration::from_secs(3);

/// What a heartbeat token is called that takes a lost one's place.
const OWN_NAME: &str = "this app";
/// What the token is called that pictures of watched folders are uploaded with.
const UPLOAD_NAME: &str = "this app's watched folders";

/// What the token for everything is called that takes a lost one's place.
const EVERYTHING_NAME: &str = "this app's commands";

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OwnTokenError {
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
}

/// Where the copies are.
#[derive(Debug, Clone)]
pub(crate) struct OwnTokens {
    folder: PathBuf,
    keyring: bool,
}

impl OwnTokens {
    /// The copies that belong to a data folder. Without `keyring` they are in
    /// the file alone: what runs with no desktop must never wait for one.
    pub(crate) fn of(folder: &Path, keyring: bool) -> Self {
        let reachable = cfg!(not(target_os = "linux"))
            || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|bus| !bus.is_empty());
        // Tests leave the keyring of whoever runs them alone.
        let reachable = reachable && !cfg!(test);
        Self {
            folder: folder.to_owned(),
            keyring: keyring && reachable,
        }
    }

    /// On the first run makes one token for heartbeats and one for everything,
    /// whatever tokens the owner has made before it. The copies come first: a
    /// start that fails half-way leaves no token that nobody has.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub(crate) async fn make_first(&self, tokens: &Tokens) -> Result<(), OwnTokenError> {
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
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) async fn for_heartbeats(
        &self,
        tokens: &Tokens,
    ) -> Result<SecretString, OwnTokenError> {
        self.own(tokens, Scope::Heartbeat, OWN_NAME).await
    }

    /// The app's own token for uploads of watched folders, which deletes
    /// nothing; a new one where there is none, or it is lost or was revoked.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub(crate) async fn for_uploads(&self, tokens: &Tokens) -> Result<SecretString, OwnTokenError> {
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
        // Nobody else ever had the one before, so nobody misses it.
        tokens.revoke(name).await?;
        let token = tokens.create(name, scope).await?;
        self.keep(scope, &token).await?;
        tracing::info!(%scope, "the app has a new token of its own: there was none, or it was lost or revoked");
        Ok(token)
    }

    /// Makes the app's own token for everything anew, where its copy is lost or
    /// was revoked; its number.
    ///
    /// # Errors
    /// See [`OwnTokenError`].
    pub(crate) async fn renew_for_everything(
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

    /// The app's own token for everything, where its copy is still here.
    pub(crate) async fn for_everything(&self) -> Option<SecretString> {
        self.kept(Scope::Admin).await
    }

    /// The numbers of the tokens that the app itself uses.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) async fn numbers(&self, tokens: &Tokens) -> Result<Vec<i64>, DatabaseError> {
        let mut numbers = Vec::new();
        let kept = tokio::join!(
            self.kept(Scope::Heartbeat),
            self.kept(Scope::Upload),
            self.kept(Scope::Admin)
        );
        for token in [kept.0, kept.1, kept.2].into_iter().flatten() {
            numbers.extend(tokens.number_of(&token).await?);
        }
        Ok(numbers)
    }

    /// Whether the copies are in the file, where there is no keyring.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn are_in_a_file(&self) -> bool {
        self.file().is_file()
    }

    async fn keep(&self, scope: Scope, token: &SecretString) -> Result<(), OwnTokenError> {
        if self.keyring {
            let secret = token.clone();
            let kept = self
                .ask_keyring(scope, move |entry| {
                    entry.set_password(secret.expose_secret())
                })
                .await;
            if kept.is_some() {
                return Ok(());
            }
            tracing::info!("there is no keyring; the app's own tokens are kept in a file");
        }
        let file = self.file();
        let failed = |cause| OwnTokenError::File {
            file: file.clone(),
            cause,
        };
        let mut copies = self.copies();
        copies.insert(scope.to_string(), token.expose_secret().to_owned());
        let text = serde_json::to_string_pretty(&copies).map_err(|error| failed(error.into()))?;
        file::write(&file, &(text + "\n")).map_err(failed)
    }

    async fn kept(&self, scope: Scope) -> Option<SecretString> {
        if self.keyring
            && let Some(token) = self.ask_keyring(scope, Entry::get_password).await
        {
            return Some(token.into());
        }
        self.copies().remove(&scope.to_string()).map(Into::into)
    }

    /// On a thread of its own: a keyring that waits for its user would hold up
    /// the end of the program otherwise.
    async fn ask_keyring<T: Send + 'static>(
        &self,
        scope: Scope,
        ask: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Option<T> {
        let name = format!("{scope} token of {}", self.folder.display());
        let (answer, answered) = tokio::sync::oneshot::channel();
        let asking = std::thread::Builder::new()
            .name("keyring".to_owned())
            .spawn(move || {
                let result = Entry::new("Porchlight", &name).and_then(|entry| ask(&entry));
                // Nobody waits any longer when it took too long.
                drop(answer.send(result));
            });
        asking.ok()?;
        match tokio::time::timeout(KEYRING_LIMIT, answered).await {
            Ok(Ok(Ok(told))) => Some(told),
            Ok(Ok(Err(keyring::Error::NoEntry))) => None,
            Ok(Ok(Err(error))) => {
                tracing::debug!(%error, "the keyring refused");
                None
            }
            Ok(Err(_)) => None,
            Err(_) => {
                tracing::debug!("the keyring did not answer in time");
                None
            }
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("own-tokens.json")
    }

    /// What cannot be read is lost, and made anew by whoever needs it.
    fn copies(&self) -> BTreeMap<String, String> {
        std::fs::read(self.file())
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }
}

/// Makes the tokens in the environment valid for as long as this run lasts.
///
/// # Errors
/// When a variable holds what cannot be a token.
pub(crate) fn accept_from_environment(tokens: &Tokens) -> Result<(), OwnTokenError> {
    for (variable, token, scope) in from_environment()? {
        if token.expose_secret().len() < 16 {
            tracing::warn!("{variable} is short and can be guessed: use 32 random characters");
        }
        tokens.accept_for_this_run(scope, &token);
    }
    Ok(())
}

type FromEnvironment = (&'static str, SecretString, Scope);

/// The tokens in the environment.
///
/// # Errors
/// When a variable holds what cannot be a token.
pub(crate) fn from_environment() -> Result<Vec<FromEnvironment>, OwnTokenError> {
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
pub(crate) fn can_be_a_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
