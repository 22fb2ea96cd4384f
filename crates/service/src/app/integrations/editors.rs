//! What programs need to upload pictures from where they are written or taken:
//! a file for ShareX, a line for a shell, a custom command, a script, or a token
//! alone. Each has a token of its own, of scope `upload`, so that a lost one is
//! revoked alone and deletes nothing.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::error::message::Message;
use crate::files::{executable, private_file, private_files};
use crate::settings::window::Editor;
use crate::tokens::Tokens;
use crate::tokens::scope::Scope;

/// Where the files with tokens are, in the data folder.
const FOLDER: &str = "editors";

#[derive(Debug, Clone)]
pub struct Made {
    /// The name of its token.
    pub token: String,
    /// What the owner is to be given: a line, which names a file and holds no
    /// token; or the token itself; or the uploader of `ShareX`, where it is in no
    /// file. `None` where everything is in the file that was asked for.
    pub text: Option<SecretString>,
    /// What was written with a token in it, or with the name of such a file.
    pub files: Vec<PathBuf>,
}

pub struct EditorContext<'a> {
    pub tokens: &'a Tokens,
    /// Where the editor reaches the service, without a slash at its end. Links
    /// are made from it.
    pub address: &'a str,
    pub folder: &'a Path,
}

impl EditorContext<'_> {
    /// Makes a custom uploader for `ShareX`, which holds its token: in a file,
    /// readable by its owner alone, or as a text.
    ///
    /// # Errors
    /// When the token is not made or its file cannot be written; there is no new token then.
    pub async fn share_x(&self, file: Option<&Path>) -> Result<Made, Message> {
        let (name, token) = self.new_token(Editor::ShareX).await?;
        let text = share_x(self.address, &token);
        if let Some(file) = file {
            self.write(&name, file, &text).await?;
        }
        Ok(Made {
            token: name,
            text: file.is_none().then(|| text.into()),
            files: file.map(Path::to_owned).into_iter().collect(),
        })
    }

    /// Makes what this editor needs. That of `ShareX` is a text.
    ///
    /// # Errors
    /// When the token is not made or its file cannot be written; there is no new token then.
    pub async fn make(&self, editor: Editor) -> Result<Made, Message> {
        match editor {
            Editor::ShareX => self.share_x(None).await,
            Editor::Curl => self.curl().await,
            Editor::Typora | Editor::Flameshot | Editor::Ksnip => self.command(editor).await,
            Editor::Lsky | Editor::Chevereto => {
                let (token, secret) = self.new_token(editor).await?;
                Ok(Made {
                    token,
                    text: Some(secret),
                    files: Vec::new(),
                })
            }
        }
    }

    /// Makes a line that uploads one file with `curl`.
    async fn curl(&self) -> Result<Made, Message> {
        let (name, token) = self.new_token(Editor::Curl).await?;
        let header = self.place(&name, "header");
        let text = format!("Authorization: Bearer {}\n", token.expose_secret());
        self.write(&name, &header, &text).await?;
        let words = quoted(&format!("@{}", header.display()));
        let address = quoted(&format!("{}/images/add", self.address));
        Ok(Made {
            token: name,
            text: Some(format!("curl -sS -H {words} -F image=@picture.png {address}").into()),
            files: vec![header],
        })
    }

    /// Makes a command that prints the address of each file it is given, in
    /// their order, a line each; or what runs that command for another program.
    async fn command(&self, editor: Editor) -> Result<Made, Message> {
        let program = executable::later()
            .map_err(|why| crate::detail!("the executable's path is unknown: {why}"))?;
        let (name, token) = self.new_token(editor).await?;
        let file = self.place(&name, "token");
        let text = format!("{}\n", token.expose_secret());
        self.write(&name, &file, &text).await?;
        let command = format!(
            "{} upload --links --api {} --token-file {}",
            quoted(&program.display().to_string()),
            quoted(self.address),
            quoted(&file.display().to_string()),
        );
        let mut files = vec![file];
        let text = match editor {
            // A key of a desktop starts a program, and no shell.
            Editor::Flameshot => {
                let taken = format!(
                    "f=$(mktemp --suffix=.png) && flameshot gui --raw > \"$f\" && {command} \"$f\"; \
                     rm -f \"$f\""
                );
                format!("sh -c {}", quoted(&taken))
            }
            Editor::Ksnip => {
                let script = self.place(&name, "sh");
                let text = format!("#!/bin/sh\nexec {command} \"$@\"\n");
                self.write(&name, &script, &text).await?;
                files.push(script.clone());
                script.display().to_string()
            }
            _ => command,
        };
        Ok(Made {
            token: name,
            text: Some(text.into()),
            files,
        })
    }

    /// Takes back what was made and could not be given to its owner.
    ///
    /// # Errors
    /// When the token or the file is still there.
    pub async fn take_back(&self, made: &Made) -> Result<(), Message> {
        self.tokens.revoke(&made.token).await?;
        made.files.iter().try_for_each(|file| {
            std::fs::remove_file(file)
                .map_err(|why| crate::detail!("{} cannot be written: {why}", file.display()))
        })
    }

    /// `ShareX`, `ShareX 2` and so on.
    async fn new_token(&self, editor: Editor) -> Result<(String, SecretString), Message> {
        let label = match editor {
            Editor::ShareX => "ShareX",
            Editor::Curl => "curl",
            Editor::Typora => "Typora",
            Editor::Flameshot => "Flameshot",
            Editor::Ksnip => "ksnip",
            Editor::Lsky => "Lsky Pro",
            Editor::Chevereto => "Chevereto",
        };
        let mut number = 1_u64;
        loop {
            let name = match number {
                1 => label.to_owned(),
                _ => format!("{label} {number}"),
            };
            match self.tokens.create(&name, Scope::Upload).await {
                Ok(token) => return Ok((name, token)),
                Err(Message::TokenNameTaken { .. }) => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn place(&self, name: &str, ending: &str) -> PathBuf {
        let name = name.to_ascii_lowercase().replace(' ', "-");
        self.folder.join(FOLDER).join(format!("{name}.{ending}"))
    }

    /// Writes a file, which its owner may run where it is a script. Takes the token back where that
    /// fails, and removes what it has in the folder.
    async fn write(&self, token: &str, place: &Path, text: &str) -> Result<(), Message> {
        let own = self.folder.join(FOLDER);
        let made = if place.starts_with(&own) {
            private_files::make_folder(&own)
        } else {
            Ok(())
        };
        let mut written = made.and_then(|()| private_file::write(place, text));
        if place.extension().is_some_and(|ending| ending == "sh") {
            written = written.and_then(|()| private_file::let_owner_run(place));
        }
        let Err(error) = written else { return Ok(()) };
        self.tokens.revoke(token).await?;
        for ending in ["token", "sh"] {
            let _ = std::fs::remove_file(self.place(token, ending));
        }
        Err(crate::detail!(
            "{} cannot be written: {error}",
            place.display()
        ))
    }
}

/// A custom uploader as ShareX imports it: <https://getsharex.com/docs/custom-uploader>.
fn share_x(address: &str, token: &SecretString) -> String {
    let uploader = json!({
        "Version": "15.0.0",
        "Name": "Porchlight",
        "DestinationType": "ImageUploader, FileUploader",
        "RequestMethod": "POST",
        // ShareX reads an address only from a success.
        "RequestURL": format!("{address}/images/add?duplicate=ok"),
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
    use crate::app::host::{Host, Kind, StartOptions};

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
        for (editor, files) in [
            (Editor::Curl, 1),
            (Editor::Typora, 1),
            (Editor::Ksnip, 2),
            (Editor::Lsky, 0),
        ] {
            let made = context.make(editor).await.expect("made");
            assert_eq!(made.files.len(), files);
            assert!(made.files.iter().all(|file| file.is_file()));
            context.take_back(&made).await.expect("taken back");
            assert!(!made.files.iter().any(|file| file.exists()));
        }
        // The script cannot be written.
        let folder = folder.path().join(FOLDER);
        std::fs::create_dir(folder.join("ksnip.sh")).expect("a folder");
        let failed = context.make(Editor::Ksnip).await;
        let why = failed.expect_err("no file").to_string();
        assert!(
            why.contains("ksnip") && why.contains("cannot be written"),
            "{why}"
        );
        assert!(!folder.join("ksnip.token").exists());
        let after = host.tokens().list().await.expect("a list");
        assert_eq!(after.len(), before.len());
        host.stop().await;
    }
}
