//! The operating system's keyring, behind a trait.

use secrecy::{ExposeSecret as _, SecretString};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct KeyringError(pub(super) String);

/// Named secrets that outlive the program. Each call may wait for the owner.
pub(crate) trait Keyring: Send + Sync + 'static {
    /// The secret of this name; `None` where there is none.
    ///
    /// # Errors
    /// When there is no keyring, or it refuses.
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyringError>;

    /// Stores a secret under this name, in place of the previous one.
    ///
    /// # Errors
    /// When there is no keyring, or it refuses.
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeyringError>;

    /// Removes the secret of this name, which is there.
    ///
    /// # Errors
    /// When there is no keyring, or it refuses.
    fn delete(&self, name: &str) -> Result<(), KeyringError>;
}

/// The system's keyring: the Secret Service, the Keychain or the Credential Manager.
pub(super) struct SystemKeyring;

impl SystemKeyring {
    /// Whether there can be one. Without a session bus there is no Secret
    /// Service.
    pub(super) fn is_reachable() -> bool {
        // Tests do not use the keyring of the user who runs them.
        !cfg!(test)
            && (cfg!(not(target_os = "linux"))
                || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|bus| !bus.is_empty()))
    }
}

impl Keyring for SystemKeyring {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyringError> {
        match entry(name).and_then(|entry| entry.get_password()) {
            Ok(secret) => Ok(Some(secret.into())),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeyringError> {
        entry(name)
            .and_then(|entry| entry.set_password(secret.expose_secret()))
            .map_err(|error| refused(&error))
    }

    fn delete(&self, name: &str) -> Result<(), KeyringError> {
        entry(name)
            .and_then(|entry| entry.delete_credential())
            .map_err(|error| refused(&error))
    }
}

fn entry(name: &str) -> keyring::Result<keyring::v1::Entry> {
    keyring::v1::Entry::new("Porchlight", name)
}

/// The debug form of some keyring errors contains the secret; their display form does not.
fn refused(error: &keyring::Error) -> KeyringError {
    KeyringError(error.to_string())
}
