//! The dialogs of the system, answered with the keyboard.

use std::time::Duration;

use crate::desktop::Desktop;
use crate::{eventually, within};

/// Time for a dialog to be gone once it was answered.
const ANSWERED: Duration = Duration::from_secs(3);

/// From the lower edge of a question to the middle of its buttons, in pixels.
const BUTTON: u32 = 18;

/// Types the path of a file or a folder into the dialog with this title.
pub(crate) async fn choose(desktop: &Desktop, title: &str, path: &str) {
    // A path that is typed goes into a line that the first stroke opens; on a
    // busy machine it misses strokes, so it is written again.
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

/// Reads the text of a dialog that the app shows without its window, and
/// presses its one button.
pub(crate) async fn read_it(desktop: &Desktop) {
    answer(desktop, "Porchlight", &[&["key", "Return"]]).await;
}

/// Confirms the app's dialog above its window with its first button.
pub(crate) async fn say_yes(desktop: &Desktop) {
    // The window itself has the same title.
    let asked = async || desktop.windows("Porchlight").await.len() > 1;
    eventually("a question", async || asked().await.then_some(())).await;
    eventually("the question to be answered", async || {
        // Modal to the window, it is the one that has the keyboard.
        let question = desktop.active_window().await?;
        let size = desktop.size(&question).await;
        let (width, height) = size.split_once('x')?;
        let [width, height] = [width, height].map(|side| side.parse::<u32>().ok());
        let [x, y] = [width? / 4, height?.checked_sub(BUTTON)?].map(|at| at.to_string());
        let there = ["mousemove", "--window", &question, &x, &y, "click", "1"];
        desktop.run("xdotool", &there).await;
        let gone = async || (!asked().await).then_some(());
        within(ANSWERED, gone).await
    })
    .await;
}
