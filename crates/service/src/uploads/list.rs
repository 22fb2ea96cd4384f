//! The window's list: how files come into the queue, and what is shown of them.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::gather::{Gathered, New, PASTED, gather, many};
use super::handed::HandedFiles;
use super::table::{self, AddedFile, FAILED_LISTED, NewFile};
use super::window::{Upload, UploadState, UploadTrouble};
use super::{LeftOutName, NotQueued, UploadFile, Uploads, file_name};
use crate::db::DatabaseError;
use crate::state::{Closed, StateReader};

/// The time limit for looking through what was dropped just before the app quits.
const TAKING_LIMIT: Duration = Duration::from_secs(10);
/// The first number of rows that are not in the queue.
const FIRST_SPARE: u32 = 1 << 31;

/// Removes the lists once none of their files is left out of the queue; otherwise the next start
/// takes them again.
pub(super) fn settle(list: Option<Arc<HandedFiles>>) {
    if let Some(list) = list.and_then(Arc::into_inner) {
        list.are_queued();
    }
}

impl Uploads {
    /// Has rows that count files that were left out be called this.
    pub fn name_left_out(&self, name: LeftOutName) {
        // There is one window.
        let _ = self.0.left_out.set(name);
    }

    /// Takes images, and the files in folders, into the queue; the numbers of their rows. Those
    /// that could not be stored are shown as failed. [`Self::all_taken`] waits for it from this
    /// call on.
    pub fn take(&self, sources: Vec<UploadFile>) -> impl Future<Output = Vec<u32>> + use<> {
        self.take_from(None, sources)
    }

    /// The same once the owner has confirmed many files; none, where `confirm` returns no.
    pub fn take_confirmed<C, F>(
        &self,
        sources: Vec<UploadFile>,
        confirm: C,
    ) -> impl Future<Output = Vec<u32>> + use<C, F>
    where
        C: FnOnce(usize) -> F,
        F: Future<Output = bool>,
    {
        let uploads = self.clone();
        let counting = self.0.taking.token();
        async move {
            if let Some(count) = many(&sources).await {
                // An open question must not hold up quitting.
                drop(counting);
                if !confirm(count).await {
                    return Vec::new();
                }
                return uploads.take(sources).await;
            }
            let joined = uploads.join(None, sources, false).await;
            drop(counting);
            joined
        }
    }

    /// The same for those of a list, which is removed when all of them are in the queue.
    pub fn take_from(
        &self,
        list: Option<Arc<HandedFiles>>,
        sources: Vec<UploadFile>,
    ) -> impl Future<Output = Vec<u32>> + use<> {
        let uploads = self.clone();
        let take = async move { uploads.join(list, sources, false).await };
        self.0.taking.track_future(take)
    }

    /// Waits until all that was taken is in the queue, for ten seconds at most.
    pub async fn all_taken(&self) {
        self.0.taking.close();
        if timeout(TAKING_LIMIT, self.0.taking.wait()).await.is_err() {
            tracing::error!("some of the files that were dropped last were not added");
        }
    }

    /// Brings these into the queue, behind all that wait or before them; the numbers of their rows.
    pub(super) async fn join(
        &self,
        list: Option<Arc<HandedFiles>>,
        sources: Vec<UploadFile>,
        go_first: bool,
    ) -> Vec<u32> {
        let pasted = self.0.pasted.clone();
        let found = spawn_blocking(move || gather(sources, &pasted)).await;
        let Ok(Gathered { new, mut rest, .. }) = found.inspect_err(|error| {
            tracing::error!(%error, "the files could not be looked through");
        }) else {
            return Vec::new();
        };
        // What was pasted and could not be written has no file.
        let (mut not_queued, queued): (Vec<New>, Vec<New>) =
            new.into_iter().partition(|new| new.is_not_kept);
        let wanted: Vec<NewFile> = queued.iter().map(|new| new.file.clone()).collect();
        let mut joined = Vec::new();
        let add = self.write(move |change| table::add(change, &wanted, go_first));
        match add.await {
            Ok(ids) => joined.extend(ids.into_iter().map(number)),
            Err(error) => {
                tracing::error!("files were not added: {error}");
                // Otherwise the next start would find and queue what the owner may clear.
                for new in &queued {
                    self.0.pasted.forget(&new.file.file);
                }
                not_queued.extend(queued);
            }
        }
        let mut kept = self.0.not_queued.lock();
        // They are kept in memory, and only while they are listed.
        let room = FAILED_LISTED.saturating_sub(kept.len() + 1);
        if not_queued.len() > room {
            rest += not_queued.split_off(room).len();
        }
        if rest > 0 {
            not_queued.push(New::left_out(self.left_out_name()(rest)));
        }
        for new in not_queued {
            let spare = kept.keys().last().map_or(FIRST_SPARE, |last| last + 1);
            let trouble = match new.source {
                Some(_) => UploadTrouble::Storage,
                None => UploadTrouble::TooMany,
            };
            let row = Upload {
                id: spare,
                name: new.name,
                size: new.file.bytes,
                progress: UploadState::Failed { trouble },
            };
            let (source, list) = (new.source, list.clone());
            kept.insert(spare, NotQueued { row, source, list });
            joined.push(spare);
        }
        drop(kept);
        self.changed();
        self.0.work.notify_one();
        settle(list);
        joined
    }

