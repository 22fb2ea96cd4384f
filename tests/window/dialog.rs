//! The dialogs of the system, answered with the keyboard.

use std::time::Duration;

use crate::desktop::Desktop;
use crate::{eventually, within};

/// Time for a dialog to be gone once it was answered.
const ANSWERED: Duration = Duration::from_secs(3);

/// Types the path of a file or a folder into the dialog with this title.
pub(crate) async fn choose(desktop: &Desktop, title: &str, path: &str) {
    // A path that is typed goes into a line that the first stroke opens;
    // on a busy machine it misses strokes, so it is written anew.
    let path = ["key", "slash", "ctrl+a", "type", "--delay", "20", path];
    answer(desktop, title, &[&path, &["key", "Return"]]).await;
}

async fn answer(desktop: &Desktop, title: &str, strokes: &[&[&str]]) {
    let dialog = desktop.window(title).await;
    eventually("the dialog to take the answer", async || {
        desktop
            .run("xdotool", &["windowactivate", "--sync", &dialog])
            .await;
        for keys in strokes {
            desktop.run("xdotool", keys).await;
        }
        let gone = async || desktop.windows(title).await.is_empty().then_some(());
        within(ANSWERED, gone).await
    })
    .await;
}
