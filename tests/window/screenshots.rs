//! The pictures of the documentation: the window with sample data, the welcome, the menu of the
//! tray, and a blog.
//!
//! Where `PORCHLIGHT_WRITE_SCREENSHOTS` is set they go to `docs/screenshots`; else they are drawn
//! and thrown away.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::app::file;
use crate::blog::{self, Blog};
use crate::bus::Login;
use crate::desktop::Desktop;
use crate::devices::device;
use crate::driver::Driven;
use crate::harness::pictures::png;
use crate::presence::bring_to_front;
use crate::sample_data::{SETTINGS, ahead, photograph, seed};
use crate::sample_images::fits;
use crate::screenshot_environment::{ScreenshotEnvironment, editor};
use crate::{eventually, within};

/// Where the pictures are kept.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/screenshots");
/// The name of the file, of the place in its language, the theme, the language, and the height of
/// the window: nothing that is looked at ends at its edge.
const SCENES: [(&str, &str, &str, &str, u32); 5] = [
    ("home-light", "Home", "light", "en", 874),
    ("home-dark.zh", "首页", "dark", "zh", 874),
    ("images-light", "Pictures", "light", "en", 860),
    ("presence-dark", "Presence", "dark", "en", 630),
    ("statistics-light", "Statistics", "light", "en", 644),
];
/// The size of the blog's window, and the height of what its browser adds above the page.
const BLOG: (&str, &str) = ("1040", "600");
const TOOLBAR: u32 = 38;

/// How much longer than other tests it may take: photographs are made, and much is drawn.
const LONGER: Duration = Duration::from_secs(300);

/// Nothing is loading, nothing moves, and every visible image is loaded.
const SETTLED: &str = "const near = (one) => one.getBoundingClientRect().top < innerHeight; \
    const there = (one) => one.complete && getComputedStyle(one).opacity === '1'; \
    const still = (one) => one.playState !== 'running' || \
      one.effect.getTiming().iterations === Infinity; \
    return document.querySelector('.skeleton') === null && \
      document.fonts.status === 'loaded' && \
      [...document.images].filter(near).every(there) && document.getAnimations().every(still)";
/// Every visible image is drawn together with the page. A screen that shows nothing new has no
/// frames: five seconds are enough then.
const DECODED: &str = "const near = [...document.images].filter((one) => \
      one.getBoundingClientRect().top < innerHeight); \
    for (const one of near) one.decoding = 'sync'; \
    await Promise.all(near.map((one) => one.decode())); \
    const frames = new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))); \
    await Promise.race([frames, new Promise((late) => setTimeout(late, 5000))])";
/// Has GTK, and so the page, move nothing: images of the same are the same then.
const STILL: &str = "[Settings]\ngtk-enable-animations=false\n";

#[tokio::test]
async fn the_pictures_are_drawn_and_a_blog_follows_the_desktop() {
    let clock = format!("Etc/GMT{:+}", -ahead());
    let stand_ins = ScreenshotEnvironment::start().await;
    let environment = stand_ins.environment();
    let mut environment = environment
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()))
        .to_vec();
    environment.push(("TZ", &clock));
    let mut desktop = Desktop::start_with(&environment).await;
    desktop.extend_deadline(LONGER);
    hold_still(&desktop).await;
    let _login = Login::start(&desktop).await;
    let folder = seed(&desktop).await;
    let mut settings: Vec<String> = SETTINGS.map(str::to_owned).to_vec();
    settings.extend(stand_ins.settings());
    settings.push(format!("watch.folders=['{folder}']"));
    if writes() {
        settings.push("server.listen=127.0.0.1:4780".to_owned());
    }
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    // That of the app that has the sample data from elsewhere.
    desktop.tray().icon().await;
    let app = Driven::start(&desktop, &settings).await;
    let icon = desktop.tray().icon().await;
    app.see("The light is on").await;
    phone(&desktop, &app).await;
    let letter = editor(&desktop, &app).await;
    eventually("all that is around", async || {
        let home = ask(&app, "home").await;
        let there = home["tunnel"]["state"] == "up"
            && home["address"]["kind"] == "permanent"
            && home["game"]["game"] == "Portal 2";
        there.then_some(())
    })
    .await;
    for (file, place, theme, language, height) in SCENES {
        look(&app, theme, language).await;
        size(&desktop, &app, height).await;
        press(&app, "nav button", place).await;
        keep(&desktop, &app, file, theme).await;
    }

    let (shown, menu) = icon.show(&desktop).await;
    let menu = desktop.picture_of(&menu).await;
    assert!(fits(&menu, "light"), "no menu");
    write("tray.png", &menu);
    drop(shown);

    let _blog = Blog::open(&desktop, app.service.url(), BLOG).await;
    bring_to_front(&desktop, "letter.md").await;
    let page = Blog::shows(&desktop, "Zed").await;
    let both = image::load_from_memory(&still(&desktop, &page).await).expect("a picture");
    let (wide, high) = (both.width(), both.height() - TOOLBAR);
    let both = both.crop_imm(0, TOOLBAR, wide, high).into_rgb8();
    write("blog.png", &png(&both));

    look(&app, "light", "en").await;
    press(&app, "nav button", "Home").await;
    let window = desktop.window("Porchlight").await;
    drop(letter);
    blog::follows(&desktop, &app, &window, &page).await;
}

