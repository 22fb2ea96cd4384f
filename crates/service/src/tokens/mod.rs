//! Who may do what: tokens with a name and a scope, and the device that each of them speaks for.
//!
//! The database holds a token's SHA-256 and never the token. Every request
//! that carries one is compared, in constant time, with all that there are:
//! an owner has a handful, and a revoked one is refused from that moment on,
//! also when another process revoked it.

pub mod scope;

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use rand::TryRng as _;
use rusqlite::Transaction;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::devices::DeviceId;
use crate::error::message::{Message, Parameter};
use crate::tokens::scope::Scope;

pub(crate) mod table;

pub use table::TokenRow;

/// How often the last use of a token is written down, in milliseconds.
const USE_NOTED_EVERY: i64 = 60_000;

/// The tokens of one data folder; cheap to clone.
#[derive(Clone)]
pub struct Tokens {
    database: Database,
    clock: Clock,
    for_this_run: Arc<Mutex<Vec<(Digest, Scope)>>>,
    /// Stored tokens that were valid at their last use in this run.
    recognised: Arc<Mutex<Vec<Digest>>>,
    noted_uses: Arc<Mutex<HashMap<i64, i64>>>,
}

type Digest = [u8; 32];

/// A token that was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// What it may do.
    pub scope: Scope,
    /// The one device that it may report for; `None` of a token for this computer, and of other
    /// scopes.
    pub device: Option<DeviceId>,
    /// Which one it is, for counting its requests: two tokens never share it.
    pub key: u64,
}

pub(crate) fn name_taken(name: &str) -> Message {
    let name = Parameter::quoted(name);
    Message::TokenNameTaken { name }
}

impl Tokens {
    pub(crate) fn new(database: Database, clock: Clock) -> Self {
        Self {
            database,
            clock,
            for_this_run: Arc::default(),
            recognised: Arc::default(),
            noted_uses: Arc::default(),
        }
    }

    /// Recognises the stored tokens from now on; see [`Tokens::was_recognised`].
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn recognise_stored(&self) -> Result<(), DatabaseError> {
        let stored = self.list().await?;
        *self.recognised.lock() = stored.into_iter().map(|row| row.digest).collect();
        Ok(())
    }

    /// Makes a token and gives it back, the only time that it can be read.
    ///
    /// # Errors
    /// When the name is taken or is none ([`Message::Settings`]), there are no random numbers, or the
    /// database fails.
    pub async fn create(&self, name: &str, scope: Scope) -> Result<SecretString, Message> {
        let length = name.chars().count();
        if !(1..=100).contains(&length) || name.chars().any(char::is_control) {
            let why = crate::detail!(
                "a token needs a name of 1 to 100 characters, none of them a control character"
            );
            return Err(Message::Settings { why: why.into() });
        }
        let name = name.to_owned();
        let made = self.make(move |transaction, digest, now| {
            let free = table::insert(transaction, &name, scope, None, digest, now)
                .map_err(DatabaseError::from)?;
            free.then_some(()).ok_or(name_taken(&name))
        });
        Ok(made.await?.1)
    }

    /// Makes a token, whose digest this stores with the time.
    ///
    /// # Errors
    /// Errors of `store`, or see [`Message`].
    pub(crate) async fn make<R: Send + 'static>(
        &self,
        store: impl FnOnce(&Transaction<'_>, &Digest, Timestamp) -> Result<R, Message> + Send + 'static,
    ) -> Result<(R, SecretString), Message> {
        let token = random_token()?;
        let digest = digest_of(token.expose_secret());
        let now = self.clock.now();
        let stored = self
            .database
            .write(move |transaction| store(transaction, &digest, now));
        let stored = stored.await?;
        self.recognised.lock().push(digest);
        Ok((stored, token))
    }

    /// Creates the initial tokens of a data folder, once: one of each scope,
    /// named after it, or similarly where that name is in use. They are passed
    /// to `keep` before they become valid: after a failure the next call
    /// creates them again. Only the process that serves the folder may call
    /// this. Returns whether they were created now.
    ///
    /// # Errors
    /// Errors of `keep`, or see [`Message`]; no token is valid then.
    pub async fn make_first<E: From<Message>>(
        &self,
        scopes: &[Scope],
        keep: impl AsyncFnOnce(&[(Scope, SecretString)]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let failed = |error: DatabaseError| E::from(Message::from(error));
        let done = self.database.read(table::first_run_is_done).await;
        if done.map_err(failed)? {
            return Ok(false);
        }
        let mut made = Vec::with_capacity(scopes.len());
        for scope in scopes {
            made.push((*scope, random_token()?));
        }
        keep(&made).await?;
        let digests: Vec<(Scope, Digest)> = made
            .iter()
            .map(|(scope, token)| (*scope, digest_of(token.expose_secret())))
            .collect();
        let now = self.clock.now();
        let made: Vec<Digest> = digests.iter().map(|(_, digest)| *digest).collect();
        let noted: Result<bool, DatabaseError> = self
            .database
            .write(move |transaction| {
                if !table::note_first_run(transaction, now)? {
                    return Ok(false);
                }
                for (scope, digest) in digests {
                    let mut name = scope.to_string();
                    // A name can be in use.
                    for tried in 1.. {
                        if table::insert(transaction, &name, scope, None, &digest, now)? {
                            break;
                        }
                        name = match tried {
                            1 => format!("{scope} (first run)"),
                            _ => format!("{scope} (first run, {tried})"),
                        };
                    }
                }
                Ok(true)
            })
            .await;
        let noted = noted.map_err(failed)?;
        if noted {
            self.recognised.lock().extend(made);
        }
        Ok(noted)
    }

    /// All tokens, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<TokenRow>, DatabaseError> {
        self.database.read(table::all).await
    }

