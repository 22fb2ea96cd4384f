//! Downloads pictures from hosts that the owner has named.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio::fs;
use tokio::io::AsyncWriteExt as _;
use tokio::time::Instant;
use url::Url;

use crate::error::message::Message;
use crate::files::private_files;
use crate::http::fetch::{Fetcher, Rules};

/// How long one picture may take, with its redirects and all of its bytes.
const WITHIN: Duration = Duration::from_secs(30);
/// The most bytes of one picture.
const LONGEST: u64 = 50 * 1024 * 1024;
/// The longest name that a file gets, in characters.
const LONGEST_NAME: usize = 100;

/// Gets pictures over HTTPS from the public internet.
///
/// # Errors
/// When HTTPS cannot be used on this machine.
pub(super) fn fetcher() -> Result<Fetcher, Message> {
    let rules = Rules {
        public_only: true,
        https_only: true,
        hint: "",
    };
    Fetcher::new(rules).map_err(|why| crate::detail!("HTTPS cannot be used here: {why}"))
}

/// Puts a picture into `folder`, which is made, under its name there; at most `longest` bytes, and
/// 50 MiB. What it is, the conversion finds out.
///
/// # Errors
/// When it does not come, or is too large.
pub(super) async fn download(
    fetcher: &Fetcher,
    url: &str,
    folder: &Path,
    longest: u64,
) -> Result<PathBuf, Message> {
    let longest = longest.min(LONGEST);
    let too_large = || crate::detail!("it is larger than {longest} bytes");
    let answer = fetcher.get(url, Instant::now() + WITHIN).await;
    let mut answer = answer.map_err(|refusal| refusal.why)?;
    if answer.length().is_some_and(|length| length > longest) {
        return Err(too_large());
    }
    private_files::make_folder(folder)?;
    let path = folder.join(name(url));
    let mut file = fs::File::create(&path).await?;
    let mut bytes = 0;
    while let Some(chunk) = answer.chunk().await.map_err(|refusal| refusal.why)? {
        bytes += chunk.len() as u64;
        if bytes > longest {
            return Err(too_large());
        }
        file.write_all(&chunk).await?;
    }
    file.flush().await?;
    Ok(path)
}

/// The last part of its path, as a name that every system takes.
fn name(url: &str) -> String {
    let path = Url::parse(url).map_or(String::new(), |url| url.path().to_owned());
    let last = path.rsplit('/').next().unwrap_or_default();
    let last = percent_decode_str(last).decode_utf8_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || ".-_".contains(c);
    let plain = last.chars().map(|c| if is_plain(c) { c } else { '-' });
    let name: String = plain.take(LONGEST_NAME).collect();
    let name = Some(name.trim_matches('.')).filter(|name| !name.is_empty());
    name.unwrap_or("picture").to_owned()
}
