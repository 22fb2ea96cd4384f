//! Circles of imports between the files of a room: a file that imports another which, over any
//! number of others, imports it again.
//!
//! A file imports another when a `use` or a path that begins with `crate`, `super` or `self` names an
//! item of that file's module. Test modules do not count, nor does a `mod.rs` that only re-exports
//! an item of its children, nor a child that uses an item of a module it lies in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{HOUSE, root, written};

/// The names of a module, from its room's root on.
type Module = Vec<String>;

/// The groups of files that import each other; `files` are those below `root`.
fn circles(root: &Path, files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let modules: BTreeMap<Module, &PathBuf> = files
        .iter()
        .filter_map(|file| Some((module_of(root, file)?, file)))
        .collect();
    let arrows: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = modules
        .iter()
        .map(|(module, file)| {
            let text = std::fs::read_to_string(file).expect("a file");
            let named = imports(&code_of(&text), module, &modules);
            let named = named.iter().map(|module| modules[module]);
            (*file, named.collect())
        })
        .collect();
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = arrows
        .keys()
        .map(|file| (*file, reach(file, &arrows)))
        .collect();
    let mut found: BTreeSet<Vec<PathBuf>> = BTreeSet::new();
    for (file, others) in &reached {
        let back = others
            .iter()
            .filter(|other| reached[**other].contains(file));
        let group: Vec<PathBuf> = back.map(|file| (*file).clone()).collect();
        if group.len() > 1 {
            found.insert(group);
        }
    }
    found.into_iter().collect()
}

/// `None` for the files of tests.
fn module_of(root: &Path, file: &Path) -> Option<Module> {
    let names = file.strip_prefix(root).ok()?.with_extension("");
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    let names: Module = names
        .filter(|name| !["mod", "lib", "main"].contains(&name.as_str()))
        .collect();
    let is_test = |name: &String| ["tests", "testing", "build"].contains(&name.as_str());
    (!names.iter().any(is_test)).then_some(names)
}

/// Everything that can be reached from a file, over any number of others.
fn reach<'a>(
    file: &'a PathBuf,
    arrows: &BTreeMap<&'a PathBuf, BTreeSet<&'a PathBuf>>,
) -> BTreeSet<&'a PathBuf> {
    let mut reached = BTreeSet::new();
    let mut next = vec![file];
    while let Some(file) = next.pop() {
        for other in &arrows[file] {
            if reached.insert(*other) {
                next.push(other);
            }
        }
    }
    reached
}

/// The modules whose items this one names.
fn imports(code: &str, module: &Module, modules: &BTreeMap<Module, &PathBuf>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for path in paths(code) {
        let names = match path[0].as_str() {
            "crate" => path[1..].to_vec(),
            "super" | "self" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let steps = path
                    .iter()
                    .take_while(|name| ["super", "self"].contains(&name.as_str()));
                let base = &module[..module.len().saturating_sub(ups)];
                [base, &path[steps.count()..]].concat()
            }
            child => {
                let child = [module.as_slice(), &[child.to_owned()]].concat();
                if !modules.contains_key(&child) {
                    continue;
                }
                [module.as_slice(), path.as_slice()].concat()
            }
        };
        let known = (0..=names.len()).rev().map(|length| &names[..length]);
        let Some(target) = known.into_iter().find(|names| modules.contains_key(*names)) else {
            continue;
        };
        if !module.starts_with(target) {
            found.insert(target.to_vec());
        }
    }
    found
}

/// The paths of `use` statements, and those within code that say where they begin.
fn paths(code: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        if code[..at].ends_with(is_of_a_name) {
            continue;
        }
        let tree = code[at + 4..].split(';').next().unwrap_or_default().trim();
        let before = code[..at].trim_end();
        let is_public = before.ends_with("pub") || before.ends_with(')');
        if is_public && !tree.starts_with("super") && !tree.starts_with("crate") {
            continue;
        }
        branches(tree, &[], &mut found);
    }
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|sign| is_of_a_name(sign) || sign == ':') {
                continue;
            }
            let end = code[at..].find(|sign| !is_of_a_name(sign) && sign != ':');
            let path = &code[at..end.map_or(code.len(), |end| at + end)];
            let names = path.split("::").filter(|name| !name.is_empty());
            found.push(names.map(str::to_owned).collect());
        }
    }
    found
}

