//! What programs need to upload pictures from where they are written or taken:
//! a file for ShareX, a line for a shell, a custom command for Typora. Each has
//! a token of its own, of scope `upload`, so that a lost one is revoked alone
//! and deletes nothing.

use std::io;
use std::path::{Path, PathBuf};

use porchlight_api::Scope;
use porchlight_api::window::Editor;
use porchlight_api::{Message, into_message};
use porchlight_companion::private_files;
use porchlight_core::DatabaseError;
use porchlight_core::tokens::{TokenError, Tokens};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::executable;
use crate::private_file;

/// Where the files with tokens are, in the data folder.
const FOLDER: &str = "editors";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub token: String,
    /// What the owner is to be given: a line, which names a file and holds no
    /// token. `None` where everything is in the file that was asked for.
    pub line: Option<String>,
    /// The file with the token.
    pub file: PathBuf,
}

/// Why nothing was made. There is no new token then.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum EditorError {
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The file with the token cannot be written.
    File(PathBuf, io::Error),
    /// The executable's path is unknown.
    Program(io::Error),
}

impl From<&EditorError> for Message {
    fn from(error: &EditorError) -> Self {
        match error {
            EditorError::Token(error) => error.into(),
            EditorError::Database(error) => error.into(),
            EditorError::File(path, why) => Self::CannotWrite {
                path: path.into(),
                why: why.into(),
            },
            EditorError::Program(why) => {
                let why = why.into();
                Self::NoExecutable { why }
            }
        }
    }
}

into_message!(EditorError);

pub struct EditorContext<'a> {
    pub tokens: &'a Tokens,
    /// Where the editor reaches the service, without a slash at its end. Links
    /// are made from it.
    pub address: &'a str,
    pub folder: &'a Path,
}

impl EditorContext<'_> {
    /// Writes a custom uploader for `ShareX`, readable by its owner alone. It
    /// holds its token.
    ///
    /// # Errors
    /// See [`EditorError`].
    pub async fn share_x(&self, file: &Path) -> Result<Made, EditorError> {
        let (name, token) = self.new_token(Editor::ShareX).await?;
        let text = share_x(self.address, &token);
        self.write(&name, file, &text).await?;
        Ok(Made {
            token: name,
            line: None,
            file: file.to_owned(),
        })
    }

    /// Makes a line that uploads one file with `curl`.
    ///
    /// # Errors
    /// See [`EditorError`].
    pub async fn curl(&self) -> Result<Made, EditorError> {
        let (name, token) = self.new_token(Editor::Curl).await?;
        let header = self.place(&name, "header");
        let text = format!("Authorization: Bearer {}\n", token.expose_secret());
        self.write(&name, &header, &text).await?;
        let words = quoted(&format!("@{}", header.display()));
        let address = quoted(&format!("{}/images/add", self.address));
        Ok(Made {
            token: name,
            line: Some(format!(
                "curl -sS -H {words} -F image=@picture.png {address}"
            )),
            file: header,
        })
    }

    /// Makes a command that prints the address of each file it is given, in
    /// their order, a line each.
    ///
    /// # Errors
    /// See [`EditorError`].
    pub async fn typora(&self) -> Result<Made, EditorError> {
        let program = executable::later().map_err(EditorError::Program)?;
        let (name, token) = self.new_token(Editor::Typora).await?;
        let file = self.place(&name, "token");
        let text = format!("{}\n", token.expose_secret());
        self.write(&name, &file, &text).await?;
        Ok(Made {
            token: name,
            line: Some(format!(
                "{} upload --links --api {} --token-file {}",
                quoted(&program.display().to_string()),
                quoted(self.address),
                quoted(&file.display().to_string()),
            )),
            file,
        })
    }

    /// Takes back what was made and could not be given to its owner.
    ///
    /// # Errors
    /// When the token or the file is still there.
    pub async fn take_back(&self, made: &Made) -> Result<(), EditorError> {
        self.tokens.revoke(&made.token).await?;
        std::fs::remove_file(&made.file)
            .map_err(|error| EditorError::File(made.file.clone(), error))
    }

    /// `ShareX`, `ShareX 2` and so on.
    async fn new_token(&self, editor: Editor) -> Result<(String, SecretString), TokenError> {
        let label = match editor {
            Editor::ShareX => "ShareX",
            Editor::Curl => "curl",
            Editor::Typora => "Typora",
        };
        let mut number = 1_u64;
        loop {
            let name = match number {
                1 => label.to_owned(),
                _ => format!("{label} {number}"),
            };
            match self.tokens.create(&name, Scope::Upload).await {
                Ok(token) => return Ok((name, token)),
                Err(TokenError::NameTaken(_)) => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn place(&self, name: &str, ending: &str) -> PathBuf {
        let name = name.to_ascii_lowercase().replace(' ', "-");
        self.folder.join(FOLDER).join(format!("{name}.{ending}"))
    }

    /// Takes the token back where its file cannot be written.
    async fn write(&self, token: &str, place: &Path, text: &str) -> Result<(), EditorError> {
        let own = self.folder.join(FOLDER);
        let made = if place.starts_with(&own) {
            private_files::make_folder(&own)
        } else {
            Ok(())
        };
        let written = made.and_then(|()| private_file::write(place, text));
        let Err(error) = written else { return Ok(()) };
        self.tokens.revoke(token).await?;
        Err(EditorError::File(place.to_owned(), error))
    }
}

/// A custom uploader as ShareX imports it: <https://getsharex.com/docs/custom-uploader>.
fn share_x(address: &str, token: &SecretString) -> String {
    let uploader = json!({
        "Version": "15.0.0",
        "Name": "Porchlight",
        "DestinationType": "ImageUploader, FileUploader",
        "RequestMethod": "POST",
        "RequestURL": format!("{address}/images/add"),
        "Headers": { "Authorization": format!("Bearer {}", token.expose_secret()) },
        "Body": "MultipartFormData",
        "FileFormName": "image",
        "URL": format!("{address}/i/{{json:hash}}.webp"),
        "ErrorMessage": "{json:error}",
    });
    format!("{uploader:#}\n")
}

/// One word for a shell.
fn quoted(word: &str) -> String {
    if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Host, Kind, StartOptions};

    #[tokio::test]
    async fn a_token_that_could_not_be_handed_over_is_revoked() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StartOptions {
            data_dir: Some(folder.path().to_owned()),
            listen: Some(([127, 0, 0, 1], 0).into()),
            set: Vec::new(),
            without_keyring: true,
        };
        let host = match Host::start(options, Kind::Desktop).await {
            Ok(host) => host,
            Err(error) => panic!("{error}"),
        };
        let context = EditorContext {
            tokens: host.service().tokens(),
            address: "https://a.example",
            folder: folder.path(),
        };
        let before = host.tokens().list().await.expect("a list");
        for made in [context.curl().await, context.typora().await] {
            let made = made.expect("made");
            assert!(made.file.is_file());
            context.take_back(&made).await.expect("taken back");
            assert!(!made.file.exists());
        }
        let after = host.tokens().list().await.expect("a list");
        assert_eq!(after.len(), before.len());
        host.stop().await;
    }
}
