//! SVG, drawn by resvg: no script, no network, and no file but itself; the fonts are those of the system.

use std::sync::{Arc, OnceLock};

use quick_xml::Reader;
use quick_xml::events::Event;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};

use super::ConvertError;
use super::still::{Still, image_of};

/// It is drawn at so many times its size, for screens with dense pixels,
const TIMES: f32 = 2.0;
/// but with no side longer than this, in pixels.
const LONGEST: f32 = 2_560.0;

/// So far into a file its first element is looked for.
const PROLOGUE: usize = 4_096;

static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();

/// The fonts of the system. They are listed once, which takes some milliseconds for each hundred.
pub(super) fn fonts() -> Arc<fontdb::Database> {
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        Arc::new(fonts)
    });
    Arc::clone(fonts)
}

/// Whether the first element of a text is `svg`. Declarations and comments come first.
pub(super) fn is_svg(source: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&source[..source.len().min(PROLOGUE)]);
    let mut reader = Reader::from_str(beginning.trim_start_matches('\u{FEFF}'));
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                return element.name().as_ref() == b"svg";
            }
            Ok(Event::Text(text)) if text.trim_ascii().is_empty() => {}
            Ok(Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_)) => {}
            _ => return false,
        }
    }
}

pub(super) fn decode(source: &[u8]) -> Result<Still, ConvertError> {
    let options = Options {
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            // An address of another file.
            resolve_string: Box::new(|_, _| None),
        },
        fontdb: fonts(),
        ..Options::default()
    };
    let tree = Tree::from_data(source, &options).map_err(ConvertError::invalid)?;
    let size = tree.size();
    let scale = TIMES.min(LONGEST / size.width().max(size.height()));
    let side = |side: f32| ((side * scale).round() as u32).max(1);
    let (width, height) = (side(size.width()), side(size.height()));
    let mut drawn = Pixmap::new(width, height).ok_or(ConvertError::TooLarge)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut drawn.as_mut(),
    );
    let pixels = drawn.take_demultiplied();
    Ok(Still::of(image_of::<u8>((width, height), 4, pixels)?))
}
