//! Whether the blog can be reached while this machine is off: the snapshot.

use porchlight_api::Timestamp;
use porchlight_api::window::{SnapshotGlance, SnapshotTrouble};
use porchlight_core::PublishingStatus;

/// How the snapshot is doing.
pub fn snapshot_of(status: &PublishingStatus) -> SnapshotGlance {
    let trouble = status.trouble().map(|trouble| SnapshotTrouble {
        why: trouble.why.clone(),
        since: trouble.since.as_millis(),
    });
    SnapshotGlance {
        written: status.written.map(Timestamp::as_millis),
        another: status.another,
        plain_tunnel: status.plain_tunnel,
        on_disk: status.on_disk,
        trouble,
    }
}
