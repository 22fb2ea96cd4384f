//! Light or dark: as the owner has chosen, or as the desktop asks for.
//!
//! The page has its own colours and asks the webview only while the choice is
//! "as the system"; native dialogs have no others than these.

use parking_lot::Mutex;
use porchlight_service::settings::app::Theme as Chosen;
use tauri::{AppHandle, Manager as _, Theme};

use super::host_of;

/// What the desktop asks for, and what was set in the toolkit.
#[derive(Default)]
pub(super) struct Colours(Mutex<State>);

#[derive(Default)]
struct State {
    /// `None` where the desktop names none.
    system: Option<Theme>,
    /// The setting and the desktop's scheme when the toolkit was last set. It starts with neither, and
    /// then reads the desktop itself.
    set: (Option<Theme>, Option<Theme>),
}

impl State {
    /// What the toolkit is to be set to, if it must be set again. It follows
    /// the desktop whatever was chosen, so it is set again when that changes;
    /// and it treats "as the system" as light, so it is set to what that is.
    fn news(&mut self, chosen: Chosen) -> Option<Option<Theme>> {
        let wanted = match chosen {
            Chosen::System => self.system,
            Chosen::Light => Some(Theme::Light),
            Chosen::Dark => Some(Theme::Dark),
        };
        let now = (wanted, self.system);
        (std::mem::replace(&mut self.set, now) != now).then_some(wanted)
    }
}

/// The desktop asks for these from now on.
pub(super) fn system_asks_for(app: &AppHandle, theme: Option<Theme>) {
    app.state::<Colours>().0.lock().system = theme;
}

/// Follows what the owner has chosen, and the desktop.
pub(super) fn follow(app: &AppHandle) {
    let chosen = host_of(app).settings().app.theme;
    if let Some(wanted) = app.state::<Colours>().0.lock().news(chosen) {
        app.set_theme(wanted);
    }
}

/// The same for a window that was just made, with which the toolkit has read
/// the desktop again.
pub(super) fn follow_with_new_window(app: &AppHandle) {
    if host_of(app).settings().app.theme != Chosen::System {
        app.state::<Colours>().0.lock().set = (None, None);
        follow(app);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scheme_is_sent_while_system_and_toolkit_agree() {
        let mut state = State::default();
        assert_eq!(state.news(Chosen::System), None);
    }

    #[test]
    fn the_system_theme_is_that_of_the_desktop() {
        let mut state = State {
            system: Some(Theme::Dark),
            ..State::default()
        };
        assert_eq!(state.news(Chosen::Light), Some(Some(Theme::Light)));
        assert_eq!(state.news(Chosen::Light), None);
        assert_eq!(state.news(Chosen::System), Some(Some(Theme::Dark)));
        state.system = Some(Theme::Light);
        assert_eq!(state.news(Chosen::System), Some(Some(Theme::Light)));
    }

    #[test]
    fn a_colour_scheme_is_sent_again_when_the_desktop_changes() {
        let mut state = State::default();
        assert_eq!(state.news(Chosen::Dark), Some(Some(Theme::Dark)));
        state.system = Some(Theme::Light);
        assert_eq!(state.news(Chosen::Dark), Some(Some(Theme::Dark)));
        assert_eq!(state.news(Chosen::Dark), None);
    }
}
