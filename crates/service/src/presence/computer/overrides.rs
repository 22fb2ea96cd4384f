//! Overrides of presence by the owner: a pause, a fixed status. Both are stored
//! in the data folder, so that a restart does not end them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{ToSpan as _, Zoned};
use serde::{Deserialize, Serialize};

use super::end::End;
use crate::error::message::Message;
use crate::files::private_files;
use crate::text::rgba::Rgba;

/// For how long presence is not shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    HalfAnHour,
    /// Until the next day starts, by the clock of this machine.
    UntilTomorrow,
    UntilResumed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// When it ends by itself; `None` for never.
    #[serde(default, rename = "left")]
    pub until: Option<End>,
}

/// A status that is shown in place of the foreground app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedStatus {
    /// In place of the program's name; at most 200 characters.
    pub application: String,
    /// The line about it; at most 2,000 characters.
    #[serde(default)]
    pub introduce: String,
    /// The colour; the default where it is empty.
    #[serde(default)]
    pub rgba: Rgba,
    /// When it ends by itself; `None` for never.
    #[serde(default, rename = "left")]
    pub until: Option<End>,
}

/// How many of the last statuses are kept, to be set again.
const RECENT: usize = 5;

impl FixedStatus {
    /// Whether a heartbeat can carry it.
    ///
    /// # Errors
    /// When it exceeds the limits.
    pub(super) fn check(&self) -> Result<(), Message> {
        let fits = |text: &str, most: usize| {
            text.chars().count() <= most && !text.chars().any(char::is_control)
        };
        if fits(&self.application, 200) && fits(&self.introduce, 2_000) {
            Ok(())
        } else {
            Err(Message::StatusTooLong)
        }
    }
}

/// Pause and fixed status, and the statuses before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Overrides {
    pub(super) pause: Option<Paused>,
    pub(super) fixed: Option<FixedStatus>,
    /// The last ones that were set, each without its end, newest first.
    pub(super) recent: Vec<FixedStatus>,
}

impl Overrides {
    /// Ends what has expired. The others are shown by the machine's clock of now.
    pub(super) fn end_what_is_over(&mut self) {
        let over = |end: Option<End>| end.is_some_and(End::is_over);
        self.pause.take_if(|pause| over(pause.until));
        self.fixed.take_if(|status| over(status.until));
        let pause = self.pause.iter_mut().filter_map(|it| it.until.as_mut());
        let fixed = self.fixed.iter_mut().filter_map(|it| it.until.as_mut());
        for end in pause.chain(fixed) {
            *end = end.by_the_clock_of_now();
        }
    }

    /// How long it is until the first of them expires.
    pub(super) fn left(&self) -> Option<Duration> {
        let fixed = self.fixed.as_ref().and_then(|status| status.until);
        let pause = self.pause.and_then(|pause| pause.until);
        fixed.into_iter().chain(pause).map(End::left).min()
    }

    /// Shows this status, and keeps it among the last ones.
    pub(super) fn fix(&mut self, status: Option<FixedStatus>) {
        if let Some(status) = &status {
            let kept = FixedStatus {
                until: None,
                ..status.clone()
            };
            self.recent.retain(|before| *before != kept);
            self.recent.insert(0, kept);
            self.recent.truncate(RECENT);
        }
        self.fixed = status;
    }
}

impl Pause {
    pub(super) fn start(self, now: &Zoned) -> Paused {
        let until = match self {
            Self::HalfAnHour => Some(End::after(Duration::from_mins(30))),
            Self::UntilTomorrow => until_tomorrow(now).map(End::after),
            Self::UntilResumed => None,
        };
        Paused { until }
    }
}

/// `None` at the end of the calendar.
fn until_tomorrow(now: &Zoned) -> Option<Duration> {
    let tomorrow = now.checked_add(1.day()).ok()?.start_of_day().ok()?;
    now.duration_until(&tomorrow).try_into().ok()
}

#[derive(Debug)]
pub(super) struct OverridesFile(PathBuf);

impl OverridesFile {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self(folder.join("presence.json"))
    }

    /// The stored overrides. A file that cannot be read may have contained a
    /// pause, so it counts as one: presence that the owner hid stays hidden.
    pub(super) fn read(&self) -> Overrides {
        match std::fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "{} is broken; heartbeats are paused", self.0.display());
                paused()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Overrides::default(),
            Err(error) => {
                tracing::warn!(%error, "{} cannot be read; heartbeats are paused", self.0.display());
                paused()
            }
        }
    }

    /// Writes them whole or not at all.
    ///
    /// # Errors
    /// When they cannot be written: the next run does not have them.
    pub(super) async fn write(&self, overrides: &Overrides) -> Result<(), Message> {
        let text = serde_json::to_vec_pretty(overrides).map_err(Message::text)?;
        let file = self.0.clone();
        let written = tokio::task::spawn_blocking(move || private_files::write(&file, &text));
        written
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(|why| self.unwritten(why))
    }

    /// Logs why they are not written.
    pub(super) fn unwritten(&self, why: io::Error) -> Message {
        crate::detail!(
            "{} cannot be written ({why}): what you changed holds until a restart",
            self.0.display()
        )
    }
}

