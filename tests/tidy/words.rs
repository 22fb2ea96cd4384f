//! What the files must not contain.

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

/// Every change counts at once: only an update, a restore and a window that is closed need a new start.
#[test]
fn no_text_asks_for_a_restart() {
    const ASKS: [&str; 5] = [
        "restart porchlight",
        "restart the app",
        "restart to ",
        "restart it",
        "重启 porchlight",
    ];
    let texts = ["docs", "ui/src", "src-tauri", "crates/service/src"];
    let texts = texts.iter().flat_map(|folder| {
        let endings = [".md", ".ts", ".svelte", ".rs"];
        written(&root().join(folder), &endings)
    });
    let readme = ["README.md", "README.zh.md"].map(|name| root().join(name));
    for file in texts.chain(readme) {
        let text = read(&file).to_lowercase();
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let is_of_those = ["update", "restore"].iter().any(|word| line.contains(word));
            let asks = ASKS.iter().any(|asks| line.contains(asks));
            assert!(is_of_those || !asks, "{}: {line}", file.display());
        }
    }
}
