//! Checks the structure: the table of `ARCHITECTURE.md` (which package may import
//! which), that no folders import each other in a cycle, the length of files, the page's file of
//! commands, and the tables of tested clients.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::{Table, Value};

#[path = "tidy/architecture.rs"]
mod architecture;
#[path = "tidy/bounds.rs"]
mod bounds;
#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/tested_clients.rs"]
mod tested_clients;
#[path = "tidy/types_for_the_page.rs"]
mod types_for_the_page;
#[path = "tidy/words.rs"]
mod words;

/// The most lines of a file.
const LONGEST: usize = 800;

const IMAGE_CODECS: &[&str] = &[
    "image",
    "image-webp",
    "jxl-oxide",
    "re_rav1d",
    "img-parts",
    "libwebp-sys",
    "webp",
    "fast_image_resize",
    "moxcms",
    "tiff",
];
/// A package of the workspace.
struct Package {
    /// Its name in the table.
    name: &'static str,
    /// The folder of its `Cargo.toml`.
    folder: &'static str,
    /// The folder of its sources.
    sources: &'static str,
    /// Each phrase of its last column, and the crates that it means.
    never: &'static [(&'static str, &'static [&'static str])],
}

const PACKAGES: [Package; 3] = [
    Package {
        name: "convert",
        folder: "crates/convert",
        sources: "crates/convert/src",
        never: &[
            ("tokio", &["tokio"]),
            ("axum", &["axum", "axum-extra"]),
            ("tower", &["tower", "tower-http"]),
            ("tauri", &["tauri"]),
            ("clap", &["clap"]),
            ("rusqlite", &["rusqlite"]),
            ("service", &["porchlight-service"]),
        ],
    },
    Package {
        name: "service",
        folder: "crates/service",
        sources: "crates/service/src",
        never: &[("tauri", &["tauri"]), ("clap", &["clap"])],
    },
    Package {
        name: "porchlight",
        folder: "",
        sources: "src-tauri",
        never: &[
            ("rusqlite", &["rusqlite"]),
            ("image codecs", IMAGE_CODECS),
            ("tauri outside", &[]), // Checked by a separate test below.
        ],
    },
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The files below a folder that people wrote, with one of these endings.
fn written(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let made = ["target", "node_modules", "dist", "gen"].contains(&name.as_ref());
        if entry.file_type().expect("a type").is_dir() {
            if !made && !name.starts_with('.') {
                found.extend(written(&path, endings));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The lines of a Rust file that are no comment, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(place, line)| (place + 1, line.trim_start()))
        .filter(|(_, line)| !line.starts_with("//"))
}

/// Whether a line of Rust reaches into a crate: `name::` or `use name`.
fn enters(line: &str, crate_name: &str) -> bool {
    let name = crate_name.replace('-', "_");
    line.match_indices(&name).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        let own_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let in_a_path = before.ends_with("::");
        let is_path = after.starts_with("::") || after.starts_with(';') && before.ends_with("use ");
        own_word && !in_a_path && is_path
    })
}

/// The crates that a package's shipped code depends on, on any platform.
fn dependencies(package: &Path) -> BTreeSet<String> {
    fn keys(table: &Table, found: &mut BTreeSet<String>) {
        for section in ["dependencies", "build-dependencies"] {
            if let Some(Value::Table(crates)) = table.get(section) {
                found.extend(crates.keys().cloned());
            }
        }
    }
    let manifest: Table = read(&package.join("Cargo.toml")).parse().expect("TOML");
    let mut found = BTreeSet::new();
    keys(&manifest, &mut found);
    if let Some(Value::Table(targets)) = manifest.get("target") {
        for target in targets.values().filter_map(Value::as_table) {
            keys(target, &mut found);
        }
    }
    found
}

