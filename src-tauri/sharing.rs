//! What the owner decides while the program runs: whether to share what they
//! are at, and settings. Journey 3 begins with that yes.

use std::sync::Arc;

use porchlight_api::window::Sharing;
use porchlight_companion::{Reporter, ReporterState};
use tokio::sync::watch;

use crate::host::{Host, lock};
use crate::settings::Settings;
use crate::settings::file::{self, Change, ChangeError};
use crate::settings::problem::Problems;

/// What was decided in this run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Choice {
    /// The owner's answer; it counts for more than any setting.
    answer: Option<bool>,
    /// Whether sharing rests for now.
    paused: bool,
}

impl Choice {
    /// Whether heartbeats are posted, given `presence.enabled`.
    pub(crate) fn posts(self, enabled: Option<bool>) -> bool {
        self.sharing(enabled) == Sharing::On
    }

    fn sharing(self, enabled: Option<bool>) -> Sharing {
        match self.answer.or(enabled) {
            None => Sharing::Unasked,
            Some(false) => Sharing::Off,
            Some(true) if self.paused => Sharing::Paused,
            Some(true) => Sharing::On,
        }
    }
}

/// Why settings were not changed; those from before hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpdateError {
    /// With the change they are not valid.
    #[error("{0}")]
    Settings(#[from] Problems),
    /// The file cannot be changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// It cannot be written.
    #[error("the settings file {0} cannot be written: {1}")]
    Write(String, std::io::Error),
    /// The reporter cannot follow.
    #[error("{0}")]
    Reporter(String),
}

impl Host {
    /// The settings as they are now.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&lock(&self.parts().settings))
    }

    /// The address that a blog is pointed at: the public one, else the local.
    pub(crate) fn blog_url(&self) -> String {
        let public = self.parts().public_address();
        public.map_or_else(|| self.local_url(), |url| url.to_string())
    }

    /// Changes the settings file, all of the changes or none. The reporter and
    /// the public address follow at once; the rest counts from the next start.
    /// What the environment or the command line says stays over the file.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub(crate) async fn update_settings(
        &self,
        changes: &[Change<'_>],
    ) -> Result<Arc<Settings>, UpdateError> {
        let parts = self.parts();
        let _one_at_a_time = parts.changing.lock().await;
        let before = parts.layers.file_text()?;
        let after = file::changed(&before, changes)?;
        let settings = Arc::new(parts.layers.read_with(&after)?.settings);
        if after != before {
            let path = &parts.layers.file;
            file::write(path, &after)
                .map_err(|error| UpdateError::Write(path.display().to_string(), error))?;
        }
        self.take_over(Arc::clone(&settings))
            .map_err(|error| UpdateError::Reporter(error.to_string()))?;
        Ok(settings)
    }

    /// Whether the owner shares what they are at.
    pub(crate) fn sharing(&self) -> Sharing {
        let choice = *lock(&self.parts().choice);
        choice.sharing(self.settings().presence.enabled)
    }

    /// The owner's answer to the question of the first run, or a change of
    /// mind. A no counts at once, even where it cannot be written down; a yes
    /// only once it is.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub(crate) async fn answer_sharing(&self, share: bool) -> Result<(), UpdateError> {
        if !share {
            self.choose(|choice| choice.answer = Some(false));
        }
        self.update_settings(&[("presence.enabled", Some(share.into()))])
            .await?;
        self.choose(|choice| choice.answer = Some(share));
        Ok(())
    }

    /// Lets sharing rest, or go on, in this run. While it rests, the game is
    /// told as little as anything else.
    pub(crate) fn pause(&self, paused: bool) {
        self.choose(|choice| choice.paused = paused);
    }

    /// How the reporter is doing, now and whenever that changes.
    pub(crate) fn reporter(&self) -> watch::Receiver<ReporterState> {
        match &self.parts().reporting {
            Some(reporting) => Reporter::state(&reporting.reporter),
            None => watch::channel(ReporterState::default()).1,
        }
    }

    fn choose(&self, change: impl FnOnce(&mut Choice)) {
        {
            let mut choice = lock(&self.parts().choice);
            change(&mut choice);
            self.service().game().hide(choice.paused);
        }
        self.tell_reporter();
    }
}

#[cfg(test)]
mod tests;
