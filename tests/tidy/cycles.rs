//! Cycles of imports between the folders directly below a package's sources: a folder that imports
//! another which, over any number of others, imports it again. A file there counts as a folder; those
//! that compose the others (`lib.rs`, `main.rs`, `mod.rs`) and tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::TokenTree;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Ident, ItemMod, ItemUse, Macro, Token, UseName, UseRename, UseTree, parse_quote,
};

use super::{PACKAGES, read, root, written};

/// The folders of the service, from the ground up. One imports from its own floor and those below it.
const FLOORS: [&[&str]; 4] = [
    &[
        "error", "clock", "text", "state", "files", "db", "http", "storage",
    ],
    &[
        "images", "presence", "devices", "game", "ip", "system", "stats", "tokens", "uploads",
        "edge", "tunnel", "blog",
    ],
    &["schema", "settings", "log"],
    &["upkeep", "service", "status", "router", "app"],
];

type Names = BTreeSet<String>;

/// What each folder below `sources` imports from the others.
fn imports(sources: &Path) -> BTreeMap<String, Names> {
    let mut imports: BTreeMap<String, Names> = BTreeMap::new();
    for file in written(sources, &[".rs"]) {
        let place = file.strip_prefix(sources).expect("below");
        let place = place.with_extension("");
        let names = place.iter().map(|name| name.to_string_lossy().into_owned());
        let is_own = |name: &String| !["lib", "main", "mod"].contains(&name.as_str());
        let module: Vec<String> = names.filter(is_own).collect();
        let is_test = |name: &String| ["tests", "testing", "build"].contains(&name.as_str());
        if let Some(folder) = module.first().cloned()
            && !module.iter().any(is_test)
        {
            let code = syn::parse_file(&read(&file)).expect("Rust");
            let folders = imports.entry(folder).or_default();
            Imports { module, folders }.visit_file(&code);
        }
    }
    imports
}

/// The groups of folders below `sources` that import each other.
fn cycles(sources: &Path) -> BTreeSet<Names> {
    let imports = imports(sources);
    let reached = |from: &String| {
        let (mut reached, mut next) = (Names::new(), vec![from]);
        while let Some(name) = next.pop() {
            let others = imports.get(name).into_iter().flatten();
            next.extend(others.filter(|other| reached.insert((*other).clone())));
        }
        reached
    };
    let all: BTreeMap<&String, Names> = imports.keys().map(|name| (name, reached(name))).collect();
    let cycle = |(name, others): (&&String, &Names)| {
        let back = others
            .iter()
            .filter(|other| all.get(other).is_some_and(|its| its.contains(*name)));
        back.cloned().collect::<Names>()
    };
    all.iter()
        .map(cycle)
        .filter(|cycle| cycle.len() > 1)
        .collect()
}

/// What a file names of the modules at the top of its crate.
struct Imports<'a> {
    /// Where the code lies that is being read.
    module: Vec<String>,
    folders: &'a mut Names,
}

