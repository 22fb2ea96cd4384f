//! Images as an owner would have them, and whether the page is drawn as it should be.

use image::{Rgb, RgbImage};

/// The sun above hills and the sea; every number another evening, twelve suns.
pub(crate) fn evening(number: u16) -> RgbImage {
    let (width, height) = (640, 480);
    let sun = number * 5 % 12;
    let hour = f32::from(sun) / 11.0;
    let mix = |from: f32, to: f32, part: f32| from + (to - from) * part.clamp(0.0, 1.0);
    let (sun_x, sun_y) = (130.0 + 34.0 * f32::from(sun), 110.0 + 150.0 * hour);
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32, y as f32);
        let down = y / 330.0;
        let mut colour = [
            mix(mix(120.0, 40.0, hour), mix(255.0, 226.0, hour), down),
            mix(mix(175.0, 44.0, hour), mix(214.0, 120.0, hour), down),
            mix(mix(222.0, 92.0, hour), mix(170.0, 96.0, hour), down),
        ];
        let far = (x - sun_x).hypot(y - sun_y);
        let glow = (1.0 - far / 230.0).max(0.0).powi(2) * 0.8;
        let disc = (44.0 - far).clamp(0.0, 1.0);
        let light = [255.0, 226.0 - 40.0 * hour, 168.0 - 60.0 * hour];
        for (channel, light) in colour.iter_mut().zip(light) {
            *channel = mix(*channel, light, glow.max(disc));
        }
        for (ridge, shade) in [(0.0_f32, 0.62_f32), (1.0, 0.42), (2.0, 0.25)] {
            let wave = (x / (90.0 + 25.0 * ridge) + f32::from(number) + 2.0 * ridge).sin();
            if y > 300.0 + 52.0 * ridge + wave * (34.0 - 6.0 * ridge) {
                colour = [96.0, 84.0, 104.0].map(|channel| channel * shade * (1.25 - 0.4 * hour));
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
