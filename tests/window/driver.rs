//! The tray app with its window under a WebDriver, to see and press what is on
//! the page.

use std::sync::atomic::{AtomicU32, Ordering};

use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::app::{Service, TOKEN};
use crate::desktop::Desktop;
use crate::harness::TIMEOUT;
use crate::harness::browser::open_app;
use crate::harness::deadline::waits_for;
use crate::harness::process::RunningProcess;
use crate::process_group::Group;
use crate::{eventually, within};

/// The places of the window, in their order.
pub(crate) const PLACES: [&str; 6] = [
    "Home",
    "Pictures",
    "Presence",
    "Game",
    "Statistics",
    "Settings",
];

/// An app whose window is under a WebDriver. Dropping it ends both.
pub(crate) struct Driven {
    page: Client,
    presses: AtomicU32,
    _group: Group,
    _driver: RunningProcess,
    /// Where the app answers.
    pub(crate) service: Service,
}

impl Driven {
    /// Starts the app with these settings, and waits until its page is there
    /// and its service answers.
    pub(crate) async fn start(desktop: &Desktop, settings: &[&str]) -> Self {
        let binary = env!("CARGO_BIN_EXE_porchlight");
        let (page, group, driver) = open_app(desktop, binary, TOKEN, settings).await;
        let service = eventually("the service", async || {
            let out = std::fs::read_to_string(desktop.home().join("out")).ok()?;
            Some(Service::at(
                out.strip_prefix("listening on ")?.strip_suffix('\n')?,
            ))
        })
        .await;
        Self {
            page,
            presses: AtomicU32::new(0),
            _group: group,
            _driver: driver,
            service,
        }
    }

    /// Waits until this is on the page.
    pub(crate) async fn see(&self, text: &str) {
        let words = quoted(text);
        self.find(&format!("//*[contains(normalize-space(), {words})]"))
            .await;
    }

    /// Presses the button with exactly this label, as soon as it can be
    /// pressed.
    pub(crate) async fn press(&self, text: &str) {
        let words = quoted(text);
        let path = format!("//button[normalize-space()={words} and not(@disabled)]");
        self.click(&path).await;
    }

    /// What a script on the page returns.
    pub(crate) async fn script(&self, script: &str) -> Value {
        waits_for(script);
        self.page
            .execute(script, Vec::new())
            .await
            .expect("a script that runs")
    }

    /// What an asynchronous script on the page returns in the end.
    pub(crate) async fn wait_for(&self, script: &str) -> Value {
        waits_for(script);
        let call = format!(
            "const done = arguments[0]; (async () => {{ {script} }})().then(done, (e) => done(String(e)))"
        );
        self.page
            .execute_async(&call, Vec::new())
            .await
            .expect("a script that runs")
    }

    /// Waits until a script on the page returns something that is not false,
    /// null or zero.
    pub(crate) async fn until(&self, what: &str, script: &str) -> Value {
        let seen = within(TIMEOUT, async || {
            let value = self.script(script).await;
            let seen = !matches!(value, Value::Null | Value::Bool(false)) && value != json!(0);
            seen.then_some(value)
        })
        .await;
        match seen {
            Some(value) => value,
            None => panic!("{what}: {}", self.shown().await),
        }
    }

    /// The page's text, to explain a failed test.
    async fn shown(&self) -> String {
        let text = self.script("return document.body.innerText").await;
        format!("the page's text: {text}")
    }

    /// Waits until what the page is like now was handed on to be shown.
    pub(crate) async fn drawn(&self) {
        let frame = "await new Promise((done) => requestAnimationFrame(done));";
        self.wait_for(&frame.repeat(2)).await;
    }

    /// What an XPath leads to, as soon as it is there.
    pub(crate) async fn find(&self, path: &str) -> fantoccini::elements::Element {
        waits_for(path);
        let waiting = self.page.wait().at_most(TIMEOUT);
        match waiting.for_element(Locator::XPath(path)).await {
            Ok(element) => element,
            Err(error) => panic!("{path}: {error}; {}", self.shown().await),
        }
    }
}

