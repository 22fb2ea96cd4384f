//! SVG, drawn by resvg: no script, no network, and no file but itself; the fonts are those of the system.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};

use super::ConvertError;
use super::orientation::Orientation;
use super::picture::{Channels, Coding, Raster, Samples};
use super::space::Space;
use super::still::Still;

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

/// Whether the first element of a text is `svg`.
pub(super) fn is_svg(source: &[u8]) -> bool {
    let source = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source);
    let beginning = &source[..source.len().min(PROLOGUE)];
    let mut rest = String::from_utf8_lossy(beginning).into_owned();
    loop {
        let text = rest.trim_start();
        // Declarations and comments come first.
        let end = match text {
            _ if text.starts_with("<!--") => "-->",
            _ if text.starts_with("<?") => "?>",
            _ if text.starts_with("<!DOCTYPE")
                && text.split('>').next().is_some_and(|t| t.contains('[')) =>
            {
                "]"
            }
            _ if text.starts_with("<!DOCTYPE") || text.starts_with('>') => ">",
            _ => {
                return text.strip_prefix("<svg").is_some_and(|after| {
                    after
                        .starts_with(|next: char| next.is_whitespace() || matches!(next, '>' | '/'))
                });
            }
        };
        let Some((_, after)) = text.split_once(end) else {
            return false;
        };
        rest = after.to_owned();
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
    let mut samples = Samples::Eight(drawn.take());
    samples.divide_by_alpha(Channels::Rgba);
    Ok(Still {
        raster: Raster {
            width,
            height,
            channels: Channels::Rgba,
            samples,
        },
        space: Space::Srgb,
        orientation: Orientation::NoTransforms,
        coding: Coding::Unknown,
    })
}
