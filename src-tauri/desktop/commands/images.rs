//! Stored pictures.

use porchlight_api::ImageHash;
use porchlight_api::window::{ImagePage, ImageSearch, LinkForm, Removal};
use porchlight_app::host::Host;
use tauri::{AppHandle, State};

use super::sentence;
use crate::desktop::clipboard;
use crate::desktop::deletions::Removals;
use crate::desktop::links::links;
use crate::desktop::pictures;

/// Links that are copied at once.
const MOST_LINKS: usize = 10_000;

/// Those that are wanted, newest first, from the `offset`th on.
#[tauri::command]
pub(crate) async fn images(
    search: ImageSearch,
    offset: u64,
    limit: u32,
    host: State<'_, Host>,
) -> Result<ImagePage, String> {
    let page = pictures::page(&host, &search, offset, limit).await;
    page.map_err(sentence)
}

/// Puts the links of these pictures on the clipboard, a line each.
#[tauri::command]
pub(crate) async fn copy_links(
    hashes: Vec<ImageHash>,
    form: LinkForm,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), String> {
    if hashes.len() > MOST_LINKS {
        return Err(format!("at most {MOST_LINKS} links can be copied at once"));
    }
    let images = host.service().images();
    let images = images.named(hashes).await.map_err(sentence)?;
    if images.is_empty() {
        return Err("there is no such picture any more".to_owned());
    }
    let settings = host.settings();
    let text = links(&images, form, &settings.links.template, &host.blog_url());
    clipboard::put(&app, text)
}

/// Deletes these pictures in a few seconds.
#[tauri::command]
pub(crate) fn remove_images(
    hashes: Vec<ImageHash>,
    removals: State<'_, Removals>,
) -> Result<Removal, String> {
    removals.add(hashes).map_err(sentence)
}

/// Keeps what was about to be deleted; whether it came in time.
#[tauri::command]
pub(crate) fn keep_images(id: u32, removals: State<'_, Removals>) -> bool {
    removals.keep(id)
}

/// What is about to be deleted.
#[tauri::command]
pub(crate) fn removals(removals: State<'_, Removals>) -> Vec<Removal> {
    removals.all()
}
