//! Whether the page is drawn as it should be.

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
