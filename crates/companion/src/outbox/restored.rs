//! The outbox after a restore of the service's data: uploaded images may no longer be stored.

use std::path::Path;

use rusqlite::TransactionBehavior;

use super::{FILE, OpenOutboxError, Outbox, OutboxError, table};

/// Why the queue could not be updated after a restore.
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

/// Removes the uploads that the service has `lost`, given by hash, from the outbox in `folder`;
/// with `None`, all uploads with a hash. Those files are found again and the service is asked.
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
