//! Tokens of a backup that restoring it would make valid.

use std::collections::HashSet;
use std::path::Path;

use super::archive::{DATABASE, OWN_TOKENS};
use super::{Unpacked, UpkeepError};
use crate::database::DatabaseError;
use crate::schema::{self, database_file};
use crate::tokens::table::{self, StoredToken};

/// A token of a backup that is not valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    id: i64,
    /// Its name.
    pub name: String,
}

impl Unpacked {
    /// The tokens that the database of the data folder `present` does not have, or has
    /// with another scope or for another device. All of them where there is no such database.
    ///
    /// # Errors
    /// When one of the databases cannot be read.
    pub async fn new_tokens(&self, present: Option<&Path>) -> Result<Vec<NewToken>, UpkeepError> {
        let known: HashSet<_> = match present.map(database_file).filter(|file| file.is_file()) {
            None => HashSet::new(),
            Some(file) => tokens_of(&file)
                .await?
                .into_iter()
                .map(|token| (token.digest, token.scope, token.device))
                .collect(),
        };
        let found = tokens_of(&self.scratch.path().join(DATABASE)).await?;
        Ok(found
            .into_iter()
            .filter(|token| !known.contains(&(token.digest, token.scope, token.device.clone())))
            .map(|StoredToken { id, name, .. }| NewToken { id, name })
            .collect())
    }

    /// Takes these tokens out, and the app's own secrets in any case. Where no token is
    /// left, the next start makes the app's own as in a new data folder.
    ///
    /// # Errors
    /// When the database or the disk fails.
    pub async fn leave_out_tokens(&mut self, tokens: &[NewToken]) -> Result<(), UpkeepError> {
        if !tokens.is_empty() {
            self.delete(tokens).await?;
        }
        if let Some(copies) = self.own_tokens_file() {
            std::fs::remove_file(&copies).map_err(UpkeepError::file(&copies))?;
            self.secrets.retain(|name| name != OWN_TOKENS);
        }
        Ok(())
    }

    async fn delete(&self, tokens: &[NewToken]) -> Result<(), UpkeepError> {
        let ids: Vec<i64> = tokens.iter().map(|token| token.id).collect();
        let database = schema::open(&self.scratch.path().join(DATABASE)).await?;
        let left_out = database.write(move |transaction| {
            for id in ids {
                transaction.execute("DELETE FROM token WHERE id = ?1", [id])?;
            }
            let none_left = "DELETE FROM first_run WHERE NOT EXISTS (SELECT 1 FROM token)";
            transaction.execute(none_left, [])?;
            Ok::<_, DatabaseError>(())
        });
        let left_out = left_out.await;
        database.close().await;
        Ok(left_out?)
    }
}

async fn tokens_of(file: &Path) -> Result<Vec<StoredToken>, UpkeepError> {
    Ok(schema::open_read_only(file)
        .await?
        .read(table::stored)
        .await?)
}
