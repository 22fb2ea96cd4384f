//! `GET /badge.json`, `/badge.svg` and `/card.svg`: presence for pages without scripts.
//!
//! `badge.json` has the schema of shields.io's endpoint badges, version 1. A picture in a page loads
//! no fonts, so a text is measured in DejaVu Sans, which is about as wide as Verdana, and shortened to
//! its box; `textLength` holds it to that width whatever font the reader has.

mod widths;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use html_escape::encode_quoted_attribute as escape;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde_json::json;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

use self::widths::WIDTHS;
use crate::http::replies::Check;
use crate::router::body::Parameters;
use crate::router::listener_state::ListenerState;
use crate::router::reply::{REVALIDATE, json as json_reply};
use crate::text::one_line;

/// In characters.
const LONGEST_LABEL: usize = 64;
/// The widest text in a part of a badge, and in a card, in pixels.
const BADGE_TEXT: f64 = 240.0;
const CARD_TEXT: f64 = 252.0;
/// What a text may draw beside its width: letters lean over their own.
const MARGIN: f64 = 6.0;
/// The size of a card's title, which alone is bold: by a stroke, so that it is as wide as it was measured.
const TITLE: u32 = 16;
/// First those that [`WIDTHS`] is right for.
const FONTS: &str = "Verdana,'DejaVu Sans','Noto Sans SC','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif";

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
    let (ground, ink) = if asked.dark {
        ("#2f343d", "#f2f3f5")
    } else {
        ("#e6e8eb", "#24272d")
    };
    let [label, message] = [label, &shown.title].map(|text| Line::cut(text, 11, BADGE_TEXT));
    let left = label.width + 2.0 * MARGIN;
    let right = message.width + 2.0 * MARGIN;
    let whole = left + right;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" viewBox="0 0 {whole} 20" role="img" aria-label="{}: {}"><clipPath id="r"><rect width="{whole}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="{left}" height="20" fill="{ground}"/><rect x="{left}" width="{right}" height="20" fill="{}"/></g><g font-family="{FONTS}">{}{}</g></svg>"##,
        escape(&label.text),
        escape(&message.text),
        shown.colour,
        label.at(MARGIN, 14, ink),
        message.at(left + MARGIN, 14, ink_on(&shown.colour)),
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
    let line = |text: &str, y: u32, size: u32, fill: &str| {
        if text.is_empty() {
            return String::new();
        }
        Line::cut(text, size, CARD_TEXT).at(48.0, y, fill)
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
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="320" height="96" viewBox="0 0 320 96" role="img" aria-label="{}: {}"><rect x=".5" y=".5" width="319" height="95" rx="12" fill="{ground}" stroke="{edge}"/><circle cx="26" cy="48" r="8" fill="{}"/><g font-family="{FONTS}">{}{}{}</g></svg>"##,
        escape(&heading),
        escape(&shown.title),
        shown.colour,
        line(
            &heading,
            if title.is_empty() { 53 } else { 30 + down },
            12,
            faint
        ),
        line(title, 53 + down, TITLE, ink),
        line(&shown.introduce, 75, 12, faint),
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
    // Where the contrast with both is the same, 4.6.
    if luminance > 0.179 {
        "#000000"
    } else {
        "#ffffff"
    }
}

/// A text that fits its box.
struct Line {
    text: String,
    width: f64,
    size: u32,
}

impl Line {
    /// The text as far as it fits, with an ellipsis where it is cut.
    fn cut(text: &str, size: u32, longest: f64) -> Self {
        let of = |cluster: &str| of_cluster(cluster) * f64::from(size);
        let width = |text: &str| text.graphemes(true).map(of).sum::<f64>().ceil();
        // As it is drawn: a run of spaces is one.
        let mut text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        if width(&text) > longest {
            let mut room = longest - of("…");
            let fits = text.graphemes(true).take_while(|cluster| {
                room -= of(cluster);
                room >= 0.0
            });
            text = fits.collect::<String>().trim_end().to_owned() + "…";
        }
        Self {
            width: width(&text),
            text,
            size,
        }
    }

