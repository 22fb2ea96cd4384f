//! The check for a newer release: reads the announcement at `update.url`, checks its signature and
//! compares the versions. Nothing of a release is downloaded or installed.

use std::path::Path;
use std::time::Duration;

use minisign_verify::{Error, PublicKey, Signature};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use semver::Version;
use serde::Deserialize;

use crate::files::executable;
use crate::http::client_tls::{cause_of, http_client};
use crate::settings::app::UpdateSettings;
use crate::status::window::update::{UpdateCheck, UpdateFailure, UpdateResult, UpdateWay};
use crate::text;
use crate::text::address::WebAddress;

/// The time limit of each of the two requests.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest announcement and the longest signature, in bytes.
const LONGEST: usize = 64 * 1024;
/// The most redirects; pages of releases have one or two.
const REDIRECTS: usize = 5;
/// The most lines of the notes that are shown.
const NOTES: usize = 100;

/// What `latest.json` holds, of what Tauri's updater also reads; other fields are ignored.
#[derive(Deserialize)]
struct Announcement {
    version: Version,
    #[serde(default)]
    notes: String,
    url: Option<WebAddress>,
}

pub async fn check(settings: &UpdateSettings) -> UpdateCheck {
    let running = Version::parse(env!("CARGO_PKG_VERSION"));
    let found = match announcement(settings).await {
        Ok(announced) => running
            .map(|running| compared(announced, &running))
            .map_err(|_| UpdateFailure::Malformed),
        Err(why) => Err(why),
    };
    UpdateCheck {
        running: env!("CARGO_PKG_VERSION").to_owned(),
        result: found.unwrap_or_else(|why| UpdateResult::Failed { why }),
        way: executable::later().map_or(UpdateWay::Download, |program| way(&program, "/".as_ref())),
    }
}

/// A release older than the running one counts as up to date: a repeated old announcement, with its
/// valid signature, causes no downgrade.
fn compared(announced: Announcement, running: &Version) -> UpdateResult {
    if announced.version <= *running {
        return UpdateResult::UpToDate;
    }
    let lines = announced.notes.lines().take(NOTES);
    let lines = lines.map(|line| text::one_line(line, text::LONGEST_LINE));
    UpdateResult::Newer {
        version: announced.version.to_string(),
        notes: lines.collect::<Vec<_>>().join("\n").trim().to_owned(),
        page: announced.url.map(|url| url.to_string()),
    }
}

async fn announcement(settings: &UpdateSettings) -> Result<Announcement, UpdateFailure> {
    let url = settings.url.as_ref().ok_or(UpdateFailure::NoAddress)?;
    let key = settings.public_key.as_ref().ok_or(UpdateFailure::NoKey)?;
    let key = PublicKey::from_base64(key).map_err(|_| UpdateFailure::NoKey)?;
    let http = client(url).map_err(unreachable)?;
    let bytes = fetch(&http, url.as_str()).await?;
    let signature = fetch(&http, &url.join(".minisig")).await?;
    verified(&key, &bytes, &signature)
}

/// What the bytes announce, once their signature is found to be by this key.
fn verified(
    key: &PublicKey,
    bytes: &[u8],
    signature: &[u8],
) -> Result<Announcement, UpdateFailure> {
    let signature = std::str::from_utf8(signature).map_err(|_| UpdateFailure::NotSigned)?;
    let signature = Signature::decode(signature).map_err(|_| UpdateFailure::NotSigned)?;
    key.verify(bytes, &signature, false)
        .map_err(|error| match error {
            Error::UnexpectedKeyId => UpdateFailure::OtherKey,
            _ => UpdateFailure::Altered,
        })?;
    serde_json::from_slice(bytes).map_err(|_| UpdateFailure::Malformed)
}

/// A client that goes to HTTPS alone, or to this machine.
fn client(url: &WebAddress) -> reqwest::Result<Client> {
    let is_here = url.is_loopback();
    let redirects = if is_here {
        Policy::none()
    } else {
        Policy::limited(REDIRECTS)
    };
    http_client()
        .https_only(!is_here)
        .redirect(redirects)
        .timeout(TIMEOUT)
        .build()
}

async fn fetch(http: &Client, url: &str) -> Result<Vec<u8>, UpdateFailure> {
    let mut response = http.get(url).send().await.map_err(unreachable)?;
    if response.status() != StatusCode::OK {
        return Err(UpdateFailure::Status {
            file: url.to_owned(),
            status: response.status().as_u16(),
        });
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > LONGEST {
            return Err(UpdateFailure::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn unreachable(error: reqwest::Error) -> UpdateFailure {
    let why = cause_of(&error);
    UpdateFailure::Unreachable { why }
}

/// How the program at this path is updated, on a system whose files are below `root`.
fn way(program: &Path, root: &Path) -> UpdateWay {
    if !program.starts_with("/usr/bin") {
        return UpdateWay::Download;
    }
    let has = |path: &str| root.join(path).exists();
    // The app's package alone has an entry on the desktop.
    let package = if has("usr/share/applications/porchlight.desktop") {
        "porchlight"
    } else {
        "porchlight-headless"
    };
    let (manager, command) = if has(&format!("var/lib/dpkg/info/{package}.list")) {
        ("apt", "apt update && sudo apt install")
    } else if has("usr/bin/zypper") {
        ("zypper", "zypper update")
    } else if has("usr/bin/dnf") {
        ("dnf", "dnf upgrade")
    } else {
        return UpdateWay::System;
    };
    UpdateWay::Package {
        manager: manager.to_owned(),
        command: format!("sudo {command} {package}"),
    }
}

#[cfg(test)]
mod tests;