/// What a hand at the keyboard does.
impl Driven {
    /// Goes to the place of this name by the side bar.
    pub(crate) async fn go(&self, place: &str) {
        let words = quoted(place);
        let path = format!("//nav//button[.//span[normalize-space()={words}]]");
        self.click(&path).await;
    }

    /// Presses the button or chooses the option with this accessible name.
    pub(crate) async fn press_named(&self, name: &str) {
        let words = quoted(name);
        self.click(&format!("//*[@aria-label={words}]")).await;
    }

    /// Clicks the label with this text: it ticks or chooses its control.
    pub(crate) async fn tick(&self, label: &str) {
        let words = quoted(label);
        let path = format!("//label[normalize-space()={words} or .//*[normalize-space()={words}]]");
        self.click(&path).await;
    }

    /// Replaces the text of the field with this label.
    pub(crate) async fn fill(&self, label: &str, text: &str) {
        let words = quoted(label);
        let named = format!("//label[normalize-space()={words}]/@for");
        let within = format!("//label[span[normalize-space()={words}]]");
        let path = format!("//*[@id={named}] | {within}//input | {within}//textarea");
        let field = self.find(&path).await;
        field.clear().await.expect("a field");
        field.send_keys(text).await.expect("a field");
    }

    /// Waits until the page does not contain this.
    pub(crate) async fn see_no_more(&self, text: &str) {
        let text = Value::from(text);
        let gone = format!("return !document.body.innerText.includes({text})");
        self.until(&format!("{text} to be gone"), &gone).await;
    }

    /// Clicks what an XPath leads to, as soon as it can be.
    pub(crate) async fn click(&self, path: &str) {
        // What was found may be redrawn before it is pressed.
        let pressed = within(TIMEOUT, async || self.try_to_click(path).await);
        if pressed.await.is_none() {
            panic!("{path} cannot be pressed; {}", self.shown().await);
        }
        self.presses.fetch_add(1, Ordering::Relaxed);
    }

    /// The driver presses where the element was when it looked. While the page is still filling in
    /// (a line of text more above a button), that is beside it; so the page says whether the press
    /// met the element, and a press that met something else is no press.
    async fn try_to_click(&self, path: &str) -> Option<()> {
        let element = self.find(path).await;
        let watched = serde_json::to_value(&element).ok()?;
        let armed = self.page.execute(WATCH_PRESS, vec![watched]).await;
        armed.ok()?;
        element.click().await.ok()?;
        // A press that led to another page has met what it should.
        let missed = self.page.execute(PRESS_MISSED, Vec::new()).await;
        (!missed.is_ok_and(|missed| missed == json!(true))).then_some(())
    }

    /// How many times something was pressed.
    pub(crate) fn presses(&self) -> u32 {
        self.presses.load(Ordering::Relaxed)
    }

    /// Types into the empty field below this label.
    pub(crate) async fn type_into(&self, label: &str, text: &str) {
        let label = format!("//*[span[normalize-space()={}]]/input", quoted(label));
        let field = self.find(&label).await;
        field.send_keys(text).await.expect("a field");
    }
}

/// Notes whether the next press meets this element. An option is pressed in a list that the system
/// draws: the page sees no press.
const WATCH_PRESS: &str = "
    const wanted = arguments[0];
    window.pressMissed = undefined;
    if (wanted.tagName === 'OPTION') return;
    for (const kind of ['mousedown', 'click']) {
        addEventListener(
            kind,
            (press) => {
                if (wanted.isConnected && !wanted.contains(press.target)) window.pressMissed = true;
            },
            { capture: true, once: true },
        );
    }";

/// Whether the last press met something else.
const PRESS_MISSED: &str = "return window.pressMissed === true";

/// A text in an XPath expression.
pub(crate) fn quoted(text: &str) -> String {
    assert!(!text.contains('"'), "XPath has no way to write {text}");
    format!("\"{text}\"")
}

/// Makes a file a program.
pub(crate) fn make_executable(path: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(path, mode).expect("a file of our own");
}
