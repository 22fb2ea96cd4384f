//! Stored pictures.

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::images::window::{
    Deletion, ImageDay, ImagePage, ImageSearch, LinkForm, TrashPage,
};
use porchlight_service::text::album;
use porchlight_service::text::image_hash::ImageHash;
use tauri::{AppHandle, State};

use crate::desktop::links::links;
use crate::desktop::pictures;
use crate::desktop::put_on_clipboard;

/// Links that are copied at once.
const MOST_LINKS: usize = 10_000;

/// The matching pictures, starting at `offset`; at most 500 at once.
#[tauri::command]
pub(crate) async fn images(
    search: ImageSearch,
    offset: u64,
    limit: u32,
    host: State<'_, Host>,
) -> Result<ImagePage, Message> {
    Ok(pictures::page(&host, &search, offset, limit).await?)
}

/// The hashes of the matching pictures, starting at `offset`.
#[tauri::command]
pub(crate) async fn image_hashes(
    search: ImageSearch,
    offset: u64,
    limit: u32,
    host: State<'_, Host>,
) -> Result<Vec<ImageHash>, Message> {
    Ok(pictures::hashes(&host, &search, offset, limit).await?)
}

/// The number of matching pictures per day, newest day first.
#[tauri::command]
pub(crate) async fn image_days(
    search: ImageSearch,
    host: State<'_, Host>,
) -> Result<Vec<ImageDay>, Message> {
    Ok(pictures::days(&host, &search).await?)
}

/// Copies the links of these pictures to the clipboard, one per line.
#[tauri::command]
pub(crate) async fn copy_links(
    hashes: Vec<ImageHash>,
    form: LinkForm,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    if hashes.len() > MOST_LINKS {
        return Err(porchlight_service::detail!(
            "at most {MOST_LINKS} links can be copied at once"
        ));
    }
    let images = host.service().images();
    let images = images.named(hashes).await?;
    if images.is_empty() {
        return Err(porchlight_service::detail!(
            "there is no such picture any more"
        ));
    }
    let settings = host.settings();
    let text = links(&images, form, &settings.links.template, &host.blog_url());
    put_on_clipboard(&app, text)
}

/// Names a picture; an empty name removes the current one.
#[tauri::command]
pub(crate) async fn name_image(
    hash: ImageHash,
    name: String,
    host: State<'_, Host>,
) -> Result<(), Message> {
    Ok(host.service().images().name_image(hash, &name).await?)
}

/// Puts these pictures in an album; without a name takes them out of theirs.
#[tauri::command]
pub(crate) async fn put_in_album(
    hashes: Vec<ImageHash>,
    album: Option<String>,
    host: State<'_, Host>,
) -> Result<(), Message> {
    let album = album.map(|name| cleaned(&name)).transpose()?;
    Ok(host.service().images().put_in_album(hashes, album).await?)
}

/// Renames an album on all of its pictures.
#[tauri::command]
pub(crate) async fn rename_album(
    from: String,
    to: String,
    host: State<'_, Host>,
) -> Result<(), Message> {
    let images = host.service().images();
    Ok(images.rename_album(from, cleaned(&to)?).await?)
}

/// The names of all albums.
#[tauri::command]
pub(crate) async fn albums(host: State<'_, Host>) -> Result<Vec<String>, Message> {
    Ok(host.service().images().albums().await?)
}

fn cleaned(name: &str) -> Result<String, Message> {
    album(name).ok_or(porchlight_service::detail!(
        "the name of an album has 1 to 64 characters"
    ))
}

/// Deletes these pictures.
#[tauri::command]
pub(crate) async fn remove_images(
    hashes: Vec<ImageHash>,
    host: State<'_, Host>,
) -> Result<Deletion, Message> {
    let deletion = host.service().images().delete_all(hashes).await?;
    Ok(Deletion {
        pictures: u32::try_from(deletion.images).unwrap_or(u32::MAX),
        in_trash: deletion.in_trash,
    })
}

/// Puts deleted pictures back; how many.
#[tauri::command]
pub(crate) async fn put_back_images(
    hashes: Vec<ImageHash>,
    host: State<'_, Host>,
) -> Result<u32, Message> {
    let back = host.service().images().put_back(hashes).await?;
    Ok(u32::try_from(back).unwrap_or(u32::MAX))
}

/// The deleted pictures that can be put back, starting at `offset`; at most 500 at once.
#[tauri::command]
pub(crate) async fn trash(
    offset: u64,
    limit: u32,
    host: State<'_, Host>,
) -> Result<TrashPage, Message> {
    Ok(pictures::trash(&host, offset, limit).await?)
}
