//! What a click in the tray's menu does.

use porchlight_service::error::message::Message;
use porchlight_service::images::ImageSearch;
use porchlight_service::presence::computer::{FixedStatus, Pause};
use porchlight_service::status::status_of;
use porchlight_service::status::window::home::Sharing;
use porchlight_service::text::image_hash::ImageHash;
use tauri::menu::MenuEvent;
use tauri::{AppHandle, Manager as _};

use super::menu::{
    ALERT, CLEAR_STATUS, COPY_ADDRESS, COPY_LAST_LINK, COPY_LINK, OPEN, PAUSE,
    PAUSE_FOR_HALF_AN_HOUR, PAUSE_UNTIL_TOMORROW, QUIT, RESUME, SET_STATUS, UPLOAD, USE_STATUS,
};
use crate::desktop::events::{self, Changes};
use crate::desktop::window::{self, WindowPage};
use crate::desktop::{host_of, links, notifications, uploads};

pub(super) fn on_menu(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        ALERT => {
            let needs = events::alerts(&host_of(app));
            let place = needs
                .first()
                .map_or(WindowPage::Home, |need| need.place.into());
            window::open_at(app, place);
        }
        PAUSE_FOR_HALF_AN_HOUR => pause(app, Pause::HalfAnHour),
        PAUSE_UNTIL_TOMORROW => pause(app, Pause::UntilTomorrow),
        PAUSE => pause(app, Pause::UntilResumed),
        RESUME => resume(app),
        SET_STATUS => window::open_at(app, WindowPage::Status),
        CLEAR_STATUS => fix_status(app, None),
        UPLOAD => uploads::upload_from_clipboard(app),
        COPY_LAST_LINK => copy_link(app, None),
        COPY_ADDRESS => {
            copy(app, &host_of(app).blog_url());
        }
        OPEN => window::open(app),
        QUIT => app.exit(0),
        other => {
            let hash = other.strip_prefix(COPY_LINK).map(str::parse);
            if let Some(Ok(hash)) = hash {
                copy_link(app, Some(hash));
            }
            let place = other.strip_prefix(USE_STATUS).map(str::parse::<usize>);
            if let Some(Ok(place)) = place {
                let recent = host_of(app).consent().presence().get().recent;
                fix_status(app, recent.get(place));
            }
        }
    }
}

/// Ends a pause, or shares for the first time: the question of that is the window's.
fn resume(app: &AppHandle) {
    let host = host_of(app);
    match host.consent().sharing() {
        Sharing::Unasked => window::open_at(app, WindowPage::Home),
        Sharing::Off => {
            let app = app.clone();
            tauri::async_runtime::spawn(async move {
                match host.consent().answer(true).await {
                    Ok(()) => app.state::<Changes>().notify(),
                    Err(error) => tracing::error!("sharing could not be switched on: {error}"),
                }
            });
        }
        Sharing::Paused | Sharing::On => {
            change(app, async move { host.consent().resume().await });
        }
    }
}

fn pause(app: &AppHandle, pause: Pause) {
    let host = host_of(app);
    change(app, async move { host.consent().pause(pause).await });
}

/// Shows this status until the owner changes it, or the foreground app again.
fn fix_status(app: &AppHandle, status: Option<&FixedStatus>) {
    let (host, status) = (host_of(app), status.map(status_of));
    change(app, async move { host.consent().fix_status(status).await });
}

/// Makes this change of what is shared. Returns at once; a notification shows when the change cannot
/// be written, which the owner would not see otherwise.
fn change(app: &AppHandle, change: impl Future<Output = Result<(), Message>> + Send + 'static) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(why) = change.await {
            tracing::error!("{why}");
            notifications::show(&app, |words| words.not_kept, WindowPage::Home);
        }
        app.state::<Changes>().notify();
    });
}

/// Puts it on the clipboard; a notification shows when
/// that fails, which the owner would not see otherwise.
fn copy(app: &AppHandle, text: &str) {
    if !links::copy(app, text) {
        notifications::show(app, |words| words.not_copied, WindowPage::Home);
    }
}

/// Copies the link of this picture, or of the newest one. Returns at once.
fn copy_link(app: &AppHandle, hash: Option<ImageHash>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let host = host_of(&app);
        let images = host.service().images();
        let found = match hash {
            Some(hash) => images.named(vec![hash]).await,
            None => {
                let newest = images.search(ImageSearch::default(), 0, 1).await;
                newest.map(|newest| newest.images)
            }
        };
        match found {
            Ok(found) => {
                if let Some(image) = found.first() {
                    copy(&app, &links::own(&host, image));
                }
            }
            Err(error) => {
                tracing::error!("a link could not be copied: {error}");
                notifications::show(&app, |words| words.not_copied, WindowPage::Home);
            }
        }
    });
}
