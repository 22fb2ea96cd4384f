//! Whether the blog can be reached while this machine is off: the snapshot, and the Worker.

use porchlight_api::Timestamp;
use porchlight_api::window::{Reach, SnapshotGlance, SnapshotTrouble};
use porchlight_core::{Publishing, PublishingStatus};

use crate::host::Host;
use crate::integrations::reach_lines;

/// Everything on the settings page "Always reachable" that is not a setting.
pub fn reach(host: &Host) -> Reach {
    let settings = host.settings();
    Reach {
        store: reach_lines::maker(&settings),
        lines: reach_lines::lines(&settings),
        variables: reach_lines::variables(&settings),
        has_key: settings.edge.secret.is_some(),
        snapshot: snapshot(host),
        edge: host.edge().state(),
    }
}

/// The snapshot; `None` while nothing is published.
pub fn snapshot(host: &Host) -> Option<SnapshotGlance> {
    let publishing = host.service().publishing()?;
    let status = publishing.status().get();
    Some(glance(&status))
}

/// Whether a pause, or its end, is still being written to the snapshot.
pub fn is_settling(host: &Host) -> bool {
    let publishing = host.service().publishing();
    !publishing.is_none_or(Publishing::pause_has_taken_effect)
}

fn glance(status: &PublishingStatus) -> SnapshotGlance {
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
