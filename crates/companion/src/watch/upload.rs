//! Uploads one image of the upload queue: digest → known there? → sent → recorded →
//! reported → put away. Journey 5, from the row on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use porchlight_api::Message;
use porchlight_api::client::{Added, Client, ClientError, SourceLookup};

use super::after::{PutAway, put_away};
use super::status::Status;
use super::{Outcome, OutcomeSink};
use crate::file_version::FileVersion;
use crate::link::Address;
use crate::link::LinkTemplate;
use crate::opened::Opened;
use crate::settings::AfterUpload;
use crate::upload::Failure;
use crate::upload::item::{Digested, send};
use crate::upload::kind;
use crate::upload_queue::dispatcher::{Ended, Rows, Trouble, Wait};
use crate::upload_queue::{Picture, State, UploadQueue, UploadQueueError};

/// What all uploads share.
pub(super) struct Uploader {
    pub(super) client: Client,
    pub(super) queue: UploadQueue,
    pub(super) after: AfterUpload,
    pub(super) address: Address,
    pub(super) template: LinkTemplate,
    pub(super) report: OutcomeSink,
    pub(super) status: Arc<Status>,
}

/// Why one image was not uploaded.
enum Obstacle {
    Gone,
    /// It is being written, or was written since it was found complete.
    Changed,
    Absent,
    SetAside(Message),
    Later(Trouble),
}

impl From<UploadQueueError> for Obstacle {
    fn from(error: UploadQueueError) -> Self {
        Self::Later(error.into())
    }
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        let why = Message::from(&failure);
        let later = |wait| {
            Self::Later(Trouble {
                why: why.clone(),
                wait,
            })
        };
        match failure {
            Failure::File(error) => match error.kind() {
                io::ErrorKind::NotFound => Self::Gone,
                io::ErrorKind::PermissionDenied => {
                    Self::SetAside(Message::FileUnreadable { why: why.into() })
                }
                _ => later(Wait::ItsOwn),
            },
            // It was emptied since it settled; what comes next is a new version.
            Failure::Empty => Self::Gone,
            Failure::Service(error) => match &error {
                // A response of a proxy in between does not concern the image.
                ClientError::Answered {
                    status: 400 | 413 | 415 | 422,
                    is_by_the_service: true,
                    ..
                } => Self::SetAside(why),
                error => later(Wait::after(error)),
            },
            Failure::Ledger(_) | Failure::Stopped => later(Wait::Growing),
        }
    }
}

impl Rows for Uploader {
    type Row = Picture;

    async fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> Result<Vec<(i64, PathBuf, Picture)>, UploadQueueError> {
        let absent = self.status.absent();
        let pictures = self.queue.next(most, in_hand, absent).await?;
        let rows = pictures.into_iter();
        Ok(rows.map(|row| (row.id, row.file.clone(), row)).collect())
    }

    async fn upload(&self, picture: Picture) -> Ended {
        self.bring(picture).await
    }

    async fn failed(&self, id: i64) -> Result<(), UploadQueueError> {
        self.queue.failed(id).await
    }

    async fn show(&self, under_way: Vec<PathBuf>, paused: bool) -> Option<u64> {
        let counts = self.queue.counts().await.ok()?;
        self.status.change(|status| {
            status.waiting = counts.waiting;
            status.set_aside = counts.set_aside;
            status.paused = paused;
            status.under_way = under_way;
        });
        Some(counts.waiting)
    }

    fn trouble(&self, why: Option<Message>) {
        self.status.trouble(why);
    }
}

impl Uploader {
    /// Does what there is to do about an image that waits.
    async fn bring(&self, picture: Picture) -> Ended {
        match self.try_to_bring(&picture).await {
            Ok(served) => Ended::Settled { served },
            Err(Obstacle::Absent) => Ended::Absent,
            // It comes back with the version that is complete.
            Err(Obstacle::Changed) => match self.queue.forget_version(&picture).await {
                Ok(()) => Ended::Settled { served: false },
                Err(error) => error.into(),
            },
            Err(Obstacle::Later(trouble)) => Ended::Later(trouble),
            Err(Obstacle::Gone) => {
                let file = picture.file;
                match self.queue.forget(picture.id).await {
                    Ok(()) => (self.report)(Outcome::Gone { file }),
                    Err(error) => return error.into(),
                }
                Ended::Settled { served: false }
            }
            Err(Obstacle::SetAside(reason)) => {
                let file = picture.file.clone();
                match self.queue.set_aside(picture, reason.clone()).await {
                    Ok(()) => (self.report)(Outcome::SetAside { file, reason }),
                    Err(error) => return error.into(),
                }
                Ended::Settled { served: true }
            }
        }
    }

