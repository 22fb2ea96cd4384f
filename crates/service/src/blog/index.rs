//! Which posts of `blog.folders` use which images, kept up to date in the background.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use walkdir::{DirEntry, WalkDir};

use super::window::{BrokenReference, PictureUse, PostLine, PostsGlance};
use super::{Blog, PostProblem, Reference, Report, Target, blocking};
use crate::error::message::Message;
use crate::files::network;
use crate::state::{State, StateReader};
use crate::text::image_hash::ImageHash;

/// The folders are read again when nothing has changed for this long,
const QUIET: Duration = Duration::from_secs(1);
/// or when changes have not ended for this long,
const LONGEST: Duration = Duration::from_secs(30);
/// or this often, where the system does not report changes.
const POLL: Duration = Duration::from_secs(60);
/// Folders whose changes are followed; Linux has a limit for each user.
const MOST_WATCHED: usize = 4_000;
/// Broken references that the window gets.
const MOST_BROKEN: usize = 500;
/// Posts of an image that the window gets.
const MOST_POSTS: usize = 50;

/// The posts that use the owner's images.
pub struct PostIndex(StateReader<ReadPosts>);

/// What was read of posts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadPosts {
    glance: PostsGlance,
    /// The first line of each post with an image. `None` until all folders were read, where one cannot be,
    /// and where there are none.
    uses: Option<Arc<HashMap<ImageHash, Vec<PostLine>>>>,
}

impl PostIndex {
    /// Reads `folders` now and after each change: of the settings, of their files, of the images here, and
    /// of the address of links; until `stop`. Must be called on a tokio runtime.
    pub(crate) fn start(
        blog: Blog,
        folders: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static,
        mut settings: StateReader<()>,
        stop: CancellationToken,
    ) -> Self {
        let state = State::<ReadPosts>::default();
        let index = Self(state.reader());
        let own = blog.0.uploads.own();
        let (mut images, mut address) = (own.images.changes(), own.public_url.clone());
        let files = Arc::<Notify>::default();
        let follow = async move {
            loop {
                settings.mark_unchanged();
                images.mark_unchanged();
                address.mark_unchanged();
                let all = folders();
                let (now, events) = (all.clone(), Arc::clone(&files));
                // Before they are read, so that no change is missed.
                let watched = blocking(move || watch(&now, &events)).await;
                let is_polled = !watched.as_ref().is_ok_and(|(_, all)| *all);
                read(&blog, &state, &all).await;
                let mut change = async |is_polled: bool| {
                    tokio::select! {
                        Ok(()) = settings.changed() => {}
                        Ok(()) = images.changed() => {}
                        Ok(()) = address.changed() => {}
                        () = files.notified() => {}
                        () = sleep(POLL), if is_polled => {}
                    }
                };
                change(is_polled).await;
                let quiet = async { while timeout(QUIET, change(false)).await.is_ok() {} };
                let _ = timeout(LONGEST, quiet).await;
            }
        };
        tokio::spawn(async move { stop.run_until_cancelled(follow).await });
        index
    }

    /// What was read last.
    pub fn glance(&self) -> PostsGlance {
        self.0.with(|index| index.glance.clone())
    }

    /// Has a change with each reading.
    pub fn changes(&self) -> StateReader<ReadPosts> {
        self.0.clone()
    }

    /// The posts of those of these images that are used.
    ///
    /// # Errors
    /// While that is not known of all folders.
    pub fn posts_of(&self, hashes: &[ImageHash]) -> Result<Vec<PictureUse>, Message> {
        let index = self.0.get();
        let Some(uses) = index.uses else {
            return match index.glance.folders.is_empty() {
                true => Ok(Vec::new()),
                false => Err(crate::detail!(
                    "the posts of your blog are not read yet, so it is not known which use these \
                     pictures. Try again in a moment, or take the folder that cannot be read out of \
                     Settings"
                )),
            };
        };
        let used = hashes.iter().filter_map(|hash| {
            let posts = uses.get(hash)?.iter().take(MOST_POSTS).cloned().collect();
            Some(PictureUse { hash: *hash, posts })
        });
        Ok(used.collect())
    }

    /// How many posts use an image; `None` where that is not known.
    pub fn count_of(&self, hash: ImageHash) -> Option<u32> {
        let uses = self.0.with(|index| index.uses.clone())?;
        u32::try_from(uses.get(&hash).map_or(0, Vec::len)).ok()
    }

    /// All images that posts use; `None` where that is not known.
    pub fn used(&self) -> Option<Vec<ImageHash>> {
        let uses = self.0.with(|index| index.uses.clone())?;
        Some(uses.keys().copied().collect())
    }

