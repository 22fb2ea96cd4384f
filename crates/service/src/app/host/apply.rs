//! Has every part of the process follow the settings, one change after the other.

use std::sync::Weak;

use tokio::sync::mpsc;

use super::{Host, Parts};
use crate::error::message::Message;
use crate::router::routes::WIDGET;
use crate::settings::settings_change::SettingsChange;

/// Follows the changes until the host is gone.
pub(super) async fn follow(
    host: Weak<Parts>,
    mut changes: mpsc::UnboundedReceiver<SettingsChange>,
) {
    while let Some(change) = changes.recv().await {
        let Some(parts) = host.upgrade() else { return };
        let troubles = apply(&Host(parts), &change).await;
        change.is_followed(troubles);
    }
}

/// What may hide something comes first, and what waits for a store last. What reads the settings at
/// each use is not named here.
///
/// Returns why parts could not follow; all others have.
async fn apply(host: &Host, change: &SettingsChange) -> Vec<Message> {
    let (old, new) = (change.before(), change.now());
    let service = host.service();
    let mut troubles = Vec::new();
    troubles.extend(host.consent().follow_change(change).err());
    troubles.extend(
        service
            .follow(&change.now_shared())
            .await
            .err()
            .map(Message::from),
    );
    host.address().publish();
    let listener = host.listener();
    if let Err(why) = listener.follow(new.server.listen).await
        && (old.server.listen != new.server.listen || change.is_about("server"))
    {
        troubles.push(why);
    }
    troubles.extend(host.services().follow(new, Some(change)).await);
    troubles.extend(service.follow_storage(old, new, WIDGET).await.err());
    if let Some(publishing) = service.publishing() {
        publishing.tunnel(host.address().tunnel_url().get().as_ref());
        host.consent().update_snapshot();
    }
    troubles
}
