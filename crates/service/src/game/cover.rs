//! The cover of the game that runs, for the owner's window alone. It is requested when the window
//! shows it, and kept in memory.

use std::time::Duration;

use porchlight_convert::SourceFormat;
use reqwest::Url;

use super::Game;
use super::cached::{Lifetime, kept};
use super::store::StoreError;
use crate::http::external as external_http;
use crate::text::address::WebAddress;

/// A store picture seldom changes.
const LIFETIME: Lifetime = Lifetime {
    answer: Duration::from_secs(24 * 60 * 60),
    failure: Duration::from_secs(60),
};
/// The largest cover, in bytes.
const LARGEST: usize = 1024 * 1024;
/// Covers that are kept.
const MOST: usize = 8;
/// Where Steam has its pictures: these domains and all below them.
const DOMAINS: [&str; 4] = [
    "steamstatic.com",
    "steampowered.com",
    "steamcdn-a.akamaihd.net",
    "st.dl.eccdnx.com",
];

/// A picture as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Its type by its first bytes, such as `image/jpeg`.
    pub media_type: &'static str,
}

impl Game {
    /// The cover of the game with this number while that game runs and is shown. It is requested
    /// once in a day, from Steam alone.
    pub async fn cover(&self, number: u32) -> Option<Cover> {
        let running = self.known().running?;
        if running.cover != Some(number) {
            return None;
        }
        let shared = &self.shared;
        let pages = shared.answers.pages.lock().await;
        let address = pages.get(&number)?.last()?.cover.clone();
        drop(pages);
        let mut covers = shared.answers.covers.lock().await;
        let cover = kept(&mut covers, number, MOST);
        let request = fetch(&shared.http, &shared.settings.steam_store_url, &address);
        if let Err(failure) = cover.refresh(&shared.clock, LIFETIME, request).await {
            tracing::debug!("no cover of the game: {}", failure.why);
        }
        cover.last().cloned()
    }
}

async fn fetch(
    http: &reqwest::Client,
    store: &WebAddress,
    address: &str,
) -> Result<Cover, StoreError> {
    let address = allowed(address, store).ok_or(StoreError::Garbled)?;
    let answer = external_http::ask_for(http.get(address), LARGEST).await?;
    if !answer.status.is_success() {
        return Err(StoreError::Status {
            status: answer.status.as_u16(),
            pause: answer.retry_after,
        });
    }
    let media_type = match SourceFormat::of(&answer.body) {
        Ok(SourceFormat::Jpeg) => "image/jpeg",
        Ok(SourceFormat::Png) => "image/png",
        Ok(SourceFormat::WebP) => "image/webp",
        _ => return Err(StoreError::Garbled),
    };
    Ok(Cover {
        bytes: answer.body,
        media_type,
    })
}

/// This address, if it is one of Steam over HTTPS or of the store in the settings.
fn allowed(address: &str, store: &WebAddress) -> Option<Url> {
    let address = Url::parse(address).ok()?;
    let host = address.host_str()?;
    let of_steam = DOMAINS.iter().any(|domain| {
        host.strip_suffix(domain)
            .is_some_and(|below| below.is_empty() || below.ends_with('.'))
    });
    let of_store = Url::parse(store.as_str()).ok()?.origin() == address.origin();
    (of_store || of_steam && address.scheme() == "https").then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steam_and_the_store_of_the_settings_are_asked() {
        let store: WebAddress = "http://127.0.0.1:8080".parse().expect("an address");
        for (address, expected) in [
            (
                "https://shared.akamai.steamstatic.com/a/header.jpg?t=1",
                true,
            ),
            ("https://store.steampowered.com/a.jpg", true),
            ("https://steamcdn-a.akamaihd.net/a.jpg", true),
            ("http://127.0.0.1:8080/a.jpg", true),
            ("http://127.0.0.1:8081/a.jpg", false),
            ("http://shared.akamai.steamstatic.com/a.jpg", false),
            ("https://notsteamstatic.com/a.jpg", false),
            ("https://steamstatic.com.example/a.jpg", false),
            ("https://steamstatic.com@example.com/a.jpg", false),
            ("https://192.168.0.1/a.jpg", false),
            ("file:///etc/passwd", false),
            ("/a.jpg", false),
        ] {
            assert_eq!(allowed(address, &store).is_some(), expected, "{address}");
        }
    }
}
