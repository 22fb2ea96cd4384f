//! WebKitGTK's own browser, under its WebDriver.

use std::path::{Path, PathBuf};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::net::TcpStream;

use crate::desktop::Desktop;
use crate::process::RunningProcess;
use crate::{eventually, free_port};

/// Opens it on a desktop, with these words more on its command line. It ends with the process.
pub async fn open(desktop: &Desktop, words: &[&str]) -> (Client, RunningProcess) {
    let port = free_port();
    let mut driver = desktop.command("WebKitWebDriver");
    driver.arg(format!("--port={port}"));
    let driver = RunningProcess::spawn(driver);
    eventually("the WebDriver", async || {
        TcpStream::connect(("127.0.0.1", port)).await.ok()
    })
    .await;
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
