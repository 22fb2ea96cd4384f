//! What the owner has decided for now: a pause, a status of their own. Both
//! are kept in the data folder, so that a restart does not speak up.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp as Moment, ToSpan as _, Zoned};
use porchlight_api::{Rgba, Timestamp};
use serde::{Deserialize, Serialize};

/// For how long nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// For half an hour.
    HalfAnHour,
    /// Until the next day begins, by the clock of this machine.
    UntilTomorrow,
    /// Until it is ended.
    UntilResumed,
}

/// A pause that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// When it ends by itself; `None` for never.
    pub until: Option<Timestamp>,
}

/// What the owner wants said in place of the program in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedStatus {
    /// In place of the program's name; at most 200 characters.
    pub application: String,
    /// The line about it; at most 2,000 characters.
    #[serde(default)]
    pub introduce: String,
    /// The colour; the lamp's own where it is empty.
    #[serde(default)]
    pub rgba: Rgba,
}

/// Why a status is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStatus {
    /// A heartbeat with it would be refused.
    #[error("a status has at most 200 characters, its line at most 2,000, and no line breaks")]
    TooLong,
}

impl FixedStatus {
    fn check(&self) -> Result<(), InvalidStatus> {
        let fits = |text: &str, most: usize| {
            text.chars().count() <= most && !text.chars().any(char::is_control)
        };
        if fits(&self.application, 200) && fits(&self.introduce, 2_000) {
            Ok(())
        } else {
            Err(InvalidStatus::TooLong)
        }
    }
}

/// Both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Decided {
    pub(super) pause: Option<Paused>,
    pub(super) fixed: Option<FixedStatus>,
}

impl Decided {
    /// Ends a pause whose time has come; whether there was one.
    pub(super) fn end_pause_at(&mut self, now: Timestamp) -> bool {
        let over = |pause: &mut Paused| pause.until.is_some_and(|until| until <= now);
        self.pause.take_if(over).is_some()
    }

    pub(super) fn fix(&mut self, status: Option<FixedStatus>) -> Result<(), InvalidStatus> {
        if let Some(status) = &status {
            status.check()?;
        }
        self.fixed = status;
        Ok(())
    }
}

impl Pause {
    /// The pause that begins now.
    pub(super) fn begin(self, now: &Zoned) -> Paused {
        let at = |moment: Moment| Some(Timestamp::from_millis(moment.as_millisecond()));
        let until = match self {
            Self::HalfAnHour => now
                .timestamp()
                .checked_add(SignedDuration::from_mins(30))
                .ok()
                .and_then(at),
            Self::UntilTomorrow => now
                .checked_add(1.day())
                .and_then(|tomorrow| tomorrow.start_of_day())
                .ok()
                .and_then(|morning| at(morning.timestamp())),
            Self::UntilResumed => None,
        };
        Paused { until }
    }
}

/// The file that they are kept in.
#[derive(Debug)]
pub(super) struct Kept(PathBuf);

impl Kept {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self(folder.join("presence.json"))
    }

    /// What is kept. A file that cannot be read may have held a pause, so it
    /// counts as one: what the owner wanted unsaid stays unsaid.
    pub(super) fn read(&self) -> Decided {
        match std::fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "{} is broken; heartbeats are paused", self.0.display());
                paused()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Decided::default(),
            Err(error) => {
                tracing::warn!(%error, "{} cannot be read; heartbeats are paused", self.0.display());
                paused()
            }
        }
    }

    /// Writes it, whole or not at all. What cannot be written holds for this
    /// run alone.
    pub(super) fn write(&self, decided: &Decided) {
        let written = serde_json::to_vec_pretty(decided)
            .map_err(io::Error::from)
            .and_then(|text| {
                let folder = self.0.parent().unwrap_or(Path::new("."));
                let mut file = tempfile::NamedTempFile::new_in(folder)?;
                file.write_all(&text)?;
                file.as_file().sync_all()?;
                file.persist(&self.0).map_err(|error| error.error)?;
                // The rename is durable when its folder is synced.
                #[cfg(unix)]
                std::fs::File::open(folder)?.sync_all()?;
                Ok(())
            });
        if let Err(error) = written {
            tracing::warn!(%error, "{} cannot be written", self.0.display());
        }
    }
}

fn paused() -> Decided {
    Decided {
        pause: Some(Paused { until: None }),
        fixed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Zoned {
        time.parse().expect("a time")
    }

    fn seconds(pause: Pause, now: &str) -> i64 {
        let now = at(now);
        let until = pause.begin(&now).until.expect("an end");
        until.as_seconds() - now.timestamp().as_second()
    }

    #[test]
    fn a_pause_ends_after_half_an_hour_or_with_the_day_or_never() {
        let now = "2026-03-28T22:00:00+08:00[Asia/Shanghai]";
        assert_eq!(seconds(Pause::HalfAnHour, now), 1_800);
        assert_eq!(seconds(Pause::UntilTomorrow, now), 2 * 3_600);
        assert_eq!(Pause::UntilResumed.begin(&at(now)).until, None);
        // This night lasts an hour less.
        let summer = "2026-03-29T01:00:00+01:00[Europe/Berlin]";
        assert_eq!(seconds(Pause::UntilTomorrow, summer), 22 * 3_600);
    }

    #[test]
    fn a_pause_is_over_when_its_time_has_come() {
        let second = |second: i64| Timestamp::from_millis(second * 1_000);
        let mut decided = Decided {
            pause: Some(Paused {
                until: Some(second(100)),
            }),
            fixed: None,
        };
        assert!(!decided.end_pause_at(second(99)) && decided.pause.is_some());
        assert!(decided.end_pause_at(second(100)) && decided.pause.is_none());
    }

    #[test]
    fn what_was_decided_is_there_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept::in_folder(folder.path());
        assert_eq!(kept.read(), Decided::default());
        let mut decided = paused();
        let status = FixedStatus {
            application: "Away by bike".to_owned(),
            introduce: String::new(),
            rgba: Rgba::opaque(1, 2, 3),
        };
        decided.fix(Some(status)).expect("a status");
        kept.write(&decided);
        assert_eq!(kept.read(), decided);
    }

    #[test]
    fn a_broken_file_says_nothing_rather_than_too_much() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept::in_folder(folder.path());
        std::fs::write(folder.path().join("presence.json"), "{").expect("to write");
        assert_eq!(kept.read(), paused());
    }

    #[test]
    fn a_status_that_no_heartbeat_can_carry_is_refused() {
        let status = |application: String| FixedStatus {
            application,
            introduce: String::new(),
            rgba: Rgba::none(),
        };
        let mut decided = Decided::default();
        for bad in ["a\nb".to_owned(), "x".repeat(201)] {
            assert_eq!(decided.fix(Some(status(bad))), Err(InvalidStatus::TooLong));
        }
        assert!(decided.fix(Some(status("喵".repeat(200)))).is_ok());
    }
}
