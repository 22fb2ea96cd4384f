//! A reader with a browser: WebKitGTK's own, under its WebDriver.

use fantoccini::Client;
use serde_json::Value;

use crate::harness::desktop::Desktop;
use crate::harness::process::RunningProcess;
use crate::harness::{TIMEOUT, browser};

/// What the reader sees of the light, and how wide the pictures are that have loaded.
const SEEN: &str = r#"
    const light = document.querySelector("porch-light");
    const part = (name) => light?.shadowRoot?.querySelector(`[part="${name}"]`);
    if (!part("light")) return null;
    const { top, left } = part("light").getBoundingClientRect();
    return {
      state: light.getAttribute("state"),
      // Nothing covers it.
      isOnTop: document.elementFromPoint(left + 2, top + 4) === light,
      name: part("name").textContent,
      text: part("text").textContent,
      colour: getComputedStyle(part("light")).backgroundColor,
      pictures: [...document.querySelectorAll(".article-entry img")]
        .filter((picture) => picture.complete)
        .map((picture) => [picture.src, picture.naturalWidth]),
    };
"#;

/// Dropping it ends the browser.
pub(crate) struct Reader {
    page: Client,
    _driver: RunningProcess,
}

impl Reader {
    /// A reader who was never here, behind this proxy, opens a page.
    pub(crate) async fn open(desktop: &Desktop, proxy: &str, url: &str) -> Self {
        let proxy = format!("--proxy={proxy}");
        let (page, driver) = browser::open(desktop, &["--ignore-tls-errors", &proxy]).await;
        page.goto(url).await.expect("a page");
        Self {
            page,
            _driver: driver,
        }
    }

    /// Waits until this is among what the reader sees.
    pub(crate) async fn sees(&self, wanted: &Value) {
        let mut last = Value::Null;
        let wanted = wanted.as_object().expect("an object");
        let seen = tokio::time::timeout(TIMEOUT, async {
            while wanted.iter().any(|(key, value)| last[key] != *value) {
                let seen = self.page.execute(SEEN, Vec::new()).await;
                last = seen.expect("a script that runs");
            }
        });
        let is_seen = seen.await.is_ok();
        assert!(is_seen, "{last} instead of {wanted:?}");
    }

    /// Closes the browser.
    pub(crate) async fn leaves(self) {
        self.page.close().await.expect("an open browser");
    }
}