#[tokio::test]
async fn the_welcome_is_drawn() {
    let desktop = Desktop::start().await;
    hold_still(&desktop).await;
    let app = Driven::start(&desktop, &[]).await;
    app.see("Leave a light on for your readers").await;
    look(&app, "dark", "en").await;
    app.press("Share my status").await;
    app.see("Open Cloudflare’s page").await;
    size(&desktop, &app, 706).await;
    keep(&desktop, &app, "welcome-dark", "dark").await;
}

/// The posts of a blog that is adopted. The first has a picture of the second's folder, too.
const POSTS: [(&str, &str); 3] = [
    (
        "source/_posts/harbour.md",
        "---\ntitle: The harbour\ncover: /images/harbour.jpg\n---\nThe light at the end of the pier:\n\n\
         ![The harbour](/images/harbour.jpg \"In the evening\")\n",
    ),
    (
        "source/_posts/island.md",
        "---\ntitle: The island\n---\nWe took the first ferry.\n\n![From the ferry](../images/out%20there.jpg)\n\n\
         <img src=\"/images/gulls.jpg\" alt=\"Gulls\">\n",
    ),
    (
        "source/_posts/old.md",
        "---\ntitle: Years ago\n---\n![A map](https://pictures.example/map.png)\n\n![Gone](/images/gone.jpg)\n",
    ),
];
/// The most bytes of its moving picture.
const MOST: usize = 600_000;

#[tokio::test]
async fn an_adoption_is_drawn_from_the_folder_to_the_undo() {
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(LONGER);
    hold_still(&desktop).await;
    let blog = desktop.home().join("blog");
    let put = |file: &str, bytes: &[u8]| {
        let path = blog.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, bytes).expect("to write");
    };
    for (file, text) in POSTS {
        put(file, text.as_bytes());
    }
    for (number, name) in ["harbour", "out there", "gulls"].into_iter().enumerate() {
        put(
            &format!("source/images/{name}.jpg"),
            &photograph(number + 1),
        );
    }
    let address = "server.public_url=https://blog.example";
    let settings = [
        "presence.enabled=false",
        "app.theme=light",
        "app.language=en",
        address,
    ];
    let app = Driven::start(&desktop, &settings).await;
    size(&desktop, &app, 640).await;
    app.go("Pictures").await;
    let frames = RefCell::new(Vec::new());
    let frame = async |text: &str| {
        app.see(text).await;
        let png = settled(&desktop, &app, text, "light").await;
        let image = image::load_from_memory(&png).expect("a picture");
        frames.borrow_mut().push(image.into_rgb8());
    };
    app.press_named("More ways to add pictures").await;
    frame("Adopt a blog…").await;
    app.press("Adopt a blog…").await;
    frame("Choose the blog’s folder…").await;
    app.press("Choose the blog’s folder…").await;
    let folder = blog.to_str().expect("UTF-8");
    crate::dialog::choose(&desktop, "Choose the folder of your blog", folder).await;
    frame("posts read").await;
    app.press("Show changes").await;
    frame("3 pictures, 4 addresses in 2 posts").await;
    app.press("Adopt").await;
    frame("3 pictures uploaded").await;
    app.press("Undo").await;
    frame("2 posts restored").await;
    app.press("Done").await;
    frame("Add pictures").await;
    for (file, text) in POSTS {
        assert_eq!(
            std::fs::read_to_string(blog.join(file)).expect("a post"),
            text
        );
    }
    if writes() {
        write("adopt.webp", &blog::moving(&frames.borrow(), MOST));
    }
}

