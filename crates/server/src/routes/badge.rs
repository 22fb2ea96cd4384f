//! `GET /badge.json`, `/badge.svg` and `/card.svg`: presence for pages without scripts.
//!
//! `badge.json` has the schema of shields.io's endpoint badges, version 1. A picture in a page loads
//! no fonts, so widths are estimated and each text is cut to its box; `textLength` holds a badge's text
//! to the estimate whatever font the reader has.

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use html_escape::encode_quoted_attribute as escape;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use porchlight_api::Check;
use porchlight_api::text::one_line;
use serde_json::json;

use crate::body::Parameters;
use crate::listener_state::ListenerState;
use crate::reply::{REVALIDATE, json as json_reply};

/// In characters.
const LONGEST_LABEL: usize = 64;
/// The widest part of a badge, and the texts of a card, in pixels.
const BADGE_PART: f64 = 240.0;
const CARD_TEXT: f64 = 252.0;

/// What one request asks for.
struct Asked {
    label: Option<String>,
    dark: bool,
    chinese: bool,
}

impl Asked {
    fn by(query: Option<&str>) -> Self {
        let parameters = Parameters::of_query(query);
        let text = |name| parameters.text(name).ok().flatten();
        let label = text("label").map(|label| one_line(label, LONGEST_LABEL));
        Self {
            label: label.filter(|label| !label.is_empty()),
            dark: text("theme") == Some("dark"),
            chinese: text("lang").is_some_and(|lang| lang.starts_with("zh")),
        }
    }

    fn words<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        if self.chinese { chinese } else { english }
    }
}

/// What is shown.
struct BadgeContent {
    title: String,
    introduce: String,
    state: String,
    /// `#rrggbb`
    colour: String,
}

impl BadgeContent {
    fn of(check: &Check, asked: &Asked) -> Self {
        let fields = check.fields.as_ref();
        let is_away = fields.is_some_and(|fields| !fields.application_online);
        let state = match (check.alive, is_away) {
            (false, _) => asked.words("Offline", "离线"),
            (true, true) => asked.words("Away", "离开"),
            (true, false) => asked.words("Online", "在线"),
        };
        let online = fields.filter(|_| check.alive && !is_away);
        let application = online.map(|fields| fields.application.as_str());
        let rgb = online.and_then(|fields| fields.rgba.rgb());
        let [red, green, blue] = if check.alive && !is_away {
            rgb.unwrap_or([255, 180, 84])
        } else {
            [139, 144, 153]
        };
        Self {
            title: application
                .filter(|name| !name.is_empty())
                .unwrap_or(state)
                .to_owned(),
            introduce: online.map_or_else(String::new, |fields| fields.introduce.clone()),
            state: state.to_owned(),
            colour: format!("#{red:02x}{green:02x}{blue:02x}"),
        }
    }

    fn now(state: &ListenerState, asked: &Asked) -> Self {
        Self::of(&state.service.presence().check(), asked)
    }
}

/// `GET /badge.json`
pub(crate) async fn json(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::by(query.as_deref());
    let shown = BadgeContent::now(&state, &asked);
    let body = json!({
        "schemaVersion": 1,
        "label": asked.label.as_deref().unwrap_or(asked.words("status", "状态")),
        "message": shown.title,
        "color": shown.colour,
    });
    json_reply(http::StatusCode::OK, REVALIDATE, &body)
}

/// `GET /badge.svg`
pub(crate) async fn badge(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::by(query.as_deref());
    picture(badge_of(&BadgeContent::now(&state, &asked), &asked))
}

/// `GET /card.svg`
pub(crate) async fn card(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::by(query.as_deref());
    picture(card_of(&BadgeContent::now(&state, &asked), &asked))
}

fn badge_of(shown: &BadgeContent, asked: &Asked) -> String {
    let label = asked
        .label
        .as_deref()
        .unwrap_or(asked.words("status", "状态"));
    let label = cut(label, 11.0, BADGE_PART);
    let message = cut(&shown.title, 11.0, BADGE_PART);
    let [label_width, message_width] = [&label, &message].map(|text| width(text, 11.0));
    let left = label_width + 12.0;
    let whole = left + message_width + 12.0;
    let (ground, ink) = if asked.dark {
        ("#2f343d", "#f2f3f5")
    } else {
        ("#e6e8eb", "#24272d")
    };
    let on_colour = ink_on(&shown.colour);
    let text = |text: &str, x: f64, width: f64, fill: &str| {
        format!(
            r#"<text x="{x:.1}" y="14" textLength="{width:.1}" lengthAdjust="spacingAndGlyphs" fill="{fill}">{}</text>"#,
            escape(text)
        )
    };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{whole:.0}" height="20" viewBox="0 0 {whole:.1} 20" role="img" aria-label="{}: {}"><clipPath id="r"><rect width="{whole:.1}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="{left:.1}" height="20" fill="{ground}"/><rect x="{left:.1}" width="{:.1}" height="20" fill="{}"/></g><g font-family="Verdana,'DejaVu Sans','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif" font-size="11">{}{}</g></svg>"##,
        escape(&label),
        escape(&message),
        whole - left,
        shown.colour,
        text(&label, 6.0, label_width, ink),
        text(&message, left + 6.0, message_width, on_colour),
    )
}

