//! What a running tray app costs: memory and CPU while it is hidden, memory
//! after its window was open, the time until that is drawn, and how smoothly
//! ten thousand images scroll.

use std::collections::HashSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::{ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use image::{ImageBuffer, ImageFormat, Rgb};
use porchlight_test_harness::desktop::Desktop;
use porchlight_test_harness::memory::children;
use porchlight_test_harness::process::RunningProcess;
use porchlight_test_harness::{TIMEOUT, eventually};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::sleep;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, ImageFormat as Format, MapState, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::service::{Group, milliseconds};
use crate::table::{Figures, Line};
use crate::{Result, rows};

/// From the start, or from closing the window, until memory is measured.
const SETTLED_AFTER: Duration = Duration::from_secs(10);
/// How long CPU time is measured.
const IDLE_FOR: Duration = Duration::from_secs(60);
/// How often the window is opened and closed.
const ROUNDS: usize = 50;
/// Memory is measured after the first round and each time after this many.
const LOOK_AFTER: usize = 10;
/// How much longer than a test this takes at most.
const LONGER: Duration = Duration::from_secs(1200);

const AIM_HIDDEN_MIB: f64 = 45.0;
const AIM_AFTER_WINDOW_MIB: f64 = 75.0;
/// What fifty rounds may add. It is more than the memory of one web process
/// differs by from one start to the next, and far less than fifty times what
/// a window takes.
const AIM_GROWTH_MIB: f64 = 5.0;
const AIM_CORE_PERCENT: f64 = 0.5;
const AIM_OPEN_MILLISECONDS: f64 = 700.0;
const AIM_FRAMES_A_SECOND: f64 = 60.0;
/// Sixty a second, by a clock that is not the screen's: what is drawn at 59.5
/// is drawn at every frame.
const NEARLY: f64 = 0.99;

const PICTURES: u32 = 10_000;
/// A page of text and images has many more colours than a blank one, or one
/// that is loading.
const COLOURS_OF_A_PAGE: usize = 200;
const TITLE: &str = "Porchlight";

/// How the app is started here: nothing is shared, and the owner was welcomed already.
const SETTINGS: [&str; 8] = [
    "--set",
    "server.listen=127.0.0.1:0",
    "--set",
    "presence.enabled=false",
    "--set",
    "app.welcomed=true",
    "--set",
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
    let binary = binary.ok_or("the window's part needs the desktop binary: --desktop")?;
    let binary = binary.to_str().ok_or("a UTF-8 path")?;
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
        .arg("--hidden")
        .args(SETTINGS);
    let mut app = RunningProcess::spawn(command);
    let ready = app.line_with("listening on ").await;
    ready.ok_or_else(|| format!("the tray app did not start: {}", app.stderr()))?;
    let pid = app.pid().ok_or("the tray app has ended")?;
    let open = desktop.tray().icon().await.event(&desktop, "Open").await;
    let screen = Screen::of(&desktop)?;

    sleep(SETTLED_AFTER).await;
    let hidden = dirty_memory(pid);
    let (began, before) = (Instant::now(), processor_time(pid));
    sleep(IDLE_FOR).await;
    let share = (processor_time(pid) - before) / began.elapsed().as_secs_f64() * 100.0;

    let (mut times, mut after) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let began = Instant::now();
        let clicked = desktop.command("gdbus").args(&open).output().await?;
        if !clicked.status.success() {
            return Err(format!("the click failed: {clicked:?}").into());
        }
        let window = screen.wait_until_drawn()?;
        times.push(milliseconds(began));
        desktop.close_window(&window.to_string()).await;
        if round == 0 || (round + 1) % LOOK_AFTER == 0 {
            sleep(SETTLED_AFTER).await;
            after.push(dirty_memory(pid));
        }
    }
    let (first, last) = (after[0], after[after.len() - 1]);
    // Whether it levels off is seen on the way there.
    let left: Vec<String> = after[1..]
        .iter()
        .map(|one| format!("{:+.1}", one - first))
        .collect();
    let left = format!(
        "{:+.1} MiB (after each {LOOK_AFTER}: {})",
        last - first,
        left.join(", ")
    );
    // The first one also fills the system's caches.
    let cold = times.remove(0);
    let warm = Figures::new(times);
    let open = format!("{} ms, the first {cold:.0} ms", warm.spelt(0));
    let memory = |when: &str, mebibytes: f64, aim| {
        let what = format!("tray app, dirty memory of all its processes, {when}");
        Line::below(what, format!("{mebibytes:.1} MiB"), mebibytes, aim, "MiB")
    };
    Ok(vec![
        memory("started hidden", hidden, AIM_HIDDEN_MIB),
        Line::below(
            "tray app hidden, 60 s idle, of one core",
            format!("{share:.2} %"),
            share,
            AIM_CORE_PERCENT,
            "%",
        ),
        memory("after its window was open", first, AIM_AFTER_WINDOW_MIB),
        memory(
            &format!("after {ROUNDS} such windows"),
            last,
            AIM_AFTER_WINDOW_MIB,
        ),
        Line::below(
            "what 49 further windows leave behind",
            left,
            last - first,
            AIM_GROWTH_MIB,
            "MiB",
        ),
        Line::below(
            "click in the tray to the drawn window",
            open,
            warm.median(),
            AIM_OPEN_MILLISECONDS,
            "ms",
        ),
    ])
}

