//! Sample images, and whether the page is drawn as it should be.

use image::{Rgb, RgbImage};

/// What a picture shows: its colours, and the line of its land.
struct View {
    sky: [[f32; 3]; 2],
    /// The sun, or the moon.
    light: [f32; 3],
    land: [f32; 3],
    /// How high the land is at `x`, from -1 to 1; the number makes each another one.
    line: fn(f32, f32) -> f32,
}

/// Waves of hills.
const HILLS: fn(f32, f32) -> f32 = |x, number| (x / 100.0 + number).sin();
/// Peaks.
const PEAKS: fn(f32, f32) -> f32 = |x, number| {
    let along = (x / 150.0 + number * 0.37).fract();
    4.0 * (along - 0.5).abs() - 1.0
};
/// Roofs of houses.
const ROOFS: fn(f32, f32) -> f32 = |x, number| {
    let house = (x / 58.0 + number).floor();
    (house * 12.9 + number).sin()
};

const VIEWS: [View; 6] = [
    View {
        sky: [[120.0, 175.0, 222.0], [255.0, 214.0, 170.0]],
        light: [255.0, 236.0, 168.0],
        land: [96.0, 84.0, 104.0],
        line: HILLS,
    },
    View {
        sky: [[18.0, 26.0, 58.0], [58.0, 66.0, 108.0]],
        light: [240.0, 240.0, 226.0],
        land: [70.0, 78.0, 120.0],
        line: ROOFS,
    },
    View {
        sky: [[96.0, 168.0, 222.0], [206.0, 230.0, 240.0]],
        light: [255.0, 252.0, 230.0],
        land: [92.0, 140.0, 74.0],
        line: HILLS,
    },
    View {
        sky: [[150.0, 190.0, 216.0], [236.0, 240.0, 244.0]],
        light: [255.0, 255.0, 246.0],
        land: [168.0, 182.0, 204.0],
        line: PEAKS,
    },
    View {
        sky: [[196.0, 92.0, 84.0], [255.0, 188.0, 116.0]],
        light: [255.0, 226.0, 150.0],
        land: [206.0, 140.0, 76.0],
        line: HILLS,
    },
    View {
        sky: [[64.0, 52.0, 104.0], [226.0, 120.0, 132.0]],
        light: [255.0, 200.0, 170.0],
        land: [74.0, 62.0, 96.0],
        line: PEAKS,
    },
];

/// A view of land under the sun or the moon; every number another one.
pub(crate) fn view(number: u16) -> RgbImage {
    let (width, height) = (640, 480);
    // Neighbours differ.
    let view = &VIEWS[usize::from(number) * 5 % VIEWS.len()];
    let mix = |from: f32, to: f32, part: f32| from + (to - from) * part.clamp(0.0, 1.0);
    let turn = f32::from(number * 7 % 12);
    let (sun_x, sun_y) = (110.0 + 38.0 * turn, 90.0 + f32::from(number * 3 % 5) * 32.0);
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32, y as f32);
        let far = (x - sun_x).hypot(y - sun_y);
        let glow = (1.0 - far / 230.0).max(0.0).powi(2) * 0.7;
        let disc = (38.0 - far).clamp(0.0, 1.0);
        let mut colour = [0, 1, 2].map(|channel| {
            let sky = mix(view.sky[0][channel], view.sky[1][channel], y / 330.0);
            mix(sky, view.light[channel], glow.max(disc))
        });
        for (ridge, shade) in [(0.0_f32, 1.0_f32), (1.0, 0.7), (2.0, 0.42)] {
            let line = (view.line)(x * (1.0 - 0.2 * ridge), f32::from(number) + 2.0 * ridge);
            if y > 300.0 + 56.0 * ridge + line * (38.0 - 8.0 * ridge) {
                colour = view.land.map(|channel| channel * shade);
            }
        }
        Rgb(colour.map(|channel| channel as u8))
    })
}

/// Whether an image of the page, a PNG, is drawn, and as bright as the theme.
pub(crate) fn fits(png: &[u8], theme: &str) -> bool {
    let picture = image::load_from_memory(png).expect("a picture").into_rgb8();
    let sum: u64 = picture.iter().map(|channel| u64::from(*channel)).sum();
    let brightness = sum as f64 / picture.len() as f64;
    let first = picture.get_pixel(0, 0);
    let drawn = picture.pixels().filter(|pixel| *pixel != first).count() * 20;
    let bright = if theme == "dark" {
        brightness < 100.0
    } else {
        brightness > 130.0
    };
    drawn > picture.pixels().len() && bright
}