    /// The file of a post with a reference that was read; `None` where it was not.
    pub fn file_of(&self, post: &PostLine) -> Option<PathBuf> {
        let is_it = |one: &PostLine| (one.folder, &one.file) == (post.folder, &post.file);
        let index = self.0.get();
        let mut used = index.uses.iter().flat_map(|uses| uses.values()).flatten();
        let mut broken = index.glance.broken.iter().map(|broken| &broken.post);
        let folder = index.glance.folders.get(post.folder)?;
        (used.any(is_it) || broken.any(is_it)).then(|| Path::new(folder).join(&post.file))
    }
}

/// Reads the folders into the state.
async fn read(blog: &Blog, state: &State<ReadPosts>, folders: &[PathBuf]) {
    let shown = folders.iter().map(|folder| folder.display().to_string());
    let shown: Vec<String> = shown.collect();
    let before = state.get().glance;
    state.update(|index| {
        if before.folders != shown {
            *index = ReadPosts::default();
        }
        index.glance.folders.clone_from(&shown);
        index.glance.reading = !folders.is_empty();
    });
    if folders.is_empty() {
        return;
    }
    let (mut glance, mut uses, mut is_known) = (PostsGlance::default(), HashMap::new(), true);
    for (number, folder) in folders.iter().enumerate() {
        if folders[..number].contains(folder) {
            continue;
        }
        match blog.scan(folder).await {
            Ok(report) => add(number, report, &mut glance, &mut uses),
            Err(why) => {
                is_known = false;
                glance.unread.push(PostProblem::new(&shown[number], why));
            }
        }
    }
    let here = blog.0.uploads.own().images.count().await;
    let here = here.map_or(0, |here| usize::try_from(here).unwrap_or(usize::MAX));
    glance.unused = here.saturating_sub(uses.len());
    glance.folders = shown;
    if before != glance {
        let (posts, broken) = (glance.posts, glance.broken_total);
        tracing::info!("posts of blog.folders: {posts}, broken references in them: {broken}");
    }
    state.set(ReadPosts {
        glance,
        uses: is_known.then(|| Arc::new(uses)),
    });
}

/// Adds what the folder of this number holds.
fn add(
    folder: usize,
    report: Report,
    glance: &mut PostsGlance,
    uses: &mut HashMap<ImageHash, Vec<PostLine>>,
) {
    let line = |reference: &Reference| PostLine {
        folder,
        file: reference.file.clone(),
        line: reference.line,
    };
    let broken = report.broken().map(|reference| BrokenReference {
        post: line(reference),
        address: reference.address.clone(),
    });
    let room = MOST_BROKEN.saturating_sub(glance.broken.len());
    glance.broken.extend(broken.take(room));
    glance.broken_total += report.broken().count();
    glance.posts += report.posts;
    for reference in &report.references {
        if let Target::Ours { hash, known: true } = reference.target {
            let posts = uses.entry(hash).or_default();
            let last = posts.last().map(|post| (post.folder, &post.file));
            if last != Some((folder, &reference.file)) {
                posts.push(line(reference));
            }
        }
    }
    glance.unread.extend(report.unread);
}

/// Reports changes of files in these folders until it is dropped, and whether it does of all. Blocks.
fn watch(folders: &[PathBuf], changed: &Arc<Notify>) -> (Option<RecommendedWatcher>, bool) {
    let changed = Arc::clone(changed);
    let on_event = move |event: notify::Result<Event>| {
        // That they are read, here or elsewhere, is no change.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    };
    let Ok(mut watcher) = RecommendedWatcher::new(on_event, Config::default()) else {
        return (None, false);
    };
    // On Linux each folder is watched separately: not those of programs, which are many.
    let (depth, mode) = match cfg!(target_os = "linux") {
        true => (usize::MAX, RecursiveMode::NonRecursive),
        false => (0, RecursiveMode::Recursive),
    };
    let mut room = MOST_WATCHED;
    let mut is_watched = |folder: &PathBuf| {
        let entries = WalkDir::new(folder).max_depth(depth).into_iter();
        let mut below = entries.filter_entry(may_hold_posts).flatten();
        let all = below.all(|entry| {
            room = room.saturating_sub(1);
            room > 0 && watcher.watch(entry.path(), mode).is_ok()
        });
        all && folder.is_dir() && !network::is_shared(folder)
    };
    let unwatched = folders.iter().filter(|folder| !is_watched(folder)).count();
    (Some(watcher), unwatched == 0)
}

fn may_hold_posts(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_left_out = name.starts_with('.') || name == "node_modules";
    entry.file_type().is_dir() && (entry.depth() == 0 || !is_left_out)
}

#[cfg(test)]
mod tests;
