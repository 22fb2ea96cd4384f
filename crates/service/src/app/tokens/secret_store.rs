//! The app's own secrets: in the operating system's keyring and in a file that only its owner can
//! read.
//!
//! The file holds what the keyring has not taken, and the `PicGo` secret in any
//! case. What is in it counts before what the keyring has under the same name.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use self::keyring::{Keyring, KeyringError, SystemKeyring};
use crate::files::private_file;
use crate::tokens::scope::Scope;

#[cfg(test)]
pub mod fake;
mod keyring;

/// The maximum wait for a keyring, which may prompt its user.
const KEYRING_LIMIT: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// A token that `porchlight serve` made at its first run.
    Token(Scope),
    /// What editors send to the `PicGo` listener.
    PicGo,
    /// What proves that an image came through that listener.
    PicGoDeletions,
    /// The API token of Cloudflare, which is in the keyring or nowhere.
    Cloudflare,
}

impl Secret {
    fn key(self) -> String {
        match self {
            Self::Token(scope) => scope.to_string(),
            Self::PicGo => "picgo".to_owned(),
            Self::PicGoDeletions => "picgo-deletions".to_owned(),
            Self::Cloudflare => "cloudflare".to_owned(),
        }
    }

    /// Whether the file holds it also when the keyring has taken it. A locked
    /// keyring can look like an empty one, and new secrets stop every editor
    /// that is set up.
    fn stays_in_file(self) -> bool {
        matches!(self, Self::PicGo | Self::PicGoDeletions)
    }

    /// Its name in the keyring, which all data folders of a user share.
    fn name(self, folder: &Path) -> String {
        let folder = folder.display();
        match self {
            Self::Token(scope) => format!("{scope} token of {folder}"),
            Self::PicGo => format!("PicGo secret of {folder}"),
            Self::PicGoDeletions => format!("PicGo deletions of {folder}"),
            Self::Cloudflare => format!("Cloudflare token of {folder}"),
        }
    }
}

#[derive(Clone)]
pub struct SecretStore {
    folder: PathBuf,
    keyring: Option<Arc<dyn Keyring>>,
}

impl SecretStore {
    /// The store of a data folder. Without `keyring` the secrets are only in the file: a process
    /// without a desktop must never wait for a keyring.
    pub fn of(folder: &Path, keyring: bool) -> Self {
        let system = || Arc::new(SystemKeyring) as Arc<dyn Keyring>;
        Self {
            folder: folder.to_owned(),
            keyring: (keyring && SystemKeyring::is_reachable()).then(system),
        }
    }

    /// Stores a secret in place of the previous one.
    ///
    /// # Errors
    /// When neither the keyring nor the file can store it.
    pub async fn keep(&self, which: Secret, secret: &SecretString) -> io::Result<()> {
        let in_keyring = self.put_in_keyring(which, secret).await;
        if in_keyring && !which.stays_in_file() {
            return self.forget_in_file(which);
        }
        if !in_keyring && self.keyring.is_some() {
            tracing::info!("there is no open keyring: the app's own secrets are kept in a file");
        }
        self.put_in_file(which, secret)
    }

    /// The secret; `None` when there is none, or when it cannot be read.
    pub async fn kept(&self, which: Secret) -> Option<SecretString> {
        if let Some(secret) = self.in_file().remove(&which.key()) {
            return Some(secret.into());
        }
        let name = which.name(&self.folder);
        let found = self.ask_keyring(move |keyring| keyring.get(&name)).await;
        let found = found.flatten();
        if which.stays_in_file()
            && let Some(secret) = &found
            && let Err(error) = self.put_in_file(which, secret)
        {
            tracing::warn!(%error, "the secret for editors is in the keyring alone");
        }
        found
    }

    /// Puts the `PicGo` secret of the file into the keyring, too, if there is one now.
    pub async fn copy_to_keyring(&self) {
        if let Some(secret) = self.in_file_alone(Secret::PicGo) {
            self.put_in_keyring(Secret::PicGo, &secret).await;
        }
    }

    /// The secret of the keyring; `None` when there is none, or when it cannot be read.
    pub async fn in_keyring(&self, which: Secret) -> Option<SecretString> {
        let name = which.name(&self.folder);
        let asked = self.ask_keyring(move |keyring| keyring.get(&name));
        asked.await.flatten()
    }

    /// Removes a secret from the keyring, where that answers.
    pub async fn remove_from_keyring(&self, which: Secret) {
        let name = which.name(&self.folder);
        let _ = self.ask_keyring(move |keyring| keyring.delete(&name)).await;
    }

    pub fn in_file_alone(&self, which: Secret) -> Option<SecretString> {
        self.in_file().remove(&which.key()).map(SecretString::from)
    }

    /// Removes a secret from the file.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub fn forget_in_file(&self, which: Secret) -> io::Result<()> {
        self.change_file(|secrets| secrets.remove(&which.key()).is_some())
    }

    /// The secrets that are not in the keyring alone.
    pub fn file(&self) -> PathBuf {
        self.folder.join("own-tokens.json")
    }

    /// Whether the keyring stored it.
    pub async fn put_in_keyring(&self, which: Secret, secret: &SecretString) -> bool {
        let name = which.name(&self.folder);
        let secret = secret.clone();
        let asked = self.ask_keyring(move |keyring| keyring.set(&name, &secret));
        asked.await.is_some()
    }

    /// On a separate thread: a keyring that waits for its user would otherwise delay the exit of
    /// the program.
    async fn ask_keyring<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Keyring) -> Result<T, KeyringError> + Send + 'static,
    ) -> Option<T> {
        let keyring = Arc::clone(self.keyring.as_ref()?);
        let (answer, answered) = tokio::sync::oneshot::channel();
        let asking = std::thread::Builder::new()
            .name("keyring".to_owned())
            // A late answer is dropped.
            .spawn(move || drop(answer.send(ask(keyring.as_ref()))));
        asking.ok()?;
        match tokio::time::timeout(KEYRING_LIMIT, answered).await {
            Ok(Ok(Ok(answer))) => Some(answer),
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

    pub fn put_in_file(&self, which: Secret, secret: &SecretString) -> io::Result<()> {
        self.change_file(|secrets| {
            secrets.insert(which.key(), secret.expose_secret().to_owned());
            true
        })
    }

    /// Writes the file where the change reports one. Without
    /// secrets there is no file.
    fn change_file(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> bool,
    ) -> io::Result<()> {
        let mut secrets = self.in_file();
        if !change(&mut secrets) {
            return Ok(());
        }
        if secrets.is_empty() {
            return std::fs::remove_file(self.file());
        }
        let text = serde_json::to_string_pretty(&secrets)?;
        private_file::write(&self.file(), &(text + "\n"))
    }

    fn in_file(&self) -> BTreeMap<String, String> {
        secrets_in(&self.file())
    }
}

/// What cannot be read is lost, and made again where it is needed.
fn secrets_in(file: &Path) -> BTreeMap<String, String> {
    std::fs::read(file)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
