//! The settings in force, shared by everything that follows them.

use std::sync::Arc;

use parking_lot::Mutex;

use super::Settings;

/// The settings in force; clones are the same ones.
#[derive(Clone)]
pub struct CurrentSettings(Arc<Mutex<Arc<Settings>>>);

impl CurrentSettings {
    /// These are in force from the start.
    pub fn new(settings: Arc<Settings>) -> Self {
        Self(Arc::new(Mutex::new(settings)))
    }

    /// The settings as they are now.
    pub fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.lock())
    }

    /// Replaces them. Whoever has the ones from before keeps those.
    pub fn set(&self, settings: Arc<Settings>) {
        *self.0.lock() = settings;
    }
}
