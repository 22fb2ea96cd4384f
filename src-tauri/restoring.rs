//! What of a backup needs the owner's yes before it is restored, and the backup
//! without it.

use std::path::Path;

use porchlight_core::upkeep::{NewToken, Unpacked, UpkeepError};
use serde::Serialize;

use crate::settings::file;
use crate::settings::of_backup::{self, Sensitive};

/// Settings that run a program, send data elsewhere or open a listener, and tokens
/// that would become valid.
#[derive(Debug, Default)]
pub(crate) struct ForApproval {
    settings: Vec<Sensitive>,
    tokens: Vec<NewToken>,
}

/// The keys and names of them.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// Keys of settings.
    pub(crate) settings: Vec<String>,
    /// Names of tokens.
    pub(crate) tokens: Vec<String>,
}

impl ForApproval {
    /// What of this backup needs a yes; tokens that the data folder `present` has are
    /// valid already.
    ///
    /// # Errors
    /// When the backup or the database of `present` cannot be read.
    pub(crate) async fn of(
        unpacked: &Unpacked,
        present: Option<&Path>,
    ) -> Result<Self, UpkeepError> {
        let settings = match unpacked.settings_file() {
            None => Vec::new(),
            Some(file) => sensitive(&file, &read(&file)?)?,
        };
        let tokens = unpacked.new_tokens(present).await?;
        Ok(Self { settings, tokens })
    }

    /// Whether nothing does.
    pub(crate) fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.tokens.is_empty()
    }

    /// A line for each.
    pub(crate) fn settings(&self) -> impl Iterator<Item = String> {
        self.settings.iter().map(|setting| match &setting.value {
            Some(value) => format!("{} = {value}", setting.key),
            None => setting.key.clone(),
        })
    }

    /// The names of the tokens, each as Rust writes a text: whoever made the backup has
    /// chosen them.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = String> {
        self.tokens.iter().map(|token| format!("{:?}", token.name))
    }

    /// Takes all of it out of the backup.
    ///
    /// # Errors
    /// When that fails; the backup must not be restored then.
    pub(crate) async fn leave_out(&self, unpacked: &mut Unpacked) -> Result<LeftOut, UpkeepError> {
        unpacked.leave_out_tokens(&self.tokens).await?;
        if let Some(file) = unpacked.settings_file()
            && !self.settings.is_empty()
        {
            let text = of_backup::commented_out(&read(&file)?)
                .map_err(|error| UpkeepError::Refused(file.clone(), error.to_string()))?;
            if let Some(left) = sensitive(&file, &text)?.first() {
                let why = format!("`{}` in its settings cannot be left out", left.key);
                return Err(UpkeepError::Refused(file, why));
            }
            file::write(&file, &text).map_err(|error| UpkeepError::File(file, error))?;
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
        .map_err(|error| UpkeepError::Refused(file.to_owned(), error.message().to_owned()))
}