/// The paths of a tree such as `a::{b, c::d as e}`.
fn branches(tree: &str, head: &[String], found: &mut Vec<Module>) {
    let (stem, inner) = match tree.split_once('{') {
        Some((stem, inner)) => (stem, inner.rsplit_once('}').map(|(inner, _)| inner)),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let names = stem
        .split("::")
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let head: Module = head
        .iter()
        .cloned()
        .chain(names.map(str::to_owned))
        .collect();
    let Some(inner) = inner else {
        if !head.is_empty() {
            found.push(head);
        }
        return;
    };
    let mut depth = 0;
    let parts = inner.split(|sign| {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        sign == ',' && depth == 0
    });
    for part in parts.filter(|part| !part.trim().is_empty()) {
        branches(part, &head, found);
    }
}

fn is_of_a_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The text without comments, literals and test modules.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r\"") || rest.starts_with("r#\"") {
            let end = if rest.starts_with("r#") { "\"#" } else { "\"" };
            let begin = rest.find('"').unwrap_or_default() + 1;
            let close = rest[begin..].find(end);
            close.map_or(rest.len(), |close| begin + close + end.len())
        } else if sign == '"' {
            closed(rest, '"')
        } else if sign == '\'' && is_a_character(rest) {
            closed(rest, '\'')
        } else {
            code.push(sign);
            rest = &rest[sign.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    without_tests(code)
}

/// Whether this is `'x'` or `'\n'`, and no lifetime.
fn is_a_character(text: &str) -> bool {
    let mut signs = text.chars().skip(1);
    match signs.next() {
        Some('\\') => true,
        Some(_) => signs.next() == Some('\''),
        None => false,
    }
}

/// The length of a literal that begins and ends with this sign.
fn closed(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if sign == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn without_tests(mut code: String) -> String {
    let mut from = 0;
    while let Some(at) = code[from..].find("#[cfg(test)]").map(|at| from + at) {
        from = at + 1;
        let Some(open) = code[at..].find(['{', ';']).map(|open| at + open) else {
            continue;
        };
        let is_a_module = code[at..open].split_whitespace().any(|word| word == "mod");
        if !is_a_module || code[open..].starts_with(';') {
            continue;
        }
        let mut depth = 0;
        let close = code[open..].find(|sign| {
            depth += i32::from(sign == '{') - i32::from(sign == '}');
            depth == 0
        });
        code.replace_range(at..close.map_or(code.len(), |close| open + close + 1), "");
    }
    code
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    for room in &HOUSE {
        let sources = root().join(room.sources);
        let circles = circles(&sources, &written(&sources, &[".rs"]));
        assert!(circles.is_empty(), "these import each other: {circles:#?}");
    }
}

#[test]
fn imports_are_read_as_they_are_written() {
    let code = code_of(
        r#"
        //! use crate::no;
        use std::fs;
        pub use child::Item;
        pub(crate) use super::shared::{One, two::{self, Two as Other}};
        fn f<'a>(s: &'a str) -> char { crate::host::start("use crate::no;", '"'); '\'' }
        #[cfg(test)]
        mod tests { use crate::no; }
        use self::last::Last;
        "#,
    );
    let mut found: Vec<String> = paths(&code).iter().map(|path| path.join("::")).collect();
    found.sort();
    found.dedup();
    assert_eq!(
        found,
        [
            "crate::host::start",
            "self::last::Last",
            "std::fs",
            "super::shared",
            "super::shared::One",
            "super::shared::two::Two",
            "super::shared::two::self",
        ]
    );
}

#[test]
fn files_that_import_each_other_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B;"),
        ("b/mod.rs", "mod inner; use self::inner::Inner;"),
        ("b/inner.rs", "use super::B; fn f() { crate::c::f() }"),
        ("c.rs", "use super::a::A;"),
        ("d.rs", "use crate::a::A;"),
    ]
    .map(|(name, text)| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, text).expect("a file");
        file
    });
    let found = circles(folder.path(), &files);
    let expected = ["a.rs", "b/inner.rs", "b/mod.rs", "c.rs"];
    assert_eq!(found, [expected.map(|name| folder.path().join(name))]);
}
