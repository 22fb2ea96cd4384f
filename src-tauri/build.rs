//! Lets Tauri read its settings and what the window may ask of the process.
//! Without the feature `desktop` there is nothing to prepare.

#[cfg(not(feature = "desktop"))]
fn main() {}

#[cfg(feature = "desktop")]
fn main() -> Result<(), String> {
    const PAGE: &str = "ui/dist/index.html";
    for path in [
        PAGE,
        "src-tauri/capabilities",
        "src-tauri/permissions",
        "src-tauri/icons",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    if !std::path::Path::new(PAGE).exists() {
        return Err(format!(
            "{PAGE} is missing: the window's page is not built yet. `cargo xtask build` builds \
             the page and the app; `npm ci && npm run build` in ui/ builds the page alone."
        ));
    }
    let permissions =
        tauri_build::AppManifest::new().permissions_path_pattern("./src-tauri/permissions/*.toml");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/*.json")
        .app_manifest(permissions);
    tauri_build::try_build(attributes).map_err(|error| format!("{error:#}"))
}