    /// Takes the token with this name or number out of use; whether there was
    /// one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke(&self, name_or_id: &str) -> Result<bool, DatabaseError> {
        let which = name_or_id.to_owned();
        self.database
            .write(move |transaction| Ok(table::delete(transaction, &which)?))
            .await
    }

    /// Makes a token valid until this process ends, beside the stored ones.
    pub fn accept_for_this_run(&self, scope: Scope, token: &SecretString) {
        let digest = digest_of(token.expose_secret());
        self.for_this_run.lock().push((digest, scope));
    }

    /// Generates a token that is valid until this process ends and is not stored.
    ///
    /// # Errors
    /// When the system provides no random bytes.
    pub fn make_for_this_run(&self, scope: Scope) -> Result<SecretString, Message> {
        let token = random_token()?;
        self.accept_for_this_run(scope, &token);
        Ok(token)
    }

    /// What this token may do; `None` when it is unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recognise(&self, token: &str) -> Result<Option<Bearer>, DatabaseError> {
        let digest = digest_of(token);
        let mut found = None;
        for ((known, scope), nth) in self.for_this_run.lock().iter().zip(0..) {
            if bool::from(known.ct_eq(&digest)) {
                found = Some(Bearer {
                    scope: *scope,
                    device: None,
                    // No stored token has a negative number.
                    key: u64::MAX - nth,
                });
            }
        }
        if found.is_some() {
            return Ok(found);
        }
        let stored = self.find(digest).await?;
        let mut recognised = self.recognised.lock();
        let seen_at = recognised.iter().position(|known| *known == digest);
        match (seen_at, &stored) {
            (Some(place), None) => {
                recognised.swap_remove(place);
            }
            (None, Some(_)) => recognised.push(digest),
            _ => {}
        }
        drop(recognised);
        let Some(stored) = stored else {
            return Ok(None);
        };
        self.note_use(stored.id);
        Ok(Some(Bearer {
            scope: stored.scope,
            device: stored.device,
            key: stored.id.unsigned_abs(),
        }))
    }

    /// Whether this token was stored when the service started, or was recognised
    /// since. It may have been revoked.
    #[must_use]
    pub fn was_recognised(&self, token: &str) -> bool {
        let digest = digest_of(token);
        let is_it = |known: &Digest| bool::from(known.ct_eq(&digest));
        let for_this_run = self
            .for_this_run
            .lock()
            .iter()
            .any(|(known, _)| is_it(known));
        for_this_run || self.recognised.lock().iter().any(is_it)
    }

    /// The number of a stored token; `None` where it is unknown or was revoked.
    /// This does not count as a use.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn number_of(&self, token: &SecretString) -> Result<Option<i64>, DatabaseError> {
        let found = self.find(digest_of(token.expose_secret())).await?;
        Ok(found.map(|row| row.id))
    }

    /// The stored token with this digest. It is compared with all of them, in constant time.
    async fn find(&self, digest: Digest) -> Result<Option<TokenRow>, DatabaseError> {
        let mut found = None;
        for row in self.list().await? {
            if bool::from(row.digest.ct_eq(&digest)) {
                found = Some(row);
            }
        }
        Ok(found)
    }

    /// Writes down that a token was used, at most once a minute and without
    /// making the request wait for it.
    fn note_use(&self, id: i64) {
        let now = self.clock.now();
        {
            let mut noted = self.noted_uses.lock();
            let last = noted.entry(id).or_insert(i64::MIN);
            if now.as_millis().saturating_sub(*last) < USE_NOTED_EVERY {
                return;
            }
            *last = now.as_millis();
        }
        let database = self.database.clone();
        tokio::spawn(async move {
            let noted: Result<(), DatabaseError> = database
                .write(move |transaction| Ok(table::note_use(transaction, id, now)?))
                .await;
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of a token could not be recorded");
            }
        });
    }
}

fn digest_of(token: &str) -> Digest {
    Sha256::digest(token.as_bytes()).into()
}

/// 256 random bits from the operating system, as URL-safe text.
///
/// # Errors
/// When the machine gives none.
pub fn random_token() -> Result<SecretString, Message> {
    let mut bytes = [0; 32];
    rand::rngs::SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|why| crate::detail!("this machine gives no random numbers: {why}"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

#[cfg(test)]
mod tests;
