//! What no Rust file contains.

use super::{read, root, written};

#[test]
fn no_rust_file_allows_dead_code() {
    // In two parts, so that this line is none.
    let exception = ["allow(dead", "_code"].concat();
    for file in written(root(), &[".rs"]) {
        let text = read(&file);
        assert!(!text.contains(&exception), "{}", file.display());
    }
}