/// Makes the window this high, where no other covers it.
async fn size(desktop: &Desktop, app: &Driven, height: u32) {
    let (window, tall) = (desktop.window("Porchlight").await, height.to_string());
    desktop.xdotool(&["windowmove", &window, "160", "24"]).await;
    desktop
        .xdotool(&["windowsize", &window, "1100", &tall])
        .await;
    app.until("the size", &format!("return innerHeight === {height}"))
        .await;
}

/// A phone that readers see, and that was used before this computer.
async fn phone(desktop: &Desktop, app: &Driven) {
    let token = device(desktop, &["Phone", "--kind", "phone", "--allow"]).await;
    let report = json!({
        "battery": 64, "application": "Pocket Casts", "applicationOnline": true,
    });
    assert_eq!(app.report("/heartbeat", &token, &report).await, 200);
}

/// Whether the pictures are kept.
pub(crate) fn writes() -> bool {
    std::env::var_os("PORCHLIGHT_WRITE_SCREENSHOTS").is_some()
}

/// Keeps a picture where wanted.
pub(crate) fn write(name: &str, bytes: &[u8]) {
    if writes() {
        std::fs::create_dir_all(FOLDER).expect("a folder");
        std::fs::write(Path::new(FOLDER).join(name), bytes).expect("to write");
    }
}

/// Keeps things from moving, and the pointer from what is seen.
async fn hold_still(desktop: &Desktop) {
    let folder = desktop.home().join(".config/gtk-3.0");
    std::fs::create_dir_all(&folder).expect("a folder");
    file(&folder, "settings.ini", STILL.as_bytes());
    desktop.xdotool(&["mousemove", "1279", "999"]).await;
}

/// Presses what has this label, without a pointer that would stay there.
async fn press(app: &Driven, which: &str, name: &str) {
    let button = format!(
        "[...document.querySelectorAll('{which}')].find((one) => one.innerText.startsWith('{name}'))"
    );
    app.until(name, &format!("return {button} !== undefined"))
        .await;
    app.script(&format!("{button}.click()")).await;
}

async fn ask(app: &Driven, command: &str) -> serde_json::Value {
    let call = format!("return await window.__TAURI_INTERNALS__.invoke('{command}')");
    app.wait_for(&call).await
}

/// Changes the theme and the language, as the settings do.
async fn look(app: &Driven, theme: &str, language: &str) {
    let changes = json!({ "app.theme": theme, "app.language": language });
    let call = format!("update_settings', {{ changes: {changes} }}, '");
    ask(app, &call).await;
    let applied = format!(
        "const root = document.documentElement; \
         return root.dataset.theme === '{theme}' && root.lang.startsWith('{language}')"
    );
    app.until("the theme and the language", &applied).await;
}

/// Checks the page, and keeps its picture where wanted.
async fn keep(desktop: &Desktop, app: &Driven, name: &str, theme: &str) {
    let png = settled(desktop, app, name, theme).await;
    write(&format!("{name}.png"), &png);
}

/// The picture of the page once nothing in it moves, which is checked.
async fn settled(desktop: &Desktop, app: &Driven, name: &str, theme: &str) -> Vec<u8> {
    app.until(&format!("{name} to be settled"), SETTLED).await;
    app.wait_for(DECODED).await;
    app.drawn().await;
    let window = desktop.window("Porchlight").await;
    let fitting = within(crate::harness::TIMEOUT, async || {
        let png = still(desktop, &window).await;
        fits(&png, theme).then_some(png)
    });
    let Some(png) = fitting.await else {
        panic!("{name} is blank, or of another theme");
    };
    png
}

/// What a window shows once that is the same twice.
async fn still(desktop: &Desktop, window: &str) -> Vec<u8> {
    let before = RefCell::new(Vec::new());
    eventually("a window that is still", async || {
        let png = desktop.picture_of(window).await;
        (before.replace(png.clone()) == png).then_some(png)
    })
    .await
}