fn card_of(shown: &BadgeContent, asked: &Asked) -> String {
    let (ground, edge, ink, faint) = if asked.dark {
        ("#1d2026", "#343943", "#f2f3f5", "#a3a9b4")
    } else {
        ("#ffffff", "#dcdfe4", "#1d2026", "#5c6470")
    };
    let heading = match &asked.label {
        Some(label) => format!("{label} · {}", shown.state),
        None => shown.state.clone(),
    };
    let line = |text: &str, y: u32, size: f64, fill: &str, weight: u32| {
        let text = cut(text, size, CARD_TEXT);
        format!(
            r#"<text x="48" y="{y}" font-size="{size}" font-weight="{weight}" fill="{fill}">{}</text>"#,
            escape(&text)
        )
    };
    // Without a description the two other lines stand in the middle.
    let down = if shown.introduce.is_empty() { 12 } else { 0 };
    // Offline and away have one line alone.
    let title = if shown.title == shown.state {
        ""
    } else {
        &shown.title
    };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="320" height="96" viewBox="0 0 320 96" role="img" aria-label="{}: {}"><rect x=".5" y=".5" width="319" height="95" rx="12" fill="{ground}" stroke="{edge}"/><circle cx="26" cy="48" r="8" fill="{}"/><clipPath id="b"><rect x="48" width="260" height="96"/></clipPath><g clip-path="url(#b)" font-family="system-ui,'Segoe UI','DejaVu Sans','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif">{}{}{}</g></svg>"##,
        escape(&heading),
        escape(&shown.title),
        shown.colour,
        line(
            &heading,
            if title.is_empty() { 53 } else { 30 + down },
            12.0,
            faint,
            400
        ),
        line(title, 53 + down, 16.0, ink, 600),
        line(&shown.introduce, 75, 12.0, faint, 400),
    )
}

fn picture(svg: String) -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("image/svg+xml; charset=utf-8"),
        ),
        (CACHE_CONTROL, REVALIDATE),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ),
    ];
    (headers, svg).into_response()
}

/// Black or white, by the luminance that WCAG 2.2 defines for a colour `#rrggbb`.
fn ink_on(colour: &str) -> &'static str {
    let part = |at: usize| {
        let channel = colour
            .get(at..at + 2)
            .and_then(|part| u8::from_str_radix(part, 16).ok());
        let channel = f64::from(channel.unwrap_or_default()) / 255.0;
        if channel <= 0.040_45 {
            channel / 12.92
        } else {
            ((channel + 0.055) / 1.055).powf(2.4)
        }
    };
    let luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
    // Where the contrast with both is the same.
    if luminance > 0.179 {
        "#1d2026"
    } else {
        "#ffffff"
    }
}

/// The text as far as it fits, with an ellipsis where it is cut.
fn cut(text: &str, size: f64, box_width: f64) -> String {
    if width(text, size) <= box_width {
        return text.to_owned();
    }
    let mut taken = width("…", size);
    let fits = text.chars().take_while(|character| {
        taken += of_character(*character) * size;
        taken <= box_width
    });
    fits.collect::<String>().trim_end().to_owned() + "…"
}

fn width(text: &str, size: f64) -> f64 {
    text.chars().map(of_character).sum::<f64>() * size
}

/// The advance of a character in a wide sans-serif (Verdana's classes), as a part of the font's size.
fn of_character(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.37,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.46,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'A'..='Z' | '0'..='9' => 0.7,
        '\u{2e80}'.. => 1.05,
        _ => 0.64,
    }
}

#[cfg(test)]
mod tests {
    use porchlight_api::{HeartbeatFields, Rgba};

    use super::*;

    fn shown(application: &str, introduce: &str, rgba: &str) -> BadgeContent {
        let fields = HeartbeatFields {
            application: application.to_owned(),
            introduce: introduce.to_owned(),
            rgba: rgba.parse().unwrap_or_else(|_| Rgba::none()),
            application_online: true,
            track: None,
        };
        let check = Check {
            alive: true,
            last_heartbeat: 1,
            fields: Some(fields),
        };
        BadgeContent::of(&check, &Asked::by(None))
    }

    #[test]
    fn no_text_is_wider_than_its_box() {
        for text in [
            "a".repeat(200),
            "W".repeat(200),
            "编辑器".repeat(60),
            "😀 ".repeat(90),
        ] {
            for (size, box_width) in [(11.0, BADGE_PART), (16.0, CARD_TEXT), (12.0, CARD_TEXT)] {
                let text = cut(&text, size, box_width);
                assert!(
                    width(&text, size) <= box_width && text.ends_with('…'),
                    "{text}"
                );
            }
        }
        assert_eq!(cut("Code", 11.0, BADGE_PART), "Code");
    }

    #[test]
    fn markup_in_a_text_stays_text() {
        let shown = shown("</text><script>alert(1)</script>", "\"&'", "1,2,3,1");
        let asked = Asked::by(Some("label=%3Cb%20a%3D%22%22%3E"));
        for svg in [badge_of(&shown, &asked), card_of(&shown, &asked)] {
            assert!(!svg.contains("<script") && !svg.contains("<b "), "{svg}");
            assert!(svg.contains("&lt;script"), "{svg}");
        }
    }

    #[test]
    fn the_text_on_a_colour_has_contrast() {
        assert_eq!(ink_on(&shown("a", "", "255,180,84,1").colour), "#1d2026");
        assert_eq!(ink_on(&shown("a", "", "20,30,120,1").colour), "#ffffff");
    }
}