/// The table of `ARCHITECTURE.md`: each package with its last column.
fn table() -> Vec<(String, String)> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| package | may import | never |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{row}");
        let name = cells[0].split(' ').next().expect("a name");
        (name.to_owned(), cells[2].to_owned())
    })
    .collect()
}

#[test]
fn the_architecture_table_matches_these_rules() {
    let table = table();
    let names: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["convert", "service", "porchlight", "ui"]);
    for (name, never) in table {
        let Some(package) = PACKAGES.iter().find(|package| package.name == name) else {
            continue;
        };
        let phrases: Vec<&str> = never.split([',', ';']).map(str::trim).collect();
        for (phrase, _) in package.never {
            let there = phrases
                .iter()
                .any(|forbidden| forbidden.starts_with(phrase));
            assert!(there, "{name}: the table does not forbid {phrase}");
        }
        for forbidden in phrases {
            let held = package
                .never
                .iter()
                .any(|(phrase, _)| forbidden.starts_with(phrase));
            assert!(held, "{name}: nothing here holds {forbidden:?}");
        }
    }
}

#[test]
fn no_package_has_a_forbidden_dependency() {
    for package in &PACKAGES {
        let there = dependencies(&root().join(package.folder));
        for (phrase, crates) in package.never {
            let wrong = crates.iter().find(|name| there.contains(**name));
            assert_eq!(wrong, None, "{} must not import {phrase}", package.name);
        }
        if package.name != "porchlight" {
            let beside = there.iter().find(|name| name.starts_with("tauri"));
            assert_eq!(beside, None, "{} must not import tauri", package.name);
        }
    }
}

#[test]
fn no_source_uses_a_forbidden_crate() {
    for package in &PACKAGES {
        for file in written(&root().join(package.sources), &[".rs"]) {
            for (line_number, line) in code(&read(&file)) {
                for name in package.never.iter().flat_map(|(_, crates)| *crates) {
                    let place = format!("{}:{line_number}", file.display());
                    assert!(!enters(line, name), "{place} enters {name}: {line}");
                }
            }
        }
    }
}

#[test]
fn tauri_stays_in_the_desktop() {
    let sources = root().join("src-tauri");
    for file in written(&sources, &[".rs"]) {
        let its_place = file.starts_with(sources.join("desktop")) || file.ends_with("build.rs");
        for (line_number, line) in code(&read(&file)) {
            let place = format!("{}:{line_number}", file.display());
            let enters = enters(line, "tauri") || line.contains("tauri_plugin_");
            assert!(its_place || !enters, "{place} enters tauri: {line}");
        }
    }
}

/// A guard of a watch that is held across a call stopped the whole process once; `State` gives none.
#[test]
fn values_that_are_followed_are_a_state() {
    let only = root().join("crates/service/src/state/mod.rs");
    for sources in ["crates", "src-tauri"] {
        for file in written(&root().join(sources), &[".rs"]) {
            for (line_number, line) in code(&read(&file)) {
                let names_it = line.contains("sync::watch")
                    || ["Sender", "Receiver", "channel", "Ref"]
                        .iter()
                        .any(|name| line.contains(&format!("watch::{name}")))
                    || line.starts_with("use tokio::sync::{") && line.contains("watch")
                    || line.contains("borrow_and_update()");
                let place = format!("{}:{line_number}", file.display());
                assert!(!names_it || file == only, "{place} uses a watch: {line}");
            }
        }
    }
}

#[test]
fn the_page_reaches_its_process_in_one_module() {
    let only = root().join("ui/src/native.ts");
    for file in written(&root().join("ui/src"), &[".ts", ".svelte"]) {
        let enters = read(&file).contains("@tauri-apps/");
        assert!(!enters || file == only, "{file:?} enters @tauri-apps");
    }
}