    /// The rows of the window's list, oldest first: all that wait, and the newest of those that are
    /// over.
    pub async fn rows(&self) -> Vec<Upload> {
        let listed = self.read(table::listed).await;
        let listed = listed.inspect_err(|error| {
            tracing::error!(%error, "what waits to be uploaded cannot be listed");
        });
        let mut rows = self.shown(listed.unwrap_or_default());
        let not_queued = self.0.not_queued.lock();
        rows.extend(not_queued.values().map(|one| one.row.clone()));
        rows
    }

    /// Those of these rows that are there.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn rows_of(&self, ids: &[u32]) -> Result<Vec<Upload>, DatabaseError> {
        let numbers: Vec<i64> = ids.iter().copied().map(i64::from).collect();
        let added = self.read(move |look| table::added(look, &numbers)).await?;
        let mut rows = self.shown(added);
        let not_queued = self.0.not_queued.lock();
        let spare = ids.iter().filter_map(|id| not_queued.get(id));
        rows.extend(spare.map(|one| one.row.clone()));
        Ok(rows)
    }

    /// Waits until each of these has come to an end. A row that the owner took off the list
    /// meanwhile is left out.
    pub async fn ended(&self, mut waited_for: Vec<u32>) -> Vec<Upload> {
        // Subscribed before reading: a change in between is not missed.
        let mut changed = self.changes();
        let mut ended = Vec::new();
        loop {
            if let Ok(rows) = self.rows_of(&waited_for).await {
                let (over, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_finished);
                ended.extend(over);
                waited_for = rest.iter().map(|row| row.id).collect();
            }
            if waited_for.is_empty() || self.next_end(&mut changed, &waited_for).await.is_err() {
                return ended;
            }
        }
    }

    /// Completes when one of these may have ended.
    async fn next_end(
        &self,
        changed: &mut StateReader<()>,
        waited_for: &[u32],
    ) -> Result<(), Closed> {
        let before = self.in_progress();
        let is_still = |id: &u32| before.contains(&i64::from(*id));
        let are_under_way = waited_for.iter().any(is_still);
        loop {
            changed.changed().await?;
            // Most changes are only progress.
            if !are_under_way || self.in_progress() != before {
                return Ok(());
            }
        }
    }

    /// These rows, with what only this process knows of them.
    fn shown(&self, rows: Vec<AddedFile>) -> Vec<Upload> {
        let live = self.0.live.lock();
        let shown = rows.into_iter().map(|row| {
            let (mut size, mut progress) = (row.bytes, row.state);
            if let UploadState::Waiting { why } = &mut progress {
                *why = live.why.get(&row.id).cloned();
                if let Some(under_way) = live.under_way.get(&row.id) {
                    size = under_way.bytes;
                    progress = UploadState::Working {
                        permille: under_way.permille,
                    };
                }
            }
            let name = match self.0.pasted.is_one(&row.file) {
                true => PASTED.to_owned(),
                false => file_name(&row.file),
            };
            Upload {
                id: number(row.id),
                name,
                size,
                progress,
            }
        });
        shown.collect()
    }

    fn left_out_name(&self) -> LeftOutName {
        let plain: fn(usize) -> String = |count| format!("+{count}");
        self.0
            .left_out
            .get()
            .map_or_else(|| Arc::new(plain), Arc::clone)
    }
}

/// The number of a row, which the page can hold.
pub(super) fn number(id: i64) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn is_finished(row: &Upload) -> bool {
    !matches!(
        row.progress,
        UploadState::Waiting { .. } | UploadState::Working { .. }
    )
}