    /// Drawn from this point of its baseline. Marks that stack are cut off at the edges of the inner
    /// `<svg>`, so that they cross no other line.
    fn at(&self, x: f64, baseline: u32, fill: &str) -> String {
        let Self { text, width, size } = self;
        let stroke = if *size == TITLE { 0.6 } else { 0.0 };
        let rise = f64::from(*size) * 1.2;
        format!(
            r#"<svg x="{}" y="{:.1}" width="{}" height="{:.1}"><text x="{MARGIN}" y="{rise:.1}" textLength="{width}" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="{size}" fill="{fill}" stroke="{fill}" stroke-width="{stroke}">{}</text></svg>"#,
            x - MARGIN,
            f64::from(baseline) - rise,
            width + 2.0 * MARGIN,
            f64::from(*size) * 1.7,
            escape(text)
        )
    }
}

/// The advance of what a reader sees as one character, as a part of the font's size. Outside of
/// [`WIDTHS`] fonts differ: those of Chinese are one wide, and the others take the more room.
fn of_cluster(cluster: &str) -> f64 {
    let first = cluster.chars().next().map_or(0, u32::from);
    // No font joins more than four emoji to one; what it does not join is drawn narrower.
    let parts = cluster.split('\u{200d}');
    let cells = match cluster.width() {
        // A soft hyphen and its like; vowels of Hangul have no width either, but are drawn alone.
        0 if !cluster.contains(char::is_alphanumeric) => return 0.0,
        2 if parts.clone().count() > 4 => parts.map(UnicodeWidthStr::width).sum(),
        cells => cells.max(1),
    };
    let measured = WIDTHS.iter().find_map(|(start, widths)| {
        let at = usize::try_from(first.checked_sub(*start)?).ok()?;
        widths.get(at)
    });
    match measured {
        // Two cells are an emoji that begins with a digit or sign.
        Some(&thousandths) if cells == 1 => f64::from(thousandths) / 1000.0,
        _ if matches!(first, 0x2e80..=0xffef | 0x2_0000..) => cells as f64 * 0.5,
        _ => cells as f64 * 0.65,
    }
}

#[cfg(test)]
mod tests {
    use crate::http::replies::HeartbeatFields;
    use crate::text::rgba::Rgba;

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
    fn a_text_is_cut_between_what_readers_see_as_characters() {
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
        for (character, fit) in [("W", 21), ("编", 20), (family, 16), ("e\u{301}\u{302}", 33)] {
            let line = Line::cut(&character.repeat(90), 11, BADGE_TEXT);
            assert_eq!(line.text, character.repeat(fit) + "…");
            assert!(line.width <= BADGE_TEXT, "{}", line.width);
        }
        assert_eq!(Line::cut("Code", 11, BADGE_TEXT).text, "Code");
    }

    #[test]
    fn what_is_not_drawn_has_no_width_and_no_font_joins_more_than_four_emoji() {
        let width = |text: &str| Line::cut(text, 11, BADGE_TEXT).width;
        for hidden in "\u{ad}\u{200c}\u{200d}\u{301}\u{fe0f}\u{2060}\u{202e}\u{e0041}".chars() {
            for text in [format!("{hidden}Zed"), format!("Z{hidden}e{hidden}d")] {
                assert_eq!(width(&text), width("Zed"), "{text:?}");
            }
        }
        let many = ["😀"; 9].join("\u{200d}");
        for (joined, drawn) in [("👩‍💻", 1), ("👨‍👩‍👧‍👦", 1), (&many, 9)] {
            assert_eq!(width(joined), width(&"😀".repeat(drawn)), "{joined}");
        }
    }

    #[test]
    fn a_text_is_as_wide_as_at_the_worker() {
        let rules = include_str!("../../../../../edge/tests/harness/rules.json");
        let rules: serde_json::Value = serde_json::from_str(rules).expect("rules");
        for line in rules["lines"].as_array().expect("lines") {
            let text = line[0].as_str().expect("a text");
            let cut = Line::cut(&one_line(text, LONGEST_LABEL), 11, BADGE_TEXT);
            assert_eq!(
                (Some(cut.width), cut.text.as_str()),
                (line[1].as_f64(), line[2].as_str().expect("a text"))
            );
        }
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
        assert_eq!(ink_on(&shown("a", "", "255,180,84,1").colour), "#000000");
        assert_eq!(ink_on(&shown("a", "", "20,30,120,1").colour), "#ffffff");
    }
}
