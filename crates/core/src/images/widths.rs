//! The widths of renditions.

/// The widths of renditions, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];
