//! The presence, and the status of everything.

use porchlight_api::Message;
use porchlight_api::Timestamp;
use porchlight_api::window::{BlogForm, BlogLines, Home, TunnelState};
use porchlight_app::host::Host;
use porchlight_app::integrations::blog_lines;
use porchlight_companion::tunnel::Installer;
use tauri::{AppHandle, State};

use crate::desktop;
use crate::desktop::events::{self, Changes};
use crate::desktop::put_on_clipboard;
use crate::desktop::window::RequestedPage;

#[tauri::command]
pub(crate) async fn home(host: State<'_, Host>, app: AppHandle) -> Result<Home, Message> {
    let tray = desktop::tray_is_there(&app);
    let alerts = events::alerts(&host);
    desktop::home::read(&host, alerts, tray)
        .await
        .map_err(Message::from)
}

/// The place that the owner wants the window to open at, if any; once.
#[tauri::command]
pub(crate) fn requested_page(requested: State<'_, RequestedPage>) -> Option<&'static str> {
    requested.take()
}

#[tauri::command]
pub(crate) fn copy_address(host: State<'_, Host>, app: AppHandle) -> Result<(), Message> {
    put_on_clipboard(&app, host.blog_url())
}

/// Puts the line that installs the missing tunnel program on the clipboard.
#[tauri::command]
pub(crate) fn copy_install_line(host: State<'_, Host>, app: AppHandle) -> Result<(), Message> {
    match host.tunnel() {
        TunnelState::Missing {
            install: Some(line),
            ..
        } => put_on_clipboard(&app, line),
        TunnelState::Missing { program, .. } => {
            let program = program.into();
            Err(Message::NoInstallLine { program })
        }
        _ => Err(Message::NothingToInstall),
    }
}

/// Installs the missing tunnel program, once the owner has given the password to the system's dialog,
/// and starts the tunnel.
#[tauri::command]
pub(crate) async fn install_tunnel_program(
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let installer = match host.tunnel() {
        TunnelState::Missing {
            program, why: None, ..
        } => Installer::of(&program),
        _ => None,
    };
    let installer = installer.ok_or(Message::NothingToInstall)?;
    installer
        .run(&host.folder().join("logs/install.log"))
        .await?;
    host.try_now().await;
    changes.notify();
    Ok(())
}

/// Tries at once what waits for its next try.
#[tauri::command]
pub(crate) async fn try_now(
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.try_now().await;
    changes.notify();
    Ok(())
}

/// Pauses uploads of the watched folders, or resumes them.
#[tauri::command]
pub(crate) fn pause_watching(
    paused: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let watching = host.services().watching().ok_or(Message::NotWatched)?;
    watching.pause(paused);
    changes.notify();
    Ok(())
}

/// The lines that show the owner's presence in a blog, in this form. Without `whole`, the kind of
/// the address decides whether they hold the script itself.
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

#[tauri::command]
pub(crate) fn copy_blog_lines(
    form: BlogForm,
    whole: bool,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    put_on_clipboard(&app, blog_lines::lines(&host.blog_url(), form, whole))
}
