//! The settings file as somebody edits it by hand while the program runs. What
//! is right counts as if it had been changed in the window; while something is
//! wrong, the settings from before stay in force, and what it is is told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use porchlight_api::window::FileProblem;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::host::{Host, Parts};
use crate::settings::difference::Difference;
use crate::settings::layers::Layers;
use crate::settings::problem::{Origin, Problem, Problems};

/// An editor has saved when nothing was told for this long. Some empty a file
/// and write it anew, some take it away and put another in its place.
const SETTLED: Duration = Duration::from_millis(300);
/// Where the system does not tell of changes, the file is read this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The settings file as it was last looked at.
pub struct SettingsFile(Mutex<Seen>);

struct Seen {
    /// The text that the settings in force were read from.
    in_force: String,
    /// What is wrong with the text that is there instead.
    wrong: Option<Problems>,
}

impl SettingsFile {
    /// One whose text is in force.
    pub fn in_force(text: String) -> Self {
        Self(Mutex::new(Seen {
            in_force: text,
            wrong: None,
        }))
    }

    /// What a change is made to: the text that is there. Where the file is gone,
    /// what was in it, so that nothing of it is lost with the change.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text_to_change(&self, layers: &Layers) -> Result<String, Problems> {
        let text = layers.file_text()?;
        let seen = self.0.lock();
        let gone = text.is_empty() && !layers.file.exists();
        Ok(if gone { seen.in_force.clone() } else { text })
    }

    /// The text that is there, where it is not the one in force.
    ///
    /// # Errors
    /// When it cannot be read, or the file is gone.
    fn other_text(&self, layers: &Layers) -> Result<Option<String>, Problems> {
        let text = layers.file_text()?;
        let seen = self.0.lock();
        if text == seen.in_force {
            return Ok(None);
        }
        if text.is_empty() && !layers.file.exists() {
            return Err(Problem::nowhere(format!(
                "the settings file {} is gone",
                layers.file.display()
            ))
            .into());
        }
        Ok(Some(text))
    }

    /// This is wrong, or nothing any more; whether that is news.
    fn says(&self, wrong: Option<Problems>) -> bool {
        let mut seen = self.0.lock();
        let news = seen.wrong != wrong;
        seen.wrong = wrong;
        news
    }
}

impl Host {
    /// What is wrong with the settings file as it was edited, line by line.
    pub fn settings_file_problems(&self) -> Vec<FileProblem> {
        let seen = self.parts().file.0.lock();
        let problems = seen.wrong.iter().flat_map(|problems| &problems.0);
        problems.map(told).collect()
    }

    /// Looks at the settings file, and takes over what was edited in it.
    pub async fn look_at_settings_file(&self) {
        let parts = self.parts();
        let _one_at_a_time = parts.changing.lock().await;
        let text = match parts.file.other_text(&parts.layers) {
            Ok(Some(text)) => text,
            Ok(None) => return self.say_wrong(None),
            Err(problems) => return self.say_wrong(Some(problems)),
        };
        let reading = match parts.layers.read_with(&text) {
            Ok(reading) => reading,
            Err(problems) => return self.say_wrong(Some(problems)),
        };
        if !parts.layers.file_is_named {
            // An editor may have put a new file there.
            parts.layers.close_to_others();
        }
        self.settings_file_is_right(text);
        *parts.origins.lock() = reading.origins;
        let before = self.settings();
        let settings = Arc::new(reading.settings);
        let difference = Difference::between(&before, &settings);
        let number = parts.choice.lock().number;
        let followed = self.take_over(settings, &[], number).await;
        let (now, later) = difference.keys();
        if !now.is_empty() {
            tracing::info!("the settings file was edited; at once: {}", now.join(", "));
        }
        if !later.is_empty() {
            tracing::warn!(
                "the settings file was edited; from the next start on: {}",
                later.join(", ")
            );
        }
        if let Err(error) = followed {
            tracing::error!("the settings file was edited, but {error}");
        }
    }

