//! Animations stay animations: what is shown, for how long, and how often.

use image::RgbaImage;
use image_webp::{LoopCount, WebPDecoder};

use super::sources::{Still, apng, frame, gif, patch, photo, png_chunk};
use super::{converted, pixels, refused};
use crate::ConvertError;

const RED: [u8; 4] = [230, 20, 20, 255];
const GREEN: [u8; 4] = [20, 200, 40, 255];
const BLUE: [u8; 4] = [20, 40, 220, 255];
const NONE: [u8; 4] = [0; 4];

/// When a frame ends, in milliseconds, and what it shows in the middle of each of three fields.
pub(super) type ShownFrame = (i32, [[u8; 4]; 3]);

/// The frames, and how often they play; by libwebp itself.
pub(super) fn played(webp: &[u8]) -> (Vec<ShownFrame>, u32) {
    let decoder = webp::AnimDecoder::new(webp);
    let images = decoder.decode().unwrap();
    let frames = images.into_iter().map(|frame| {
        let (width, layout) = (frame.width(), frame.get_layout());
        let bytes = if layout == webp::PixelLayout::Rgba {
            4
        } else {
            3
        };
        let colour = |field: u32| {
            let at = ((8 * width + field * 16 + 8) * bytes) as usize;
            let pixel = &frame.get_image()[at..at + bytes as usize];
            [pixel[0], pixel[1], pixel[2], *pixel.get(3).unwrap_or(&255)]
        };
        (frame.get_time_ms(), [colour(0), colour(1), colour(2)])
    });
    let frames = frames.collect();
    let plays = match WebPDecoder::new(std::io::Cursor::new(webp))
        .unwrap()
        .loop_count()
    {
        LoopCount::Forever => 0,
        LoopCount::Times(times) => u32::from(times.get()),
    };
    (frames, plays)
}

fn assert_played(webp: &[u8], expected: &[ShownFrame], plays: u32) {
    let (frames, actual_plays) = played(webp);
    let ends = |frames: &[ShownFrame]| frames.iter().map(|f| f.0).collect::<Vec<_>>();
    assert_eq!(ends(&frames), ends(expected), "the times");
    for (n, (actual, expected)) in frames.iter().zip(expected).enumerate() {
        for (actual, expected) in actual.1.iter().zip(expected.1) {
            // What is transparent has no colour.
            let seen = if expected[3] == 0 { 3..4 } else { 0..4 };
            let close = actual[seen.clone()]
                .iter()
                .zip(&expected[seen])
                .all(|(a, e)| a.abs_diff(*e) < 14);
            assert!(close, "frame {n}: {actual:?} is not {expected:?}");
        }
    }
    assert_eq!(actual_plays, plays, "how often");
}

/// Three fields of 16 × 16: all red; green in the second; blue in the third.
fn fields(dispose: u8) -> Vec<Still> {
    vec![
        frame(0, RgbaImage::from_pixel(48, 16, image::Rgba(RED)), 10, 0),
        frame(16, patch(16, GREEN), 25, dispose),
        frame(32, patch(16, BLUE), 7, 0),
    ]
}

fn shown(after_green: [u8; 4]) -> [ShownFrame; 3] {
    [
        (100, [RED; 3]),
        (350, [RED, GREEN, RED]),
        (420, [RED, after_green, BLUE]),
    ]
}

#[test]
fn frames_times_and_disposal_survive_from_gif_and_apng() {
    for (dispose, after_green) in [(0, GREEN), (1, NONE), (2, RED)] {
        let from_gif = converted(&gif(48, 16, Some(0), &fields(dispose)));
        assert_eq!(from_gif.frames, 3);
        assert_played(&from_gif.webp, &shown(after_green), 0);
        let from_apng = converted(&apng(48, 16, 0, &fields(dispose)));
        assert_eq!(from_apng.frames, 3);
        assert_played(&from_apng.webp, &shown(after_green), 0);
    }
}

#[test]
fn uncovered_canvas_is_transparent() {
    // Both are opaque, and smaller than the canvas.
    let frames = [
        frame(16, patch(16, RED), 10, 2),
        frame(16, patch(16, BLUE), 10, 2),
    ];
    let stored = converted(&gif(48, 16, Some(0), &frames)).webp;
    let decoder = WebPDecoder::new(std::io::Cursor::new(&stored)).unwrap();
    assert!(decoder.has_alpha());
    let shown = [(100, [NONE, RED, NONE]), (200, [NONE, BLUE, NONE])];
    assert_played(&stored, &shown, 0);

    let covered = converted(&gif(48, 16, Some(0), &fields(0))).webp;
    let decoder = WebPDecoder::new(std::io::Cursor::new(&covered)).unwrap();
    assert!(!decoder.has_alpha());
}

#[test]
fn a_webp_plays_one_time_more_than_a_gif_repeats() {
    let plays = |again| played(&converted(&gif(48, 16, again, &fields(0))).webp).1;
    assert_eq!(plays(None), 1, "without the count a GIF plays once");
    assert_eq!(plays(Some(0)), 0);
    assert_eq!(plays(Some(4)), 5);
    assert_eq!(plays(Some(u16::MAX)), u32::from(u16::MAX));
    let plays = |plays| played(&converted(&apng(48, 16, plays, &fields(0))).webp).1;
    assert_eq!((plays(0), plays(1), plays(7)), (0, 1, 7));
}

