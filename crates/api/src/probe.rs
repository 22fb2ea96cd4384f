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
