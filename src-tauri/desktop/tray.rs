//! The light in the tray, and its menu.
//!
//! Without a tray the app goes on: a second start opens its window.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use porchlight_api::Rgba;
use porchlight_api::window::{Light, Sharing};
use porchlight_companion::presence::Pause;
use tauri::image::Image;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Wry};
use tauri_plugin_clipboard_manager::ClipboardExt as _;

use super::changes::Changes;
use super::lamp::Lamp;
use super::words::words;
use super::{host_of, window};

const OPEN: &str = "open";
const COPY_ADDRESS: &str = "copy-address";
const PAUSE: &str = "pause";
const PAUSE_FOR_HALF_AN_HOUR: &str = "pause-for-half-an-hour";
const PAUSE_UNTIL_TOMORROW: &str = "pause-until-tomorrow";
const QUIT: &str = "quit";

/// Pixels a side; panels scale it down.
const SIDE: u16 = 64;

/// The icon, and what changes in its menu.
struct Tray {
    icon: TrayIcon,
    pause: MenuItem<Wry>,
    /// The pauses that end by themselves.
    short_pauses: [MenuItem<Wry>; 2],
}

/// Puts the light into the tray. `icons` is a folder of this run's own, where
/// the Linux tray reads its pictures from. Must be called on the main thread.
pub(super) fn put_up(app: &AppHandle, icons: &Path) {
    // The indicator library panics when it is not installed.
    let tray = catch_unwind(AssertUnwindSafe(|| build(app, icons)));
    match tray {
        Ok(Ok(tray)) => {
            app.manage(tray);
        }
        Ok(Err(error)) => tracing::warn!(%error, "there is no tray: {NO_TRAY}"),
        Err(_) => tracing::warn!("the tray's library is missing: {NO_TRAY}"),
    }
}

const NO_TRAY: &str = "starting Porchlight again opens its window";

fn build(app: &AppHandle, icons: &Path) -> tauri::Result<Tray> {
    let words = words();
    let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let unasked = |id: &str, text: &str| MenuItem::with_id(app, id, text, false, None::<&str>);
    let pause = unasked(PAUSE, words.pause)?;
    let short_pauses = [
        unasked(PAUSE_FOR_HALF_AN_HOUR, words.pause_for_half_an_hour)?,
        unasked(PAUSE_UNTIL_TOMORROW, words.pause_until_tomorrow)?,
    ];
    let menu = Menu::with_items(
        app,
        &[
            &item(OPEN, words.open)?,
            &item(COPY_ADDRESS, words.copy_address)?,
            &PredefinedMenuItem::separator(app)?,
            &pause,
            &short_pauses[0],
            &short_pauses[1],
            &PredefinedMenuItem::separator(app)?,
            &item(QUIT, words.quit)?,
        ],
    )?;
    let icon = TrayIconBuilder::with_id("porchlight")
        .icon(picture(Lamp::Unlit))
        .tooltip("Porchlight")
        .temp_dir_path(icons)
        .menu(&menu)
        .show_menu_on_left_click(false)
        .on_menu_event(on_menu)
        .on_tray_icon_event(|tray, event| {
            // Windows and macOS; on Linux a click opens the menu.
            let click = matches!(
                event,
                TrayIconEvent::Click {
                    button: MouseButton::Left,
                    button_state: MouseButtonState::Up,
                    ..
                }
            );
            if click {
                window::open(tray.app_handle());
            }
        })
        .build(app)?;
    Ok(Tray {
        icon,
        pause,
        short_pauses,
    })
}

/// Shows the light, and offers to pause what is on or to resume what rests.
pub(super) fn show(app: &AppHandle, light: &Light, sharing: Sharing) {
    let Some(tray) = app.try_state::<Tray>() else {
        return;
    };
    let lamp = lamp_for(light);
    let resting = sharing == Sharing::Paused;
    let text = if resting {
        words().resume
    } else {
        words().pause
    };
    let shown = tray
        .icon
        .set_icon(Some(picture(lamp)))
        .and_then(|()| tray.pause.set_text(text))
        .and_then(|()| tray.pause.set_enabled(resting || sharing == Sharing::On))
        .and_then(|()| {
            let mut pauses = tray.short_pauses.iter();
            pauses.try_for_each(|pause| pause.set_enabled(sharing == Sharing::On))
        });
    if let Err(error) = shown {
        tracing::warn!(%error, "the tray does not follow");
    }
}

fn lamp_for(light: &Light) -> Lamp {
    if light.alive && light.online {
        Lamp::lit(
            light
                .rgba
                .parse::<Rgba>()
                .ok()
                .and_then(|colour| colour.rgb()),
        )
    } else {
        Lamp::Unlit
    }
}

fn picture(lamp: Lamp) -> Image<'static> {
    Image::new_owned(lamp.paint(SIDE), SIDE.into(), SIDE.into())
}

fn on_menu(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        OPEN => window::open(app),
        COPY_ADDRESS => {
            if let Err(error) = app.clipboard().write_text(host_of(app).blog_url()) {
                tracing::error!(%error, "the address could not be copied");
            }
        }
        PAUSE => {
            let host = host_of(app);
            if host.sharing() == Sharing::On {
                host.pause(Pause::UntilResumed);
            } else {
                host.resume();
            }
            app.state::<Changes>().tell();
        }
        PAUSE_FOR_HALF_AN_HOUR => pause(app, Pause::HalfAnHour),
        PAUSE_UNTIL_TOMORROW => pause(app, Pause::UntilTomorrow),
        QUIT => app.exit(0),
        _ => {}
    }
}

fn pause(app: &AppHandle, pause: Pause) {
    host_of(app).pause(pause);
    app.state::<Changes>().tell();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light(alive: bool, online: bool, rgba: &str) -> Light {
        Light {
            alive,
            online,
            application: String::new(),
            introduce: String::new(),
            rgba: rgba.to_owned(),
            since: None,
            last_heartbeat: None,
            trouble: None,
        }
    }

    #[test]
    fn the_lamp_has_the_colour_that_readers_see_and_is_out_when_nobody_is_there() {
        assert_eq!(
            lamp_for(&light(true, true, "1,2,3,0.5")),
            Lamp::Lit([1, 2, 3])
        );
        assert_eq!(lamp_for(&light(true, true, "")), Lamp::lit(None));
        assert_eq!(lamp_for(&light(true, false, "1,2,3,1")), Lamp::Unlit);
        assert_eq!(lamp_for(&light(false, true, "1,2,3,1")), Lamp::Unlit);
    }
}
