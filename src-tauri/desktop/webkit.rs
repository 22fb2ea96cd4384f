//! Settings of WebKitGTK that Tauri does not make: who paints the page, and
//! that the page's process ends with the window.
//!
//! WebKit puts a page together from layers by OpenGL. Without a graphics card,
//! Mesa plays one on the processor. That takes several times what it takes to
//! paint the page right away: frames are dropped while it scrolls, and the
//! window needs a hundred mebibytes more.

use std::fs::{OpenOptions, read_dir};
use std::path::Path;

use tauri::{Manager as _, Window};
use webkit2gtk::WebViewExt as _;

/// Where Linux has the cards that programs may draw with.
const CARDS: &str = "/dev/dri";
/// What has WebKit put no layers together. Who has set it has decided.
const WITHOUT_LAYERS: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Has the window's page painted by the processor if no card would do it. To be
/// called before there is another thread: it goes by the environment, which
/// WebKit's processes read as they start. A policy that is set on the view
/// comes later, and ended the page's process where the window was not shown yet.
pub(super) fn decide_who_paints() {
    if is_card_in(Path::new(CARDS)) {
        return;
    }
    if let Err(error) = webkit2gtk::glib::setenv(WITHOUT_LAYERS, "1", false) {
        tracing::warn!(%error, "the window will be slower than it could be");
    }
}

/// Ends the process of a window's page that is about to be closed. Left to
/// itself it ends a little later, and as often as not WebKit then forgets a
/// thread of this process that had listened to it, if the processor painted.
pub(super) fn end_page(window: &Window) {
    let Some(window) = window.get_webview_window(window.label()) else {
        return;
    };
    let ended = window.with_webview(|webview| {
        webview.inner().terminate_web_process();
    });
    if let Err(error) = ended {
        tracing::warn!(%error, "the page's process is left to end by itself");
    }
}

/// Whether there is a card that this user may draw with.
fn is_card_in(folder: &Path) -> bool {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
        .any(|card| {
            let mut wanted = OpenOptions::new();
            wanted.read(true).write(true).open(card.path()).is_ok()
        })
}

#[cfg(test)]
mod tests {
    use super::is_card_in;

    #[test]
    fn a_display_without_a_renderer_is_no_graphics_card() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_card_in(&folder.path().join("none")));
        assert!(!is_card_in(folder.path()));
        std::fs::write(folder.path().join("card0"), "").expect("a file");
        assert!(!is_card_in(folder.path()), "a screen alone");
        std::fs::create_dir(folder.path().join("renderD128")).expect("a folder");
        assert!(!is_card_in(folder.path()), "one that cannot be used");
        std::fs::write(folder.path().join("renderD129"), "").expect("a file");
        assert!(is_card_in(folder.path()));
    }
}
