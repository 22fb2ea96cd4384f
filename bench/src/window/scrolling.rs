//! How smoothly the window scrolls through ten thousand images, by the page's
//! own frames.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use image::{ImageBuffer, Rgb};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;

use super::app::SETTINGS;
use super::desktop::Desktop;
use crate::Result;
use crate::child::Running;
use crate::figures::Figures;
use crate::porchlight::Porchlight;
use crate::rows::{self, Rows, Stored};
use crate::table::Line;

const PICTURES: u32 = 10_000;
const READY_WITHIN: Duration = Duration::from_secs(60);
const AIM_FRAMES_A_SECOND: f64 = 60.0;
/// Sixty a second, by a clock that is not the screen's: what is drawn at 59.5
/// is drawn at every frame.
const NEARLY: f64 = 0.99;

/// Scrolls the page of images for five seconds, at five rows a second, slow enough for each to be
/// shown, and returns the times of its frames.
const SCROLL: &str = r#"
const done = arguments[0];
const scroller = [...document.querySelectorAll("*")]
  .filter((one) => one.scrollHeight > 50 * one.clientHeight && one.clientHeight > 200)
  .sort((one, other) => other.scrollHeight - one.scrollHeight)[0];
if (scroller === undefined) { done("nothing scrolls"); return; }
const times = [];
const began = performance.now();
const frame = (now) => {
  times.push(now);
  scroller.scrollTop = (now - began) * 1.2;
  if (now - began < 5000) requestAnimationFrame(frame);
  else done({ times, top: scroller.scrollTop, images: document.images.length });
};
requestAnimationFrame(frame);
"#;

/// Measures it.
pub(crate) async fn measure(desktop: &Desktop, binary: &Path) -> Result<Vec<Line>> {
    let folder = desktop.home().join("scrolled");
    drop(Porchlight::start(binary, &folder, &[])?);
    Rows::write(&folder, &files(&folder)?, rows::Place::Disk)?;
    let window = Window::open(desktop, binary, &folder).await?;
    let seen = window.scroll().await?;
    let times: Vec<f64> = serde_json::from_value(seen["times"].clone())
        .map_err(|_| format!("the page returned {seen}"))?;
    let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
    let seconds = (times[times.len() - 1] - times[0]) / 1000.0;
    let a_second = steps.len() as f64 / seconds;
    let steps = Figures::new(steps);
    Ok(vec![Line {
        what: format!("frames a second while {PICTURES} pictures scroll"),
        ours: format!(
            "{a_second:.1} (99 of 100 within {:.0} ms, the longest {:.0} ms)",
            steps.percentile(99),
            steps.largest()
        ),
        aim: Some((
            format!("{AIM_FRAMES_A_SECOND}"),
            a_second >= AIM_FRAMES_A_SECOND * NEARLY,
        )),
        ..Line::default()
    }])
}

/// The app's window under a WebDriver. Dropping it ends both.
struct Window {
    page: Client,
    _driver: Running,
}

impl Window {
    async fn open(desktop: &Desktop, binary: &Path, folder: &Path) -> Result<Self> {
        // A WebDriver starts nothing but a program.
        let program = desktop.home().join("porchlight.sh");
        let quoted = binary.to_string_lossy();
        fs::write(&program, format!("#!/bin/sh\nexec '{quoted}' \"$@\"\n"))?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
        let [port, native] = free_ports()?;
        let mut driver = desktop.command("tauri-driver");
        driver.args([
            "--port",
            &port.to_string(),
            "--native-port",
            &native.to_string(),
        ]);
        driver.stdout(Stdio::null());
        driver.stderr(fs::File::create(desktop.home().join("driver.log"))?);
        let driver = Running::start(&mut driver)?;
        for port in [native, port] {
            let asked = Instant::now();
            while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                if asked.elapsed() > READY_WITHIN {
                    return Err("the WebDriver did not start".into());
                }
                tokio::time::sleep(crate::child::LOOK_EVERY).await;
            }
        }
        let mut words = vec![
            "--data-dir".to_owned(),
            folder.to_string_lossy().into_owned(),
        ];
        for setting in SETTINGS {
            words.extend(["--set".to_owned(), setting.to_owned()]);
        }
        let wanted = json!({ "tauri:options": { "application": program, "args": words } });
        let wanted: Capabilities = wanted.as_object().ok_or("an object")?.clone();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(wanted);
        let address = format!("http://127.0.0.1:{port}");
        let page = tokio::time::timeout(READY_WITHIN, builder.connect(&address))
            .await
            .map_err(|_| "the window did not open under the WebDriver")??;
        Ok(Self {
            page,
            _driver: driver,
        })
    }

    async fn scroll(self) -> Result<Value> {
        let place = Locator::XPath("//nav//*[self::a or self::button][contains(., 'Pictures')]");
        let waiting = self.page.wait().at_most(READY_WITHIN);
        waiting.for_element(place).await?.click().await?;
        let a_picture = Locator::Css("main img");
        let waiting = self.page.wait().at_most(READY_WITHIN);
        waiting.for_element(a_picture).await?;
        let seen = self.page.execute_async(SCROLL, Vec::new()).await?;
        self.page.close().await?;
        Ok(seen)
    }
}

/// Writes images, each another, to where the service keeps its own.
fn files(data_folder: &Path) -> Result<Vec<Stored>> {
    (0..PICTURES)
        .map(|number| {
            let webp = picture(number)?;
            let sha256: [u8; 32] = Sha256::digest(&webp).into();
            let hash = hex::encode(&sha256[..16]);
            let folder = data_folder.join("images").join(&hash[..2]);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{hash}.webp")), &webp)?;
            let size = u32::try_from(webp.len())?;
            Ok(Stored { sha256, size })
        })
        .collect()
}

/// An image as large as a thumbnail, in colours that depend on its number.
fn picture(number: u32) -> Result<Vec<u8>> {
    let (width, height) = (320, 240);
    let of = |by: u32| (number.wrapping_mul(by) >> 8) as u8;
    let picture = ImageBuffer::from_fn(width, height, |x, y| {
        let wave = ((x * x / (7 + number % 23) + y * y / (5 + number % 17)) % 96) as u8;
        Rgb([
            of(2_654_435_761).saturating_add(wave),
            of(40_503).saturating_add((y / 2) as u8),
            of(97).saturating_add((x / 3) as u8),
        ])
    });
    let mut webp = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut webp, image::ImageFormat::WebP)?;
    Ok(webp.into_inner())
}

/// Two ports that are free now: the driver takes no port 0.
fn free_ports() -> Result<[u16; 2]> {
    let one = TcpListener::bind("127.0.0.1:0")?;
    let other = TcpListener::bind("127.0.0.1:0")?;
    Ok([one.local_addr()?.port(), other.local_addr()?.port()])
}
