//! What needs the owner: the reasons for the mark on the light. That the
//! service has no public address is none of them, since it may be meant.

use std::time::{Duration, Instant};

use porchlight_api::window::{FileProblem, Light, Sharing, Upload, UploadState};
use porchlight_companion::tunnel::TunnelState;

use crate::desktop::words::{Words, with};
use crate::host::Host;

/// A tunnel that comes back by itself needs nobody until then.
const LONG: Duration = Duration::from_secs(60);

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::desktop) enum Need {
    /// The tunnel's program is not installed.
    TunnelMissing(String),
    /// The tunnel has been down for long.
    TunnelDown,
    /// Heartbeats are not taken.
    Heartbeats,
    /// So many files of the watched folders can never work.
    SetAside(u64),
    /// So many uploads have failed.
    Failed(usize),
    /// This is wrong in the settings file.
    SettingsFile(FileProblem),
}

impl Need {
    /// In words.
    pub(in crate::desktop) fn say(&self, words: &Words) -> String {
        match self {
            Self::TunnelMissing(program) => with(words.tunnel_missing, program),
            Self::TunnelDown => words.tunnel_waits.to_owned(),
            Self::Heartbeats => words.heartbeats_refused.to_owned(),
            Self::SetAside(count) => with(words.set_aside, count),
            Self::Failed(count) => with(words.uploads_failed, count),
            Self::SettingsFile(problem) => in_the_file(problem, words),
        }
    }
}

/// Where it stands, and what it is. The rest of it is in the window.
fn in_the_file(problem: &FileProblem, words: &Words) -> String {
    let place = match problem.line {
        Some(line) => with(words.settings_line, line),
        None => words.settings_file.to_owned(),
    };
    let parts = [Some(&place), problem.key.as_ref(), Some(&problem.why)];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    parts.join(": ")
}

/// Knows since when the tunnel has been down.
#[derive(Debug, Default)]
pub(in crate::desktop) struct Needs {
    down_since: Option<Instant>,
}

impl Needs {
    /// What needs the owner now, most pressing first.
    pub(in crate::desktop) fn look(
        &mut self,
        host: &Host,
        light: &Light,
        sharing: Sharing,
        uploads: &[Upload],
    ) -> Vec<Need> {
        let mut needs: Vec<Need> = self
            .of_tunnel(
                host.of_tunnel(|tunnel| tunnel.state().borrow().clone())
                    .as_ref(),
                Instant::now(),
            )
            .into_iter()
            .collect();
        if sharing == Sharing::On && light.trouble.is_some() {
            needs.push(Need::Heartbeats);
        }
        let set_aside = host.watch_status().map_or(0, |status| status.set_aside);
        if set_aside > 0 {
            needs.push(Need::SetAside(set_aside));
        }
        let failed = |upload: &&Upload| matches!(upload.progress, UploadState::Failed { .. });
        let failed = uploads.iter().filter(failed).count();
        if failed > 0 {
            needs.push(Need::Failed(failed));
        }
        let wrong = host.settings_file_problems().into_iter().next();
        needs.extend(wrong.map(Need::SettingsFile));
        needs
    }

    fn of_tunnel(&mut self, state: Option<&TunnelState>, now: Instant) -> Option<Need> {
        match state {
            Some(TunnelState::Missing {
                program, why: None, ..
            }) => Some(Need::TunnelMissing(program.clone())),
            // What the owner chose is wrong: nothing has to be installed.
            Some(TunnelState::Missing { why: Some(_), .. }) => Some(Need::TunnelDown),
            None | Some(TunnelState::Up { .. } | TunnelState::Stopped) => {
                self.down_since = None;
                None
            }
            // It goes round through these while it does not work.
            Some(
                TunnelState::Waiting { .. } | TunnelState::Starting | TunnelState::Checking { .. },
            ) => {
                let since = *self.down_since.get_or_insert(now);
                (now.duration_since(since) >= LONG).then_some(Need::TunnelDown)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use porchlight_companion::tunnel::NoProgram;

    use super::*;

    #[test]
    fn a_tunnel_needs_the_owner_when_it_is_missing_or_down_for_long() {
        let mut needs = Needs::default();
        let begun = Instant::now();
        let waiting = TunnelState::Waiting {
            why: "it ended".to_owned(),
            pause: Duration::from_secs(5),
            next_try: porchlight_api::Timestamp::now(),
        };
        let missing = TunnelState::Missing {
            program: "cloudflared".to_owned(),
            why: None,
            install: None,
        };
        assert_eq!(needs.of_tunnel(None, begun), None);
        assert_eq!(needs.of_tunnel(Some(&waiting), begun), None);
        let later = begun + LONG;
        assert_eq!(
            needs.of_tunnel(Some(&TunnelState::Starting), later),
            Some(Need::TunnelDown)
        );
        let up = TunnelState::Up {
            address: "https://a.example".parse().expect("an address"),
            since: porchlight_api::Timestamp::now(),
            round_trip: Duration::from_millis(40),
        };
        assert_eq!(needs.of_tunnel(Some(&up), later), None);
        assert_eq!(needs.of_tunnel(Some(&waiting), later), None);
        assert_eq!(
            needs.of_tunnel(Some(&missing), later),
            Some(Need::TunnelMissing("cloudflared".to_owned()))
        );
        let chosen = TunnelState::Missing {
            program: "/opt/cloudflared".to_owned(),
            why: Some(NoProgram::Nothing("/opt/cloudflared".to_owned())),
            install: None,
        };
        assert_eq!(
            needs.of_tunnel(Some(&chosen), begun),
            Some(Need::TunnelDown)
        );
    }
}
