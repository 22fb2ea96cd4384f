//! The sensors of macOS, polled once a second. Lock screens appear
//! as the foreground window there; sleep and media are unavailable.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use porchlight_api::Message;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use user_idle2::UserIdle;
use x_win::WindowInfo;

use super::super::foreground::{Foreground, Window};
use super::{Input, StateWriter};

/// From one look to the next.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Two readings of the idle counter that differ by less are the same.
const JITTER: Duration = Duration::from_millis(1_500);

/// Watches on its own thread until `stop` is cancelled, which it notices within
/// a second.
pub(super) fn open(writer: &StateWriter, stop: &CancellationToken) {
    writer.change(|state| {
        state.unavailable.media = Some(Message::NotOnThisSystem);
        state.unavailable.sleep = Some(Message::NotOnThisSystem);
    });
    let (reports, ended) = (writer.clone(), stop.clone());
    let thread = std::thread::Builder::new().name("front".to_owned());
    let started = thread.spawn(move || {
        while !ended.is_cancelled() {
            look(&reports);
            std::thread::sleep(LOOK_EVERY);
        }
    });
    if let Err(error) = started {
        writer.change(|state| {
            let why = Message::NoThread { why: error.into() };
            state.unavailable.front = Some(why.clone());
            state.unavailable.input = Some(why);
        });
    }
}

fn look(writer: &StateWriter) {
    let front = x_win::get_active_window();
    let idle = UserIdle::get_time();
    writer.change(|state| {
        state.unavailable.front = front.as_ref().err().map(Message::text);
        state.front = match front {
            Ok(window) => front_of(window),
            Err(_) => Foreground::Unknown,
        };
        state.unavailable.input = idle
            .as_ref()
            .err()
            .map(|error| Message::text(format!("{error:?}")));
        let last = idle.ok().and_then(|idle| {
            let idle = u64::try_from(idle.as_milliseconds()).ok()?;
            Instant::now().checked_sub(Duration::from_millis(idle))
        });
        state.input = match (state.input, last) {
            (_, None) => Input::Unknown,
            (Input::Last(known), Some(last)) if last.saturating_duration_since(known) < JITTER => {
                Input::Last(known)
            }
            (_, Some(last)) => Input::Last(last),
        };
    });
}

fn front_of(window: WindowInfo) -> Foreground {
    let names = Window::names_of([window.info.name, window.info.exec_name]);
    if names.is_empty() {
        return Foreground::Nothing;
    }
    Foreground::Window(Arc::new(Window {
        names,
        file: Some(PathBuf::from(window.info.path)),
        title: Window::title_of(&window.title),
        full_screen: window.position.is_full_screen,
        icon: None,
    }))
}
