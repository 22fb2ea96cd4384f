//! The steps of `docs/quickstart.md`, in their order.

use std::path::Path;

/// What stands between two fences.
pub(crate) enum Block {
    /// Commands. A line that begins with `#` is printed by them; `…` in it stands for anything.
    Shell(String),
    /// A file, named by the last code span before it, and what is in it.
    File(String, String),
}

/// The blocks of the page, and the ones of its part "Other blogs".
pub(crate) fn read() -> (Vec<Block>, Vec<Block>) {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/quickstart.md"));
    let page = page.expect("the page");
    let (followed, others) = page.split_once("\n## Other blogs\n").expect("the part");
    (blocks(followed), blocks(others))
}

fn blocks(text: &str) -> Vec<Block> {
    // Every other part is code.
    let parts: Vec<&str> = text.split("```").collect();
    let pairs = parts.chunks_exact(2);
    pairs
        .map(|pair| {
            let (kind, code) = pair[1].split_once('\n').expect("a kind");
            match kind {
                "sh" => Block::Shell(code.to_owned()),
                _ => {
                    let name = pair[0].rsplit('`').nth(1).unwrap_or_default();
                    Block::File(name.to_owned(), code.to_owned())
                }
            }
        })
        .collect()
}

/// Asserts that the output has what these commands say that they print.
pub(crate) fn prints(commands: &str, output: &str) {
    for line in commands.lines().filter_map(|line| line.strip_prefix("# ")) {
        let is_this = |mut printed: &str| {
            line.split('…').all(|part| match printed.split_once(part) {
                Some((_, rest)) => {
                    printed = rest;
                    true
                }
                None => false,
            })
        };
        assert!(output.lines().any(is_this), "{line}: {output}");
    }
}

/// Writes a file. Of one in YAML that is there, only the keys are replaced that are in `text`.
pub(crate) fn write(file: &Path, text: &str) {
    let is_yaml = file.extension().is_some_and(|ending| ending == "yml");
    let mut whole = String::new();
    if is_yaml {
        let is_replaced = |line: &str| match line.split_once(':') {
            Some((key, _)) => text
                .lines()
                .any(|line| line.starts_with(&format!("{key}:"))),
            None => false,
        };
        let mut is_out = false;
        for line in std::fs::read_to_string(file).expect("a file").lines() {
            if !line.starts_with([' ', '#']) {
                is_out = is_replaced(line);
            }
            if !is_out {
                whole += &format!("{line}\n");
            }
        }
    }
    whole += text;
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, whole).expect("written");
}