/// The sum of a number of a process and all that it started; one that has just ended has none.
fn sum(process: u32, one: fn(u32) -> Option<f64>) -> f64 {
    let below: f64 = children(process)
        .into_iter()
        .map(|child| sum(child, one))
        .sum();
    one(process).unwrap_or(0.0) + below
}

/// `Pss_Dirty` (proc(5)) in MiB: memory that was written to, and that is not backed by a file;
/// shared memory counts in part.
fn dirty_memory(process: u32) -> f64 {
    sum(process, |process| {
        let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Pss_Dirty:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1024.0)
    })
}

/// The processor's time that was taken, in seconds.
fn processor_time(process: u32) -> f64 {
    sum(process, |process| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name before it may hold anything, brackets too.
        let (_, after_name) = stat.rsplit_once(')')?;
        let ticks = after_name.split_whitespace().skip(11).take(2);
        let ticks: f64 = ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
        Some(ticks / rustix::param::clock_ticks_per_second() as f64)
    })
}

/// The screen of a desktop. A program that looked would cost more time than is measured.
struct Screen {
    connection: RustConnection,
    root: Window,
}

impl Screen {
    fn of(desktop: &Desktop) -> Result<Self> {
        let (connection, number) = RustConnection::connect(Some(desktop.display()))?;
        let root = connection.setup().roots[number].root;
        Ok(Self { connection, root })
    }