    /// This text of the file is in force from now on.
    pub fn settings_file_is_right(&self, text: String) {
        self.say_wrong(None);
        self.parts().file.0.lock().in_force = text;
    }

    /// Says in the log and to who shows it what is wrong with the file.
    fn say_wrong(&self, wrong: Option<Problems>) {
        if !self.parts().file.says(wrong.clone()) {
            return;
        }
        match wrong {
            Some(problems) => tracing::error!(
                "the settings file was edited and is not right, so the settings from before stay \
                 in force: {problems}"
            ),
            None => tracing::info!("the settings file is right again"),
        }
        self.parts().settings_changed.send_replace(());
    }
}

fn told(problem: &Problem) -> FileProblem {
    let line = match &problem.origin {
        Some(Origin::File { line, .. }) => u32::try_from(*line).ok(),
        _ => None,
    };
    FileProblem {
        line,
        key: problem.key.clone(),
        why: problem.why().to_owned(),
    }
}

/// Follows the settings file until the host stops.
pub fn follow(host: &Arc<Parts>, stop: CancellationToken) {
    let told = Arc::new(Notify::new());
    let mut listening = Listening::to(&host.layers.file, &told);
    let host = Arc::downgrade(host);
    let follow = async move {
        // What was edited before anybody listened is found at the first look.
        while let Some(parts) = Weak::upgrade(&host) {
            Host(parts).look_at_settings_file().await;
            if let Some(heard) = &mut listening {
                heard.follow_the_link();
                told.notified().await;
                while timeout(SETTLED, told.notified()).await.is_ok() {}
            } else {
                sleep(LOOK_EVERY).await;
            }
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(follow).await });
}

/// Hears of changes of the file: where it is, and where it leads to.
struct Listening {
    file: PathBuf,
    watcher: RecommendedWatcher,
    files: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Listening {
    /// `None` when the system does not tell of changes; why is in the log.
    fn to(file: &Path, told: &Arc<Notify>) -> Option<Self> {
        let files = Arc::new(Mutex::new(BTreeSet::new()));
        let hear = {
            let (told, files) = (Arc::clone(told), Arc::clone(&files));
            move |event: notify::Result<Event>| {
                if matters(event, &files.lock()) {
                    told.notify_one();
                }
            }
        };
        let listening = std::path::absolute(file)
            .map_err(notify::Error::io)
            .and_then(|file| {
                let watcher = RecommendedWatcher::new(hear, Config::default())?;
                let mut listening = Self {
                    file,
                    watcher,
                    files,
                };
                listening.hear_of(listening.file.clone())?;
                Ok(listening)
            });
        listening
            .inspect_err(|error| {
                tracing::warn!(%error, "the system does not tell when the settings file is edited");
            })
            .ok()
    }

    /// Hears of the file that the settings file is a link to, too.
    fn follow_the_link(&mut self) {
        let Ok(real) = self.file.canonicalize() else {
            return;
        };
        if let Err(error) = self.hear_of(real) {
            tracing::warn!(%error, "the system does not tell when the settings file is edited");
        }
    }

    /// The folder is what is listened to: editors put new files in the old one's place.
    fn hear_of(&mut self, file: PathBuf) -> notify::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let known = {
            let mut files = self.files.lock();
            let known = files.iter().any(|known| known.parent() == Some(&folder));
            files.insert(file);
            known
        };
        if known {
            return Ok(());
        }
        self.watcher.watch(&folder, RecursiveMode::NonRecursive)
    }
}

/// Whether one of these files may have another content now. That it was read,
/// also by this process, says nothing.
fn matters(event: notify::Result<Event>, files: &BTreeSet<PathBuf>) -> bool {
    let Ok(event) = event else {
        return true;
    };
    let was_read = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    };
    event.need_rescan() || !was_read && event.paths.iter().any(|path| files.contains(path))
}

#[cfg(test)]
mod tests;
