//! A blog's page in WebKitGTK's own browser, which follows the desktop beside the window.

use std::path::PathBuf;

use image::RgbImage;
use webp::{AnimEncoder, AnimFrame, WebPConfig};

use crate::app::file;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::desktop::text;
use crate::harness::process::RunningProcess;
use crate::presence::bring_to_front;
use crate::process_group::Group;
use crate::sample_data::photograph;
use crate::screenshots::{write, writes};
use crate::stand_in::{Reply, StandIn};
use crate::tray::PYTHON;

const PAGE: &str = include_str!("blog.html");
const STAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/window/stage.py");
/// What the owner uses: class, title, and what readers see.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("dev.zed.Zed", "lamp.rs", "Zed"),
    ("darktable", "Harbour at dusk", "darktable"),
    ("spotify", "Low tide", "Spotify"),
];
const CODE: &str = "/// The lamp at the door.\npub struct Lamp {\n    lit: bool,\n    colour: Colour,\n}\n\n\
    impl Lamp {\n    pub fn light(&mut self, colour: Colour) {\n        self.colour = colour;\n        \
    self.lit = true;\n    }\n}\n";
const TRACKS: &str = "Low tide\n\n    1   Seven posts            4:12\n    2   Out to the third       3:38\n\
    \u{25b6}   3   Gulls                  5:01\n    4   Salt                   2:47\n    5   Home before dark       6:20\n";
/// The number of the photograph.
const HARBOUR: usize = 1;
/// Left, top, width and height: the blog and the program in front above, the window below.
const PAGE_AT: [&str; 4] = ["4", "24", "632", "374"];
const PROGRAM_AT: [&str; 4] = ["644", "24", "632", "374"];
const WINDOW: [&str; 4] = ["4", "426", "1272", "570"];
/// How long each picture is shown, in milliseconds.
const LASTS: usize = 2_000;
const QUALITY: f32 = 90.0;
/// The most bytes of the moving picture.
const MOST: usize = 2_000_000;

/// A page of a blog with the status, in a browser.
pub(crate) struct Blog {
    _site: StandIn,
    _group: Group,
    _browser: RunningProcess,
}

impl Blog {
    /// Opens it in a window of this size.
    pub(crate) async fn open(desktop: &Desktop, address: &str, size: (&str, &str)) -> Self {
        let page = PAGE.replace("ADDRESS", address);
        let site = StandIn::start(move |_| Reply::html(200, &page)).await;
        let mut command = desktop.command(&mini_browser());
        command.arg(site.url());
        command.process_group(0);
        let browser = RunningProcess::spawn(command);
        let group = Group::of(&browser);
        let window = desktop.window("Notes.*").await;
        desktop
            .xdotool(&["windowsize", "--sync", &window, size.0, size.1])
            .await;
        Self {
            _site: site,
            _group: group,
            _browser: browser,
        }
    }

    /// Waits until readers see this; gives its window.
    pub(crate) async fn shows(desktop: &Desktop, name: &str) -> String {
        desktop.window(&format!("Notes: {name}")).await
    }
}

fn mini_browser() -> String {
    let libraries = std::fs::read_dir("/usr/lib").expect("a folder").flatten();
    let places = libraries.map(|entry| entry.path());
    let mut found = places
        .chain([PathBuf::from("/usr/libexec")])
        .map(|place| place.join("webkit2gtk-4.1/MiniBrowser"));
    let found = found.find(|program| program.exists());
    let found = found.expect("WebKitGTK's own browser");
    found.to_str().expect("UTF-8").to_owned()
}

/// Shows the blog beside the window while the owner uses one program after the other, and pauses.
pub(crate) async fn follows(desktop: &Desktop, app: &Driven, window: &str, page: &str) {
    for (id, [left, top, width, height]) in [(window, WINDOW), (page, PAGE_AT)] {
        desktop.xdotool(&["windowsize", id, width, height]).await;
        desktop.xdotool(&["windowmove", id, left, top]).await;
    }
    let home = desktop.home();
    let shown = [
        file(home, "lamp.rs", CODE.as_bytes()),
        file(home, "harbour.jpg", &photograph(HARBOUR)),
        file(home, "tracks.txt", TRACKS.as_bytes()),
    ];
    let mut frames = Vec::new();
    let mut running = Vec::new();
    for ((class, title, name), shown) in PROGRAMS.into_iter().zip(&shown) {
        let mut command = desktop.command(PYTHON);
        command.args([STAGE, class, title, shown]).args(PROGRAM_AT);
        running.push(RunningProcess::spawn(command));
        bring_to_front(desktop, title).await;
        Blog::shows(desktop, name).await;
        app.see(name).await;
        app.see_no_more("Changing to").await;
        frames.push(screen(desktop).await);
    }
    let pause =
        "return await window.__TAURI_INTERNALS__.invoke('pause', { wanted: 'half_an_hour' })";
    app.wait_for(pause).await;
    Blog::shows(desktop, "Away").await;
    app.see("Paused until").await;
    frames.push(screen(desktop).await);
    if writes() {
        write("porchlight.webp", &moving(&frames, MOST));
    }
}

/// The whole screen.
async fn screen(desktop: &Desktop) -> RgbImage {
    let root = desktop
        .run("xdotool", &["search", "--maxdepth", "0", ""])
        .await;
    let png = desktop.picture_of(text(&root).trim()).await;
    image::load_from_memory(&png)
        .expect("a picture")
        .into_rgb8()
}

/// An endless animation of these pictures, of fewer bytes than `most`.
pub(crate) fn moving(frames: &[RgbImage], most: usize) -> Vec<u8> {
    let (width, height) = frames[0].dimensions();
    let mut config = WebPConfig::new().expect("a configuration");
    (config.quality, config.method) = (QUALITY, 6);
    let mut encoder = AnimEncoder::new(width, height, &config);
    // The last one lasts as long as the mean of all.
    for (frame, at) in frames.iter().zip((0..).step_by(LASTS)) {
        encoder.add_frame(AnimFrame::from_rgb(frame, width, height, at));
    }
    let moving = encoder.encode().to_vec();
    assert!(moving.len() < most, "{} bytes", moving.len());
    moving
}