    /// Waits until the window shows a drawn page.
    fn wait_until_drawn(&self) -> Result<Window> {
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            // Between two looks, what was there may have gone.
            if let Some(window) = self.window()?
                && self
                    .colours(window)
                    .is_ok_and(|colours| colours >= COLOURS_OF_A_PAGE)
            {
                return Ok(window);
            }
            std::thread::sleep(Duration::from_millis(4));
        }
        Err("the window was not drawn".into())
    }

    /// The app's window, by the list that the window manager keeps.
    fn window(&self) -> Result<Option<Window>> {
        let x = &self.connection;
        let list = x.intern_atom(false, b"_NET_CLIENT_LIST")?.reply()?.atom;
        let list = x
            .get_property(false, self.root, list, AtomEnum::WINDOW, 0, 1024)?
            .reply()?;
        for window in list.value32().into_iter().flatten() {
            let (name, any) = (AtomEnum::WM_NAME, AtomEnum::ANY);
            let title = x.get_property(false, window, name, any, 0, 64)?.reply();
            if title.is_ok_and(|title| title.value == TITLE.as_bytes()) {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// How many colours the window shows; none while it is not on the screen.
    fn colours(&self, window: Window) -> Result<usize> {
        let x = &self.connection;
        if x.get_window_attributes(window)?.reply()?.map_state != MapState::VIEWABLE {
            return Ok(0);
        }
        let size = x.get_geometry(window)?.reply()?;
        // From the root, where everything is as it is seen.
        let at = x.translate_coordinates(window, self.root, 0, 0)?.reply()?;
        let (left, top, wide, high) = (at.dst_x, at.dst_y, size.width, size.height);
        let image = x
            .get_image(Format::Z_PIXMAP, self.root, left, top, wide, high, !0)?
            .reply()?;
        let pixels = image.data.chunks_exact(4).step_by(3);
        let colours: HashSet<&[u8]> = pixels.map(|pixel| &pixel[..3]).collect();
        Ok(colours.len())
    }
}

/// How smoothly the window scrolls through ten thousand images, by the page's own frames.
async fn scrolled(binary: &str) -> Result<Line> {
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(LONGER);
    rows::with_files(&desktop.data_dir(), (0..PICTURES).map(picture)).await?;
    // A WebDriver starts nothing but a program.
    let program = desktop.home().join("porchlight.sh");
    fs::write(&program, format!("#!/bin/sh\nexec '{binary}' \"$@\"\n"))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
    // Two ports that are free now: the driver takes no port 0.
    let ports = [
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    ];
    let [port, native] = [ports[0].local_addr()?.port(), ports[1].local_addr()?.port()];
    drop(ports);
    let mut driver = desktop.command("tauri-driver");
    driver
        .arg("--port")
        .arg(port.to_string())
        .arg("--native-port")
        .arg(native.to_string());
    // It leaves its own child behind.
    let _driver = Group::start(driver);
    for port in [native, port] {
        eventually("the WebDriver", async || {
            TcpStream::connect(("127.0.0.1", port)).await.ok()
        })
        .await;
    }
    let data = desktop.data_dir();
    let mut words = vec!["--data-dir", data.to_str().ok_or("a UTF-8 path")?];
    words.extend(SETTINGS);
    let wanted = json!({ "tauri:options": { "application": program, "args": words } });
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(wanted.as_object().ok_or("an object")?.clone());
    let address = format!("http://127.0.0.1:{port}");
    // It waits for ever for an app that has ended.
    let page = tokio::time::timeout(TIMEOUT, builder.connect(&address)).await??;
    let place = Locator::XPath("//nav//*[self::a or self::button][contains(., 'Pictures')]");
    let waiting = || page.wait().at_most(TIMEOUT);
    waiting().for_element(place).await?.click().await?;
    waiting().for_element(Locator::Css("main img")).await?;
    let seen: Value = page.execute_async(SCROLL, Vec::new()).await?;
    page.close().await?;

    let times: Vec<f64> =
        serde_json::from_value(seen.clone()).map_err(|_| format!("the page returned {seen}"))?;
    let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
    let a_second = steps.len() as f64 * 1000.0 / steps.iter().sum::<f64>();
    let steps = Figures::new(steps);
    let (most, longest) = (steps.p99(), steps.largest());
    Ok(Line {
        what: format!("frames a second while {PICTURES} pictures scroll"),
        ours: format!("{a_second:.1} (99 of 100 within {most:.0} ms, the longest {longest:.0} ms)"),
        aim: Some((
            AIM_FRAMES_A_SECOND.to_string(),
            a_second >= AIM_FRAMES_A_SECOND * NEARLY,
        )),
        ..Line::default()
    })
}

/// An image as large as a thumbnail, in colours that depend on its number.
fn picture(number: u32) -> Result<Vec<u8>> {
    let of = |by: u32| (number.wrapping_mul(by) >> 8) as u8;
    let picture = ImageBuffer::from_fn(320, 240, |x, y| {
        let wave = ((x * x / (7 + number % 23) + y * y / (5 + number % 17)) % 96) as u8;
        Rgb([
            of(2_654_435_761).saturating_add(wave),
            of(40_503).saturating_add((y / 2) as u8),
            of(97).saturating_add((x / 3) as u8),
        ])
    });
    let mut webp = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut webp, ImageFormat::WebP)?;
    Ok(webp.into_inner())
}