    async fn try_to_bring(&self, picture: &Picture) -> Result<bool, Obstacle> {
        let (folder, file) = (picture.folder.clone(), picture.file.clone());
        let opened = tokio::task::spawn_blocking(move || open(&folder, &file)).await;
        let opened =
            opened.unwrap_or_else(|error| Err(Failure::File(io::Error::other(error)).into()))?;
        if opened.file_version() != picture.file_version {
            return Err(Obstacle::Changed);
        }
        let source = Digested::of(opened).await?;
        let known = self.known(picture, &source).await?;
        let is_confirmed = known.is_some();
        let added = match known {
            Some(hash) => Ok(Added::AlreadyThere { hash }),
            None => {
                let content_type = kind::by_name(&picture.file).unwrap_or(kind::UNKNOWN);
                send(&self.client, &source.opened, content_type, &picture.file).await
            }
        };
        // The file was changed or replaced while it was sent, so the uploaded bytes are not the
        // current ones.
        let there = FileVersion::now(&picture.file);
        if !source.opened.is_unchanged() || there.is_ok_and(|there| there != picture.file_version) {
            return Err(Obstacle::Changed);
        }
        let (hash, already_there) = match added.map_err(Failure::from)? {
            Added::Stored { hash, .. } => (hash, false),
            Added::AlreadyThere { hash } => (hash, true),
        };
        // A file that is going to be moved away may be the only copy.
        if self.after != AfterUpload::Keep
            && !is_confirmed
            && self.looked_up(&source).await? == SourceLookup::Unknown
        {
            return Err(Obstacle::Later(Trouble {
                why: Message::NotConfirmed,
                wait: Wait::ItsOwn,
            }));
        }
        self.mark(picture, &source, hash.clone()).await?;
        let is_as_before =
            picture.sha256 == Some(source.sha256) && picture.hash.as_deref() == Some(hash.as_str());
        // When only its time has changed, the link is not reported again.
        if !(already_there && is_as_before) {
            let address = (self.address)(&hash);
            (self.report)(Outcome::Uploaded {
                file: picture.file.clone(),
                link: self.template.fill(&address),
                address,
                hash,
                already_there,
            });
        }
        self.put_away(picture, picture.file_version).await?;
        Ok(true)
    }

    /// The hash of the image at the service, if the service has it. Files that were uploaded before
    /// are queried, too: their images may have been deleted since.
    async fn known(&self, picture: &Picture, source: &Digested) -> Result<Option<String>, Failure> {
        match self.looked_up(source).await? {
            SourceLookup::Stored(hash) => Ok(Some(hash)),
            SourceLookup::Unknown => Ok(None),
            SourceLookup::NotOffered => match &picture.hash {
                Some(hash)
                    if picture.sha256 == Some(source.sha256)
                        && self.client.has_image(hash).await? =>
                {
                    Ok(Some(hash.clone()))
                }
                _ => Ok(None),
            },
        }
    }

    /// Asks the service for the image. Before a file is moved away, the service has to read what it
    /// has stored.
    async fn looked_up(&self, source: &Digested) -> Result<SourceLookup, Failure> {
        let sha256 = &source.sha256;
        Ok(match self.after {
            AfterUpload::Keep => self.client.find_source(sha256).await?,
            AfterUpload::Archive | AfterUpload::Trash => self.client.verify_source(sha256).await?,
        })
    }

    async fn mark(
        &self,
        picture: &Picture,
        source: &Digested,
        hash: String,
    ) -> Result<(), UploadQueueError> {
        let then = match self.after {
            AfterUpload::Keep => State::Done,
            AfterUpload::Archive | AfterUpload::Trash => State::Uploaded,
        };
        self.queue
            .uploaded(picture.clone(), source.sha256, hash, then)
            .await
    }

    /// Applies the setting for uploaded files; one that cannot be moved stays,
    /// which is logged once.
    ///
    /// # Errors
    /// When the upload queue cannot be written.
    pub(super) async fn put_away(
        &self,
        picture: &Picture,
        sent: FileVersion,
    ) -> Result<(), UploadQueueError> {
        if self.after == AfterUpload::Keep {
            return self.queue.keep(picture.id).await;
        }
        let (after, folder, file) = (self.after, picture.folder.clone(), picture.file.clone());
        let moved = tokio::task::spawn_blocking(move || put_away(after, &folder, &file, sent));
        match moved
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
        {
            Ok(PutAway::Gone) => self.queue.put_away(picture.id).await,
            Ok(PutAway::Stays) => self.queue.keep(picture.id).await,
            Err(error) => {
                let file = picture.file.display();
                tracing::warn!(%file, %error, "it is uploaded, and stays where it is");
                self.queue.keep(picture.id).await
            }
        }
    }
}

/// Opens the file in its folder without following links. Blocks.
fn open(folder: &Path, file: &Path) -> Result<Opened, Obstacle> {
    let Ok(root) = folder.canonicalize() else {
        return Err(Obstacle::Absent);
    };
    let Ok(below) = file.strip_prefix(&root) else {
        return Err(Obstacle::Gone);
    };
    Ok(Opened::inside(&root, below).map_err(Failure::File)?)
}
