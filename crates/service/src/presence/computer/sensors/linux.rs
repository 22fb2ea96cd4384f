//! The sensors of Linux: X11 or Wayland for the window and input, the session
//! bus for lock and media, logind for lock and sleep, the clocks for sleep.

use std::future::Future;

use tokio_util::sync::CancellationToken;

use super::{StateWriter, lock, logind, media, sleep, wayland, x11};

pub(super) fn open(writer: &StateWriter, stop: &CancellationToken, reads_tracks: bool) {
    match display(|name| std::env::var(name).ok()) {
        Display::Wayland => wayland::open(writer, stop),
        Display::X11 => x11::open(writer, stop),
        Display::None => writer.change(|state| {
            state.unavailable.front = Some(crate::detail!(
                "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
            ));
            state.unavailable.input = Some(crate::detail!(
                "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
            ));
        }),
    }
    spawn(stop, lock::watch(writer.clone()));
    spawn(stop, media::watch(writer.clone(), reads_tracks));
    spawn(stop, logind::watch(writer.clone()));
    spawn(stop, sleep::watch(writer.clone()));
}

fn spawn(stop: &CancellationToken, sensor: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(stop.clone().run_until_cancelled_owned(sensor));
}

#[derive(Debug, PartialEq, Eq)]
enum Display {
    Wayland,
    X11,
    None,
}

/// Under Wayland there is usually an X11 display too, which knows only some of
/// the windows: it could report a background window as the foreground one.
fn display(variable: impl Fn(&str) -> Option<String>) -> Display {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("WAYLAND_DISPLAY") {
        Display::Wayland
    } else if is_set("DISPLAY") {
        Display::X11
    } else {
        Display::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wayland_comes_before_the_x11_display_beside_it() {
        let with = |set: &'static [&str]| {
            display(move |name| set.contains(&name).then(|| ":0".to_owned()))
        };
        assert_eq!(with(&["WAYLAND_DISPLAY", "DISPLAY"]), Display::Wayland);
        assert_eq!(with(&["DISPLAY"]), Display::X11);
        assert_eq!(with(&[]), Display::None);
        assert_eq!(display(|_| Some(String::new())), Display::None);
    }
}
