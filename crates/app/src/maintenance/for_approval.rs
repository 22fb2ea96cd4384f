//! The parts of a backup that need the owner's approval, and their removal from the backup.

use std::path::Path;

use porchlight_api::Message;
use porchlight_core::upkeep::{NewToken, Unpacked, UpkeepError};
use serde::Serialize;

use crate::private_file;
use crate::settings::of_backup::{self, Sensitive};
use crate::tokens::secret_store::{self, Secret};

/// The setting that the app keeps with its own secrets where the settings have none.
const PICGO_SECRET: &str = "picgo.secret";

/// Settings that run a program, send data elsewhere, open a listener or show something of the owner,
/// and tokens that would become valid.
#[derive(Debug, Default)]
pub struct ForApproval {
    settings: Vec<Sensitive>,
    tokens: Vec<NewToken>,
}

/// How many settings or tokens are shown, and how many characters of each.
const SHOWN: usize = 20;
const CHARACTERS: usize = 200;

/// What a dialog or a terminal has room for.
#[derive(Debug)]
pub struct ApprovalLines {
    /// The first of them, each cut.
    pub lines: Vec<String>,
    pub more: usize,
}

impl ApprovalLines {
    fn of(mut all: impl Iterator<Item = String>) -> Self {
        let lines = all.by_ref().take(SHOWN).map(cut).collect();
        Self {
            lines,
            more: all.count(),
        }
    }

    /// One text of all; `more` has `{count}` for how many more there are.
    pub fn joined(mut self, between: &str, more: &str) -> String {
        if self.more > 0 {
            self.lines
                .push(more.replace("{count}", &self.more.to_string()));
        }
        self.lines.join(between)
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The keys and names of them.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Keys of settings.
    pub settings: Vec<String>,
    /// Names of tokens.
    pub tokens: Vec<String>,
}

impl ForApproval {
    /// The parts of this backup that need approval; tokens that the data folder `present` has are
    /// valid already.
    ///
    /// # Errors
    /// When the backup or the database of `present` cannot be read.
    pub async fn of(unpacked: &Unpacked, present: Option<&Path>) -> Result<Self, UpkeepError> {
        let mut settings = match unpacked.settings_file() {
            None => Vec::new(),
            Some(file) => sensitive(&file, &read(&file)?)?,
        };
        let own = unpacked.own_tokens_file();
        if own.is_some_and(|file| secret_store::is_in(&file, Secret::PicGo))
            && settings.iter().all(|setting| setting.key != PICGO_SECRET)
        {
            settings.push(Sensitive {
                key: PICGO_SECRET.to_owned(),
                value: None,
            });
        }
        let tokens = unpacked.new_tokens(present).await?;
        Ok(Self { settings, tokens })
    }

    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.tokens.is_empty()
    }

    /// A line for each setting, the tunnel's first: one of them runs a program.
    pub fn settings(&self) -> ApprovalLines {
        let (first, rest): (Vec<_>, Vec<_>) = self
            .settings
            .iter()
            .partition(|setting| setting.key.starts_with("tunnel."));
        let all = first.into_iter().chain(rest);
        ApprovalLines::of(all.map(|setting| match &setting.value {
            Some(value) => format!("{} = {value}", setting.key),
            None => setting.key.clone(),
        }))
    }

    /// The names of the tokens, each as Rust writes a text: the author of the backup has
    /// chosen them.
    pub fn tokens(&self) -> ApprovalLines {
        ApprovalLines::of(self.tokens.iter().map(|token| format!("{:?}", token.name)))
    }

    /// Removes all of it from the backup.
    ///
    /// # Errors
    /// When that fails; the backup must not be restored then.
    pub async fn leave_out(&self, unpacked: &mut Unpacked) -> Result<LeftOut, UpkeepError> {
        unpacked.leave_out_tokens(&self.tokens).await?;
        if let Some(file) = unpacked.settings_file()
            && !self.settings.is_empty()
        {
            let text = of_backup::commented_out(&read(&file)?)
                .map_err(|error| UpkeepError::Refused(file.clone(), Message::text(error)))?;
            if let Some(left) = sensitive(&file, &text)?.first() {
                let key = left.key.as_str().into();
                return Err(UpkeepError::Refused(file, Message::CannotLeaveOut { key }));
            }
            private_file::write(&file, &text).map_err(|error| UpkeepError::File(file, error))?;
        }
        Ok(LeftOut {
            settings: self.settings.iter().map(|one| one.key.clone()).collect(),
            tokens: self.tokens.iter().map(|one| one.name.clone()).collect(),
        })
    }
}

fn read(file: &Path) -> Result<String, UpkeepError> {
    std::fs::read_to_string(file).map_err(|error| UpkeepError::File(file.to_owned(), error))
}

fn sensitive(file: &Path, text: &str) -> Result<Vec<Sensitive>, UpkeepError> {
    of_backup::sensitive(text)
        .map_err(|error| UpkeepError::Refused(file.to_owned(), Message::text(error.message())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_for_approval_are_short_and_the_tunnel_comes_first() {
        let setting = |key: String| Sensitive {
            key,
            value: Some("é".repeat(1000)),
        };
        let storage = (0..30).map(|n| setting(format!("storage.k{n}")));
        let for_approval = ForApproval {
            settings: storage
                .chain([setting("tunnel.command".to_owned())])
                .collect(),
            tokens: Vec::new(),
        };
        let shown = for_approval.settings();
        assert!(shown.lines[0].starts_with("tunnel.command = é"));
        assert!(shown.lines[1].starts_with("storage.k0 = é"));
        let long = |line: &String| line.chars().count() == CHARACTERS + 1 && line.ends_with('…');
        assert!(shown.lines.iter().all(long), "{shown:?}");
        assert_eq!((shown.lines.len(), shown.more), (SHOWN, 11));
        let text = shown.joined("\n", "and {count} more");
        assert!(text.ends_with("…\nand 11 more"), "{text}");
        assert_eq!(text.lines().count(), SHOWN + 1);
    }
}
