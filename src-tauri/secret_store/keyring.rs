//! The operating system's keyring, behind a trait.

use secrecy::{ExposeSecret as _, SecretString};

/// Why the keyring has not done what was asked.
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

    /// Keeps a secret under this name, in place of the one before.
    ///
    /// # Errors
    /// When there is no keyring, or it refuses.
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeyringError>;
}

/// That of the system: the Secret Service, the Keychain or the Credential
/// Manager.
pub(super) struct SystemKeyring;

impl SystemKeyring {
    /// Whether there can be one. Without a session bus there is no Secret
    /// Service.
    pub(super) fn is_reachable() -> bool {
        // Tests leave the keyring of whoever runs them alone.
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
}

fn entry(name: &str) -> keyring::Result<keyring::v1::Entry> {
    keyring::v1::Entry::new("Porchlight", name)
}

/// Some errors of the keyring hold the secret in their debug form: their
/// sentence does not.
fn refused(error: &keyring::Error) -> KeyringError {
    KeyringError(error.to_string())
}
