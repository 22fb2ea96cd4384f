//! A keyring in memory that can fail like real ones.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};

use super::keyring::{Keyring, KeyringError};
use super::{Arc, Path, SecretStore};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Works,
    /// There is no Secret Service.
    Absent,
    /// Like GNOME's when locked: it has no entries and stores none.
    Locked,
    RefusesReading,
    RefusesWriting,
    /// It waits for its user.
    Waits,
}

/// The keyring; clones are the same one.
#[derive(Clone)]
pub(crate) struct FakeKeyring(Arc<Mutex<(Behaviour, BTreeMap<String, String>)>>);

impl FakeKeyring {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((Behaviour::Works, BTreeMap::new()))))
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        self.0.lock().0 = behaviour;
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().1.keys().cloned().collect()
    }

    pub(crate) fn clear(&self) {
        self.0.lock().1.clear();
    }

    /// The secrets of a data folder, with this keyring.
    pub(crate) fn store(&self, folder: &Path) -> SecretStore {
        SecretStore {
            folder: folder.to_owned(),
            keyring: Some(Arc::new(self.clone())),
        }
    }

    fn wait(&self) {
        while self.0.lock().0 == Behaviour::Waits {
            std::thread::park();
        }
    }
}

impl Keyring for FakeKeyring {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyringError> {
        self.wait();
        let inside = self.0.lock();
        match inside.0 {
            Behaviour::Absent | Behaviour::RefusesReading => Err(KeyringError("no".to_owned())),
            Behaviour::Locked => Ok(None),
            _ => Ok(inside.1.get(name).map(|secret| secret.as_str().into())),
        }
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeyringError> {
        self.wait();
        let mut inside = self.0.lock();
        match inside.0 {
            Behaviour::Works | Behaviour::RefusesReading => {
                let secret = secret.expose_secret().to_owned();
                inside.1.insert(name.to_owned(), secret);
                Ok(())
            }
            _ => Err(KeyringError("no".to_owned())),
        }
    }

    fn delete(&self, name: &str) -> Result<(), KeyringError> {
        self.wait();
        let mut inside = self.0.lock();
        match inside.0 {
            Behaviour::Works => {
                inside.1.remove(name);
                Ok(())
            }
            _ => Err(KeyringError("no".to_owned())),
        }
    }
}
