//! `porchlight upload --links`: the addresses of a few files, for an editor that
//! reads them off standard output.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use porchlight_service::text::address::WebAddress;
use porchlight_service::uploads::client::{self, Event, Order, Sources};

use crate::cli::failed;
use crate::cli::shown::{printable, shown};

/// Sends the files and prints where each is, in the order that they were given
/// in: `for_readers`, or where they were sent. A file that failed is named on standard error and has no
/// line.
pub(super) async fn send(order: Order, for_readers: Option<WebAddress>) -> ExitCode {
    let files = match &order.source {
        Sources::Files(files) => files.clone(),
        Sources::Folder(folder) => vec![folder.clone()],
    };
    let service = order.client.clone();
    let mut hashes: HashMap<PathBuf, String> = HashMap::new();
    let ended = client::run(order, |event| match event {
        Event::Uploaded { file, hash, .. } | Event::AlreadyThere { file, hash } => {
            hashes.insert(file, hash);
        }
        Event::Failed { file, failure } => {
            eprintln!("{}: {}", shown(&file), printable(&failure.to_string()));
        }
        Event::Skipped => {}
    })
    .await;
    let mut out = io::stdout().lock();
    let mut all = true;
    for file in &files {
        match hashes.get(file) {
            Some(hash) => {
                let link = match &for_readers {
                    Some(address) => format!("{address}/i/{hash}.webp"),
                    None => service.image_url(hash),
                };
                if let Err(error) = writeln!(out, "{link}") {
                    return failed(&format!("standard output: {error}"), 1);
                }
            }
            None => all = false,
        }
    }
    if let Err(stopped) = ended {
        return failed(&printable(&stopped.to_string()), 1);
    }
    ExitCode::from(u8::from(!all))
}
