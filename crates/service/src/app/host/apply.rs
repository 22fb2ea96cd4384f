//! Has every part of the process follow the settings.

use std::sync::Weak;

use tokio::sync::mpsc;

use super::{Host, Parts};
use crate::error::message::Message;
use crate::router::routes::WIDGET;
use crate::settings::settings_change::SettingsChange;

/// Follows the changes until the host is gone, in three stages: what hides something, what starts and
/// stops, and what waits for a store. No change waits for a later stage of the one before it.
pub(super) async fn follow(
    host: Weak<Parts>,
    mut changes: mpsc::UnboundedReceiver<SettingsChange>,
) {
    let (to_start, mut hidden) = mpsc::unbounded_channel();
    let (to_store, mut started) = mpsc::unbounded_channel();
    let hide = async {
        while let (Some(change), Some(parts)) = (changes.recv().await, host.upgrade()) {
            let trouble = Host(parts).consent().follow_change(&change).err();
            let _ = to_start.send((change, Vec::from_iter(trouble)));
        }
        drop(to_start);
    };
    let start = async {
        while let (Some((change, mut troubles)), Some(parts)) =
            (hidden.recv().await, host.upgrade())
        {
            troubles.extend(start_and_stop(&Host(parts), &change).await);
            let _ = to_store.send((change, troubles));
        }
        drop(to_store);
    };
    let store = async {
        while let (Some((change, mut troubles)), Some(parts)) =
            (started.recv().await, host.upgrade())
        {
            troubles.extend(follow_storage(&Host(parts), &change).await.err());
            change.is_followed(troubles);
        }
    };
    tokio::join!(hide, start, store);
}

/// What reads the settings at each use is not named here. A later change may count already: nothing
/// starts that the settings forbid now. Returns why parts could not follow; all others have.
async fn start_and_stop(host: &Host, change: &SettingsChange) -> Vec<Message> {
    let (old, new) = (change.before(), host.settings());
    let followed = host.service().follow(&new).await;
    let mut troubles: Vec<Message> = followed.err().map(Message::from).into_iter().collect();
    host.address().publish();
    if let Err(why) = host.listener().follow(new.server.listen).await
        && (old.server.listen != new.server.listen || change.is_about("server"))
    {
        troubles.push(why);
    }
    troubles.extend(host.services().follow(&new, Some(change)).await);
    troubles
}

async fn follow_storage(host: &Host, change: &SettingsChange) -> Result<(), Message> {
    let service = host.service();
    let followed = service.follow_storage(change.before(), change.now(), WIDGET);
    let followed = followed.await;
    if let Some(edge) = service.edge() {
        edge.tunnel(host.address().tunnel_url().get().as_ref());
        host.consent().tell_worker();
    }
    followed
}
