//! The Steam store: a game's name, description and price.

use std::time::Duration;

use serde_json::Value;

use super::cached::Failure;
use super::display_text::FREE;
use crate::error::message::Message;
use crate::http::external as external_http;
use crate::http::external::AskError;
use crate::text::address::WebAddress;
use crate::text::{LONGEST_LINE, LONGEST_NAME, one_line};

/// The longest address of a cover, in characters.
const LONGEST_COVER: usize = 1_000;

/// The store, for one country and one language.
#[derive(Debug)]
pub(super) struct Store {
    http: reqwest::Client,
    address: WebAddress,
    region: Option<String>,
    language: String,
}

/// The store page of a game; all empty for a game that it does not sell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StorePage {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) price: String,
    /// The address of its cover; empty where it has none.
    pub(super) cover: String,
}

/// Why the store could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", Message::from(self))]
pub(super) enum StoreError {
    Silent(#[from] AskError),
    Status {
        status: u16,
        pause: Option<Duration>,
    },
    Garbled,
}

impl From<&StoreError> for Message {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Silent(why) => {
                let why = why.into();
                Self::SteamStoreSilent { why }
            }
            StoreError::Status { status, .. } => {
                let status = (*status).into();
                Self::SteamStoreStatus { status }
            }
            StoreError::Garbled => Self::SteamStoreNotUnderstood,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let pause = match &error {
            StoreError::Status { pause, .. } => *pause,
            _ => None,
        };
        Self {
            why: (&error).into(),
            pause,
        }
    }
}

impl Store {
    pub(super) fn new(
        http: reqwest::Client,
        address: WebAddress,
        region: Option<String>,
        language: String,
    ) -> Self {
        Self {
            http,
            address,
            region,
            language,
        }
    }

    /// The store page of this game.
    pub(super) async fn page(&self, game: u32) -> Result<StorePage, StoreError> {
        let mut request = self
            .http
            .get(self.address.join("/api/appdetails"))
            .query(&[("appids", game.to_string().as_str()), ("l", &self.language)]);
        if let Some(region) = &self.region {
            request = request.query(&[("cc", region)]);
        }
        let answer = external_http::ask(request).await?;
        if !answer.status.is_success() {
            let status = answer.status.as_u16();
            return Err(StoreError::Status {
                status,
                pause: answer.retry_after,
            });
        }
        // Over its rate limit the store answers 200 with `null`.
        let body: Value = answer.json().ok_or(StoreError::Garbled)?;
        let entry = body.get(game.to_string()).ok_or(StoreError::Garbled)?;
        match entry.get("success").and_then(Value::as_bool) {
            Some(false) => Ok(StorePage::default()),
            Some(true) => Ok(page(entry.get("data").unwrap_or(&Value::Null))),
            None => Err(StoreError::Garbled),
        }
    }
}

fn page(data: &Value) -> StorePage {
    let text = |value: Option<&Value>, longest| {
        // The store writes quotes and ampersands of its texts as HTML does.
        let text = value.and_then(Value::as_str).unwrap_or_default();
        one_line(&html_escape::decode_html_entities(text), longest)
    };
    let price = data.get("price_overview");
    let costs_nothing = data.get("is_free").and_then(Value::as_bool) == Some(true)
        || price
            .and_then(|price| price.get("final"))
            .and_then(Value::as_u64)
            == Some(0);
    StorePage {
        name: text(data.get("name"), LONGEST_NAME),
        cover: text(data.get("header_image"), LONGEST_COVER),
        description: text(data.get("short_description"), LONGEST_LINE),
        price: if costs_nothing {
            FREE.to_owned()
        } else {
            let price = price.and_then(|price| price.get("final_formatted"));
            text(price, LONGEST_NAME)
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::page;

    #[test]
    fn a_page_is_plain_text_with_the_price_of_today() {
        let page = page(&json!({
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
        let page = page(&json!({
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
        assert_eq!(page(&given_away).price, "免费");
    }

    #[test]
    fn a_game_that_is_not_sold_has_no_price() {
        for data in [
            json!({ "is_free": false }),
            json!({ "price_overview": 7 }),
            json!(null),
        ] {
            assert_eq!(page(&data).price, "", "{data}");
        }
    }
}
