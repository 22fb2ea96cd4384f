//! The machine's facts and load, as a block of HTML that is public.

mod block;
mod facts;
#[cfg(windows)]
mod processor_times;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::facts::Machine;

/// How long a block is cached. However many requests come, the machine is read
/// once in it.
const GOOD_FOR: Duration = Duration::from_secs(5);

/// `[system]`: what `/sysinfo` may show beyond what is harmless.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemSettings {
    /// Show the user's name.
    pub show_user: bool,
    /// Show the host's name.
    pub show_host: bool,
    /// Show the machine's addresses.
    pub show_addresses: bool,
}

/// Reads the machine.
pub struct System {
    shared: Arc<tokio::sync::Mutex<Shared>>,
}

struct Shared {
    machine: Option<Machine>,
    settings: SystemSettings,
    block: Option<(String, Instant)>,
}

impl System {
    /// Nothing is read before the first request.
    #[must_use]
    pub fn new(settings: &SystemSettings) -> Self {
        let shared = Shared {
            machine: None,
            settings: settings.clone(),
            block: None,
        };
        Self {
            shared: Arc::new(tokio::sync::Mutex::new(shared)),
        }
    }

    /// Applies these settings from the next request on.
    pub async fn follow(&self, settings: &SystemSettings) {
        let mut shared = self.shared.lock().await;
        shared.settings = settings.clone();
        shared.block = None;
    }

    /// The machine's facts, one a line, as HTML with its colours in it and
    /// every value escaped. The user's and the host's name and addresses are in
    /// it only where the settings enable them; serial numbers and paths never
    /// are. It is at most five seconds old.
    pub async fn html(&self) -> String {
        let mut shared = Arc::clone(&self.shared).lock_owned().await;
        if let Some((block, read)) = &shared.block
            && read.elapsed() < GOOD_FOR
        {
            return block.clone();
        }
        // Reading touches many files and, the first time, waits for the
        // processor's second reading. It ends even if the reader hangs up.
        let reading = tokio::task::spawn_blocking(move || {
            let shared = &mut *shared;
            let machine = shared.machine.get_or_insert_with(Machine::open);
            let block = block::html(&machine.read(&shared.settings));
            shared.block = Some((block.clone(), Instant::now()));
            block
        });
        reading.await.unwrap_or_else(|error| {
            tracing::error!(%error, "reading the machine failed");
            block::html(&[])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::System;
    use crate::system::SystemSettings;

    #[tokio::test]
    async fn a_second_request_within_seconds_returns_the_same_block() {
        let system = System::new(&SystemSettings::default());
        let (first, second) = tokio::join!(system.html(), system.html());
        assert_eq!(first, second);
        assert!(first.contains("Uptime"), "{first}");
    }
}
