//! Has every part of the process follow the settings, one change after the other.

use std::sync::Weak;

use tokio::sync::mpsc;

use super::{Host, Parts};
use crate::error::message::Message;
use crate::router::routes::WIDGET;
use crate::settings::settings_change::SettingsChange;

/// Follows the changes until the host is gone. What waits for a store or a program holds no later change
/// back that hides something.
pub(super) async fn follow(
    host: Weak<Parts>,
    mut changes: mpsc::UnboundedReceiver<SettingsChange>,
) {
    let (begun, mut rest) = mpsc::unbounded_channel();
    let first = async {
        while let Some(change) = changes.recv().await {
            let Some(parts) = host.upgrade() else { break };
            let troubles = apply_at_once(&Host(parts), &change).await;
            let _ = begun.send((change, troubles));
        }
        drop(begun);
    };
    let then = async {
        while let Some((change, mut troubles)) = rest.recv().await {
            let Some(parts) = host.upgrade() else { return };
            troubles.extend(apply_rest(&Host(parts), &change).await);
            change.is_followed(troubles);
        }
    };
    tokio::join!(first, then);
}

/// What may hide something. What reads the settings at each use is not named here. Returns why parts
/// could not follow; all others have.
async fn apply_at_once(host: &Host, change: &SettingsChange) -> Vec<Message> {
    let consent = host.consent().follow_change(change).err();
    let service = host.service().follow(&change.now_shared()).await;
    host.address().publish();
    let service = service.err().map(Message::from);
    consent.into_iter().chain(service).collect()
}

/// What starts and stops, and last what waits for a store.
async fn apply_rest(host: &Host, change: &SettingsChange) -> Vec<Message> {
    let (old, new) = (change.before(), change.now());
    let mut troubles = Vec::new();
    let listener = host.listener();
    if let Err(why) = listener.follow(new.server.listen).await
        && (old.server.listen != new.server.listen || change.is_about("server"))
    {
        troubles.push(why);
    }
    troubles.extend(host.services().follow(new, Some(change)).await);
    let service = host.service();
    troubles.extend(service.follow_storage(old, new, WIDGET).await.err());
    if let Some(publishing) = service.publishing() {
        publishing.tunnel(host.address().tunnel_url().get().as_ref());
        host.consent().update_snapshot();
    }
    troubles
}
