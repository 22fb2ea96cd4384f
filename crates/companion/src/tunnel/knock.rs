//! Whether a public address leads to this very process, seen from outside.

use std::time::{Duration, Instant};

use porchlight_api::{WebAddress, deepest};

/// The slowest tunnel answers within this time, or it is of no use.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A path that nobody else knows, and what this process alone answers there.
#[derive(Debug, Clone)]
pub struct Knock {
    /// Begins with a slash.
    pub path: String,
    /// The body of the answer.
    pub answer: String,
}

impl Knock {
    /// One that cannot be guessed.
    #[must_use]
    pub fn random() -> Self {
        let word = || hex::encode(rand::random::<[u8; 16]>());
        Self {
            path: format!("/.well-known/porchlight/{}", word()),
            answer: word(),
        }
    }
}

/// Asks through public addresses.
#[derive(Debug, Clone)]
pub(super) struct Knocker {
    http: reqwest::Client,
    knock: Knock,
}

impl Knocker {
    pub(super) fn new(knock: Knock) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .timeout(ANSWER_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("porchlight/", env!("CARGO_PKG_VERSION")))
            // Each knock takes the whole way anew, as a new reader does.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { http, knock })
    }

    /// Asks once, and says how long the answer took.
    ///
    /// # Errors
    /// Why the address does not lead here, in words.
    pub(super) async fn at(&self, address: &WebAddress) -> Result<Duration, String> {
        let begun = Instant::now();
        let failed =
            |error: reqwest::Error| format!("{address} does not answer: {}", deepest(&error));
        let request = self.http.get(address.join(&self.knock.path));
        let mut answer = request.send().await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(format!(
                "{address} answers with status {}",
                answer.status().as_u16()
            ));
        }
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&part);
            if body.len() > self.knock.answer.len() {
                break;
            }
        }
        if body == self.knock.answer.as_bytes() {
            Ok(begun.elapsed())
        } else {
            Err(format!("{address} leads to something else"))
        }
    }
}
