//! The owner's tokens, as the window shows and changes them.

use std::collections::BTreeSet;

use parking_lot::Mutex;
use porchlight_api::Message;
use porchlight_api::window::{TokenGlance, TokenScope};
use porchlight_core::Service;
use porchlight_core::tokens::Scope;
use secrecy::SecretString;

use self::app_tokens::OwnTokens;
use crate::settings::Settings;

pub mod app_tokens;
pub mod secret_store;

/// The tokens of the service, and which of them are the app's own.
pub struct OwnerTokens {
    service: Service,
    own: OwnTokens,
    /// Whether this is the tray app, which has its own tokens.
    is_desktop: bool,
    /// The numbers of the app's own tokens, as far as they were ever known in
    /// this run. No number is used twice.
    own_numbers: Mutex<BTreeSet<i64>>,
}

impl OwnerTokens {
    /// The tokens of this service. The app keeps `own` of them, and `own_numbers` are known to be
    /// among those.
    pub fn new(
        service: Service,
        own: OwnTokens,
        is_desktop: bool,
        own_numbers: BTreeSet<i64>,
    ) -> Self {
        Self {
            service,
            own,
            is_desktop,
            own_numbers: Mutex::new(own_numbers),
        }
    }

    /// All tokens, oldest first, without their words.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<TokenGlance>, Message> {
        let own = self.own_numbers().await?;
        let rows = self.service.tokens().list().await?;
        let glance = |row: porchlight_core::tokens::TokenRow| TokenGlance {
            id: row.id.to_string(),
            name: row.name,
            scope: match row.scope {
                Scope::Heartbeat => TokenScope::Heartbeat,
                Scope::Upload => TokenScope::Upload,
                Scope::Admin => TokenScope::Admin,
            },
            created_at: row.created_at.as_millis(),
            last_used: row.last_used.map(|time| time.as_millis()),
            own: own.contains(&row.id),
        };
        Ok(rows.into_iter().map(glance).collect())
    }

    /// Makes a token, which can be read this once.
    ///
    /// # Errors
    /// When the name is taken or is none.
    pub async fn create(&self, name: &str, scope: TokenScope) -> Result<SecretString, Message> {
        let scope = match scope {
            TokenScope::Heartbeat => Scope::Heartbeat,
            TokenScope::Upload => Scope::Upload,
            TokenScope::Admin => Scope::Admin,
        };
        Ok(self.service.tokens().create(name.trim(), scope).await?)
    }

    /// Takes the token with this number out of use, at once; one that the app
    /// itself uses is refused.
    ///
    /// # Errors
    /// When it is the app's own, or there is none.
    pub async fn revoke(&self, id: &str) -> Result<(), Message> {
        let number: i64 = id.parse().map_err(|_| Message::NoSuchToken)?;
        if self.own_numbers().await?.contains(&number) {
            return Err(Message::OwnToken);
        }
        let tokens = self.service.tokens();
        let rows = tokens.list().await?;
        // Another one can have this number as its name.
        let row = rows.into_iter().find(|row| row.id == number);
        let name = row.ok_or(Message::NoSuchToken)?.name;
        match tokens.revoke(&name).await? {
            true => Ok(()),
            false => Err(Message::NoSuchToken),
        }
    }

    async fn own_numbers(&self) -> Result<BTreeSet<i64>, Message> {
        let own = &self.own;
        let numbers = own.numbers(self.service.tokens()).await?;
        // A keyring that was locked meanwhile returns none of them.
        let mut known = self.own_numbers.lock();
        known.extend(numbers);
        Ok(known.clone())
    }

    /// Looks up which of the tokens are the app's own now, where these
    /// settings may have added one.
    pub(crate) async fn remember_own(&self, settings: &Settings) {
        let pictures_come_in = !settings.watch.folders.is_empty() || settings.picgo.enabled;
        if pictures_come_in
            && self.is_desktop
            && let Err(error) = self.own_numbers().await
        {
            tracing::warn!("the app's own tokens cannot be looked up: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::host::Host;
    use crate::testing::host;

    /// When one was used last is written down in its own time.
    fn numbers(tokens: &[TokenGlance]) -> Vec<&str> {
        tokens.iter().map(|token| token.id.as_str()).collect()
    }

    /// The scopes of the tokens that the app itself uses.
    async fn own_scopes(host: &Host) -> Vec<TokenScope> {
        let all = host.tokens().list().await.expect("a list").into_iter();
        all.filter(|token| token.own)
            .map(|token| token.scope)
            .collect()
    }

    #[tokio::test]
    async fn the_apps_own_tokens_that_were_revoked_are_made_anew_at_its_next_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = host(folder.path(), &[]).await;
        let before = first.tokens().list().await.expect("a list");
        let scopes = own_scopes(&first).await;
        for scope in [TokenScope::Heartbeat, TokenScope::Admin] {
            assert!(scopes.contains(&scope), "{scopes:?}");
        }
        // As `porchlight token revoke` does.
        for token in &before {
            let revoked = first.service().tokens().revoke(&token.name).await;
            assert!(revoked.expect("revoked"), "{token:?}");
        }
        first.stop().await;

        let second = host(folder.path(), &[]).await;
        assert_eq!(own_scopes(&second).await, scopes);
        let after = second.tokens().list().await.expect("a list");
        assert!(after.iter().all(|token| !before.contains(token)));
        second.stop().await;
        // What is good stays.
        let third = host(folder.path(), &[]).await;
        let again = third.tokens().list().await.expect("a list");
        assert_eq!(numbers(&again), numbers(&after));
        third.stop().await;
    }

    #[tokio::test]
    async fn the_apps_own_tokens_are_known_when_the_keyring_is_closed_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let pictures = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let watched = serde_json::json!({ "watch.folders": [pictures.path()] });
        let watched = serde_json::from_value(watched).expect("changes");
        assert_eq!(host.store().change(&watched).await, Ok(Vec::new()));
        std::fs::remove_file(folder.path().join("own-tokens.json")).expect("the copies");
        let scopes = own_scopes(&host).await;
        assert_eq!(
            scopes,
            [TokenScope::Heartbeat, TokenScope::Admin, TokenScope::Upload]
        );
        for token in host.tokens().list().await.expect("a list") {
            let refused = host.tokens().revoke(&token.id).await;
            refused.expect_err("its own");
        }
        host.stop().await;
    }

    #[tokio::test]
    async fn tokens_are_made_and_revoked_but_for_the_apps_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let before = host.tokens().list().await.expect("a list");
        assert!(before.iter().all(|token| token.own), "{before:?}");
        for token in &before {
            let refused = host.tokens().revoke(&token.id).await.expect_err("its own");
            assert!(
                refused.to_string().contains("porchlight token revoke"),
                "{refused}"
            );
        }
        // A name that is the number of another one.
        let token = host
            .tokens()
            .create(&before[0].id, TokenScope::Upload)
            .await;
        let token = token.expect("a token");
        assert_eq!(token.expose_secret().len(), 43, "256 bits");
        let taken = host.tokens().create(&before[0].id, TokenScope::Admin).await;
        assert!(taken.expect_err("taken").to_string().contains("already"));

        let all = host.tokens().list().await.expect("a list");
        let made = all.iter().find(|token| !token.own).expect("the new one");
        assert_eq!(made.scope, TokenScope::Upload);
        assert!(!format!("{all:?}").contains(token.expose_secret()));
        host.tokens().revoke(&made.id).await.expect("revoked");
        let after = host.tokens().list().await.expect("a list");
        assert_eq!(numbers(&after), numbers(&before));
        host.tokens().revoke(&made.id).await.expect_err("gone");
        let known = host
            .service()
            .tokens()
            .recognise(token.expose_secret())
            .await;
        assert_eq!(known.expect("an answer"), None);
        host.stop().await;
    }
}
