//! Lets Tauri read its settings and what the window may ask of the process, and keeps debug builds for
//! Windows small.

#[cfg(not(feature = "desktop"))]
fn main() {
    // Otherwise any changed file of the checkout would compile the program again.
    println!("cargo::rerun-if-changed=src-tauri/build.rs");
    keep_small();
}

/// Wine copies a program at each start unless its parts begin at pages, debug information too. The tests
/// start hundreds.
fn keep_small() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    if is("TARGET", "x86_64-pc-windows-gnu") && is("PROFILE", "debug") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-debug,--file-alignment,4096");
    }
}

#[cfg(feature = "desktop")]
fn main() -> Result<(), String> {
    keep_small();
    const PAGE: &str = "ui/dist/index.html";
    for path in [PAGE, COMMANDS, "src-tauri/capabilities", "src-tauri/icons"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if !std::path::Path::new(PAGE).exists() {
        return Err(format!(
            "{PAGE} is missing: the window's page is not built yet. `cargo xtask build` builds \
             the page and the app; `npm ci && npm run build` in ui/ builds the page alone."
        ));
    }
    let permissions = permissions().map_err(|error| format!("{COMMANDS}: {error}"))?;
    let permissions = tauri_build::AppManifest::new().permissions_path_pattern(permissions);
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/*.json")
        .app_manifest(permissions);
    tauri_build::try_build(attributes).map_err(|error| format!("{error:#}"))
}

#[cfg(feature = "desktop")]
const COMMANDS: &str = "src-tauri/desktop/commands/mod.rs";

/// Writes the permission for the commands that the process answers, and returns the file.
#[cfg(feature = "desktop")]
fn permissions() -> Result<&'static str, Box<dyn std::error::Error>> {
    let code = std::fs::read_to_string(COMMANDS)?;
    let (_, list) = code.split_once("generate_handler![").ok_or("no list")?;
    let (list, _) = list.split_once(']').ok_or("no end of the list")?;
    let paths = list.split(',').filter_map(|path| path.rsplit_once("::"));
    let names: Vec<&str> = paths.map(|(_, name)| name.trim()).collect();
    let file = format!("{}/window.toml", std::env::var("OUT_DIR")?);
    let permission = format!(
        "[[permission]]\n\
         identifier = \"intentions\"\n\
         description = \"The commands of the window: one for each intention of the owner.\"\n\
         commands.allow = {names:?}\n"
    );
    std::fs::write(&file, permission)?;
    Ok(Box::leak(file.into_boxed_str()))
}
