//! What a running tray app costs: memory and CPU while it is hidden, memory
//! after its window was open, the time until that is drawn, and how smoothly
//! ten thousand images scroll.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use fantoccini::Locator;
use image::{Rgb, RgbImage};
use porchlight_test_harness::TIMEOUT;
use porchlight_test_harness::browser::open_app;
use porchlight_test_harness::desktop::Desktop;
use porchlight_test_harness::memory::{descendants, dirty_of};
use porchlight_test_harness::process::{RunningProcess, seconds_worked};
use serde_json::Value;
use tokio::time::sleep;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, Screen};
use x11rb::rust_connection::RustConnection;

use crate::rows::{webp, with_files};
use crate::service::milliseconds;
use crate::table::{Figures, Line};

/// From the start, or from closing the window, until memory is measured.
const SETTLED_AFTER: Duration = Duration::from_secs(10);
/// How long CPU time is measured.
const IDLE_FOR: Duration = Duration::from_secs(60);
/// How often the window is opened and closed.
const ROUNDS: usize = 50;
/// How much longer than a test this takes at most.
const LONGER: Duration = Duration::from_secs(1200);

/// Sixty a second, by a clock that is not the screen's: what is drawn at 59.5
/// is drawn at every frame.
const NEARLY_SIXTY: f64 = 60.0 * 0.99;

const PICTURES: u32 = 10_000;
/// A page of text and images has many more colours than a blank one, or one
/// that is loading.
const COLOURS_OF_A_PAGE: usize = 200;
const TITLE: &str = "Porchlight";

/// How the app is started here: nothing is shared, and the owner was welcomed already.
const SETTINGS: [&str; 3] = [
    "presence.enabled=false",
    "app.welcomed=true",
    "game.local_steam=false",
];

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
  else done(times);
};
requestAnimationFrame(frame);
"#;

/// Measures all of it.
pub(crate) async fn measure(binary: Option<&Path>) -> Result<Vec<Line>> {
    println!("==> window: hidden, opened {ROUNDS} times, scrolled");
    let binary = binary.context("the window's part needs the desktop binary: --desktop")?;
    let binary = binary.to_str().context("a UTF-8 path")?;
    let mut lines = opened(binary).await?;
    lines.push(scrolled(binary).await?);
    Ok(lines)
}

async fn opened(binary: &str) -> Result<Vec<Line>> {
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(LONGER);
    let mut command = desktop.command(binary);
    command
        .arg("--data-dir")
        .arg(desktop.data_dir())
        .args(["--hidden", "--set=server.listen=127.0.0.1:0"])
        .args(SETTINGS.map(|setting| format!("--set={setting}")));
    let mut app = RunningProcess::spawn(command);
    let ready = app.line_with("listening on ").await;
    ready.with_context(|| format!("the tray app did not start: {}", app.stderr()))?;
    let pid = app.pid().context("the tray app has ended")?;
    let open = desktop.tray().icon().await.event(&desktop, "Open").await;
    let (screen, number) = RustConnection::connect(Some(desktop.display()))?;
    let root = &screen.setup().roots[number];

    sleep(SETTLED_AFTER).await;
    let hidden = mebibytes(pid);
    let (began, before) = (Instant::now(), worked(pid));
    sleep(IDLE_FOR).await;
    let share = (worked(pid) - before) / began.elapsed().as_secs_f64() * 100.0;

    let (mut times, mut after) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let began = Instant::now();
        let clicked = desktop.command("gdbus").args(&open).output().await?;
        if !clicked.status.success() {
            bail!("the click failed: {clicked:?}");
        }
        wait_until_drawn(&screen, root)?;
        times.push(milliseconds(began));
        desktop.close_window(&desktop.window(TITLE).await).await;
        if round == 0 || round + 1 == ROUNDS {
            sleep(SETTLED_AFTER).await;
            after.push(mebibytes(pid));
        }
    }
    let (first, left) = (after[0], after[1] - after[0]);
    // The first one also fills the system's caches.
    let cold = times.remove(0);
    let warm = Figures::new(times);
    let memory = |when: &str, number: f64, aim| {
        let what = format!("tray app, dirty memory of all its processes, {when}");
        Line::below(what, format!("{number:.1} MiB"), number, aim, "MiB")
    };
    let (idle, more) = (format!("{share:.2} %"), format!("{left:+.1} MiB"));
    let open = format!("{} ms, the first {cold:.0} ms", warm.spelt(0));
    Ok(vec![
        memory("started hidden", hidden, 45.0),
        Line::below(
            "tray app hidden, 60 s idle, of one core",
            idle,
            share,
            0.5,
            "%",
        ),
        memory("after its window was open", first, 75.0),
        // More than the memory of one web process differs by from one start to the next, and far
        // less than fifty times what a window takes.
        Line::below(
            "what 49 further windows leave behind",
            more,
            left,
            5.0,
            "MiB",
        ),
        Line::below(
            "click in the tray to the drawn window",
            open,
            warm.median(),
            700.0,
            "ms",
        ),
    ])
}

