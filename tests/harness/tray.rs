//! The tray of a test's desktop, and the app's icon and menu in it.

use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde_json::Value;

use crate::desktop::{Desktop, text};
use crate::eventually;
use crate::process::RunningProcess;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tray.py");
/// The one that the distribution's python3-gi belongs to.
pub const PYTHON: &str = "/usr/bin/python3";

/// A tray that icons can register with.
pub struct Tray {
    process: RunningProcess,
}

/// An icon in the tray.
pub struct Icon {
    name: String,
    path: String,
}

/// An item of an icon's menu.
#[derive(Debug, Deserialize)]
pub struct Item {
    /// Its label.
    pub label: String,
    /// Whether it can be clicked.
    pub enabled: bool,
}

impl Tray {
    /// Starts it, and waits until icons can register.
    pub async fn start(desktop: &Desktop, words: &[&str]) -> Self {
        let mut command = desktop.command(PYTHON);
        command.args([SCRIPT, "watch"]).args(words);
        let mut process = RunningProcess::spawn(command);
        let watching = process.line_with("watching").await;
        assert!(watching.is_some(), "no tray: {}", process.stderr());
        Self { process }
    }

    /// The host of the icons appears, or disappears.
    pub fn host_comes_or_goes(&self) {
        let pid = self.process.pid().expect("a tray that runs");
        let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
        kill_process(pid, Signal::USR1).expect("a signal");
    }

    /// The icon that registers next.
    pub async fn icon(&mut self) -> Icon {
        let line = self.process.line_with("item ").await.expect("an icon");
        let mut words = line.split_whitespace().skip(1).map(str::to_owned);
        let (name, path) = (words.next().expect("a name"), words.next().expect("a path"));
        Icon { name, path }
    }
}

impl Icon {
    /// Its menu, from top to bottom.
    pub async fn menu(&self, desktop: &Desktop) -> Vec<Item> {
        let menu: Value =
            serde_json::from_str(&self.ask(desktop, "menu", &[]).await).expect("JSON");
        serde_json::from_value(menu).expect("items")
    }

    /// Shows its menu until the process is dropped; gives the menu's window, too.
    pub async fn show(&self, desktop: &Desktop) -> (RunningProcess, String) {
        let mut command = desktop.command(PYTHON);
        command.args([SCRIPT, "show", &self.name, &self.path]);
        let mut shown = RunningProcess::spawn(command);
        let line = shown.line_with("window ").await;
        let line = line.unwrap_or_else(|| panic!("no menu: {}", shown.stderr()));
        (shown, line.trim().replace("window ", ""))
    }

    /// Clicks the item whose label starts with this, once it can be clicked.
    pub async fn click(&self, desktop: &Desktop, label: &str) {
        eventually(label, async || {
            let menu = self.menu(desktop).await;
            menu.iter()
                .any(|item| item.label.starts_with(label) && item.enabled)
                .then_some(())
        })
        .await;
        self.ask(desktop, "click", &[label]).await;
    }

    /// The words with which `gdbus` clicks the item whose label starts with this: nothing is looked
    /// up on the way, so it is quick.
    pub async fn event(&self, desktop: &Desktop, label: &str) -> Vec<String> {
        let menu: Vec<Value> =
            serde_json::from_str(&self.ask(desktop, "menu", &[]).await).expect("JSON");
        let is_it = |item: &&Value| {
            item["label"]
                .as_str()
                .is_some_and(|it| it.starts_with(label))
        };
        let item = menu.iter().find(is_it).expect("the item");
        let object = self.ask(desktop, "object", &[]).await;
        let call = "call --session --method com.canonical.dbusmenu.Event --dest";
        let mut words: Vec<String> = call.split(' ').map(str::to_owned).collect();
        words.extend([self.name.clone(), "--object-path".to_owned()]);
        words.extend([object.trim().to_owned(), item["id"].to_string()]);
        words.extend(["clicked", "<''>", "0"].map(str::to_owned));
        words
    }

    /// The file of its image.
    pub async fn picture(&self, desktop: &Desktop) -> PathBuf {
        PathBuf::from(self.ask(desktop, "icon", &[]).await.trim())
    }

    async fn ask(&self, desktop: &Desktop, what: &str, more: &[&str]) -> String {
        let mut words = vec![SCRIPT, what, &self.name, &self.path];
        words.extend(more);
        let answer = desktop.run(PYTHON, &words).await;
        assert!(answer.status.success(), "{what}: {answer:?}");
        text(&answer)
    }
}
