//! The owner's tokens, as the window shows and changes them.

use secrecy::SecretString;

use crate::error::message::Message;
use crate::service::Service;
use crate::settings::window::TokenGlance;
use crate::tokens::scope::Scope;

pub mod app_tokens;
pub mod secret_store;

pub struct OwnerTokens(Service);

impl OwnerTokens {
    pub fn new(service: Service) -> Self {
        Self(service)
    }

    /// All tokens, oldest first, without their words.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<TokenGlance>, Message> {
        let rows = self.0.tokens().list().await?;
        let glance = |row: crate::tokens::TokenRow| TokenGlance {
            id: row.id.to_string(),
            name: row.name,
            scope: row.scope,
            created_at: row.created_at.as_millis(),
            last_used: row.last_used.map(|time| time.as_millis()),
        };
        Ok(rows.into_iter().map(glance).collect())
    }

    /// Makes a token, which can be read this once.
    ///
    /// # Errors
    /// When the name is taken or is none.
    pub async fn create(&self, name: &str, scope: Scope) -> Result<SecretString, Message> {
        self.0.tokens().create(name.trim(), scope).await
    }

    /// Takes the token with this number out of use, at once.
    ///
    /// # Errors
    /// When there is none.
    pub async fn revoke(&self, id: &str) -> Result<(), Message> {
        let number: i64 = id
            .parse()
            .map_err(|_| crate::detail!("there is no such token any more"))?;
        let tokens = self.0.tokens();
        let rows = tokens.list().await?;
        // Another one can have this number as its name.
        let row = rows.into_iter().find(|row| row.id == number);
        let name = row
            .ok_or(crate::detail!("there is no such token any more"))?
            .name;
        match tokens.revoke(&name).await? {
            true => Ok(()),
            false => Err(crate::detail!("there is no such token any more")),
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::testing::host;

    #[tokio::test]
    async fn the_app_has_no_token_of_its_own_and_those_of_the_owner_are_made_and_revoked() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let all = async || host.tokens().list().await.expect("a list");
        assert_eq!(all().await, []);
        assert!(!folder.path().join("own-tokens.json").exists());
        let first = host.tokens().create("phone", Scope::Heartbeat).await;
        first.expect("a token");
        let id = all().await[0].id.clone();
        // A name that is the number of another one.
        let token = host.tokens().create(&id, Scope::Upload).await;
        let token = token.expect("a token");
        assert_eq!(token.expose_secret().len(), 43, "256 bits");
        let taken = host.tokens().create(&id, Scope::Admin).await;
        assert!(taken.expect_err("taken").to_string().contains("already"));
        assert!(!format!("{:?}", all().await).contains(token.expose_secret()));

        host.tokens().revoke(&id).await.expect("revoked");
        host.tokens().revoke(&id).await.expect_err("gone");
        let left = all().await;
        assert_eq!((left.len(), left[0].scope), (1, Scope::Upload));
        host.tokens().revoke(&left[0].id).await.expect("revoked");
        let tokens = host.service().tokens();
        let known = tokens.recognise(token.expose_secret()).await;
        assert_eq!(known.expect("an answer"), None);
        host.stop().await;
    }
}