#[test]
fn a_delay_that_no_browser_plays_is_stored_as_browsers_play_it() {
    let frames: Vec<Still> = [0, 1, 2, 3]
        .into_iter()
        .zip([RED, GREEN, BLUE, RED])
        .map(|(delay, colour)| {
            frame(
                0,
                RgbaImage::from_pixel(48, 16, image::Rgba(colour)),
                delay,
                0,
            )
        })
        .collect();
    let expected = [
        (100, [RED; 3]),
        (200, [GREEN; 3]),
        (220, [BLUE; 3]),
        (250, [RED; 3]),
    ];
    assert_played(&converted(&gif(48, 16, None, &frames)).webp, &expected, 1);
    assert_played(&converted(&apng(48, 16, 1, &frames)).webp, &expected, 1);
}

#[test]
fn transparency_of_an_animation_survives() {
    let frames = [
        frame(0, RgbaImage::from_pixel(48, 16, image::Rgba(NONE)), 10, 0),
        frame(16, patch(16, GREEN), 10, 1),
        frame(32, patch(16, [20, 40, 220, 128]), 10, 1),
    ];
    let expected = [
        (100, [NONE; 3]),
        (200, [NONE, GREEN, NONE]),
        (300, [NONE, NONE, [20, 40, 220, 128]]),
    ];
    assert_played(&converted(&apng(48, 16, 0, &frames)).webp, &expected, 0);
}

#[test]
fn one_frame_is_a_still() {
    let one = &fields(0)[..1];
    for source in [gif(48, 16, Some(0), one), apng(48, 16, 0, one)] {
        let converted = converted(&source);
        assert_eq!(converted.frames, 1);
        assert!(!converted.webp.windows(4).any(|four| four == b"ANIM"));
        assert_eq!(pixels(&converted.webp).to_rgba8().get_pixel(20, 9).0, RED);
    }
}

#[test]
fn an_animated_webp_is_stored_as_it_came_less_its_metadata() {
    let stored = converted(&gif(48, 16, Some(0), &fields(1))).webp;
    let mut file = img_parts::webp::WebP::from_bytes(stored.clone().into()).unwrap();
    img_parts::ImageEXIF::set_exif(&mut file, Some(super::sources::exif(1).into()));
    let with_exif = file.encoder().bytes();
    assert!(with_exif.len() > stored.len());
    let again = converted(&with_exif);
    assert_eq!((again.frames, again.webp == stored), (3, true));
}

#[test]
fn an_animated_webp_that_must_be_turned_is_turned_frame_by_frame() {
    let stored = converted(&gif(48, 16, Some(2), &fields(2))).webp;
    let mut file = img_parts::webp::WebP::from_bytes(stored.into()).unwrap();
    img_parts::ImageEXIF::set_exif(&mut file, Some(super::sources::exif(2).into()));
    let turned = converted(&file.encoder().bytes());
    let mirrored = shown(RED).map(|(end, [a, b, c])| (end, [c, b, a]));
    assert_played(&turned.webp, &mirrored, 3);
}

#[test]
fn a_long_animation_of_photographs_is_smaller_than_its_frames_alone() {
    let wide = image::DynamicImage::from(photo(220, 120));
    let frames: Vec<Still> = (0..20)
        .map(|n| frame(0, wide.crop_imm(n * 3, 0, 160, 120).to_rgba8(), 5, 0))
        .collect();
    let source = gif(160, 120, Some(0), &frames);
    let converted = converted(&source);
    assert_eq!(played(&converted.webp).0.last().unwrap().0, 1000);
    assert!(converted.webp.len() < source.len());
}

#[test]
fn more_frames_than_announced_are_not_played() {
    let mut file = apng(48, 16, 0, &fields(0));
    let at = file.windows(4).position(|four| four == b"acTL").unwrap() - 4;
    file.splice(at..at + 20, png_chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]));
    let converted = converted(&file);
    assert_eq!(converted.frames, 2);
    assert_played(&converted.webp, &shown(GREEN)[..2], 0);
}

#[test]
fn a_picture_for_readers_without_animation_is_no_frame() {
    // The file of two frames, with the control of the first one taken out: its picture is then
    // only for those who do not know animations.
    let file = apng(48, 16, 0, &fields(0));
    let mut without = file[..8].to_vec();
    let (mut at, mut first) = (8, true);
    while at < file.len() {
        let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let chunk = &file[at..at + 12 + length];
        at += 12 + length;
        match &chunk[4..8] {
            b"fcTL" if std::mem::take(&mut first) => {}
            b"acTL" => without.extend(png_chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0])),
            kind @ (b"fcTL" | b"fdAT") => {
                let mut body = chunk[8..8 + length].to_vec();
                let order = u32::from_be_bytes(body[..4].try_into().unwrap()) - 1;
                body[..4].copy_from_slice(&order.to_be_bytes());
                without.extend(png_chunk(kind.try_into().unwrap(), &body));
            }
            _ => without.extend(chunk),
        }
    }
    let converted = converted(&without);
    assert_eq!(converted.frames, 2);
    assert_played(
        &converted.webp,
        &[(250, [NONE, GREEN, NONE]), (320, [NONE, GREEN, BLUE])],
        0,
    );
}

#[test]
fn fewer_frames_than_announced_are_refused() {
    for (announced, too_large) in [(4_u32, false), (1_000_000, true)] {
        let mut file = apng(48, 16, 0, &fields(0));
        let at = file.windows(4).position(|four| four == b"acTL").unwrap() - 4;
        let body = [announced.to_be_bytes(), [0; 4]].concat();
        file.splice(at..at + 20, png_chunk(b"acTL", &body));
        let is_too_large = refused(&file) == ConvertError::TooLarge;
        assert_eq!(is_too_large, too_large, "{announced}");
    }
}
