//! What is wrong with the settings, and where it was written.

use std::fmt;
use std::path::PathBuf;

use crate::error::message::Message;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In a settings file, on this line (the first is 1).
    File { file: PathBuf, line: usize },
    /// In this environment variable.
    Environment(String),
    /// In a `--set` argument.
    Set,
    /// In this flag of the command.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line } => write!(f, "{}, line {line}", file.display()),
            Self::Environment(variable) => f.write_str(variable),
            Self::Set => f.write_str("--set"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where; `None` when it is written nowhere.
    pub origin: Option<Origin>,
    /// The key that it is about; `None` where it is about none, or many.
    pub key: Option<String>,
    /// What; it may name the key. Never a secret.
    pub why: Message,
}

impl Problem {
    pub fn at(origin: Origin, why: Message) -> Self {
        Self {
            origin: Some(origin),
            key: None,
            why,
        }
    }

    pub fn nowhere(why: Message) -> Self {
        Self {
            origin: None,
            key: None,
            why,
        }
    }

    /// What is wrong, of which key and where, for a place that shows neither.
    pub fn whole(&self) -> Message {
        let key = self.key.as_deref();
        // Many a sentence names the key itself.
        let key = key.filter(|key| !self.why.to_string().contains(key));
        let why = match key {
            Some(key) => Message::about(key, self.why.clone()),
            None => self.why.clone(),
        };
        match &self.origin {
            Some(Origin::File { file, line }) => {
                let (file, line) = (file, (*line));
                Message::about(crate::detail!("{}, line {line}", file.display()), why)
            }
            Some(origin) => Message::about(origin.to_string(), why),
            None => why,
        }
    }

    pub fn about(self, key: impl Into<String>) -> Self {
        Self {
            key: Some(key.into()),
            ..self
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole().fmt(f)
    }
}

/// Everything that is wrong, one line each; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl From<Problems> for Message {
    fn from(Problems(problems): Problems) -> Self {
        let all = problems.iter().map(Problem::whole);
        let why = all.reduce(Self::and).expect("at least one problem").into();
        Self::Settings { why }
    }
}
