//! The tokens that the program makes without being asked: those of the first run of
//! `porchlight serve`, with copies in a file that only its owner can read; and those of the
//! environment. The tray app needs no token for itself.

use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};

use crate::app::tokens::secret_store::{Secret, SecretStore};
use crate::error::message::Message;
use crate::tokens::Tokens;
use crate::tokens::scope::Scope;

/// The minimum length of a token from the environment.
const LEAST: usize = 16;

/// On the first run of `porchlight serve` makes one token for heartbeats and one for everything,
/// whatever tokens the owner has made before it. The copies come first: a start that fails half-way
/// leaves no token without a copy.
///
/// # Errors
/// When the database fails or the copies cannot be written; no token is valid then.
pub async fn make_first(folder: &Path, tokens: &Tokens) -> Result<(), Message> {
    // A process without a desktop must never wait for a keyring.
    let store = SecretStore::of(folder, false);
    let keep = async |made: &[(Scope, SecretString)]| {
        for (scope, token) in made {
            let kept = store.keep(Secret::Token(*scope), token).await;
            let file = store.file();
            kept.map_err(|why| {
                crate::detail!(
                    "the tokens of the first run cannot be kept in {}: {why}",
                    file.display()
                )
            })?;
        }
        Ok::<(), Message>(())
    };
    tokens
        .make_first(&[Scope::Heartbeat, Scope::Admin], keep)
        .await?;
    Ok(())
}

/// Makes the tokens in the environment valid for as long as this run lasts.
///
/// # Errors
/// When a variable holds what cannot be a token, or can be guessed.
pub fn accept_from_environment(tokens: &Tokens) -> Result<(), Message> {
    for (_, token, scope) in for_this_run()? {
        tokens.accept_for_this_run(scope, &token);
    }
    Ok(())
}

fn wrong(why: Message) -> Message {
    Message::Settings { why: why.into() }
}

/// The tokens in the environment that a service takes.
///
/// # Errors
/// When a variable holds what cannot be a token, or can be guessed.
pub fn for_this_run() -> Result<Vec<FromEnvironment>, Message> {
    let found = from_environment()?;
    let short = |(_, token, _): &&FromEnvironment| token.expose_secret().len() < LEAST;
    match found.iter().find(short) {
        Some((variable, ..)) => Err(wrong(crate::detail!(
            "{variable} is shorter than 16 characters and can be guessed: use 32 random ones"
        ))),
        None => Ok(found),
    }
}

type FromEnvironment = (&'static str, SecretString, Scope);

/// The tokens in the environment.
///
/// # Errors
/// When a variable holds what cannot be a token.
pub fn from_environment() -> Result<Vec<FromEnvironment>, Message> {
    let mut found = Vec::new();
    for (variable, scope) in [
        ("PORCHLIGHT_HEARTBEAT_TOKEN", Scope::Heartbeat),
        ("PORCHLIGHT_ADMIN_TOKEN", Scope::Admin),
    ] {
        let Some(token) = std::env::var_os(variable) else {
            continue;
        };
        match token.into_string() {
            Ok(token) if can_be_a_token(&token) => found.push((variable, token.into(), scope)),
            _ => {
                return Err(wrong(crate::detail!(
                    "{variable} holds no token: it must not be empty, and letters, digits and signs alone can be in it"
                )));
            }
        }
    }
    Ok(found)
}

/// What a header can carry as one word.
pub fn can_be_a_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
