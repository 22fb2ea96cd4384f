//! The content of a request: files by their paths, a form's files, or the
//! clipboard.

use std::path::{Component, Path, PathBuf, Prefix};

use axum::body::to_bytes;
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::header;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::http::header::parameter;
use crate::uploads::{UploadFile, file_named};

/// A form with all its files, in bytes: the service accepts files of 50 MiB by
/// default, and larger ones can be given by path instead.
pub(super) const MOST_OF_A_FORM: usize = 64 << 20;
/// A list of paths, in bytes.
const MOST_OF_A_LIST: usize = 1 << 20;
/// The maximum number of images in one request, and of parts in a form.
const MOST_PICTURES: usize = 200;

pub(super) enum RequestedUpload {
    Pictures(Vec<UploadFile>),
    Clipboard,
}

/// The body of a request that is no form.
#[derive(Deserialize)]
struct Listed<T> {
    #[serde(default = "Vec::new")]
    list: Vec<T>,
}

/// Reads the whole request.
///
/// # Errors
/// What is wrong with it, in a sentence. No file has been opened yet.
pub(super) async fn read(request: Request) -> Result<RequestedUpload, String> {
    let is_form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            let kind = value.trim_start().to_ascii_lowercase();
            kind.starts_with("multipart/form-data")
        });
    if is_form {
        let form = Multipart::from_request(request, &()).await;
        let files = form_files(form.map_err(|error| error.body_text())?).await?;
        return match files.is_empty() {
            true => Err("there is no picture in this form".to_owned()),
            false => Ok(RequestedUpload::Pictures(files)),
        };
    }
    let list: Vec<PathBuf> = list(request).await?;
    if list.is_empty() {
        return Ok(RequestedUpload::Clipboard);
    }
    if list.len() > MOST_PICTURES {
        return Err(too_many());
    }
    let named = list.into_iter();
    let find = || {
        named
            .map(|named| file_named(&named, may_be_opened))
            .collect()
    };
    let found = tokio::task::spawn_blocking(find).await;
    let list: Vec<PathBuf> = found.map_err(|error| format!("the list cannot be read: {error}"))?;
    if let Some(file) = list.iter().find(|file| !file.is_absolute()) {
        return Err(format!("{file:?}: a full path is needed"));
    }
    if let Some(file) = list.iter().find(|file| !is_on_this_computer(file)) {
        return Err(format!(
            "{file:?}: a file on another computer is not opened; copy it to this one"
        ));
    }
    Ok(RequestedUpload::Pictures(
        list.into_iter().map(UploadFile::File).collect(),
    ))
}

/// The `list` of a body; empty where there is no body.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub(super) async fn list<T: DeserializeOwned>(request: Request) -> Result<Vec<T>, String> {
    let body = to_bytes(request.into_body(), MOST_OF_A_LIST).await;
    let body = body.map_err(|error| format!("the request cannot be read: {error}"))?;
    if body.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let body: Listed<T> = serde_json::from_slice(&body)
        .map_err(|error| format!("the body is neither a form nor {{\"list\": [...]}}: {error}"))?;
    Ok(body.list)
}

fn may_be_opened(file: &Path) -> bool {
    file.is_absolute() && is_on_this_computer(file)
}

/// Whether a full path is on a drive. On Windows another one can lead to another computer, and to open
/// it would send that computer what logs this user in.
fn is_on_this_computer(file: &Path) -> bool {
    match file.components().next() {
        Some(Component::Prefix(first)) => {
            matches!(first.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_))
        }
        // A path without a drive leads to wherever the process is.
        _ => !cfg!(windows),
    }
}

/// Accepts file fields with any name.
async fn form_files(mut form: Multipart) -> Result<Vec<UploadFile>, String> {
    let mut files = Vec::new();
    let mut parts = 0;
    while let Some(field) = form.next_field().await.map_err(|error| error.body_text())? {
        parts += 1;
        if parts > MOST_PICTURES {
            return Err(too_many());
        }
        let disposition = field.headers().get(header::CONTENT_DISPOSITION);
        let file_name = disposition.and_then(|value| parameter(value.as_bytes(), "filename"));
        let is_file = file_name.is_some() || field.content_type().is_some();
        let bytes = field.bytes().await.map_err(|error| error.body_text())?;
        if is_file {
            files.push(UploadFile::Bytes(bytes));
        }
    }
    Ok(files)
}

/// The images, unless there are too many for one request.
///
/// # Errors
/// That they are, in a sentence.
pub(super) fn few_enough(pictures: Vec<UploadFile>) -> Result<Vec<UploadFile>, String> {
    if pictures.len() > MOST_PICTURES {
        return Err(too_many());
    }
    Ok(pictures)
}

fn too_many() -> String {
    format!("too many pictures at once: {MOST_PICTURES} at the most")
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn no_path_to_another_computer_is_opened() {
        for path in [
            r"\\server\share\a.png",
            "//server/share/a.png",
            r"\\?\UNC\server\share\a.png",
            r"\\.\UNC\server\share\a.png",
            r"\\?\GLOBALROOT\Device\Mup\server\share\a.png",
            r"\\.\pipe\a",
        ] {
            assert!(!is_on_this_computer(Path::new(path)), "{path}");
        }
        for path in [r"C:\p\a.png", "c:/p/a.png", r"\\?\C:\p\a.png"] {
            assert!(is_on_this_computer(Path::new(path)), "{path}");
        }
    }
}
