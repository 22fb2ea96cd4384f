//! Posts: where pictures are used, and moving the pictures of a blog here.

use std::path::PathBuf;

use parking_lot::Mutex;
use porchlight_service::app::host::Host;
use porchlight_service::blog::window::{BlogFound, BlogPlan, PictureUse, PostLine, PostsGlance};
use porchlight_service::blog::{Choice as BlogChoice, Undone};
use porchlight_service::detail;
use porchlight_service::error::message::Message;
use porchlight_service::files::file_mode;
use porchlight_service::images::window::AddressKind;
use porchlight_service::settings::window::WorkReport;
use porchlight_service::text::image_hash::ImageHash;
use tauri::{AppHandle, State, WebviewWindow};

use crate::desktop::dialogs::{files, phrases, which_folder};

/// Pictures whose posts the page gets at once.
const MOST_PICTURES: usize = 500;
/// Lines of a diff that the page gets.
const MOST_LINES: usize = 400;

/// The folder that the owner chose for an adoption, in a dialog of the system. The page names none.
#[derive(Default)]
pub(in crate::desktop) struct ChosenBlog(Mutex<Option<PathBuf>>);

impl ChosenBlog {
    fn folder(&self) -> Result<PathBuf, Message> {
        let folder = self.0.lock().clone();
        folder.ok_or_else(|| detail!("no folder was chosen"))
    }
}

/// The posts of `blog.folders`, as they were read last.
#[tauri::command]
pub(in crate::desktop) fn posts(host: State<'_, Host>) -> PostsGlance {
    host.posts().glance()
}

/// The posts that use these pictures, of those that are used; at most 500 pictures.
#[tauri::command]
pub(in crate::desktop) fn posts_of(
    hashes: Vec<ImageHash>,
    host: State<'_, Host>,
) -> Result<Vec<PictureUse>, Message> {
    let most = hashes.len().min(MOST_PICTURES);
    host.posts().posts_of(&hashes[..most])
}

/// Opens a post with the system's program for it.
#[tauri::command]
pub(in crate::desktop) fn open_post(post: PostLine, host: State<'_, Host>) -> Result<(), Message> {
    let file = host.posts().file_of(&post);
    let file = file.ok_or_else(|| detail!("this post is not there any more"))?;
    file_mode::with_former_mask(|| open::that_detached(&file))
        .map_err(|error| detail!("{} cannot be opened: {error}", file.display()))
}

/// Opens a folder dialog and reads the posts of the folder; `None` when cancelled.
#[tauri::command]
pub(in crate::desktop) async fn choose_blog(
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
    chosen: State<'_, ChosenBlog>,
) -> Result<Option<BlogFound>, Message> {
    let mut dialog = files(&window, phrases(&app).choose_blog);
    if let Some(folder) = host.settings().blog.folders.first() {
        dialog = dialog.set_directory(folder);
    }
    let Some(folder) = which_folder(dialog).await else {
        return Ok(None);
    };
    let report = host.blog().scan(&folder).await?;
    let shown = folder.display().to_string();
    *chosen.0.lock() = Some(folder);
    Ok(Some(BlogFound::of(&report, shown, is_permanent(&host))))
}

fn is_permanent(host: &Host) -> bool {
    host.address_kind() == AddressKind::Permanent
}

/// What an adoption of the chosen folder would do.
#[tauri::command]
pub(in crate::desktop) async fn plan_blog(
    choice: BlogChoice,
    host: State<'_, Host>,
    chosen: State<'_, ChosenBlog>,
) -> Result<BlogPlan, Message> {
    let plan = host.blog().plan(&chosen.folder()?, choice).await?;
    let made = tauri::async_runtime::spawn_blocking(move || {
        let (mut diff, mut lines) = (String::new(), 0);
        plan.diff(|part| {
            for line in part.split_inclusive('\n') {
                if lines < MOST_LINES {
                    diff.push_str(line);
                }
                lines += 1;
            }
        });
        BlogPlan {
            pictures: plan.sources.len(),
            posts: plan.posts(),
            references: plan.references(),
            diff,
            cut: lines > MOST_LINES,
        }
    });
    made.await.map_err(Message::text)
}

/// Adopts the chosen folder, which then is one of `blog.folders`.
#[tauri::command]
pub(in crate::desktop) async fn adopt_blog(
    choice: BlogChoice,
    host: State<'_, Host>,
    chosen: State<'_, ChosenBlog>,
) -> Result<WorkReport, Message> {
    if !is_permanent(&host) {
        return Err(detail!(
            "links need a permanent address first: when the address changes, the posts would break"
        ));
    }
    let (folder, kind) = (chosen.folder()?, host.address_kind());
    let (blog, store) = (host.blog(), host.store());
    let work = host.maintenance();
    work.adopt(blog, store, &folder, choice, kind).await
}

/// Puts the posts of an adoption back.
#[tauri::command]
pub(in crate::desktop) async fn undo_blog(
    id: String,
    host: State<'_, Host>,
) -> Result<Undone, Message> {
    host.blog().undo(Some(id)).await
}
