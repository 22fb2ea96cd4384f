//! A text that no log shows.

use std::ops::Deref;

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

/// A secret of the settings: not written by `Debug`, and compared so that a changed one is noticed.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(SecretString);

impl PartialEq for Secret {
    /// Both are the owner's own, so the time that this takes reveals nothing to anybody.
    fn eq(&self, other: &Self) -> bool {
        self.expose_secret() == other.expose_secret()
    }
}

impl Deref for Secret {
    type Target = SecretString;

    fn deref(&self) -> &SecretString {
        &self.0
    }
}

impl From<Secret> for SecretString {
    fn from(secret: Secret) -> Self {
        secret.0
    }
}

impl From<SecretString> for Secret {
    fn from(secret: SecretString) -> Self {
        Self(secret)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}
