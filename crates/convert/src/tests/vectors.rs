//! SVG: what is drawn, and what it cannot reach.

use super::{OPTIONS, converted, pixels};
use crate::{ConvertError, SourceFormat, convert};

fn svg(body: &str) -> Vec<u8> {
    let head =
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#;
    format!("{head} width='40' height='20'>{body}</svg>").into_bytes()
}

#[test]
fn an_svg_is_drawn_at_twice_its_size_on_nothing() {
    let source = svg("<rect width='20' height='20' fill='#c81e28'/>");
    let stored = converted(&source);
    assert_eq!(
        (stored.format, stored.width, stored.height),
        (SourceFormat::Svg, 80, 40)
    );
    let stored = pixels(&stored.webp).to_rgba8();
    assert_eq!(stored.get_pixel(10, 20).0, [200, 30, 40, 255]);
    assert_eq!(stored.get_pixel(60, 20).0[3], 0);
}

#[test]
fn a_large_svg_is_drawn_within_2560_pixels() {
    let source = b"<svg xmlns='http://www.w3.org/2000/svg' width='4000' height='1000'><path d='M0 0H4000V1000z'/></svg>";
    let stored = converted(source);
    assert_eq!((stored.width, stored.height), (2_560, 640));
}

#[test]
fn an_svg_is_known_by_its_first_element_whatever_stands_before_it() {
    let body = svg("<rect width='40' height='20'/>");
    for before in [
        "\u{feff}",
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- made by hand -->\n",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>\n",
        "  <!DOCTYPE svg [ <!ENTITY a 'b'> ]>",
    ] {
        let source = [before.as_bytes(), &body].concat();
        assert_eq!(SourceFormat::of(&source), Ok(SourceFormat::Svg), "{before}");
        assert_eq!(converted(&source).width, 80, "{before}");
    }
    for other in [
        "<html><svg></svg></html>",
        "<svgx/>",
        "svg",
        "<?xml version='1.0'?><rss/>",
        "<!-- <svg> -->",
    ] {
        assert_eq!(
            SourceFormat::of(other.as_bytes()),
            Err(ConvertError::Unsupported),
            "{other}"
        );
    }
}

#[test]
fn an_svg_shows_no_other_file_and_nothing_of_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("red.png");
    let red = image::RgbImage::from_pixel(40, 20, image::Rgb([255, 0, 0]));
    red.save(&file).unwrap();
    for address in [
        file.display().to_string(),
        format!("file://{}", file.display()),
        "http://127.0.0.1:9/red.png".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        let image =
            format!("<image width='40' height='20' href='{address}' xlink:href='{address}'/>");
        let stored = pixels(&converted(&svg(&image)).webp).to_rgba8();
        assert!(stored.pixels().all(|pixel| pixel.0[3] == 0), "{address}");
    }
    let entity = format!(
        "<!DOCTYPE svg [<!ENTITY secret SYSTEM 'file:///etc/passwd'>]>{}",
        String::from_utf8(svg("<text y='10'>&secret;</text>")).unwrap()
    );
    // An unknown entity is an error of the text, or nothing.
    let result = convert(entity.as_bytes(), &OPTIONS);
    if let Ok(stored) = result {
        let stored = pixels(&stored.webp).to_rgba8();
        assert!(stored.pixels().all(|pixel| pixel.0[3] == 0));
    }
}

#[test]
fn entities_that_hold_themselves_a_thousand_times_are_refused() {
    let mut entities = "<!ENTITY a0 'xxxxxxxxxx'>".to_owned();
    for n in 1..10 {
        let inner = format!("&a{};", n - 1).repeat(10);
        entities += &format!("<!ENTITY a{n} '{inner}'>");
    }
    let body = String::from_utf8(svg("<text y='10'>&a9;</text>")).unwrap();
    let source = format!("<!DOCTYPE svg [{entities}]>{body}");
    let result = convert(source.as_bytes(), &OPTIONS);
    assert!(
        matches!(result, Err(ConvertError::Invalid(_))),
        "{result:?}"
    );
    let itself = svg("<g id='a'><use href='#a'/></g>");
    assert!(convert(&itself, &OPTIONS).is_ok());
}

#[test]
fn an_svg_with_a_million_elements_ends() {
    let source = svg(&"<path d='M0 0h1'/>".repeat(1_000_000));
    let result = convert(&source, &OPTIONS);
    assert!(
        matches!(result, Ok(_) | Err(ConvertError::Invalid(_))),
        "{result:?}"
    );
}

#[test]
fn a_text_without_its_font_is_no_error() {
    let source = svg("<text x='2' y='15' font-family='No Such Font'>light</text>");
    assert_eq!(converted(&source).width, 80);
}
