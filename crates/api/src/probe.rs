//! The reachability probe: shows that a public address leads to this process.

/// A secret path, and the secret answer that only this process gives there.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Starts with a slash.
    pub path: String,
    /// The body of the answer.
    pub answer: String,
}

impl Probe {
    /// In a probe, the address that it was sent to; in its answer, [`Probe::REWRITTEN`] where
    /// something on the way has put another host into `Host`, so that readers are refused.
    pub const ADDRESS: &str = "x-porchlight-address";
    /// See [`Probe::ADDRESS`].
    pub const REWRITTEN: &str = "rewritten";

    /// Both from words that cannot be guessed.
    #[must_use]
    pub fn of(words: [[u8; 16]; 2]) -> Self {
        let [path, answer] = words.map(hex::encode);
        Self {
            path: format!("/.well-known/porchlight/{path}"),
            answer,
        }
    }
}
