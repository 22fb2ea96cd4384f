//! What needs the owner: one list for the mark on the tray's icon, the tray's line and the foot of
//! the window. A missing public address is no alert, since it can be intended.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::timestamp::Timestamp;
use crate::edge::window::{EdgeGlance, EdgeState};
use crate::settings::window::FileProblem;
use crate::status::window::alerts::{Alert, AlertKind, AlertPlace};
use crate::status::window::home::EditorsGlance;
use crate::tunnel::window::TunnelState;
use crate::uploads::window::{FolderState, WatchStatus};

/// Milliseconds without an answer of the Worker before that is an alert.
const FOR_LONG: i64 = 60_000;

/// A tunnel that reconnects within this time raises no alert.
const LONG: Duration = Duration::from_secs(60);

/// Since when the tunnel has been down, as far as it was observed.
#[derive(Debug, Default)]
pub struct TunnelDown(Mutex<Option<Instant>>);

impl TunnelDown {
    /// Whether it is down, and has been for long.
    pub fn look(&self, tunnel: &TunnelState, now: Instant) -> bool {
        let mut since = self.0.lock();
        // It goes through these states while it does not work.
        let down = matches!(
            tunnel,
            TunnelState::Waiting { .. } | TunnelState::Starting | TunnelState::Checking { .. }
        );
        if !down {
            *since = None;
            return false;
        }
        now.duration_since(*since.get_or_insert(now)) >= LONG
    }
}

pub(crate) struct StatusOfAll {
    pub(crate) listens: bool,
    /// The data folder is on another machine.
    pub(crate) data_on_network: bool,
    /// Heartbeats are to go out, and do not.
    pub(crate) heartbeats_refused: bool,
    /// Devices that wait for the owner.
    pub(crate) waiting_devices: usize,
    pub(crate) tunnel: TunnelState,
    pub(crate) tunnel_down_for_long: bool,
    pub(crate) watching: WatchStatus,
    pub(crate) editors: EditorsGlance,
    /// A proxy on the way changes `Host`.
    pub(crate) host_rewritten: bool,
    /// The Worker is older than this, and the owner did not put that off.
    pub(crate) worker_is_outdated: bool,
    pub(crate) edge: EdgeGlance,
    /// The Worker does not answer, and not just for a moment.
    pub(crate) edge_fails: bool,
    /// Whether the limit of the Worker's day is reached, and when the day ends; `None` while less
    /// than 70 % is used.
    pub(crate) worker_day: Option<(bool, Timestamp)>,
    pub(crate) failed_uploads: u64,
    /// The file of `ip.mmdb` cannot be used.
    pub(crate) ip_file_fails: bool,
    pub(crate) file_problems: Vec<FileProblem>,
}

/// Everything that needs the owner now, the most severe first.
pub(crate) fn alerts(seen: &StatusOfAll) -> Vec<Alert> {
    let mut all = Vec::new();
    let mut add = |place: AlertPlace, what: AlertKind| all.push(Alert { what, place });
    if !seen.listens {
        add(AlertPlace::Home, AlertKind::Service);
    }
    if seen.data_on_network {
        add(AlertPlace::Settings, AlertKind::DataOnNetwork);
    }
    if seen.heartbeats_refused {
        add(AlertPlace::Home, AlertKind::Heartbeats);
    }
    if seen.waiting_devices > 0 {
        let count = seen.waiting_devices as u64;
        add(AlertPlace::Presence, AlertKind::WaitingDevices { count });
    }
    match &seen.tunnel {
        TunnelState::Missing { program, why, .. } if why.is_none() => {
            let program = program.clone();
            add(AlertPlace::Home, AlertKind::TunnelMissing { program });
        }
        // What the owner chose is wrong: nothing has to be installed.
        TunnelState::Missing { .. } => add(AlertPlace::Home, AlertKind::TunnelStopped),
        TunnelState::Stopped { .. } => add(AlertPlace::Home, AlertKind::TunnelStopped),
        _ if seen.tunnel_down_for_long => add(AlertPlace::Home, AlertKind::TunnelDown),
        _ => {}
    }
    if seen.host_rewritten {
        add(AlertPlace::Settings, AlertKind::HostRewritten);
    }
    if seen.edge.clock_is_off {
        add(AlertPlace::Settings, AlertKind::Clock);
    }
    if seen.worker_is_outdated {
        add(AlertPlace::Settings, AlertKind::WorkerOutdated);
    }
    for folder in &seen.watching.folders {
        if folder.state == FolderState::Missing {
            let folder = folder.folder.clone();
            add(AlertPlace::Home, AlertKind::FolderMissing { folder });
        }
    }
    if seen.watching.trouble.is_some() {
        add(AlertPlace::Home, AlertKind::UploadQueue);
    }
    if let EditorsGlance::Trouble { .. } = seen.editors {
        add(AlertPlace::Home, AlertKind::Editors);
    }
    if seen.failed_uploads > 0 {
        let count = seen.failed_uploads;
        add(AlertPlace::Images, AlertKind::FailedUploads { count });
    }
    if seen.watching.set_aside > 0 {
        let count = seen.watching.set_aside;
        add(AlertPlace::Images, AlertKind::SetAside { count });
    }
    if let Some((spent, until)) = seen.worker_day {
        let until = until.as_millis();
        add(AlertPlace::Settings, AlertKind::WorkerDay { spent, until });
    }
    // Where the day is spent, or the clock is off, that is the reason.
    let is_explained = seen.worker_day.is_some_and(|(spent, _)| spent) || seen.edge.clock_is_off;
    if seen.edge_fails && !is_explained {
        add(AlertPlace::Settings, AlertKind::Edge);
    }
    if seen.edge.state == EdgeState::Another {
        add(AlertPlace::Settings, AlertKind::EdgeOfAnother);
    }
    if seen.edge.plain_tunnel {
        add(AlertPlace::Settings, AlertKind::PlainTunnel);
    }
    if seen.edge.on_disk > 0 {
        let count = seen.edge.on_disk;
        add(AlertPlace::Settings, AlertKind::ImagesOnDisk { count });
    }
    if seen.ip_file_fails {
        add(AlertPlace::Settings, AlertKind::IpFile);
    }
    if let Some(problem) = seen.file_problems.first().cloned() {
        add(AlertPlace::Settings, AlertKind::SettingsFile { problem });
    }
    all
}

