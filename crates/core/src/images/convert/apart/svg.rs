//! SVG: drawings of shapes, by resvg. What is not in the file itself is not there: no fonts, no
//! other files, no pictures in it, no scripts. A drawing that needs one of these is refused as not
//! supported, since it would come out as another one than its author drew. So is one that moves.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::roxmltree::{Document, ParsingOptions};
use resvg::usvg::{Group, Node, Options, Tree};

use super::super::ConvertError;
use super::super::limits::Limits;
use super::super::orientation::Orientation;
use super::super::picture::{Channels, Samples};
use super::wire::Head;
use super::{Decoding, Shown};

/// The most elements and texts of a file.
const MAX_NODES: u32 = 200_000;
/// How deep elements may be inside each other: each level takes some of the stack.
const MAX_DEPTH: u32 = 256;
/// What drawing may cost, in pixels touched. A drawing that needs more is a trap, or would take
/// minutes.
const MAX_COST: u64 = 10_000_000_000;
/// Bytes of the layers that lie inside each other. Where the system bounds a process this is never
/// reached first; not every system does.
const MAX_LAYERS: u64 = 1 << 30;
/// What the smallest shape costs.
const SHAPE: u64 = 4096;
/// The most pixels, whatever the settings allow: each group with transparency holds a copy.
const MAX_PIXELS: u64 = 1 << 25;

/// Elements that need what is not here, or that move.
const UNSUPPORTED: [&str; 9] = [
    "text",
    "image",
    "feImage",
    "foreignObject",
    "animate",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "set",
];

const SVG: &str = "http://www.w3.org/2000/svg";

/// Whether bytes begin as an SVG does: an element `svg`, with nothing but XML's own before it.
pub(crate) fn is_svg(source: &[u8]) -> bool {
    let mut rest = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source);
    loop {
        rest = rest.trim_ascii_start();
        let Some(after) = rest.strip_prefix(b"<") else {
            return false;
        };
        let end: &[u8] = match after {
            [b'?', ..] => b"?>",
            [b'!', b'-', b'-', ..] => b"-->",
            [b'!', ..] => match doctype_end(after) {
                Some(end) => {
                    rest = &after[end..];
                    continue;
                }
                None => return false,
            },
            _ => {
                // With a prefix for its namespace, or without.
                let name = after
                    .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
                    .next()
                    .unwrap_or_default();
                return name == b"svg" || name.ends_with(b":svg");
            }
        };
        let Some(at) = after.windows(end.len()).position(|window| window == end) else {
            return false;
        };
        rest = &after[at + end.len()..];
    }
}

/// Where a document type ends, its own definitions in brackets included.
fn doctype_end(after: &[u8]) -> Option<usize> {
    if !after.get(..8)?.eq_ignore_ascii_case(b"!DOCTYPE") {
        return None;
    }
    let mut inside = false;
    for (at, byte) in after.iter().enumerate() {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            b'>' if !inside => return Some(at + 1),
            _ => {}
        }
    }
    None
}

pub(super) fn open<'a>(
    source: &'a [u8],
    limits: &Limits,
    with_pixels: bool,
) -> Result<Decoding<'a>, ConvertError> {
    let text = std::str::from_utf8(source).map_err(ConvertError::invalid)?;
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(ConvertError::invalid)?;
    look_for_what_is_missing(&document)?;
    let tree = Tree::from_xmltree(&document, &Options::default()).map_err(ConvertError::invalid)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let pixels = limits.check_frame(width, height)?;
    if pixels > MAX_PIXELS {
        return Err(ConvertError::TooLarge);
    }
    let mut cost = MAX_COST;
    spend(tree.root(), pixels, false, 0, &mut cost)?;
    let mut left = with_pixels;
    let frames = move || {
        if !std::mem::take(&mut left) {
            return Ok(None);
        }
        let mut pixmap = Pixmap::new(width, height).ok_or(ConvertError::TooLarge)?;
        let (x, y) = (
            width as f32 / tree.size().width(),
            height as f32 / tree.size().height(),
        );
        resvg::render(&tree, Transform::from_scale(x, y), &mut pixmap.as_mut());
        let mut samples = pixmap.take();
        super::jxl::divide(&mut samples, Channels::Rgba, u8::MAX);
        Ok(Some(Shown {
            milliseconds: 0,
            samples: Samples::Eight(samples),
        }))
    };
    Ok(Decoding {
        head: Head {
            width,
            height,
            frames: 1,
            plays: 1,
            orientation: Orientation::UPRIGHT,
            channels: Channels::Rgba,
            sixteen: false,
            lossy: false,
            profile: None,
        },
        frames: Box::new(frames),
    })
}

fn look_for_what_is_missing(document: &Document<'_>) -> Result<(), ConvertError> {
    let mut depth = 0_u32;
    let mut node = document.root();
    // Not by recursion, which is what this guards against.
    loop {
        let name = node.tag_name();
        if name.namespace() == Some(SVG) && UNSUPPORTED.contains(&name.name()) {
            return Err(ConvertError::Unsupported);
        }
        if let Some(child) = node.first_child() {
            (node, depth) = (child, depth + 1);
            if depth > MAX_DEPTH {
                return Err(ConvertError::invalid("elements too deep inside each other"));
            }
            continue;
        }
        loop {
            if let Some(sibling) = node.next_sibling() {
                node = sibling;
                break;
            }
            let Some(parent) = node.parent() else {
                return Ok(());
            };
            (node, depth) = (parent, depth.saturating_sub(1));
        }
    }
}

/// Takes what drawing this group costs from what may be spent. What is used many times is counted
/// as often, and the counting itself ends where that is spent. Inside a pattern or a mask, where
/// places say nothing, each shape counts as large as the picture.
fn spend(
    group: &Group,
    pixels: u64,
    hidden: bool,
    layers: u64,
    left: &mut u64,
) -> Result<(), ConvertError> {
    // Each layer is a picture of its own for as long as what is in it is drawn.
    let layers = layers + u64::from(group.should_isolate());
    if layers * pixels * 4 > MAX_LAYERS {
        return Err(ConvertError::invalid(
            "drawing it would take too much memory",
        ));
    }
    let filters = group.filters().iter();
    let steps: u64 = filters.map(|filter| filter.primitives().len() as u64).sum();
    take(
        SHAPE + pixels * (u64::from(group.should_isolate()) + 4 * steps),
        left,
    )?;
    for node in group.children() {
        match node {
            Node::Group(inner) => spend(inner, pixels, hidden, layers, left)?,
            Node::Path(path) => {
                let area = path.abs_stroke_bounding_box();
                let area = if hidden {
                    pixels
                } else {
                    ((area.width() * area.height()) as u64).min(pixels)
                };
                // Many points cost more than what they surround.
                take(SHAPE + area + path.data().len() as u64 * 16, left)?;
            }
            // Neither is drawn without its feature, nor let through above.
            Node::Image(_) | Node::Text(_) => return Err(ConvertError::Unsupported),
        }
        let mut outcome = Ok(());
        node.subroots(|inner| {
            if outcome.is_ok() {
                outcome = spend(inner, pixels, true, layers, left);
            }
        });
        outcome?;
    }
    Ok(())
}

fn take(cost: u64, left: &mut u64) -> Result<(), ConvertError> {
    *left = left
        .checked_sub(cost)
        .ok_or_else(|| ConvertError::invalid("drawing it would take too long"))?;
    Ok(())
}
