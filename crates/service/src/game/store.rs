//! The Steam store: a game's name, description, price and cover.

use std::time::Duration;

use porchlight_convert::SourceFormat;
use reqwest::Url;
use serde_json::Value;

use super::GameSettings;
use super::cached::{Answers, Failure, Found, Lifetime, Reader};
use super::display_text::FREE;
use crate::http::external::HttpAnswer;
use crate::text::address::WebAddress;
use crate::text::{LONGEST_LINE, LONGEST_NAME, one_line};

/// The store changes little in a day, and limits calls.
const LIFETIME: Lifetime = Lifetime {
    answer: Duration::from_secs(24 * 60 * 60),
    failure: Duration::from_secs(60),
};
/// The longest address of a cover, in characters.
const LONGEST_COVER: usize = 1_000;
/// The largest cover, in bytes.
const LARGEST: usize = 1024 * 1024;
/// Where Steam has its pictures: these domains and all below them.
const DOMAINS: [&str; 4] = [
    "steamstatic.com",
    "steampowered.com",
    "steamcdn-a.akamaihd.net",
    "st.dl.eccdnx.com",
];

/// The store page of a game; all empty for a game that it does not sell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StorePage {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) price: String,
    /// The address of its cover; empty where it has none.
    pub(super) cover: String,
}

/// A picture as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Its type by its first bytes, such as `image/jpeg`.
    pub media_type: &'static str,
}

/// The store page of this game, for the country and language of the settings.
pub(super) async fn page(
    settings: &GameSettings,
    game: u32,
    answers: &Answers,
) -> Found<StorePage> {
    let number = game.to_string();
    let query = [("appids", number.as_str()), ("l", &settings.language)];
    let region = settings.region.as_deref().map(|region| ("cc", region));
    let address = settings.steam_store_url.join("/api/appdetails");
    let address = Url::parse_with_params(&address, query.into_iter().chain(region));
    let address = address.expect("an address");
    let read = |answer: &HttpAnswer| {
        // Over its rate limit the store answers 200 with `null`. The only entry is the game's.
        let body: Value = good(answer)?.json().ok_or(crate::detail!(
            "the Steam store's answer was not understood"
        ))?;
        let entry = body.as_object().and_then(|games| games.values().next());
        let entry = entry.ok_or(crate::detail!(
            "the Steam store's answer was not understood"
        ))?;
        match entry.get("success").and_then(Value::as_bool) {
            Some(false) => Ok(StorePage::default()),
            Some(true) => Ok(page_of(entry.get("data").unwrap_or(&Value::Null))),
            None => Err(crate::detail!("the Steam store's answer was not understood").into()),
        }
    };
    answers.get(address, reader(read)).await
}

/// The cover at this address of a store page. It is requested once in a day, from Steam alone.
pub(super) async fn cover(
    settings: &GameSettings,
    address: &str,
    answers: &Answers,
) -> Option<Cover> {
    let address = allowed(address, &settings.steam_store_url)?;
    let read = |answer: &HttpAnswer| {
        let body = &good(answer)?.body;
        let media_type = match SourceFormat::of(body) {
            _ if body.len() > LARGEST => None,
            Ok(SourceFormat::Jpeg) => Some("image/jpeg"),
            Ok(SourceFormat::Png) => Some("image/png"),
            Ok(SourceFormat::WebP) => Some("image/webp"),
            _ => None,
        };
        Ok(Cover {
            bytes: body.clone(),
            media_type: media_type.ok_or(crate::detail!(
                "the Steam store's answer was not understood"
            ))?,
        })
    };
    let found = answers.get(address, reader(read)).await;
    if let Some(failure) = found.failure {
        tracing::debug!("no cover of the game: {}", failure.why);
    }
    found.value
}

fn reader<T>(read: fn(&HttpAnswer) -> Result<T, Failure>) -> Reader<T> {
    Reader {
        lifetime: LIFETIME,
        silent: |why| crate::detail!("the Steam store {why}"),
        read,
    }
}

fn good(answer: &HttpAnswer) -> Result<&HttpAnswer, Failure> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let status = answer.status.as_u16();
    Err(Failure {
        why: crate::detail!("the Steam store answered with status {status}"),
        pause: answer.retry_after,
    })
}

fn page_of(data: &Value) -> StorePage {
    let text = |value: Option<&Value>, longest| {
        // The store writes quotes and ampersands of its texts as HTML does.
        let text = value.and_then(Value::as_str).unwrap_or_default();
        one_line(&html_escape::decode_html_entities(text), longest)
    };
    let price = data.get("price_overview");
    let is_free = data.get("is_free").and_then(Value::as_bool) == Some(true);
    let cents = price.and_then(|price| price.get("final")?.as_u64());
    StorePage {
        name: text(data.get("name"), LONGEST_NAME),
        cover: text(data.get("header_image"), LONGEST_COVER),
        description: text(data.get("short_description"), LONGEST_LINE),
        price: if is_free || cents == Some(0) {
            FREE.to_owned()
        } else {
            let price = price.and_then(|price| price.get("final_formatted"));
            text(price, LONGEST_NAME)
        },
    }
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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_is_plain_text_with_the_price_of_today() {
        let page = page_of(&json!({
            "name": "Tom &amp; Jerry",
            "short_description": " &quot;Fun&quot; &lt;3 ",
            "is_free": false,
            "price_overview": { "final": 3400, "initial": 6800, "final_formatted": "¥ 34.00" },
        }));
        assert_eq!(page.name, "Tom & Jerry");
        assert_eq!(page.description, "\"Fun\" <3");
        assert_eq!(page.price, "¥ 34.00");
    }

    #[test]
    fn publisher_text_becomes_one_clean_line() {
        let page = page_of(&json!({
            "name": "A\u{202e} game&#8238;\n",
            "short_description": format!("</script>\n{}", "\u{301}".repeat(10_000)),
        }));
        assert_eq!(page.name, "A game");
        assert_eq!(
            page.description,
            format!("</script> {}", "\u{301}".repeat(8))
        );
    }

    #[test]
    fn a_price_of_zero_is_shown_as_free() {
        let given_away = json!({ "price_overview": { "final": 0, "final_formatted": "Free" } });
        assert_eq!(page_of(&given_away).price, "免费");
    }

    #[test]
    fn a_game_that_is_not_sold_has_no_price() {
        for data in [
            json!({ "is_free": false }),
            json!({ "price_overview": 7 }),
            json!(null),
        ] {
            assert_eq!(page_of(&data).price, "", "{data}");
        }
    }

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
