//! What each part is doing, as the window has it.

use std::time::Duration;

use porchlight_api::window::GameSource;
use porchlight_api::{GameStatus, Rgba};
use porchlight_companion::presence::Paused;

use super::*;
use crate::testing::{host, host_with};

/// Asks until it is so, for five seconds at most: less than the parts wait by
/// themselves.
async fn soon<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(answer) = ask() {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come");
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[test]
fn what_is_told_of_the_owner_is_told_whole() {
    let mut state = PresenceState {
        preview: Some(HeartbeatFields {
            application: "XTerm".to_owned(),
            introduce: "At the command line".to_owned(),
            rgba: Rgba::opaque(90, 110, 130),
            application_online: false,
        }),
        enabled: true,
        pause: Some(Paused {
            until: Some(at(1_000)),
        }),
        fixed: Some(FixedStatus {
            application: "Out by bike".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            until: Some(at(3_000)),
        }),
        recent: vec![FixedStatus {
            application: "Lunch".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            until: None,
        }],
        away: Some(Away::Locked),
        hidden: true,
        ..PresenceState::default()
    };
    state.unavailable.media = Some(Message::text("there is no bus"));
    state.unavailable.sleep = Some(Message::text("no service reports it"));
    state.reporter.trouble = Some(Message::TokenRefused);
    state.reporter.next_try = Some(at(2_000));
    let unavailable_sensor = |sensor, why: &str| UnavailableSensor {
        sensor,
        why: Message::text(why),
    };
    assert_eq!(
        presence_of(&state),
        PresenceNow {
            preview: Some(ShownStatus {
                application: "XTerm".to_owned(),
                introduce: "At the command line".to_owned(),
                rgba: "90,110,130,1".to_owned(),
                online: false,
            }),
            pause: Some(PauseGlance { until: Some(1_000) }),
            fixed: Some(Status {
                application: "Out by bike".to_owned(),
                introduce: String::new(),
                rgba: String::new(),
                until: Some(3_000),
            }),
            recent: vec![Status {
                application: "Lunch".to_owned(),
                introduce: String::new(),
                rgba: String::new(),
                until: None,
            }],
            away: Some(AwayBecause::Locked),
            hidden: true,
            unavailable: vec![
                unavailable_sensor(SensorKind::Sleep, "no service reports it"),
                unavailable_sensor(SensorKind::Media, "there is no bus"),
            ],
            trouble: Some(Message::TokenRefused),
            next_try: Some(2_000),
        }
    );
}

#[test]
fn the_tunnel_says_since_when_and_how_fast_or_why_not_and_until_when() {
    let address: porchlight_api::WebAddress = "https://a.example".parse().expect("an address");
    let up = TunnelState::Up {
        address,
        since: at(5),
        round_trip: Duration::from_millis(42),
        host_rewritten: false,
    };
    assert_eq!(
        tunnel_of(up),
        TunnelGlance::Up {
            address: "https://a.example".to_owned(),
            since: 5,
            round_trip: Some(42),
        }
    );
    let waiting = TunnelState::Waiting {
        why: Message::NoAddressInTime,
        pause: Duration::from_secs(4),
        next_try: at(4_000),
    };
    assert_eq!(
        tunnel_of(waiting),
        TunnelGlance::Waiting {
            why: Message::NoAddressInTime,
            next_try: 4_000,
        }
    );
}

#[test]
fn watched_folders_say_why_they_are_polled_or_missing_and_files_go_by_their_names() {
    let status = |state| FolderStatus {
        folder: PathBuf::from("/pictures"),
        state,
    };
    let missing = FolderState::Missing {
        why: Message::NoFolder,
    };
    let shown = watching(
        WatchStatus {
            folders: vec![status(FolderState::Watched), status(missing)],
            under_way: vec![PathBuf::from("/pictures/a cat.png")],
            waiting: 3,
            ..WatchStatus::default()
        },
        None,
    );
    let folders: Vec<_> = shown
        .folders
        .iter()
        .map(|folder| (folder.state, folder.why.clone()))
        .collect();
    assert_eq!(
        folders,
        [
            (FolderGlanceState::Watched, None),
            (FolderGlanceState::Missing, Some(Message::NoFolder)),
        ]
    );
    assert_eq!(
        (shown.under_way, shown.waiting),
        (vec!["a cat.png".to_owned()], 3)
    );
    let none = watching(WatchStatus::default(), Some(Message::AskedToWait));
    assert_eq!(none.trouble, Some(Message::AskedToWait));
}

#[test]
fn a_game_that_is_not_told_says_why() {
    let known = |private| Known {
        status: GameStatus::plain(GameStatus::ONLINE),
        running: None,
        source: Some(GameSource::Client),
        private,
    };
    let hidden = |sharing, in_front, private| {
        glance_at_game(
            known(private),
            sharing,
            in_front,
            Some(Message::SteamKeyUnset),
        )
    };
    for (glance, why) in [
        (
            hidden(Sharing::Unasked, false, false),
            Some(GameHidden::NotShared),
        ),
        (
            hidden(Sharing::Off, true, true),
            Some(GameHidden::NotShared),
        ),
        (
            hidden(Sharing::Paused, false, false),
            Some(GameHidden::Paused),
        ),
        (hidden(Sharing::On, true, false), Some(GameHidden::Private)),
        (hidden(Sharing::On, false, true), Some(GameHidden::Private)),
        (hidden(Sharing::On, false, false), None),
    ] {
        assert_eq!(glance.hidden, why);
        assert_eq!(glance.trouble.is_some(), why.is_none());
    }
}

#[tokio::test]
async fn where_nothing_is_set_up_nothing_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    assert_eq!(tunnel(&host), TunnelGlance::Off);
    assert_eq!(editors(&host), EditorsGlance::Off);
    assert_eq!(watched_folders(&host).folders, []);
    assert_eq!(game(&host).hidden, Some(GameHidden::NotShared));
    assert_eq!(presence(&host).preview, None);
    host.stop().await;
}