#[test]
fn files_stay_under_800_lines() {
    let types_for_the_page = root().join("ui/src/api/types.ts");
    let mut outgrown = Vec::new();
    for file in written(root(), &[".rs", ".ts", ".svelte"]) {
        let lines = read(&file).lines().count();
        if lines > LONGEST && file != types_for_the_page {
            outgrown.push(format!("{} has {lines} lines", file.display()));
        }
    }
    assert!(
        outgrown.is_empty(),
        "more than {LONGEST} lines: {outgrown:#?}"
    );
}

#[test]
fn what_builds_and_measures_stays_small() {
    for (folder, most) in [("xtask", 1_900), ("bench", 900)] {
        let files = written(&root().join(folder), &[".rs", ".js", ".mjs"]);
        let lines = files.iter().map(|file| code_without_tests(&read(file)));
        let lines: usize = lines.sum();
        assert!(lines <= most, "{folder} has {lines} lines, of {most}");
    }
}

/// Lines of code, up to the tests at the end of a file.
fn code_without_tests(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    let before = lines.take_while(|line| !line.starts_with("#[cfg(") || !line.contains("test"));
    before
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*"))
        .count()
}

#[test]
fn the_site_of_the_documents_lists_each_of_them() {
    let pages = read(&root().join("docs/site/SUMMARY.md"));
    for file in written(root(), &[".md"]) {
        let name = file.strip_prefix(root()).expect("in the checkout");
        let folder = name.parent().expect("a folder");
        let is_document = folder == Path::new("") || folder == Path::new("docs");
        let is_listed = pages.contains(&format!("({})", name.display()));
        assert!(!is_document || is_listed, "{} is missing", name.display());
    }
}

#[test]
fn every_picture_of_the_documentation_is_shown_by_a_document() {
    let documents = written(root(), &[".md"]);
    let documents: String = documents.iter().map(|file| read(file)).collect();
    for file in written(&root().join("docs"), &[".png", ".jpg", ".webp"]) {
        let name = file.file_name().expect("a name").to_string_lossy();
        assert!(documents.contains(&*name), "{name} is in no document");
    }
}

#[test]
fn every_rust_file_starts_with_a_doc_comment() {
    for file in written(root(), &[".rs"]) {
        assert!(
            read(&file).starts_with("//!"),
            "{file:?} does not start with `//!`"
        );
    }
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    let endings = [
        ".rs", ".ts", ".svelte", ".toml", ".json", ".md", ".sh", ".py", ".html",
    ];
    // A checkout right below the root is called what anything may be called.
    let checkout = (root().components().count() > 2).then(|| env!("CARGO_MANIFEST_DIR").to_owned());
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    let here: Vec<String> = checkout
        .into_iter()
        .chain(home.map(|home| home + "/"))
        .collect();
    for file in written(root(), &endings) {
        let lock = file.ends_with("package-lock.json");
        for (place, line) in read(&file).lines().enumerate() {
            let place = format!("{}:{}", file.display(), place + 1);
            let elsewhere = lock
                && line.contains("\"resolved\": \"http")
                && !line.contains("\"https://registry.npmjs.org/");
            assert!(!elsewhere, "{place} names a registry: {line}");
            let named = here.iter().find(|here| line.contains(here.as_str()));
            assert_eq!(named, None, "{place}: {line}");
        }
    }
}

#[test]
fn without_the_desktop_nothing_of_it_is_built() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--package", "porchlight", "--edges", "normal,build"])
        .args(["--prefix", "none", "--offline", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let tree = String::from_utf8(tree.stdout).expect("UTF-8");
    assert!(tree.contains("porchlight-service"), "{tree}");
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        let desktop = [
            "tauri",
            "webkit",
            "gtk",
            "wry",
            "tao",
            "gdk",
            "javascriptcore",
        ];
        let is_of_it = desktop.iter().any(|part| match *part {
            // Short names that are prefixes of others.
            "wry" | "tao" | "gtk" => name == *part || name.starts_with(&format!("{part}-")),
            part => name.starts_with(part),
        });
        assert!(!is_of_it, "{line}");
    }
}
