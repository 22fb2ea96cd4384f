//! Badges and cards as WebKitGTK draws them: each text stays in its box, whatever fonts a reader has,
//! and is measured as it is drawn.

use std::fmt::Write as _;
use std::fs;
use std::ops::RangeInclusive;

use fantoccini::Client;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use crate::harness::desktop::Desktop;
use crate::harness::{TestService, browser};

/// A text; how wide its font draws it in terms of its measured width, where such a font is installed.
const TEXTS: [(&str, Option<RangeInclusive<f64>>); 18] = [
    ("Zed", EXACT),
    ("W", EXACT),
    ("illicit ", EXACT),
    ("Ünïcödé — Œuvre, œil… ", EXACT),
    ("Привет, мир ", EXACT),
    ("Ελληνικά ", EXACT),
    ("Trình soạn thảo ", EXACT),
    ("编辑器窗口・エディタ", EXACT),
    ("Zu\u{308}rich e\u{301}\u{302}\u{323}", EXACT),
    (
        "😀👨\u{200d}👩\u{200d}👧\u{200d}👦🇨🇳👍🏽1\u{fe0f}\u{20e3}❤\u{fe0f}",
        CLOSE,
    ),
    ("😀\u{200d}😀 joined ", None),
    // No font joins so many.
    (
        "Emoji 😀\u{200d}😀\u{200d}😀\u{200d}😀\u{200d}😀\u{200d}😀\u{200d}😀\u{200d}😀 joined ",
        CLOSE,
    ),
    ("co\u{ad}ope\u{ad}\u{ad}\u{ad}\u{ad}ra\u{ad}tion ", EXACT),
    ("a\u{ad}\u{301}b\u{34f}c\u{fe0e}d\u{206a}e ", EXACT),
    ("محرر النصوص مُحَرِّر ", CLOSE),
    ("שלום, עולם ", CLOSE),
    ("क्षत्रिय हिन्दी पाठ ", None),
    ("தமிழ் உரை ﷽ 𒐫", None),
];
/// Letters that move together, and whole pixels.
const EXACT: Option<RangeInclusive<f64>> = Some(0.96..=1.005);
const CLOSE: Option<RangeInclusive<f64>> = Some(0.8..=1.005);

/// The characters whose widths are kept: those that DejaVu Sans has of scripts whose letters do not
/// join.
const RANGES: [(u32, u32); 16] = [
    (0x20, 0x7e),
    (0xa0, 0xac),
    (0xae, 0x17f),
    (0x1a0, 0x1a1),
    (0x1af, 0x1b0),
    (0x1cd, 0x1dc),
    (0x218, 0x21b),
    (0x391, 0x3a1),
    (0x3a3, 0x3ce),
    (0x400, 0x45f),
    (0x490, 0x491),
    (0x1ea0, 0x1ef9),
    (0x2010, 0x2027),
    (0x2030, 0x203a),
    (0x20ac, 0x20ac),
    (0x2122, 0x2122),
];
const WIDTHS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/crates/service/src/router/routes/badge/widths.rs"
);
const HEAD: &str = "\
//! The advances of DejaVu Sans 2.37, in thousandths of the font's size, measured and compared by
//! `tests/service/badge_drawing.rs`. The font (<https://dejavu-fonts.github.io>) is by Bitstream and the
//! DejaVu project, under the licence of Bitstream Vera; no part of its files is here.

