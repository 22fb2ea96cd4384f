//! What is wrong with the settings, and where it was written.

use std::fmt;
use std::path::PathBuf;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In a settings file, on this line (the first is 1).
    File {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
    },
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

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where; `None` when it is written nowhere.
    pub origin: Option<Origin>,
    /// The key that it is about; `None` where it is about none, or many.
    pub key: Option<String>,
    /// What, beginning with the key where there is one. Never a secret.
    pub text: String,
}

impl Problem {
    /// One that is written there.
    pub fn at(origin: Origin, text: impl Into<String>) -> Self {
        Self {
            origin: Some(origin),
            key: None,
            text: text.into(),
        }
    }

    /// One that is written nowhere.
    pub fn nowhere(text: impl Into<String>) -> Self {
        Self {
            origin: None,
            key: None,
            text: text.into(),
        }
    }

    /// What is wrong, without the key where that is known beside it.
    pub fn why(&self) -> &str {
        let key = self.key.as_deref();
        let why = key.and_then(|key| self.text.strip_prefix(key)?.strip_prefix(": "));
        why.unwrap_or(&self.text)
    }

    /// The same, about this key.
    pub fn about(self, key: impl Into<String>) -> Self {
        Self {
            key: Some(key.into()),
            ..self
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin) => write!(f, "{origin}: {}", self.text),
            None => f.write_str(&self.text),
        }
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