#[tokio::test]
async fn a_folder_that_is_watched_and_a_port_that_is_taken_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let set = [
        format!("watch.folders=['{}']", pictures.path().display()),
        "picgo.enabled=true".to_owned(),
        format!("picgo.port={port}"),
    ];
    let host = host_with(folder.path(), set).await;
    let watched = |glance: &WatchGlance| glance.folders[0].state != FolderGlanceState::New;
    let glance = soon(|| Some(watched_folders(&host)).filter(watched)).await;
    assert_eq!(
        glance.folders[0].folder,
        pictures.path().display().to_string()
    );
    assert_eq!(glance.trouble, None);
    match editors(&host) {
        EditorsGlance::Trouble { why } => {
            assert!(why.to_string().contains(&port.to_string()), "{why}")
        }
        other => panic!("{other:?}"),
    }
    host.stop().await;
}

#[tokio::test]
async fn folders_that_nothing_can_watch_are_told_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    // Where the outbox would be.
    std::fs::create_dir(folder.path().join("outbox.db")).expect("a folder");
    let host = host(folder.path(), &["watch.folders=['/a', '/b']"]).await;
    let glance = watched_folders(&host);
    let folders: Vec<_> = glance
        .folders
        .iter()
        .map(|one| one.folder.as_str())
        .collect();
    assert_eq!(folders, ["/a", "/b"]);
    let trouble = glance.trouble.expect("the reason");
    assert!(
        trouble.to_string().contains("no folder is watched"),
        "{trouble}"
    );
    host.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_tunnel_whose_program_is_missing_says_so_and_is_tried_as_soon_as_the_owner_wants() {
    use porchlight_test_harness::files::script;

    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("my-tunnel");
    let set = [
        "tunnel.kind=command".to_owned(),
        format!("tunnel.command=['{}', '{{port}}']", program.display()),
        "tunnel.pattern=(https://[^ ]+)".to_owned(),
    ];
    let host = host_with(&folder.path().join("data"), set).await;
    let missing = |glance: &TunnelGlance| matches!(glance, TunnelGlance::Missing { .. });
    let glance = soon(|| Some(tunnel(&host)).filter(missing)).await;
    assert_eq!(
        glance,
        TunnelGlance::Missing {
            program: program.display().to_string(),
            why: None,
            install: None,
            installable: false,
        }
    );
    script(&program, "exit 1\n");
    try_now(&host).await;
    soon(|| Some(tunnel(&host)).filter(|glance| !missing(glance))).await;
    host.stop().await;
}
