//! Which posts of `blog.folders` use which images, kept up to date in the background.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use walkdir::{DirEntry, WalkDir};

use super::window::{BrokenReference, PictureUse, PostLine, PostsGlance, first};
use super::{Blog, LeftFile, Reference, Report, Target, blocking};
use crate::error::message::Message;
use crate::files::network;
use crate::state::{State, StateReader};
use crate::text::address::WebAddress;
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
/// Posts of an image that are known one by one.
const MOST_POSTS: usize = 50;

/// The posts that use the owner's images.
pub struct PostIndex(StateReader<ReadPosts>);

/// What was read of posts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadPosts {
    glance: PostsGlance,
    /// `None` until all folders were read, where one cannot be, and where there are none.
    uses: Option<Arc<HashMap<ImageHash, Uses>>>,
}

/// The posts that use an image.
#[derive(Debug, Default, PartialEq, Eq)]
struct Uses {
    count: u32,
    first: Vec<PostLine>,
}

impl PostIndex {
    /// Reads `folders` now and after each change: of them, of their files, of the images here, and of the
    /// address of links; until `stop`. Must be called on a tokio runtime.
    pub(crate) fn start(
        blog: Blog,
        folders: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static,
        settings: StateReader<()>,
        stop: CancellationToken,
    ) -> Self {
        let state = State::<ReadPosts>::default();
        let index = Self(state.reader());
        let own = blog.0.uploads.own();
        let mut changes = Changes {
            settings,
            images: own.images.changes(),
            address: own.public_url.clone(),
            files: Arc::default(),
        };
        let follow = async move {
            loop {
                changes.images.mark_unchanged();
                changes.address.mark_unchanged();
                let now = folders();
                let (all, files) = (now.clone(), Arc::clone(&changes.files));
                // Before they are read, so that no change is missed.
                let watched = blocking(move || watch(&all, &files)).await;
                let is_polled = !watched.as_ref().is_ok_and(|(_, all)| *all);
                read(&blog, &state, &now).await;
                changes.next(is_polled, || folders() != now).await;
                let mut is_quiet =
                    async || timeout(QUIET, changes.next(false, || false)).await.is_err();
                if folders() == now {
                    let _ = timeout(LONGEST, async { while !is_quiet().await {} }).await;
                }
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
        let uses = match self.0.with(|index| index.uses.clone()) {
            Some(uses) => uses,
            None if self.0.with(|index| index.glance.folders.is_empty()) => return Ok(Vec::new()),
            None => {
                return Err(crate::detail!(
                    "the posts of your blog are not read yet, so it is not known which use these \
                     pictures. Try again in a moment, or take the folder that cannot be read out of \
                     Settings"
                ));
            }
        };
        let used = hashes.iter().filter_map(|hash| {
            let posts = uses.get(hash)?.first.clone();
            Some(PictureUse { hash: *hash, posts })
        });
        Ok(used.collect())
    }

    /// How many posts use an image; `None` where that is not known.
    pub fn count_of(&self, hash: ImageHash) -> Option<u32> {
        let count = |uses: &Uses| uses.count;
        self.0
            .with(|index| Some(index.uses.as_ref()?.get(&hash).map_or(0, count)))
    }

    /// All images that posts use; `None` where that is not known.
    pub fn used(&self) -> Option<Vec<ImageHash>> {
        let uses = self.0.with(|index| index.uses.clone());
        uses.map(|uses| uses.keys().copied().collect())
    }

    /// The file of a post with a reference that was read; `None` where it was not.
    pub fn file_of(&self, post: &PostLine) -> Option<PathBuf> {
        let is_it = |one: &PostLine| (one.folder, &one.file) == (post.folder, &post.file);
        self.0.with(|index| {
            let uses = index.uses.iter().flat_map(|uses| uses.values());
            let broken = index.glance.broken.iter().map(|broken| &broken.post);
            let known = uses.flat_map(|uses| &uses.first).chain(broken);
            let folder = index.glance.folders.get(post.folder)?;
            let mut known = known.filter(|one| is_it(one));
            known.next().map(|_| Path::new(folder).join(&post.file))
        })
    }
}

/// What the index depends on.
struct Changes {
    settings: StateReader<()>,
    images: StateReader<u64>,
    address: StateReader<Option<WebAddress>>,
    files: Arc<Notify>,
}

impl Changes {
    /// Waits for the next change; of the settings for one that `matters`.
    async fn next(&mut self, is_polled: bool, matters: impl Fn() -> bool) {
        loop {
            tokio::select! {
                Ok(()) = self.settings.changed() => if !matters() { continue },
                Ok(()) = self.images.changed() => {}
                Ok(()) = self.address.changed() => {}
                () = self.files.notified() => {}
                () = sleep(POLL), if is_polled => {}
            }
            return;
        }
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
                glance.unread.push(LeftFile::new(&shown[number], why));
            }
        }
    }
    let here = blog.0.uploads.own().images.count().await;
    let here = here.map_or(0, |here| usize::try_from(here).unwrap_or(usize::MAX));
    let glance = PostsGlance {
        folders: shown,
        unused: here.saturating_sub(uses.len()),
        unread: first(glance.unread),
        ..glance
    };
    let numbers = |glance: &PostsGlance| (glance.posts, glance.broken_total);
    if before.folders != glance.folders || numbers(&before) != numbers(&glance) {
        let (posts, broken) = numbers(&glance);
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
    uses: &mut HashMap<ImageHash, Uses>,
) {
    let line = |reference: &Reference| PostLine {
        folder,
        file: reference.place.file.clone(),
        line: reference.place.line,
    };
    let broken = report.broken().map(|reference| BrokenReference {
        post: line(reference),
        address: reference.address.clone(),
    });
    let room = MOST_BROKEN.saturating_sub(glance.broken.len());
    glance.broken.extend(broken.take(room));
    glance.broken_total += report.broken().count();
    glance.posts += report.posts;
    let posts = report
        .references
        .chunk_by(|one, next| one.place.file == next.place.file);
    for post in posts {
        let mut seen = HashSet::new();
        for reference in post {
            if let Target::Ours { hash, known: true } = reference.target
                && seen.insert(hash)
            {
                let uses = uses.entry(hash).or_default();
                uses.count += 1;
                if uses.first.len() < MOST_POSTS {
                    uses.first.push(line(reference));
                }
            }
        }
    }
    glance.unread.extend(report.unread);
}

/// Reports changes of files in these folders until it is dropped, and whether it does of all. Blocks.
fn watch(folders: &[PathBuf], changed: &Arc<Notify>) -> (Option<RecommendedWatcher>, bool) {
    if folders.is_empty() {
        return (None, true);
    }
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
