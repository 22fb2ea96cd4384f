//! The widths of narrower copies of an image.

/// The widths of narrower copies, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];
