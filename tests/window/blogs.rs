//! Where pictures are used, and moving a blog's pictures, by the commands that the page has for it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::commands::ask;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::pictures::{jpeg, next_seed, photo, scene};
use crate::{dialog, eventually};

/// What adopts everything but drafts.
const CHOICE: &str = "{ choice: { foreign: [], drafts: false, responsive: false } }";

/// The answer of `posts`, once it is as expected.
async fn posts(app: &Driven, expected: impl Fn(&Value) -> bool) -> Value {
    eventually("the posts to be read", async || {
        let posts = ask(app, "posts", "{}").await["answer"].take();
        (posts["reading"] == false && expected(&posts)).then_some(posts)
    })
    .await
}

/// The hashes of the pictures in no post.
async fn in_no_post(app: &Driven) -> Vec<Value> {
    let search = "{ search: { only: 'in_no_post' }, offset: 0, limit: 9 }";
    let page = ask(app, "images", search).await["answer"].take();
    let images = page["images"].as_array().expect("images");
    assert_eq!(page["total"], images.len());
    images.iter().map(|image| image["hash"].clone()).collect()
}

fn set(desktop: &Desktop, folders: &[&Path], public_url: &str) {
    let text = format!("blog.folders = {folders:?}\n{public_url}");
    fs::write(desktop.data_dir().join("settings.toml"), text).expect("settings");
}

/// Chooses a folder in the dialog of the system; what is found in it.
async fn choose(desktop: &Desktop, app: &Driven, blog: &Path) -> Value {
    app.script(
        "window.chosen = null; window.__TAURI_INTERNALS__.invoke('choose_blog') \
         .then((found) => { window.chosen = found; })",
    )
    .await;
    let place = blog.to_str().expect("UTF-8");
    dialog::choose(desktop, "Choose the folder of your blog", place).await;
    app.until("the blog", "return window.chosen").await
}

#[tokio::test]
async fn the_page_learns_where_pictures_are_used_and_what_is_broken() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let used = app.service.upload(&photo()).await;
    let unused = app.service.upload(&jpeg(&scene(next_seed(), 64, 48))).await;
    let before = ask(&app, "posts", "{}").await;
    assert_eq!(before["answer"]["folders"], json!([]), "{before}");
    let all = "{ search: {}, offset: 0, limit: 9 }";
    let page = ask(&app, "images", all).await;
    assert!(page["answer"]["images"][0]["posts"].is_null(), "{page}");

    let blog = desktop.home().join("blog");
    fs::create_dir_all(blog.join("posts")).expect("a folder");
    let post = blog.join("posts/one.md");
    let address = format!("{}/i/{used}.webp", app.service.url());
    let text = format!("# One\n\n![]({address}) ![again]({address})\n![](gone.png)\n");
    fs::write(&post, &text).expect("a post");
    app.script(
        "window.read = 0; const inner = window.__TAURI_INTERNALS__; \
         inner.invoke('plugin:event|listen', { event: 'posts-changed', target: { kind: 'Any' }, \
         handler: inner.transformCallback(() => { window.read += 1; }) })",
    )
    .await;
    set(&desktop, &[&blog], "");
    let read = posts(&app, |posts| posts["posts"] == 1).await;
    let line = |line: u32| json!({ "folder": 0, "file": "posts/one.md", "line": line });
    let broken = json!([{ "post": line(4), "address": "gone.png" }]);
    let expected = json!({
        "folders": [blog], "reading": false, "posts": 1, "unused": 1,
        "broken": broken, "brokenTotal": 1, "unread": [],
    });
    assert_eq!(read, expected);
    app.until("an event", "return window.read").await;
    let hashes = format!("{{ hashes: ['{used}', '{unused}'] }}");
    let uses = ask(&app, "posts_of", &hashes).await;
    assert_eq!(
        uses["answer"],
        json!([{ "hash": used, "posts": [line(3)] }])
    );
    let page = ask(&app, "images", all).await;
    let counts: Vec<&Value> = page["answer"]["images"]
        .as_array()
        .expect("images")
        .iter()
        .map(|image| &image["posts"])
        .collect();
    assert_eq!(counts, [0, 1], "{page}");
    assert_eq!(in_no_post(&app).await, [unused.as_str()]);
    for file in ["posts/two.md", "../settings.toml"] {
        let post = format!("{{ post: {{ folder: 0, file: '{file}', line: 1 }} }}");
        let refused = ask(&app, "open_post", &post).await;
        assert!(refused["refused"].is_object(), "{refused}");
    }

    // An edit, and an image that is deleted.
    app.script("window.read = 0").await;
    fs::write(&post, text.replace("gone.png", &address)).expect("an edit");
    posts(&app, |posts| posts["brokenTotal"] == 0).await;
    app.until("an event", "return window.read").await;
    let deleted = ask(&app, "remove_images", &format!("{{ hashes: ['{used}'] }}")).await;
    assert_eq!(deleted["answer"]["pictures"], 1, "{deleted}");
    posts(&app, |posts| posts["brokenTotal"] == 3).await;
    assert_eq!(in_no_post(&app).await, [unused.as_str()]);
}

