//! A mouse and a keyboard at the window, and what it takes to use them.

use serde_json::Value;

use crate::desktop::Desktop;
use crate::driver::{Driven, quoted};
use crate::eventually;

/// The Enter key.
pub(crate) const ENTER: &str = "\u{e007}";
/// The Tab key.
pub(crate) const TAB: &str = "\u{e004}";

impl Driven {
    /// Replaces the text of the field with this accessible name.
    pub(crate) async fn write(&self, name: &str, text: &str) {
        let words = quoted(name);
        let names = format!("@aria-label={words} or @aria-labelledby=//*[.={words}]/@id");
        let path = format!("//*[(self::input or self::textarea) and ({names})]");
        let field = self.find(&path).await;
        field.click().await.expect("a field that can be seen");
        // What it holds is written over.
        self.script("document.activeElement.select()").await;
        let written = field.send_keys(text).await;
        written.expect("a field that can be written into");
    }

    /// Opens a group of the settings.
    pub(crate) async fn open_settings(&self, group: &str) {
        self.go("Settings").await;
        let words = quoted(group);
        let tab = format!("//button[@role='tab' and normalize-space()={words}]");
        self.click(&tab).await;
    }

    /// Where the middle of what the selector finds is in the window.
    pub(crate) async fn middle(&self, selector: &str) -> (String, String) {
        let script = format!(
            "const box = document.querySelector({})?.getBoundingClientRect(); \
             return box && [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)",
            Value::from(selector)
        );
        let place = self.until(selector, &script).await;
        (place[0].to_string(), place[1].to_string())
    }

    /// Clicks with the mouse on what the selector finds, with a key held down
    /// or none.
    pub(crate) async fn click_on(&self, desktop: &Desktop, selector: &str, held: Option<&str>) {
        let (x, y) = self.middle(selector).await;
        let window = in_front(desktop).await;
        desktop
            .xdotool(&["mousemove", "--window", &window, &x, &y])
            .await;
        match held {
            Some(key) => {
                desktop
                    .xdotool(&["keydown", key, "click", "1", "keyup", key])
                    .await
            }
            None => desktop.xdotool(&["click", "1"]).await,
        }
    }
}

/// Strikes these keys in the app's window.
pub(crate) async fn strike(desktop: &Desktop, keys: &[&str]) {
    in_front(desktop).await;
    desktop.xdotool(&[&["key"][..], keys].concat()).await;
}

/// Brings the app's window to the front.
pub(crate) async fn in_front(desktop: &Desktop) -> String {
    let window = desktop.window("Porchlight").await;
    eventually("the window in front", async || {
        if desktop.active_window().await.as_ref() == Some(&window) {
            return Some(());
        }
        desktop.run("xdotool", &["windowactivate", &window]).await;
        None
    })
    .await;
    window
}

impl Driven {
    /// Ends the app at once, as the system does that is out of memory, and
    /// then its driver.
    pub(crate) async fn kill(self, desktop: &Desktop) {
        let pid = std::fs::read_to_string(desktop.home().join("pid"));
        let pid = pid.expect("the number of its process");
        let killed = desktop.run("kill", &["-KILL", pid.trim()]).await;
        assert!(killed.status.success(), "{killed:?}");
        eventually("the app to be gone", async || {
            self.service.gone().await.then_some(())
        })
        .await;
    }
}

impl Driven {
    /// Makes sure that this is nowhere on the page: in no text, no field and
    /// nothing that it keeps.
    pub(crate) async fn nowhere_on_the_page(&self, secret: &str) {
        assert!(secret.len() > 8, "too short to be looked for");
        let held = "return [document.documentElement.outerHTML, \
            ...[...document.querySelectorAll('input, textarea')].map((field) => field.value), \
            JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href].join(' ')";
        let held = self.script(held).await;
        let held = held.as_str().expect("text");
        assert!(held.contains("Porchlight"), "{held}");
        assert!(!held.contains(secret));
    }
}
