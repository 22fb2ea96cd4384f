//! Holds `ui/src/api/commands.ts` to the commands in `src-tauri/desktop/commands`.

use std::collections::{BTreeMap, BTreeSet};

use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, Item, ItemFn, Lit, Meta, MetaNameValue, Pat,
    PathArguments, PathSegment, ReturnType, Type,
};

use super::{read, root, written};

const COMMANDS: &str = "src-tauri/desktop/commands";

/// Enums that `types.ts` does not declare: to the page their variants are lowercase text.
const CHOICES: [(&str, &str); 3] = [
    ("StorageKind", "crates/service/src/storage/settings.rs"),
    ("Which", "src-tauri/desktop/commands/settings.rs"),
    ("WindowPage", "src-tauri/desktop/window.rs"),
];

fn items(file: &std::path::Path) -> Vec<Item> {
    syn::parse_file(&read(file)).expect("Rust").items
}

fn is_command(function: &ItemFn) -> bool {
    let mut paths = function.attrs.iter().map(Attribute::path);
    paths.any(|path| path.segments.last().expect("a name").ident == "command")
}

/// The last part of a type's path.
fn part(kind: &Type) -> &PathSegment {
    match kind {
        Type::Path(path) => path.path.segments.last().expect("a name"),
        _ => panic!("an unknown type: {kind:?}"),
    }
}

/// A type in TypeScript. Names of `types.ts` are added to `types`.
fn typescript(kind: &Type, types: &mut BTreeSet<String>) -> String {
    if matches!(kind, Type::Tuple(tuple) if tuple.elems.is_empty()) {
        return "void".to_owned();
    }
    let part = part(kind);
    let name = part.ident.to_string();
    if let PathArguments::AngleBracketed(list) = &part.arguments
        && let Some(GenericArgument::Type(inner)) = list.args.first()
    {
        let inner = typescript(inner, types);
        return match name.as_str() {
            "Result" => inner,
            "Option" => format!("{inner} | null"),
            "Vec" => format!("{inner}[]"),
            _ => panic!("an unknown type: {name}"),
        };
    }
    match name.as_str() {
        "String" | "ImageHash" => "string".to_owned(),
        "bool" => "boolean".to_owned(),
        "u32" | "u64" | "usize" | "i64" => "number".to_owned(),
        "Changes" => {
            types.insert("SettingValue".to_owned());
            "Record<string, SettingValue>".to_owned()
        }
        _ => match CHOICES.iter().find(|(choice, _)| *choice == name) {
            Some((_, file)) => choices(&name, file),
            None => {
                types.insert(name.clone());
                name
            }
        },
    }
}

fn choices(name: &str, file: &str) -> String {
    let items = items(&root().join(file));
    let variants = items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(&item.variants),
        _ => None,
    });
    let variants = variants.expect(name).iter();
    let texts = variants.map(|variant| format!("\"{}\"", variant.ident).to_lowercase());
    texts.collect::<Vec<_>>().join(" | ")
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (head, tail) = part.split_at(1);
        all + &head.to_uppercase() + tail
    })
}

/// The first paragraph of a function's doc comment, on one line.
fn first_paragraph(function: &ItemFn) -> String {
    let lines = function.attrs.iter().filter_map(|one| match &one.meta {
        Meta::NameValue(MetaNameValue {
            value:
                Expr::Lit(ExprLit {
                    lit: Lit::Str(line),
                    ..
                }),
            ..
        }) => Some(line.value().trim().to_owned()),
        _ => None,
    });
    let lines: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ").replace("`None`", "`null`")
}

/// A command, as the page has it.
fn command(function: &ItemFn, types: &mut BTreeSet<String>) -> String {
    let (mut taken, mut sent) = (Vec::new(), Vec::new());
    for input in &function.sig.inputs {
        if let FnArg::Typed(parameter) = input
            && let Pat::Ident(name) = &*parameter.pat
            // Tauri gives the others.
            && !["State", "AppHandle", "WebviewWindow"]
                .contains(&part(&parameter.ty).ident.to_string().as_str())
        {
            let name = camel_case(&name.ident.to_string());
            taken.push(format!("{name}: {}", typescript(&parameter.ty, types)));
            sent.push(name);
        }
    }
    let sent = match sent.join(", ") {
        none if none.is_empty() => none,
        sent => format!(", {{ {sent} }}"),
    };
    let answer = match &function.sig.output {
        ReturnType::Default => "void".to_owned(),
        ReturnType::Type(_, kind) => typescript(kind, types),
    };
    let name = function.sig.ident.to_string();
    format!(
        "  /** {} */\n  {}: ({}) => call<{answer}>(\"{name}\"{sent}),\n",
        first_paragraph(function),
        camel_case(&name),
        taken.join(", "),
    )
}

/// `PORCHLIGHT_WRITE_TYPES=1` writes the file; otherwise a stale one fails.
#[test]
fn the_commands_of_the_page_are_current() {
    let folder = root().join(COMMANDS);
    let functions = written(&folder, &[".rs"])
        .into_iter()
        .flat_map(|file| items(&file));
    let functions = functions.filter_map(|item| match item {
        Item::Fn(function) if is_command(&function) => {
            Some((function.sig.ident.to_string(), function))
        }
        _ => None,
    });
    let functions: BTreeMap<String, ItemFn> = functions.collect();
    let code = read(&folder.join("mod.rs"));
    let (_, list) = code.split_once("generate_handler![").expect("the list");
    let (list, _) = list.split_once(']').expect("its end");
    let listed = list.split(',').filter_map(|path| path.rsplit_once("::"));
    let listed: Vec<&str> = listed.map(|(_, name)| name).collect();
    let all: BTreeSet<&str> = functions.keys().map(String::as_str).collect();
    assert_eq!(
        all,
        listed.iter().copied().collect(),
        "not the commands in the list"
    );

    let mut types = BTreeSet::new();
    let commands = listed
        .iter()
        .map(|name| command(&functions[*name], &mut types));
    let commands: String = commands.collect();
    let types: Vec<String> = types.into_iter().collect();
    let current = format!(
        "// Made from {COMMANDS} by `cargo xtask types`. Do not edit.\n\n\
         import type {{ {} }} from \"./types\";\n\n\
         type Call = <T>(name: string, parameters?: Record<string, unknown>) => Promise<T>;\n\n\
         /** The commands of the window. Each rejects with a `Trouble` that contains the reason. */\n\
         export type Commands = ReturnType<typeof commandsOver>;\n\n\
         /** Sends commands with `call`, by their Rust names. */\n\
         export const commandsOver = (call: Call) => ({{\n{commands}}});\n",
        types.join(", "),
    );
    let file = root().join("ui/src/api/commands.ts");
    if std::env::var_os("PORCHLIGHT_WRITE_TYPES").is_some() {
        std::fs::write(&file, &current).expect("write the commands");
    }
    assert_eq!(
        read(&file),
        current,
        "ui/src/api/commands.ts is stale: run `cargo xtask types`"
    );
}