#[tokio::test]
async fn a_blog_is_adopted_and_put_back_to_the_byte() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let blog = desktop.home().join("my blog");
    fs::create_dir(&blog).expect("a folder");
    for name in ["a.jpg", "b.jpg", "unused.jpg"] {
        fs::write(blog.join(name), jpeg(&scene(next_seed(), 60, 40))).expect("a picture");
    }
    let texts = [
        (
            "one.md",
            "\u{feff}# One\r\n![a](a.jpg \"t\")\r\n![](gone.png)\r\n",
        ),
        (
            "two.html",
            "<p><img src=\"b.jpg\"><img src='https://elsewhere.example/c.png'>",
        ),
    ];
    for (name, text) in texts {
        fs::write(blog.join(name), text).expect("a post");
    }
    let are_as_before = || {
        let is_as_before = |(name, text): &(&str, &str)| {
            fs::read(blog.join(name)).expect("a post") == text.as_bytes()
        };
        texts.iter().all(is_as_before)
    };
    let refused = ask(&app, "plan_blog", CHOICE).await;
    assert!(refused["refused"].is_object(), "{refused}");

    // Without a permanent address nothing is written.
    set(&desktop, &[&blog], "");
    posts(&app, |posts| posts["posts"] == 2).await;
    let found = choose(&desktop, &app, &blog).await;
    assert_eq!(found["permanent"], false, "{found}");
    let refused = ask(&app, "adopt_blog", CHOICE).await;
    let why = refused["refused"]["parameters"]["text"].as_str();
    assert!(
        why.is_some_and(|why| why.contains("permanent address")),
        "{refused}"
    );
    assert!(are_as_before());

    set(
        &desktop,
        &[],
        "server.public_url = \"https://blog.example\"\n",
    );
    posts(&app, |posts| posts["folders"] == json!([])).await;
    let found = choose(&desktop, &app, &blog).await;
    let place = blog.to_str().expect("UTF-8");
    let foreign = json!([{ "host": "elsewhere.example", "count": 1 }]);
    let expected = json!({
        "folder": place, "posts": 2, "local": 2, "foreign": foreign, "missing": 1, "outside": 0,
        "ours": 0, "drafts": 0, "unused": 1, "unread": [], "permanent": true,
    });
    assert_eq!(found, expected);
    let plan = ask(&app, "plan_blog", CHOICE).await["answer"].take();
    let diff = plan["diff"].as_str().expect("a diff").to_owned();
    assert!(
        diff.contains("+![a](https://blog.example/i/NEW.webp \"t\")\r\n"),
        "{diff}"
    );
    let expected =
        json!({ "pictures": 2, "posts": 2, "references": 2, "diff": diff, "cut": false });
    assert_eq!(plan, expected);
    assert!(are_as_before());

    let report = ask(&app, "adopt_blog", CHOICE).await["answer"].take();
    assert_eq!(
        (&report["kind"], &report["good"]),
        (&json!("adopt"), &json!(2)),
        "{report}"
    );
    let adopted = &report["adopted"];
    let id = adopted["id"].as_str().expect("an id");
    let expected = json!({
        "id": id, "uploaded": 2, "alreadyHere": 0, "posts": 2, "references": 2, "failed": [], "left": [],
    });
    assert_eq!(*adopted, expected);
    let maintenance = ask(&app, "maintenance", "{}").await;
    assert_eq!(
        maintenance["answer"]["reports"],
        json!([report]),
        "{maintenance}"
    );
    let post = fs::read_to_string(blog.join("one.md")).expect("a post");
    assert!(post.contains("![a](https://blog.example/i/"), "{post}");
    // From now on its posts are known.
    let read = posts(&app, |posts| posts["posts"] == 2 && posts["unused"] == 0).await;
    assert_eq!(
        (&read["folders"], &read["brokenTotal"]),
        (&json!([place]), &json!(1))
    );

    let undone = ask(&app, "undo_blog", &format!("{{ id: '{id}' }}")).await;
    let expected = json!({
        "id": id, "folder": place, "restored": ["one.md", "two.html"], "left": [], "uploaded": 2,
    });
    assert_eq!(undone["answer"], expected, "{undone}");
    assert!(are_as_before());
    posts(&app, |posts| posts["unused"] == 2).await;
}
