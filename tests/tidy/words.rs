//! What Rust files must not contain.

use super::{enters, read, root, written};

#[test]
fn no_rust_file_allows_dead_code() {
    // In two parts, so that this line is none.
    let exception = ["allow(dead", "_code"].concat();
    for file in written(root(), &[".rs"]) {
        let text = read(&file);
        assert!(!text.contains(&exception), "{}", file.display());
    }
}

#[test]
fn paths_into_a_crate_are_detected() {
    for (line, seen) in [
        ("use image::DynamicImage;", true),
        ("let x = image::open(file);", true),
        ("use image;", true),
        ("let image = images.get();", false),
        ("use crate::image::Row;", false),
        ("my_image::open()", false),
        ("fn of(image: ImageHash)", false),
    ] {
        assert_eq!(enters(line, "image"), seen, "{line}");
    }
    assert!(enters("use img_parts::webp::WebP;", "img-parts"));
}
