//! The outbox after a restore of the service's data: what was uploaded may be stored
//! nowhere any more.

use std::path::Path;

use rusqlite::TransactionBehavior;

use super::{FILE, OpenOutboxError, Outbox, OutboxError, table};

/// Why a queue was not told what the service has lost.
#[derive(Debug, thiserror::Error)]
pub enum LookUpError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenOutboxError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] OutboxError),
}

/// Whether there is an outbox in this folder of state.
#[must_use]
pub fn is_in(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Has the outbox in `folder` forget that it uploaded what the service has `lost`,
/// given by hash, or all that it has the hash of: those files are found again and the
/// service is asked.
///
/// # Errors
/// See [`LookUpError`].
pub async fn look_up_again(folder: &Path, lost: Option<Vec<String>>) -> Result<(), LookUpError> {
    let outbox = Outbox::open(folder).await?;
    outbox
        .run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            table::look_up_again(&transaction, lost.as_deref())?;
            transaction.commit()
        })
        .await?;
    Ok(())
}
