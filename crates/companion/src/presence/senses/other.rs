//! The senses of Windows and macOS, asked once a second. Lock screens show as
//! the window in front there; sleep and media are not known.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use user_idle2::UserIdle;
use x_win::WindowInfo;

use super::super::front::{Front, Window};
use super::{Input, Seen};

/// From one look to the next.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Two readings of the idle counter that differ by less are the same.
const JITTER: Duration = Duration::from_millis(1_500);

/// Watches on a thread of its own until `stop` is cancelled, which it notices
/// within a second.
pub(super) fn open(seen: &Seen, stop: &CancellationToken) {
    seen.change(|sight| {
        let why = "Porchlight has no way to ask on this system yet";
        sight.lacks.media = Some(why.to_owned());
        sight.lacks.sleep = Some(why.to_owned());
    });
    let (told, ended) = (seen.clone(), stop.clone());
    let thread = std::thread::Builder::new().name("front".to_owned());
    let started = thread.spawn(move || {
        while !ended.is_cancelled() {
            look(&told);
            std::thread::sleep(LOOK_EVERY);
        }
    });
    if let Err(error) = started {
        seen.change(|sight| {
            let why = format!("there is no thread for it: {error}");
            sight.lacks.front = Some(why.clone());
            sight.lacks.input = Some(why);
        });
    }
}

fn look(seen: &Seen) {
    let front = x_win::get_active_window();
    let idle = UserIdle::get_time();
    seen.change(|sight| {
        sight.lacks.front = front.as_ref().err().map(ToString::to_string);
        sight.front = match front {
            Ok(window) => front_of(window),
            Err(_) => Front::Unknown,
        };
        sight.lacks.input = idle.as_ref().err().map(|error| format!("{error:?}"));
        let last = idle.ok().and_then(|idle| {
            let idle = u64::try_from(idle.as_milliseconds()).ok()?;
            Instant::now().checked_sub(Duration::from_millis(idle))
        });
        sight.input = match (sight.input, last) {
            (_, None) => Input::Unknown,
            (Input::Last(known), Some(last)) if last.saturating_duration_since(known) < JITTER => {
                Input::Last(known)
            }
            (_, Some(last)) => Input::Last(last),
        };
    });
}

fn front_of(window: WindowInfo) -> Front {
    let names = Window::names_of([window.info.name, window.info.exec_name]);
    if names.is_empty() {
        return Front::Nothing;
    }
    Front::Window(Arc::new(Window {
        names,
        file: Some(PathBuf::from(window.info.path)),
        title: Window::title_of(&window.title),
        full_screen: window.position.is_full_screen,
        icon: None,
    }))
}
