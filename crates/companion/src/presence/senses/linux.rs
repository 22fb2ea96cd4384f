//! The senses of Linux: X11 or Wayland for the window and input, the session
//! bus for lock and media, logind for lock and sleep, the clocks for sleep.

use std::future::Future;

use tokio_util::sync::CancellationToken;

use super::{Seen, lock, logind, media, sleep, wayland, x11};

/// Opens them.
pub(super) fn open(seen: &Seen, stop: &CancellationToken) {
    match display(|name| std::env::var(name).ok()) {
        Display::Wayland => wayland::open(seen, stop),
        Display::X11 => x11::open(seen, stop),
        Display::None => seen.change(|sight| {
            let why = "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
            sight.lacks.front = Some(why.to_owned());
            sight.lacks.input = Some(why.to_owned());
        }),
    }
    spawn(stop, lock::watch(seen.clone()));
    spawn(stop, media::watch(seen.clone()));
    spawn(stop, logind::watch(seen.clone()));
    spawn(stop, sleep::watch(seen.clone()));
}

fn spawn(stop: &CancellationToken, sense: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(stop.clone().run_until_cancelled_owned(sense));
}

/// What a session draws on.
#[derive(Debug, PartialEq, Eq)]
enum Display {
    Wayland,
    X11,
    None,
}

/// Under Wayland there is most often an X11 display too, which knows a part
/// of the windows alone: it would take the one behind for the one in front.
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