/// The first character of a row, and the advances from there on.
#[rustfmt::skip]
pub(super) const WIDTHS: &[(u32, &[u16])] = &[
";

/// What each text of some pictures draws, alone and without what cuts it off, in the coordinates of
/// its box: as it is served, and in a font twice as large, which is wider than any that a reader has.
const DRAW: &str = r#"
const [pictures, done] = arguments;
const [across, down, scale] = [150, 30, 2];
const number = (one, name) => Number(one.getAttribute(name) ?? 0);
const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
async function ink(text, family, width, height) {
  const image = new Image();
  image.src = 'data:image/svg+xml,' + encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * scale}" height="${height * scale}"
      viewBox="${-across} ${-down} ${width} ${height}"><g font-family="${family}">` +
    new XMLSerializer().serializeToString(text) + '</g></svg>');
  await image.decode();
  [pen.canvas.width, pen.canvas.height] = [image.width, image.height];
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < data.length / 4; at += 1) {
    if (data[at * 4 + 3] < 64) continue;
    const [x, y] = [at % image.width, Math.floor(at / image.width)];
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
  }
  return [left / scale - across, top / scale - down, right / scale - across, bottom / scale - down];
}
async function lines(source) {
  const picture = new DOMParser().parseFromString(source, 'image/svg+xml').documentElement;
  const family = picture.querySelector('g[font-family]').getAttribute('font-family');
  const found = [];
  for (const box of picture.querySelectorAll('svg')) {
    const text = box.querySelector('text');
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => number(box, name));
    const size = number(text, 'font-size');
    // Ten times as large, so that nothing is rounded to pixels.
    pen.font = `${size * 10}px ${family}`;
    const natural = pen.measureText(text.textContent).width / 10;
    const drawn = [width + 2 * across, height + 2 * down];
    const served = await ink(text, family, ...drawn);
    text.setAttribute('font-size', size * 2);
    const larger = await ink(text, family, ...drawn);
    const whole = [number(picture, 'width'), number(picture, 'height')];
    const ratio = natural / number(text, 'textLength');
    found.push({ text: text.textContent, whole, frame: [x, y, width, height], ratio, served, larger });
  }
  return found;
}
Promise.all(pictures.map(lines)).then((all) => done(all.flat()), (error) => done(String(error)));
"#;

/// A text of a picture, as [`DRAW`] finds it: left, top and width, height, or right, bottom.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "the text is shown where a test fails")]
struct Drawn {
    text: String,
    whole: [f64; 2],
    frame: [f64; 4],
    /// How wide its font draws it alone, in terms of its measured width.
    ratio: f64,
    served: [f64; 4],
    larger: [f64; 4],
}

#[tokio::test]
async fn no_text_of_a_badge_or_card_is_drawn_beside_its_box() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let (page, _driver) = browser::open(&desktop, &[]).await;
    measures_the_font(&page).await;
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    for (text, ratios) in TEXTS {
        for times in [1, 80] {
            let text = text.repeat(times);
            let cut = |longest| text.chars().take(longest).collect::<String>();
            let heartbeat = json!({
                "application": cut(200), "introduce": cut(2_000), "rgba": "233,30,99,1",
                "applicationOnline": true,
            });
            assert_eq!(service.heartbeat(&heartbeat).await.status(), 200);
            let mut pictures = Vec::new();
            for path in ["/badge.svg", "/card.svg"] {
                for look in [
                    ("light", "en"),
                    ("dark", "en"),
                    ("light", "zh"),
                    ("dark", "zh"),
                ] {
                    let label = cut(64);
                    let query = [("label", &*label), ("theme", look.0), ("lang", look.1)];
                    let request = service.request(Method::GET, path).query(&query);
                    let picture = request.send().await.expect("an answer").text().await;
                    pictures.push(picture.expect("a picture"));
                }
            }
            let drawn = page.execute_async(DRAW, vec![json!(pictures)]).await;
            let drawn = drawn.expect("a script that runs");
            let drawn: Vec<Drawn> = serde_json::from_value(drawn).expect("texts");
            assert_eq!(drawn.len(), 4 * (2 + 3), "{text}");
            for line in drawn {
                let [x, y, width, height] = line.frame;
                let in_the_picture = x >= 0.0
                    && y >= 0.0
                    && x + width <= line.whole[0]
                    && y + height <= line.whole[1];
                assert!(in_the_picture, "{line:?}");
                for ink in [line.served, line.larger] {
                    assert!(ink[0] >= 0.0 && ink[2] <= width, "{line:?}");
                }
                assert!(
                    line.served[1] >= 0.0 && line.served[3] <= height,
                    "{line:?}"
                );
                let measured = ratios
                    .as_ref()
                    .is_none_or(|ratios| ratios.contains(&line.ratio));
                assert!(measured, "{line:?}");
            }
        }
    }
}

/// The kept widths are those of the font; where pictures are written they are, too.
async fn measures_the_font(page: &Client) {
    let script = "const pen = document.createElement('canvas').getContext('2d'); \
        pen.font = `1000px 'DejaVu Sans'`; \
        return arguments[0].map(([first, last]) => \
          Array.from({ length: last - first + 1 }, (_, at) => \
            Math.round(pen.measureText(String.fromCodePoint(first + at)).width)))";
    let measured = page.execute(script, vec![json!(RANGES)]).await;
    let measured = serde_json::from_value(measured.expect("a script that runs"));
    let measured: Vec<Vec<u16>> = measured.expect("numbers");
    let mut table = HEAD.to_owned();
    for ((first, _), widths) in RANGES.into_iter().zip(&measured) {
        write!(table, "    (0x{first:x}, &[").expect("to a text");
        for row in widths.chunks(20) {
            let row: Vec<String> = row.iter().map(u16::to_string).collect();
            write!(table, "\n        {},", row.join(", ")).expect("to a text");
        }
        table += "\n    ]),\n";
    }
    table += "];\n";
    if std::env::var_os("PORCHLIGHT_WRITE_SCREENSHOTS").is_some() {
        fs::write(WIDTHS, &table).expect("written");
    }
    let kept = fs::read_to_string(WIDTHS).expect("the widths");
    assert!(
        kept == table,
        "other widths than DejaVu Sans 2.37 has (fonts-dejavu-core): {table}"
    );
}