impl Imports<'_> {
    /// A path that begins with `crate`, `super` or `self`; any other leads nowhere near the top.
    fn add(&mut self, path: &[String]) {
        let (mut up, mut path) = (self.module.len(), path);
        while let [first, rest @ ..] = path {
            match first.as_str() {
                "crate" => up = 0,
                "super" => up = up.saturating_sub(1),
                "self" => {}
                _ => break,
            }
            path = rest;
        }
        if up == 0 {
            self.folders.extend(path.first().cloned());
        }
    }

    fn add_tree(&mut self, tree: &UseTree, mut path: Vec<String>) {
        match tree {
            UseTree::Path(next) => {
                path.push(next.ident.to_string());
                self.add_tree(&next.tree, path);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, path.clone());
                }
            }
            UseTree::Name(UseName { ident }) | UseTree::Rename(UseRename { ident, .. }) => {
                path.push(ident.to_string());
                self.add(&path);
            }
            UseTree::Glob(_) => self.add(&path),
        }
    }

    /// The tokens of a macro, which only the macro can read: any path among them counts.
    fn scan(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while !input.is_empty() {
            if input.peek(Token![crate]) || input.peek(Token![super]) {
                let mut path = vec![input.call(Ident::parse_any)?.to_string()];
                while input.parse::<Option<Token![::]>>()?.is_some() && input.peek(Ident::peek_any)
                {
                    path.push(input.call(Ident::parse_any)?.to_string());
                }
                self.add(&path);
            } else if let TokenTree::Group(group) = input.parse()? {
                let scan = |input: ParseStream<'_>| self.scan(input);
                scan.parse2(group.stream())?;
            }
        }
        Ok(())
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.contains(&parse_quote!(#[cfg(test)]))
}

/// Visits these but where they are for tests alone.
macro_rules! visit_unless_for_tests {
    ($($visit:ident: $what:ident,)*) => {$(
        fn $visit(&mut self, code: &'ast syn::$what) {
            if !is_for_tests(&code.attrs) {
                visit::$visit(self, code);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Imports<'_> {
    visit_unless_for_tests! {
        visit_item_const: ItemConst,
        visit_item_fn: ItemFn,
        visit_item_impl: ItemImpl,
        visit_item_struct: ItemStruct,
        visit_impl_item_fn: ImplItemFn,
        visit_field: Field,
        visit_field_value: FieldValue,
        visit_local: Local,
    }

    fn visit_item_mod(&mut self, code: &'ast ItemMod) {
        if !is_for_tests(&code.attrs) {
            self.module.push(code.ident.to_string());
            visit::visit_item_mod(self, code);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, code: &'ast ItemUse) {
        if !is_for_tests(&code.attrs) {
            self.add_tree(&code.tree, Vec::new());
        }
    }

    fn visit_path(&mut self, code: &'ast syn::Path) {
        let names = code.segments.iter().map(|one| one.ident.to_string());
        self.add(&names.collect::<Vec<_>>());
        visit::visit_path(self, code);
    }

    fn visit_macro(&mut self, code: &'ast Macro) {
        visit::visit_macro(self, code);
        let scan = |input: ParseStream<'_>| self.scan(input);
        scan.parse2(code.tokens.clone()).expect("tokens");
    }
}

#[test]
fn no_folders_of_a_package_import_each_other_in_a_cycle() {
    for package in &PACKAGES {
        let cycles = cycles(&root().join(package.sources));
        assert!(cycles.is_empty(), "{}: {cycles:#?}", package.name);
    }
}

#[test]
fn no_folder_of_the_service_imports_from_a_floor_above_it() {
    let floor = |name: &str| FLOORS.iter().position(|floor| floor.contains(&name));
    for (folder, imported) in imports(&root().join("crates/service/src")) {
        if folder == "types_for_the_page" {
            continue;
        }
        let its = floor(&folder).unwrap_or_else(|| panic!("{folder} is on no floor"));
        for other in imported {
            let above = floor(&other).is_some_and(|others| others > its);
            assert!(!above, "{folder} imports {other}, which is above it");
        }
    }
}

/// Writes these files and finds the cycles among them.
fn cycles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, text).expect("a file");
    }
    let found = cycles(folder.path());
    found
        .into_iter()
        .map(|cycle| cycle.into_iter().collect())
        .collect()
}

#[test]
fn folders_that_import_each_other_are_found_however_they_name_each_other() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c; use crate::a::A;"),
        ("a.rs", "use crate::{own::Own, b::{self, B as Other}};"),
        ("b/mod.rs", "mod inner; use self::inner::Inner;"),
        (
            "b/inner.rs",
            "use super::B; fn f() { say!(Some(super::super::c::f())) }",
        ),
        ("c.rs", "mod within { fn f() -> super::super::d::D { } }"),
        ("d.rs", "fn f() { super::a::g::<A>() }"),
        ("f.rs", "use crate::g::*;"),
        ("g.rs", "impl crate::f::F for G {}"),
    ]);
    assert_eq!(found, [vec!["a", "b", "c", "d"], vec!["f", "g"]]);
}

#[test]
fn imports_of_tests_and_of_composing_files_make_no_cycle() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
        (
            "a.rs",
            "use crate::A; #[cfg(test)] use crate::b::B; const T: &str = \"crate::b\"; // crate::b\n\
             mod within { use super::b::C; } struct S { #[cfg(test)] b: crate::b::B }",
        ),
        (
            "b.rs",
            "use crate::a::A; #[cfg(test)] mod tests { use crate::c::C; }",
        ),
        ("c/mod.rs", "use crate::b::B; use std::a::A; mod a;"),
        ("c/tests.rs", "use crate::b::B;"),
        ("b/tests.rs", "use crate::c::C;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}
