//! The icon in the tray, and its menu: on Linux the menu is all there is.
//!
//! Without a tray the app continues: a second start opens its window.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parking_lot::Mutex;
use tauri::image::Image;
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _};

use super::notifications::NO_TRAY;
use super::tray_icon::Lamp;
use super::window;

mod clicks;
pub(super) mod content;
mod menu;

pub(super) use content::Content;
use menu::TrayMenu;

/// Pixels a side; panels scale it down.
const SIDE: u16 = 64;

/// The icon with its menu, and what they show now.
struct Tray {
    icon: TrayIcon,
    menu: TrayMenu,
    shown: Mutex<Content>,
}

/// Puts the icon into the tray; whether the system has what that takes.
/// `icons` is a folder of this run's own, where the Linux tray reads its
/// pictures from. Must be called on the main thread.
pub(super) fn put_up(app: &AppHandle, icons: &Path, content: Content) -> bool {
    // The indicator library panics when it is not installed.
    match catch_unwind(AssertUnwindSafe(|| build(app, icons, content))) {
        Ok(Ok(tray)) => app.manage(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "there is no tray: {NO_TRAY}");
            false
        }
        Err(_) => {
            tracing::warn!("the tray's library is missing: {NO_TRAY}");
            false
        }
    }
}

fn build(app: &AppHandle, icons: &Path, content: Content) -> tauri::Result<Tray> {
    let menu = TrayMenu::build(app, &content)?;
    let icon = TrayIconBuilder::with_id("porchlight")
        .icon(picture(content.lamp, content.marked))
        .tooltip(tooltip(&content))
        .temp_dir_path(icons)
        .menu(&menu.menu)
        .show_menu_on_left_click(false)
        .on_menu_event(clicks::on_menu)
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
        menu,
        shown: Mutex::new(content),
    })
}

pub(super) fn show(app: &AppHandle, content: Content) {
    let Some(tray) = app.try_state::<Tray>() else {
        return;
    };
    let mut shown = tray.shown.lock();
    if *shown == content {
        return;
    }
    let repainted = (shown.lamp, shown.marked) != (content.lamp, content.marked);
    let picture = repainted.then(|| picture(content.lamp, content.marked));
    let followed = picture
        .map_or(Ok(()), |picture| tray.icon.set_icon(Some(picture)))
        .and_then(|()| tray.menu.follow(&shown, &content))
        .and_then(|()| match shown.shared == content.shared {
            true => Ok(()),
            false => tray.icon.set_tooltip(Some(tooltip(&content))),
        });
    if let Err(error) = followed {
        tracing::warn!(%error, "the tray does not follow");
    }
    *shown = content;
}

/// What is shown without the menu. On Linux the tray has no tooltips.
fn tooltip(content: &Content) -> String {
    format!("Porchlight\n{}", content.shared)
}

fn picture(lamp: Lamp, marked: bool) -> Image<'static> {
    Image::new_owned(lamp.paint(SIDE, marked), SIDE.into(), SIDE.into())
}
