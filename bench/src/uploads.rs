//! Uploads, as clients make them: over several connections, one image after another on each.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Client;
use tokio::task::JoinSet;

use crate::Result;
use crate::porchlight::{Porchlight, Uploaded};

/// How many connections.
pub(crate) const AT_ONCE: usize = 2;

/// Uploads all files, two at a time; the answers in the order of the files.
///
/// # Errors
/// When one is not answered with 201.
pub(crate) async fn upload(
    service: &Porchlight,
    client: &Client,
    files: &[PathBuf],
) -> Result<Vec<Uploaded>> {
    let queue: Arc<Mutex<VecDeque<_>>> =
        Arc::new(Mutex::new(files.iter().cloned().enumerate().collect()));
    let mut connections = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (queue, service, client) = (Arc::clone(&queue), service.clone(), client.clone());
        connections.spawn(async move {
            let next = || {
                queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front()
            };
            let mut done = Vec::new();
            while let Some((place, file)) = next() {
                done.push((place, service.upload(&client, &file).await?));
            }
            Result::Ok(done)
        });
    }
    let mut uploaded = Vec::new();
    while let Some(done) = connections.join_next().await {
        uploaded.extend(done??);
    }
    uploaded.sort_by_key(|(place, _)| *place);
    Ok(uploaded.into_iter().map(|(_, uploaded)| uploaded).collect())
}

/// So that the same files may come again.
///
/// # Errors
/// When one is not answered with 200.
pub(crate) async fn delete(
    service: &Porchlight,
    client: &Client,
    uploaded: &[Uploaded],
) -> Result<()> {
    for image in uploaded {
        service.delete(client, &image.hash).await?;
    }
    Ok(())
}

/// What was made of them, in files of this folder.
///
/// # Errors
/// When one is not answered with 200.
pub(crate) async fn fetch(
    service: &Porchlight,
    client: &Client,
    uploaded: &[Uploaded],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut files = Vec::new();
    for Uploaded { hash, .. } in uploaded {
        let reply = client
            .get(format!("{}/i/{hash}", service.url))
            .send()
            .await?;
        let file = folder.join(format!("{hash}.webp"));
        std::fs::write(&file, reply.error_for_status()?.bytes().await?)?;
        files.push(file);
    }
    Ok(files)
}
