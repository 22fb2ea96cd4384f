//! Keeps the images of the snapshot as the rows are: compares at the start, then writes what changes.
//! And `widget.js`, once.

use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::NO_CACHE;
use super::pages::{Pages, SnapshotOwner};
use super::retry::Retry;
use super::status::{PartReport, PublishingStatus};
use crate::clock::Clock;
use crate::error::message::Message;
use crate::state::{State, StateReader};
use crate::storage::{Document, Documents};

/// Changes of images are collected for this long before they are written.
const COLLECT: Duration = Duration::from_secs(1);

/// Keeps the images of the snapshot as the rows are.
pub(super) struct Keeper {
    pub(super) pages: Pages,
    pub(super) changes: StateReader<u64>,
    pub(super) documents: Documents,
    /// `widget.js`, until it is written.
    pub(super) widget: Option<String>,
    pub(super) report: PartReport,
    pub(super) status: State<PublishingStatus>,
    pub(super) clock: Clock,
    pub(super) stop: CancellationToken,
}

impl Keeper {
    /// Writes until it is to stop. `is_own` is notified once the snapshot in the store is this data
    /// folder's.
    pub(super) async fn run(mut self, is_own: State<bool>) {
        if !self.compare(&is_own).await {
            return;
        }
        let mut retry = Retry::default();
        loop {
            let is_last = self.stop.is_cancelled();
            self.changes.mark_unchanged();
            match self.write().await {
                Ok(rest) => {
                    retry.worked();
                    self.report.written(self.clock.now());
                    if rest && !is_last {
                        continue;
                    }
                }
                Err(error) => {
                    retry.failed();
                    self.report.failed(&error, self.clock.now());
                }
            }
            if is_last {
                return;
            }
            self.rest(&retry).await;
        }
    }

    /// Finds out whose snapshot is in the store, which `is_own` is notified of, and what is missing
    /// there; `false` when it is to stop.
    async fn compare(&mut self, is_own: &State<bool>) -> bool {
        let mut retry = Retry::default();
        loop {
            let pages = &mut self.pages;
            // Presence is being written by then: the answer must not change.
            let known = is_own.get();
            let compare = async {
                let owner = if known {
                    SnapshotOwner::Own
                } else {
                    pages.owner().await?
                };
                if owner == SnapshotOwner::Own {
                    pages.record_use().await?;
                    // What readers see of the owner does not wait for a long comparison.
                    is_own.set(true);
                    pages.compare().await?;
                }
                Ok::<_, Message>(owner)
            };
            let compared = tokio::select! {
                compared = compare => compared,
                () = self.stop.cancelled() => return false,
            };
            let again = match compared {
                Ok(owner) => {
                    let another = owner == SnapshotOwner::Another;
                    self.status.update(|status| status.another = another);
                    if !another {
                        return true;
                    }
                    tracing::warn!("the store holds another Porchlight's snapshot: not publishing");
                    None
                }
                Err(error) => {
                    self.report.failed(&error, self.clock.now());
                    retry.failed();
                    Some(retry.not_before(Instant::now()))
                }
            };
            tokio::select! {
                () = self.pages.wait_for_take_over(), if again.is_none() => {}
                () = at(again) => {}
                () = self.stop.cancelled() => return false,
            }
        }
    }

    /// Writes what has changed; whether there is more.
    async fn write(&mut self) -> Result<bool, Message> {
        if let Some(script) = &self.widget {
            let document = Document {
                content: script.clone().into(),
                content_type: "text/javascript; charset=utf-8",
                cache_control: NO_CACHE,
            };
            self.documents.put("widget.js", document).await?;
            self.widget = None;
        }
        let more = self.pages.round().await?;
        let on_disk = self.pages.on_disk().await?;
        self.status.update(|status| status.on_disk = on_disk);
        Ok(more)
    }

    /// Waits until there is something to write, or until it is to stop.
    async fn rest(&mut self, retry: &Retry) {
        if retry.waits() {
            let again = retry.not_before(Instant::now());
            tokio::select! {
                () = sleep_until(again) => {}
                () = self.stop.cancelled() => {}
            }
            return;
        }
        let removal = self.pages.next_removal();
        let news = async {
            tokio::select! {
                _ = self.changes.changed() => tokio::time::sleep(COLLECT).await,
                () = at(removal) => {}
            }
        };
        tokio::select! {
            () = news => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// Waits until then; for ever where there is no such time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The custom element, below a line that proves that its publisher has the key of the Worker. The
/// Worker sends nothing else as a script.
pub(super) fn signed_widget(script: &str, secret: &SecretString) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes());
    let mac = mac.expect("a key may have any length").chain_update(script);
    format!("//{}\n{script}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_hmac_of_the_rest() {
        // Made by another implementation (Python's `hmac`).
        let line = "//5c5bbf8cd1b6c9a3aaa595c7b7f3c3c27b535187807e10c60582e2fff83f2430";
        let signed = signed_widget("let a = 1;\n", &"k".repeat(32).into());
        assert_eq!(signed, format!("{line}\nlet a = 1;\n"));
    }
}
