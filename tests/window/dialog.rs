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

/// Closes the app's dialog above its window without a yes.
pub(crate) async fn press_no(desktop: &Desktop) {
    reply(desktop, async |_, _| {
        desktop.run("xdotool", &["key", "Escape"]).await;
        Some(())
    })
    .await;
}

/// Confirms the app's dialog above its window with its first button.
pub(crate) async fn press_yes(desktop: &Desktop) {
    reply(desktop, async |question, size| {
        let (width, height) = size.split_once('x')?;
        let [width, height] = [width, height].map(|side| side.parse::<u32>().ok());
        let [x, y] = [width? / 4, height?.checked_sub(BUTTON)?].map(|at| at.to_string());
        let there = ["mousemove", "--window", question, &x, &y, "click", "1"];
        desktop.run("xdotool", &there).await;
        Some(())
    })
    .await;
}

/// Answers the app's dialog above its window, once it has the keyboard, until it is gone.
async fn reply(desktop: &Desktop, answer: impl AsyncFn(&str, &str) -> Option<()>) {
    let asked = async || question(desktop).await;
    let (question, size) = eventually("a question", asked).await;
    // Another question may follow it.
    let gone = async || {
        let there = asked().await.is_some_and(|(there, _)| there == question);
        (!there).then_some(())
    };
    eventually("the question to be answered", async || {
        let active = ["windowactivate", "--sync", &question];
        desktop.run("xdotool", &active).await;
        answer(&question, &size).await?;
        within(ANSWERED, gone).await
    })
    .await;
}

/// The app's dialog above its window, and its size.
async fn question(desktop: &Desktop) -> Option<(String, String)> {
    let mut found = Vec::new();
    for window in desktop.windows("Porchlight").await {
        let size = desktop.size(&window).await;
        let width: u32 = size.split_once('x')?.0.parse().ok()?;
        // A drag leaves a window of one pixel.
        if width > 1 {
            found.push((width, window, size));
        }
    }
    // The window itself has the same title, and is the wider one of the two.
    found.sort();
    let (_, question, size) = found.into_iter().rev().nth(1)?;
    Some((question, size))
}