/// The memory of a process and all that it started.
fn mebibytes(process: u32) -> f64 {
    dirty_of(process) as f64 / 1024.0 / 1024.0
}

/// The processor's time that a process and all that it started have taken, in seconds.
fn worked(process: u32) -> f64 {
    descendants(process).into_iter().map(seconds_worked).sum()
}

/// Waits until the screen, which is empty otherwise, shows a drawn page. A program that looked would
/// cost more time than is measured.
fn wait_until_drawn(x: &RustConnection, screen: &Screen) -> Result<()> {
    let (width, height) = (screen.width_in_pixels, screen.height_in_pixels);
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        let shown = x.get_image(ImageFormat::Z_PIXMAP, screen.root, 0, 0, width, height, !0)?;
        let shown = shown.reply()?;
        let pixels = shown.data.chunks_exact(4).step_by(3);
        let colours: HashSet<&[u8]> = pixels.map(|pixel| &pixel[..3]).collect();
        if colours.len() >= COLOURS_OF_A_PAGE {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    bail!("the window was not drawn")
}

/// How smoothly the window scrolls through ten thousand images, by the page's own frames.
async fn scrolled(binary: &str) -> Result<Line> {
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(LONGER);
    with_files(&desktop.data_dir(), (0..PICTURES).map(picture)).await?;
    let (page, _group, _driver) = open_app(&desktop, binary, &"0".repeat(43), &SETTINGS).await;
    let place = Locator::XPath("//nav//*[self::a or self::button][contains(., 'Pictures')]");
    let waiting = || page.wait().at_most(TIMEOUT);
    waiting().for_element(place).await?.click().await?;
    waiting().for_element(Locator::Css("main img")).await?;
    let seen: Value = page.execute_async(SCROLL, Vec::new()).await?;
    page.close().await?;

    let times: Vec<f64> = serde_json::from_value(seen.clone())
        .with_context(|| format!("the page returned {seen}"))?;
    let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
    let a_second = steps.len() as f64 * 1000.0 / steps.iter().sum::<f64>();
    let steps = Figures::new(steps);
    let (most, longest) = (steps.p99(), steps.largest());
    Ok(Line {
        what: format!("frames a second while {PICTURES} pictures scroll"),
        ours: format!("{a_second:.1} (99 of 100 within {most:.0} ms, the longest {longest:.0} ms)"),
        aim: Some(("60".to_owned(), a_second >= NEARLY_SIXTY)),
        ..Line::default()
    })
}

/// An image as large as a thumbnail, in colours that depend on its number.
fn picture(number: u32) -> Result<Vec<u8>> {
    webp(&RgbImage::from_fn(320, 240, |x, y| {
        let [low, high, ..] = number.to_le_bytes();
        let wave = (x * x / (7 + number % 23) + y * y / (5 + number % 17)) % 96;
        Rgb([low / 2 + wave as u8, high + (y / 2) as u8, (x / 3) as u8])
    }))
}