fn paused() -> Overrides {
    Overrides {
        pause: Some(Paused { until: None }),
        ..Overrides::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Zoned {
        time.parse().expect("a time")
    }

    #[test]
    fn a_pause_ends_after_half_an_hour_or_with_the_day_or_never() {
        let hours = |now: &str| {
            let left = until_tomorrow(&at(now)).expect("a day");
            left.as_secs_f32() / 3_600.0
        };
        let now = at("2026-03-28T22:00:00+08:00[Asia/Shanghai]");
        let left = |pause: Pause| pause.start(&now).until.map(End::left);
        let minutes = left(Pause::HalfAnHour).expect("an end").as_secs_f32() / 60.0;
        assert!((29.0..=30.0).contains(&minutes), "{minutes}");
        assert_eq!(left(Pause::UntilResumed), None);
        assert_eq!(hours("2026-03-28T22:00:00+08:00[Asia/Shanghai]"), 2.0);
        // This night lasts an hour less, that one an hour more, and this day starts at one.
        assert_eq!(hours("2026-03-29T01:00:00+01:00[Europe/Berlin]"), 22.0);
        assert_eq!(hours("2026-10-25T01:00:00+02:00[Europe/Berlin]"), 24.0);
        assert_eq!(hours("2026-03-07T23:00:00-05:00[America/Havana]"), 1.0);
    }

    fn status(application: &str, until: Option<End>) -> FixedStatus {
        FixedStatus {
            application: application.to_owned(),
            introduce: String::new(),
            rgba: Rgba::opaque(1, 2, 3),
            until,
        }
    }

    #[test]
    fn a_pause_and_a_status_are_over_when_their_time_has_come() {
        let mut overrides = Overrides {
            pause: Some(Paused {
                until: Some(End::after(Duration::ZERO)),
            }),
            ..Overrides::default()
        };
        overrides.fix(Some(status(
            "Lunch",
            Some(End::after(Duration::from_mins(1))),
        )));
        assert_eq!(overrides.left(), Some(Duration::ZERO));
        overrides.end_what_is_over();
        assert!(overrides.pause.is_none() && overrides.fixed.is_some());
        assert!(overrides.left() > Some(Duration::from_secs(50)));
        overrides.fix(Some(status("Lunch", Some(End::after(Duration::ZERO)))));
        overrides.end_what_is_over();
        assert_eq!((&overrides.fixed, overrides.left()), (&None, None));
        assert_eq!(overrides.recent, [status("Lunch", None)]);
    }

    #[test]
    fn the_last_five_statuses_are_kept_each_once() {
        let mut overrides = Overrides::default();
        for application in ["a", "b", "c", "d", "a", "e", "f"] {
            let fixed = status(application, None);
            overrides.fix(Some(fixed));
        }
        overrides.fix(None);
        let kept = overrides.recent.iter().map(|kept| &kept.application);
        assert!(kept.eq(["f", "e", "a", "d", "c"]));
    }

    #[test]
    fn a_file_of_an_older_version_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let text =
            r#"{"pause":null,"fixed":{"application":"Out","introduce":"","rgba":"1,2,3,1"}}"#;
        std::fs::write(folder.path().join("presence.json"), text).expect("to write");
        let read = OverridesFile::in_folder(folder.path()).read();
        assert_eq!(read.fixed, Some(status("Out", None)));
    }

    #[tokio::test]
    async fn overrides_survive_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = OverridesFile::in_folder(folder.path());
        assert_eq!(kept.read(), Overrides::default());
        let mut overrides = paused();
        overrides.fix(Some(status("Away by bike", None)));
        kept.write(&overrides).await.expect("written");
        assert_eq!(kept.read(), overrides);
        let until = Some(End::after(Duration::from_mins(1)));
        overrides.fix(Some(status("Away by bike", until)));
        kept.write(&overrides).await.expect("written");
        let left = kept.read().left().expect("an end");
        assert!(left > Duration::from_secs(50), "{left:?}");
    }

    #[test]
    fn a_broken_file_counts_as_a_pause() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = OverridesFile::in_folder(folder.path());
        std::fs::write(folder.path().join("presence.json"), "{").expect("to write");
        assert_eq!(kept.read(), paused());
    }

    #[test]
    fn a_status_that_exceeds_the_limits_of_a_heartbeat_is_rejected() {
        let status = |application: String| FixedStatus {
            application,
            introduce: String::new(),
            rgba: Rgba::none(),
            until: None,
        };
        for bad in ["a\nb".to_owned(), "x".repeat(201)] {
            assert_eq!(status(bad).check(), Err(Message::StatusTooLong));
        }
        assert!(status("喵".repeat(200)).check().is_ok());
    }
}
