//! Moving a blog's images here while this process serves.

use std::path::Path;

use serde_json::json;

use super::{Maintenance, empty};
use crate::blog::{Blog, Choice};
use crate::error::message::Message;
use crate::images::window::AddressKind;
use crate::settings::changes::Changes;
use crate::settings::store::SettingsStore;
use crate::settings::window::{WorkKind, WorkReport};

impl Maintenance {
    /// Adopts the blog in a folder, which then is one of `blog.folders`. `kind` is that of the address of
    /// links.
    ///
    /// # Errors
    /// As [`Blog::adopt`], or when something else is being done.
    pub async fn adopt(
        &self,
        blog: &Blog,
        store: &SettingsStore,
        folder: &Path,
        choice: Choice,
        kind: AddressKind,
    ) -> Result<WorkReport, Message> {
        let work = self.start(WorkKind::Adopt)?;
        let adopting = async {
            let plan = blog.plan(folder, choice).await?;
            let progress = |done, of| {
                work.progress(done, of)?;
                if done == of {
                    // Now the posts are written.
                    work.commit();
                }
                Ok(())
            };
            let adopted = blog.adopt(plan, kind, &progress).await?;
            Ok(WorkReport {
                good: (adopted.uploaded + adopted.already_here) as u64,
                wrong: add_folder(store, folder).await.err().into_iter().collect(),
                adopted: Some(adopted.into()),
                ..empty(WorkKind::Adopt)
            })
        };
        let report = adopting.await;
        work.end(report)
    }
}

async fn add_folder(store: &SettingsStore, folder: &Path) -> Result<(), Message> {
    let mut folders = store.current().blog.folders.clone();
    if folders.iter().any(|one| one == folder) {
        return Ok(());
    }
    folders.push(folder.to_owned());
    let change = Changes::from([("blog.folders".to_owned(), json!(folders))]);
    let mut problems = store.change(&change).await?;
    problems.pop().map_or(Ok(()), |problem| Err(problem.why))
}
