//! WebKitGTK's own browser and the window of the tray app, each under its WebDriver.

use std::path::{Path, PathBuf};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::net::TcpStream;

use crate::desktop::Desktop;
use crate::files::script;
use crate::process::RunningProcess;
use crate::process_group::Group;
use crate::{TIMEOUT, eventually, free_port};

/// Opens it on a desktop, with these words more on its command line. It ends with the process.
pub async fn open(desktop: &Desktop, words: &[&str]) -> (Client, RunningProcess) {
    let port = free_port();
    let mut driver = desktop.command("WebKitWebDriver");
    driver.arg(format!("--port={port}"));
    let driver = RunningProcess::spawn(driver);
    listens(port).await;
    let words = [&["--automation"], words].concat();
    let wanted = json!({
        "acceptInsecureCerts": true,
        "webkitgtk:browserOptions": { "binary": program(), "args": words },
    });
    let wanted: Capabilities = wanted.as_object().expect("an object").clone();
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(wanted);
    let page = builder.connect(&format!("http://127.0.0.1:{port}")).await;
    (page.expect("a browser"), driver)
}

async fn listens(port: u16) {
    eventually("the WebDriver", async || {
        TcpStream::connect(("127.0.0.1", port)).await.ok()
    })
    .await;
}

/// Starts the app with its standard output and error, and its process id, in files: a WebDriver passes
/// none of them on.
const WRAPPER: &str =
    "echo $$ >\"$HOME/pid\"\nexec \"$PORCHLIGHT\" \"$@\" >\"$HOME/out\" 2>\"$HOME/err\"\n";

/// Opens this tray app on a desktop, with these settings, this admin token and a free port. It ends with
/// the group, whose first process is the driver.
pub async fn open_app(
    desktop: &Desktop,
    binary: &str,
    token: &str,
    settings: &[&str],
) -> (Client, Group, RunningProcess) {
    let wrapper = desktop.home().join("porchlight.sh");
    script(&wrapper, WRAPPER);
    let [port, native_port] = [free_port(), free_port()];
    let mut command = desktop.command("tauri-driver");
    command.args([
        "--port",
        &port.to_string(),
        "--native-port",
        &native_port.to_string(),
    ]);
    command.env("PORCHLIGHT", binary);
    command.env("PORCHLIGHT_ADMIN_TOKEN", token);
    // It leaves its own child behind, so all of them are one group.
    command.process_group(0);
    let driver = RunningProcess::spawn(command);
    let group = Group::of(&driver);

    let data_dir = desktop.data_dir();
    let mut words = vec!["--data-dir", data_dir.to_str().expect("a UTF-8 path")];
    words.extend(["--set", "server.listen=127.0.0.1:0"]);
    words.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let wanted = json!({ "tauri:options": { "application": wrapper, "args": words } });
    let wanted: Capabilities = wanted.as_object().expect("an object").clone();
    let address = format!("http://127.0.0.1:{port}");
    // It forwards commands to a driver that it starts itself.
    listens(native_port).await;
    listens(port).await;
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(wanted);
    // It waits for ever for an app that has ended.
    match tokio::time::timeout(TIMEOUT, builder.connect(&address)).await {
        Ok(Ok(page)) => (page, group, driver),
        other => {
            let stderr = std::fs::read_to_string(desktop.home().join("err"));
            panic!("no window: {other:?}; the app's standard error: {stderr:?}");
        }
    }
}

fn program() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").expect("a folder").flatten();
    let folders = folders.map(|folder| folder.path());
    let mut places = folders
        .chain([Path::new("/usr/libexec").to_owned()])
        .map(|folder| folder.join("webkit2gtk-4.1/MiniBrowser"));
    places
        .find(|place| place.exists())
        .expect("WebKitGTK's MiniBrowser")
}
