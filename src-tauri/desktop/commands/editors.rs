//! What an editor uploads with. Its token goes into a file
//! that the owner alone can read, and never to the page.

use porchlight_service::app::host::Host;
use porchlight_service::app::integrations::editors::EditorContext;
use porchlight_service::error::message::Message;
use porchlight_service::settings::window::{Editor, EditorSetup};
use secrecy::ExposeSecret as _;
use tauri::{AppHandle, State, WebviewWindow};

use crate::desktop::dialogs::{files, phrases, where_to};
use crate::desktop::page_events;
use crate::desktop::put_on_clipboard;

/// Copies the address for editors, with its secret, to the clipboard. The secret never reaches the
/// page.
#[tauri::command]
pub(in crate::desktop) fn copy_editor_address(
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let address = host.services().picgo_address();
    let address = address.ok_or(porchlight_service::detail!(
        "editors cannot upload now: turn on “Accept pictures from editors” first"
    ))?;
    put_on_clipboard(&app, address.expose_secret())
}

/// Sets up an editor with its own token; `None` when cancelled.
#[tauri::command]
pub(in crate::desktop) async fn set_up_editor(
    editor: Editor,
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<Option<EditorSetup>, Message> {
    let address = host.blog_url();
    let context = EditorContext {
        tokens: host.service().tokens(),
        address: &address,
        folder: host.folder(),
    };
    let mut file = None;
    let made = match editor {
        Editor::ShareX => {
            let dialog = files(&window, phrases(&app).save_uploader)
                .set_file_name("Porchlight.sxcu")
                .add_filter("ShareX", &["sxcu"]);
            let Some(place) = where_to(dialog).await else {
                return Ok(None);
            };
            let made = context.share_x(Some(&place)).await;
            file = Some(place.display().to_string());
            made
        }
        _ => context.make(editor).await,
    };
    let made = made?;
    if let Some(text) = &made.text
        && let Err(error) = put_on_clipboard(&app, text.expose_secret())
    {
        // No editor has the token.
        let taken_back = context.take_back(&made).await;
        page_events::settings_changed(&app);
        taken_back?;
        return Err(error);
    }
    page_events::settings_changed(&app);
    Ok(Some(EditorSetup {
        file,
        token: made.token,
    }))
}
