//! Blogs: which pictures their posts use, and moving these here. `scan` reads the posts of a folder,
//! `plan` is what an adoption would do, `pictures` brings the pictures here through the upload queue,
//! `write` puts their addresses into the posts, with a journal that undoes it.
//!
//! A post is parsed by what knows where each address stands (`markdown`, `html`, `front_matter`,
//! `template`), and nothing but the bytes of addresses changes.

mod address;
mod foreign;
mod front_matter;
mod html;
pub mod index;
mod journal;
mod markdown;
mod pictures;
mod plan;
mod post;
mod reference;
mod scan;
pub mod settings;
mod site;
mod template;
pub mod window;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

pub use self::plan::{Choice, NEW, Plan};
pub use self::reference::{PostProblem, Reference, Report, Target};
use self::site::Site;
pub use self::window::{Adopted, Undone};
use crate::error::message::Message;
use crate::images::window::AddressKind;
use crate::state::detach::run_to_completion;
use crate::state::progress::Progress;
use crate::uploads::Uploads;

/// The blogs of a process; cheap to clone.
#[derive(Clone)]
pub struct Blog(Arc<Inner>);

struct Inner {
    uploads: Uploads,
    /// Where the journals are, in the data folder.
    journals: PathBuf,
    /// One adoption or undo at a time.
    turn: Mutex<()>,
}

impl Blog {
    /// Those whose pictures go through this queue. The journals are in `blog` in the data folder.
    pub(crate) fn new(uploads: Uploads, data_folder: &Path) -> Self {
        Self(Arc::new(Inner {
            uploads,
            journals: data_folder.join("blog"),
            turn: Mutex::default(),
        }))
    }

    /// All pictures in the posts of a folder. Nothing is written.
    ///
    /// # Errors
    /// When the folder cannot be read, or holds more than 500,000 files; or when the database fails.
    pub async fn scan(&self, folder: &Path) -> Result<Report, Message> {
        Ok(self.look_through(folder).await?.1)
    }

    /// What an adoption of a folder would do. Nothing is written.
    ///
    /// # Errors
    /// As [`Self::scan`].
    pub async fn plan(&self, folder: &Path, choice: Choice) -> Result<Plan, Message> {
        let base = self.base();
        let (site, report) = self.look_through(folder).await?;
        Ok(Plan::new(site, report, choice, base))
    }

    async fn look_through(&self, folder: &Path) -> Result<(Site, Report), Message> {
        let own = [self.base(), self.0.uploads.own().local_url.get()];
        let folder = folder.to_owned();
        let (site, mut report) = blocking(move || scan::scan(&folder, &own)).await??;
        scan::look_up(&site, &mut report, &self.0.uploads.own().images).await?;
        Ok((site, report))
    }

    /// The address of links, without a slash at its end.
    fn base(&self) -> String {
        let own = self.0.uploads.own();
        let public = own.public_url.get().map(|url| url.to_string());
        public.unwrap_or_else(|| own.local_url.get())
    }

    /// Does what a plan says: brings the pictures here, then writes the posts. `kind` is that of the
    /// address of links, which must be the same until the posts are written as it was for the plan.
    /// `progress` counts pictures.
    ///
    /// # Errors
    /// When the address of links is not permanent, nothing can be stored, or the owner cancels it. No post
    /// was changed then. A post whose journal cannot be written is left as it is.
    pub async fn adopt(
        &self,
        plan: Plan,
        kind: AddressKind,
        progress: Progress<'_>,
    ) -> Result<Adopted, Message> {
        if kind != AddressKind::Permanent {
            return Err(not_permanent());
        }
        let _turn = self.0.turn.lock().await;
        let arrived = self.0.bring(&plan, progress).await?;
        if plan.base != self.base() {
            return Err(crate::detail!(
                "the address of links was changed meanwhile. No post was changed: run it again"
            ));
        }
        let stored = arrived.values().flatten();
        let uploaded = stored.clone().filter(|(_, is_new)| *is_new).count();
        let failed = plan.edits().flatten().filter_map(|one| {
            Some(PostProblem {
                file: one.file.clone(),
                line: Some(one.line),
                address: Some(one.address.clone()),
                why: arrived.get(&one.target)?.as_ref().err()?.clone(),
            })
        });
        let mut adopted = Adopted {
            uploaded,
            already_here: stored.count() - uploaded,
            failed: failed.collect(),
            ..Adopted::default()
        };
        let inner = Arc::clone(&self.0);
        let writing = blocking(move || {
            write::write(&plan, &arrived, &inner.journals, &mut adopted);
            adopted
        });
        run_to_completion(writing).await
    }

    /// Puts the posts of an adoption back; of the last one that changed a post and was not undone, where
    /// no `id` is given.
    ///
    /// # Errors
    /// When there is none, or its journal cannot be read or written.
    pub async fn undo(&self, id: Option<String>) -> Result<Undone, Message> {
        let _turn = self.0.turn.lock().await;
        let inner = Arc::clone(&self.0);
        let undoing = blocking(move || write::undo(&inner.journals, id.as_deref()));
        run_to_completion(undoing).await?
    }
}

/// Why nothing is written while the address of links is not permanent.
#[must_use]
pub fn not_permanent() -> Message {
    crate::detail!(
        "links need a permanent address first, or the posts would break with it: set `edge.url` or \
         `server.public_url` (docs/permanent-address.md says how)"
    )
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Message> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| crate::detail!("an error in Porchlight has stopped it: {error}"))
}

#[cfg(test)]
mod tests;
