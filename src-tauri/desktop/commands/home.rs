//! The presence, and the status of everything.

use std::path::Path;

use porchlight_service::app::host::Host;
use porchlight_service::app::integrations::blog_lines;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::error::message::Message;
use porchlight_service::status::window::home::Home;
use porchlight_service::status::window::reach::{BlogForm, BlogLines};
use porchlight_service::tunnel::window::TunnelState;
use tauri::{AppHandle, State};

use super::uploads::from_home;
use crate::desktop;
use crate::desktop::events::{self, Changes};
use crate::desktop::put_on_clipboard;
use crate::desktop::window::{RequestedPage, WindowPage};

/// Everything on the first page.
#[tauri::command]
pub(crate) async fn home(host: State<'_, Host>, app: AppHandle) -> Result<Home, Message> {
    let tray = desktop::tray_is_there(&app);
    let alerts = events::alerts(&host);
    let mut home = desktop::home::read(&host, alerts, tray).await?;
    for watched in &mut home.watching.folders {
        watched.folder = from_home(Path::new(&watched.folder));
    }
    Ok(home)
}

/// The page that a new window should open at, if any; returned once.
#[tauri::command]
pub(in crate::desktop) fn requested_page(
    requested: State<'_, RequestedPage>,
) -> Option<WindowPage> {
    requested.take()
}

/// Copies the address of the service to the clipboard.
#[tauri::command]
pub(crate) fn copy_address(host: State<'_, Host>, app: AppHandle) -> Result<(), Message> {
    put_on_clipboard(&app, host.blog_url())
}

/// Copies the command that installs the missing tunnel program to the clipboard.
#[tauri::command]
pub(crate) fn copy_install_line(host: State<'_, Host>, app: AppHandle) -> Result<(), Message> {
    match host.tunnel() {
        TunnelState::Missing {
            install: Some(line),
            ..
        } => put_on_clipboard(&app, line),
        TunnelState::Missing { program, .. } => Err(porchlight_service::detail!(
            "no one line installs {program} everywhere"
        )),
        _ => Err(porchlight_service::detail!("nothing has to be installed")),
    }
}

/// Retries pending operations now: the tunnel, the upload queue, heartbeats.
#[tauri::command]
pub(crate) async fn try_now(
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.try_now().await;
    changes.notify();
    Ok(())
}

/// Pauses uploads from the watched folders until resumed or restarted.
#[tauri::command]
pub(crate) fn pause_watching(
    paused: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    if !host.services().is_watching() {
        return Err(porchlight_service::detail!("no folder is watched"));
    }
    host.uploads().pause_watched(paused);
    changes.notify();
    Ok(())
}

/// The snippet for a blog; with `whole`, it contains the script. `None`: the kind of the address
/// decides.
#[tauri::command]
pub(crate) fn blog_lines(form: BlogForm, whole: Option<bool>, host: State<'_, Host>) -> BlogLines {
    let url = host.blog_url();
    let kind = host.address_kind();
    let whole = whole.unwrap_or_else(|| blog_lines::are_whole(kind));
    let asked = host.service().stats().status_asked();
    BlogLines {
        text: blog_lines::lines(&url, form, whole),
        url,
        kind,
        whole,
        last_asked: asked.map(Timestamp::as_millis),
    }
}

/// Copies the snippet for a blog to the clipboard.
#[tauri::command]
pub(crate) fn copy_blog_lines(
    form: BlogForm,
    whole: bool,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    put_on_clipboard(&app, blog_lines::lines(&host.blog_url(), form, whole))
}
