//! The sensors of macOS, asked once a second: the foreground app by its names, since its title needs
//! a permission, and input. Lock, sleep and media are missing.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dispatch2::DispatchQueue;
use objc2_app_kit::NSWorkspace;
use objc2_core_graphics::{CGEventSource, CGEventSourceStateID, CGEventType};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::super::foreground::{Foreground, Window};
use super::StateWriter;

/// From one look to the next.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A main thread that runs AppKit's loop answers sooner.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// `kCGAnyInputEventType`, a macro, which the bindings leave out.
const ANY_INPUT: CGEventType = CGEventType(u32::MAX);

pub(super) fn open(writer: &StateWriter, stop: &CancellationToken) {
    writer.change(|state| {
        let unavailable = &mut state.unavailable;
        for sensor in [
            &mut unavailable.lock,
            &mut unavailable.media,
            &mut unavailable.sleep,
        ] {
            *sensor = Some(crate::detail!(
                "Porchlight has no way to ask on this system yet"
            ));
        }
    });
    let front = follow_front(writer.clone());
    tokio::spawn(stop.clone().run_until_cancelled_owned(front));
    let input = follow_input(writer.clone());
    tokio::spawn(stop.clone().run_until_cancelled_owned(input));
}

/// What AppKit knows of other programs changes only while the main thread runs its loop. The tray app
/// does; the main thread of `porchlight serve` never answers.
async fn follow_front(writer: StateWriter) {
    loop {
        let (answer, mut answered) = oneshot::channel();
        DispatchQueue::main().exec_async(move || drop(answer.send(front())));
        let front = match timeout(ANSWERS_WITHIN, &mut answered).await {
            Ok(front) => front,
            Err(_) => {
                writer.change(|state| {
                    state.front = Foreground::Unknown;
                    state.unavailable.front = Some(crate::detail!(
                        "macOS answers only the tray app, not `porchlight serve`"
                    ));
                });
                answered.await
            }
        };
        writer.change(|state| {
            state.front = front.unwrap_or(Foreground::Unknown);
            state.unavailable.front = None;
        });
        sleep(LOOK_EVERY).await;
    }
}

/// On the main thread.
fn front() -> Foreground {
    let Some(app) = NSWorkspace::sharedWorkspace().frontmostApplication() else {
        return Foreground::Nothing;
    };
    let path = app.executableURL().and_then(|url| url.path());
    let file = path.map(|path| PathBuf::from(path.to_string()));
    let file_name = file.as_deref().and_then(|file| file.file_name());
    // The first is in the user's language; the lists know the others.
    let names = [
        app.localizedName().map(|name| name.to_string()),
        app.bundleIdentifier().map(|name| name.to_string()),
        file_name.map(|name| name.to_string_lossy().into_owned()),
    ];
    let names = Window::names_of(names.into_iter().flatten());
    if names.is_empty() {
        return Foreground::Nothing;
    }
    Foreground::Window(Arc::new(Window {
        names,
        file,
        ..Window::default()
    }))
}

async fn follow_input(writer: StateWriter) {
    loop {
        let session = CGEventSourceStateID::CombinedSessionState;
        let since = CGEventSource::seconds_since_last_event_type(session, ANY_INPUT);
        let since = Duration::try_from_secs_f64(since).ok();
        let last = since.and_then(|since| Instant::now().checked_sub(since));
        writer.change(|state| state.read_input(last));
        sleep(LOOK_EVERY).await;
    }
}
