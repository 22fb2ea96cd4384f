//! How publishing goes, for the log and for the owner.

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::state::State;

/// How publishing goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublishingStatus {
    /// Whether the store holds the snapshot of another Porchlight, so that nothing is published.
    pub another: bool,
    /// Whether the tunnel speaks plain HTTP, so that the Worker does not get its address.
    pub plain_tunnel: bool,
    /// Images that are not in the store: lists have them, but the Worker cannot send them.
    pub on_disk: u64,
    /// When what readers see of the owner was last written.
    pub written: Option<Timestamp>,
    /// Why the store does not take what readers see of the owner.
    presence: Option<PublishingTrouble>,
    /// Why the store does not take the list of images.
    images: Option<PublishingTrouble>,
}

/// Why the store does not take what is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishingTrouble {
    /// The error of the store or the database.
    pub why: Message,
    /// Since when there has been trouble.
    pub since: Timestamp,
}

impl PublishingStatus {
    /// The trouble that has lasted longest, if there is any.
    #[must_use]
    pub fn trouble(&self) -> Option<&PublishingTrouble> {
        let troubles = [&self.presence, &self.images].into_iter().flatten();
        troubles.min_by_key(|trouble| trouble.since)
    }
}

/// What is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotPart {
    Presence,
    Images,
}

/// Reports for one part.
#[derive(Clone)]
pub(super) struct PartReport {
    status: State<PublishingStatus>,
    part: SnapshotPart,
}

impl PartReport {
    pub(super) fn new(status: State<PublishingStatus>, part: SnapshotPart) -> Self {
        Self { status, part }
    }

    pub(super) fn written(&self, now: Timestamp) {
        let is_back = self.change(|trouble| trouble.take().is_some());
        if is_back {
            tracing::info!(part = ?self.part, "the snapshot is written again");
        }
        if self.part == SnapshotPart::Presence {
            self.status.update(|status| status.written = Some(now));
        }
    }

    /// Logged once, so that a long outage does not fill the log.
    pub(super) fn failed(&self, error: impl Into<Message>, now: Timestamp) {
        let error = error.into();
        let is_new = self.change(|trouble| {
            let since = trouble.as_ref().map_or(now, |trouble| trouble.since);
            let why = error.clone();
            trouble.replace(PublishingTrouble { why, since }).is_none()
        });
        if is_new {
            tracing::warn!(part = ?self.part, %error, "the snapshot cannot be written; retrying");
        }
    }

    fn change(&self, change: impl FnOnce(&mut Option<PublishingTrouble>) -> bool) -> bool {
        self.status.update(|status| {
            change(match self.part {
                SnapshotPart::Presence => &mut status.presence,
                SnapshotPart::Images => &mut status.images,
            })
        })
    }
}
