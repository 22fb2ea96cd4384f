//! "Always reachable": the object store, the Worker and its address.

use porchlight_service::app::host::Host;
use porchlight_service::app::integrations::cloudflare::TOKEN_PAGE;
use porchlight_service::app::integrations::edge_setup::Question;
use porchlight_service::app::integrations::{edge, reach_lines};
use porchlight_service::edge::window::EdgeRequest;
use porchlight_service::error::message::Message;
use porchlight_service::status::window::reach::{EdgeFiles, Reach, ReachText};
use porchlight_service::storage::window::StoreCheck;
use tauri::{AppHandle, State, WebviewWindow};

use crate::desktop::dialogs::{confirmed, files, phrases, which_folder};
use crate::desktop::events::Changes;
use crate::desktop::put_on_clipboard;

/// Everything on the page that is not a setting.
#[tauri::command]
pub(in crate::desktop) fn reach(host: State<'_, Host>) -> Reach {
    host.reach()
}

/// Replaces the other Porchlight whose rows the Worker has.
#[tauri::command]
pub(in crate::desktop) async fn take_over_worker(host: State<'_, Host>) -> Result<(), Message> {
    match host.service().edge() {
        Some(edge) => Ok(edge.take_over().await?),
        None => Ok(()),
    }
}

/// Writes an object to the store, reads it as readers do, and removes it.
#[tauri::command]
pub(in crate::desktop) async fn test_store(
    host: State<'_, Host>,
) -> Result<Vec<StoreCheck>, Message> {
    let settings = host.settings();
    Ok(porchlight_service::storage::test_store(&settings.storage).await)
}

/// Writes the Worker's files to a chosen folder, and makes the key where there is none; `None` when
/// cancelled.
#[tauri::command]
pub(in crate::desktop) async fn write_edge_files(
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<Option<EdgeFiles>, Message> {
    let dialog = files(&window, phrases(&app).choose_folder);
    let Some(folder) = which_folder(dialog).await else {
        return Ok(None);
    };
    let layers = host.store().layers().clone();
    let there = folder.clone();
    let written = tauri::async_runtime::spawn_blocking(move || edge::init(&there, &layers));
    written.await.map_err(Message::text)??;
    // The key is a setting, which the file has now.
    host.store().reload().await;
    Ok(Some(EdgeFiles {
        folder: folder.display().to_string(),
    }))
}

/// Copies a line, the Worker's script or its key to the clipboard. The key never reaches the page.
#[tauri::command]
pub(in crate::desktop) fn copy_for_edge(
    which: ReachText,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let text = reach_lines::text(which, &host.settings(), host.store().layers())?;
    put_on_clipboard(&app, text)
}

/// Opens Cloudflare's page that makes a token, filled in, in the browser.
#[tauri::command]
pub(in crate::desktop) fn open_token_page() -> Result<(), Message> {
    open::that_detached(TOKEN_PAGE).map_err(|why| {
        porchlight_service::detail!("{path} cannot be opened: {why}", path = TOKEN_PAGE)
    })
}

/// Starts to set up, update or remove the Worker at Cloudflare. What changes where pictures are, or
/// loses something, is asked of the owner.
#[tauri::command]
pub(in crate::desktop) fn set_up_edge(
    request: EdgeRequest,
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let phrases = phrases(&app);
    host.edge_setup()
        .start(request, move |question| async move {
            let (text, url) = match question {
                Question::SetUp(url) => (phrases.set_up_edge, url),
                Question::Remove(url) => (phrases.remove_edge, url),
            };
            confirmed(&window, text.replace("{url}", &url)).await
        })
}

/// Stops waiting for the address of the Worker.
#[tauri::command]
pub(in crate::desktop) fn stop_edge_setup(host: State<'_, Host>) {
    host.edge_setup().cancel();
}

/// Puts the update of the Worker to this version off.
#[tauri::command]
pub(in crate::desktop) fn put_off_edge_update(host: State<'_, Host>, changes: State<'_, Changes>) {
    host.edge_setup().put_off();
    changes.notify();
}

/// Removes Cloudflare's token from the keyring.
#[tauri::command]
pub(in crate::desktop) async fn forget_edge_token(host: State<'_, Host>) -> Result<(), Message> {
    host.edge_setup().forget_token().await;
    Ok(())
}
