//! `porchlight publish`: the snapshot in the object store, also while another process serves the
//! data folder.

use clap::Subcommand;
use porchlight_service::upkeep::beside::take_over_snapshot;

use super::Invocation;

/// What to do with the snapshot.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Publish from this data folder from now on, although the store holds another's snapshot
    TakeOver,
}

pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let Action::TakeOver = action;
    take_over_snapshot(&invocation.folder()?).await?;
    eprintln!(
        "This data folder replaces the snapshot in the store: now where its service waits for \
         that, otherwise from its next start on."
    );
    Ok(true)
}