/// A Worker that fails for a moment is no alert.
pub(crate) fn has_failed_for_long(edge: &EdgeGlance) -> bool {
    let now = Timestamp::now().as_millis();
    matches!(edge.state, EdgeState::Fails { since, .. } if now.saturating_sub(since) > FOR_LONG)
}

#[cfg(test)]
mod tests {
    use crate::uploads::window::FolderStatus;

    use crate::error::message::Message;

    use super::*;

    fn calm() -> StatusOfAll {
        StatusOfAll {
            listens: true,
            data_on_network: false,
            heartbeats_refused: false,
            waiting_devices: 0,
            tunnel: TunnelState::Off,
            tunnel_down_for_long: false,
            watching: WatchStatus {
                folders: vec![folder(FolderState::Watched)],
                paused: false,
                waiting: 3,
                set_aside: 0,
                under_way: Vec::new(),
                trouble: None,
            },
            editors: EditorsGlance::Off,
            host_rewritten: false,
            worker_is_outdated: false,
            edge: EdgeGlance::default(),
            edge_fails: false,
            worker_day: None,
            failed_uploads: 0,
            ip_file_fails: false,
            file_problems: Vec::new(),
        }
    }

    fn folder(state: FolderState) -> FolderStatus {
        FolderStatus {
            folder: "/p".to_owned(),
            state,
            why: None,
        }
    }

    fn waiting() -> TunnelState {
        TunnelState::Waiting {
            why: Message::text("it ended"),
            next_try: 0,
        }
    }

    #[test]
    fn a_healthy_state_raises_no_alert() {
        assert_eq!(alerts(&calm()), []);
        let starting = StatusOfAll {
            tunnel: waiting(),
            ..calm()
        };
        assert_eq!(alerts(&starting), []);
    }

    #[test]
    fn each_problem_is_one_alert_on_the_page_that_resolves_it() {
        let why = || Message::text("no");
        let missing = |why| TunnelState::Missing {
            program: "bore".to_owned(),
            why,
            install: None,
        };
        let (absent, wrong) = (missing(None), missing(Some(why())));
        let problem = move || FileProblem {
            line: Some(2),
            key: None,
            why: why(),
        };
        let watching = |change: fn(&mut WatchStatus)| {
            let mut watching = calm().watching;
            change(&mut watching);
            watching
        };
        type Trouble = Box<dyn Fn(&mut StatusOfAll)>;
        let troubles: Vec<(Trouble, AlertPlace, AlertKind)> = vec![
            (
                Box::new(|seen| seen.listens = false),
                AlertPlace::Home,
                AlertKind::Service,
            ),
            (
                Box::new(|seen| seen.data_on_network = true),
                AlertPlace::Settings,
                AlertKind::DataOnNetwork,
            ),
            (
                Box::new(|seen| seen.heartbeats_refused = true),
                AlertPlace::Home,
                AlertKind::Heartbeats,
            ),
            (
                Box::new(|seen| seen.waiting_devices = 2),
                AlertPlace::Presence,
                AlertKind::WaitingDevices { count: 2 },
            ),
            (
                Box::new(move |seen| seen.tunnel = absent.clone()),
                AlertPlace::Home,
                AlertKind::TunnelMissing {
                    program: "bore".to_owned(),
                },
            ),
            (
                Box::new(move |seen| seen.tunnel = wrong.clone()),
                AlertPlace::Home,
                AlertKind::TunnelStopped,
            ),
            (
                Box::new(move |seen| seen.tunnel = TunnelState::Stopped { why: why() }),
                AlertPlace::Home,
                AlertKind::TunnelStopped,
            ),
            (
                Box::new(|seen| {
                    (seen.tunnel, seen.tunnel_down_for_long) = (waiting(), true);
                }),
                AlertPlace::Home,
                AlertKind::TunnelDown,
            ),
            (
                Box::new(|seen| seen.host_rewritten = true),
                AlertPlace::Settings,
                AlertKind::HostRewritten,
            ),
            (
                Box::new(|seen| seen.edge.clock_is_off = true),
                AlertPlace::Settings,
                AlertKind::Clock,
            ),
            (
                Box::new(|seen| seen.worker_is_outdated = true),
                AlertPlace::Settings,
                AlertKind::WorkerOutdated,
            ),
            (
                Box::new(move |seen| {
                    seen.watching = watching(|one| one.folders.push(folder(FolderState::Missing)));
                }),
                AlertPlace::Home,
                AlertKind::FolderMissing {
                    folder: "/p".to_owned(),
                },
            ),
            (
                Box::new(move |seen| {
                    seen.watching = watching(|one| one.trouble = Some(Message::text("no")));
                }),
                AlertPlace::Home,
                AlertKind::UploadQueue,
            ),
            (
                Box::new(move |seen| seen.editors = EditorsGlance::Trouble { why: why() }),
                AlertPlace::Home,
                AlertKind::Editors,
            ),
            (
                Box::new(|seen| seen.failed_uploads = 2),
                AlertPlace::Images,
                AlertKind::FailedUploads { count: 2 },
            ),
            (
                Box::new(move |seen| seen.watching = watching(|one| one.set_aside = 3)),
                AlertPlace::Images,
                AlertKind::SetAside { count: 3 },
            ),
            (
                Box::new(|seen| seen.edge_fails = true),
                AlertPlace::Settings,
                AlertKind::Edge,
            ),
            (
                Box::new(|seen| seen.worker_day = Some((false, Timestamp::from_millis(9)))),
                AlertPlace::Settings,
                AlertKind::WorkerDay {
                    spent: false,
                    until: 9,
                },
            ),
            (
                Box::new(|seen| {
                    seen.edge_fails = true;
                    seen.worker_day = Some((true, Timestamp::from_millis(9)));
                }),
                AlertPlace::Settings,
                AlertKind::WorkerDay {
                    spent: true,
                    until: 9,
                },
            ),
            (
                Box::new(|seen| seen.edge.state = EdgeState::Another),
                AlertPlace::Settings,
                AlertKind::EdgeOfAnother,
            ),
            (
                Box::new(|seen| seen.edge.plain_tunnel = true),
                AlertPlace::Settings,
                AlertKind::PlainTunnel,
            ),
            (
                Box::new(|seen| seen.edge.on_disk = 4),
                AlertPlace::Settings,
                AlertKind::ImagesOnDisk { count: 4 },
            ),
            (
                Box::new(|seen| seen.ip_file_fails = true),
                AlertPlace::Settings,
                AlertKind::IpFile,
            ),
            (
                Box::new(move |seen| seen.file_problems = vec![problem()]),
                AlertPlace::Settings,
                AlertKind::SettingsFile { problem: problem() },
            ),
        ];
        for (trouble, place, what) in troubles {
            let mut seen = calm();
            trouble(&mut seen);
            assert_eq!(alerts(&seen), [Alert { what, place }]);
        }
    }

    #[test]
    fn a_tunnel_is_down_for_long_after_a_minute_without_a_break() {
        let down = TunnelDown::default();
        let started = Instant::now();
        let later = started + LONG;
        assert!(!down.look(&TunnelState::Off, started));
        assert!(!down.look(&waiting(), started));
        assert!(down.look(&TunnelState::Starting, later));
        let up = TunnelState::Up {
            address: "https://a.example".parse().expect("an address"),
            since: 0,
            round_trip: None,
            host_rewritten: false,
        };
        assert!(!down.look(&up, later));
        assert!(!down.look(&waiting(), later));
    }
}
