//! "Always reachable" in the settings, and "Add to your blog".

use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::edge::Edge;
use crate::eventually;
use crate::harness::cloudflare::{FakeCloudflare, TOKEN};
use crate::harness::files;
use crate::harness::front::{Day, Front};
use crate::harness::keyring::Keyring;
use crate::harness::pictures::photo;
use crate::harness::s3::ObjectStore;
use crate::harness::workerd::{SECRET, Worker};

const WORKER: &str = "light.blog.workers.dev";

#[tokio::test]
async fn a_token_of_the_keyring_sets_the_worker_up_at_cloudflare_and_removes_it() {
    let cloud = FakeCloudflare::start().await;
    let edge = Edge::of(WORKER).await;
    edge.connect(WORKER, cloud.port());
    let folder = tempfile::tempdir().expect("a folder");
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, &edge.authority).expect("a file");
    let desktop = Desktop::start_with(&[
        ("HTTPS_PROXY", &edge.proxy()),
        ("NO_PROXY", "127.0.0.1"),
        ("SSL_CERT_FILE", authority.to_str().expect("UTF-8")),
    ])
    .await;
    let _keyring = Keyring::start(&desktop, true).await;
    cloud.change(|cloud| (cloud.subdomain, cloud.answers) = (None, false));
    let app = Driven::start(&desktop, &["presence.enabled=false", &cloud.setting()]).await;
    // On the disk: the stand-in for the Worker keeps no pictures.
    app.service.upload(&photo()).await;
    app.open_settings("Always reachable").await;

    app.type_into("API token", TOKEN).await;
    let label = "//span[normalize-space()=\"Keep the token in the keyring\"]/@id";
    app.click(&format!("//button[@aria-labelledby={label}]"))
        .await;
    app.press("Set up").await;
    // A name for the whole account is never made up.
    app.see("The account has no name at workers.dev yet: choose one.")
        .await;
    app.type_into("Name at workers.dev", "blog").await;
    app.press("Set up").await;
    // The page cannot decide where pictures are kept.
    dialog::press_yes(&desktop).await;
    app.see("Not there yet:").await;
    let settings = || std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
    assert!(!settings().unwrap_or_default().contains("workers.dev"));
    cloud.change(|cloud| cloud.answers = true);
    app.see(&format!("Your blog’s address is https://{WORKER}."))
        .await;
    app.see("New pictures go there now.").await;
    let text = settings().expect("settings");
    for part in [&format!("url = \"https://{WORKER}\""), "kind = \"edge\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The keyring has the token, and no file of the data folder.
    for file in files::below(&desktop.data_dir()) {
        let content = std::fs::read(&file).expect("a file");
        let content = String::from_utf8_lossy(&content);
        assert!(!content.contains(TOKEN), "{}", file.display());
    }
    assert_eq!(
        cloud.read(|cloud| cloud.subdomain.clone()).as_deref(),
        Some("blog")
    );

    // A Worker that was deployed by a Porchlight without a list of them: the same button updates it.
    let record = desktop.data_dir().join("edge.json");
    std::fs::write(&record, "{ \"token_kept\": true }").expect("a file");
    app.go("Home").await;
    app.open_settings("Always reachable").await;
    app.see("The token from your keyring is used.").await;
    let uploads = || {
        let is_upload = |change: &&String| change.ends_with("/scripts/light");
        cloud.read(|cloud| cloud.changes.iter().filter(is_upload).count())
    };
    let before = uploads();
    app.press("Set up").await;
    app.see("Worker “light”, version").await;
    assert!(uploads() > before);
    let written = std::fs::read_to_string(&record).expect("a file");
    assert!(written.contains(&format!("https://{WORKER}")), "{written}");

    // A picture that the Worker has and this disk has not.
    let database = rusqlite::Connection::open(desktop.data_dir().join("porchlight.db"));
    let database = database.expect("the database");
    let place = |number: i64| {
        let changed = database.execute("UPDATE image SET place = ?1", [number]);
        assert_eq!(changed, Ok(1));
    };
    place(2);
    app.press("Remove…").await;
    app.see("Pictures that only the Worker keeps: 1.").await;
    assert!(cloud.read(|cloud| cloud.worker.is_some()));
    place(0);
    app.press("Remove…").await;
    dialog::press_yes(&desktop).await;
    app.see(&format!("https://{WORKER} is removed.")).await;
    assert!(cloud.read(|cloud| cloud.worker.is_none()));
    app.press("Forget the token").await;
    app.see("It’s only sent to Cloudflare, and forgotten afterwards.")
        .await;
    let text = settings().expect("settings");
    assert!(
        !text.contains("workers.dev") && !text.contains("edge\""),
        "{text}"
    );
}

#[tokio::test]
async fn the_store_is_tested_and_the_key_of_the_worker_goes_to_the_clipboard_alone() {
    let desktop = Desktop::start().await;
    let store = ObjectStore::start().await;
    let mut settings = store.settings();
    settings.push(format!("edge.secret={SECRET}"));
    settings.push("presence.enabled=false".to_owned());
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let app = Driven::start(&desktop, &settings).await;
    app.open_settings("Always reachable").await;
    app.see("Not set up yet").await;

    app.press("Test the storage").await;
    // This store sends neither a type nor a word about other sites.
    app.see("Not ready yet.").await;
    app.see("aws s3api put-bucket-cors").await;
    let left: Vec<_> = store.objects();
    assert!(!left.iter().any(|name| name.contains("test-")), "{left:?}");

    let unfold = "document.querySelectorAll('details').forEach((one) => { one.open = true; })";
    app.script(unfold).await;
    app.see("CLIENT_IP_HEADER").await;
    app.press("Copy key").await;
    eventually("the key on the clipboard", async || {
        (desktop.clipboard().await.trim() == SECRET).then_some(())
    })
    .await;
    let page = app
        .script("return document.documentElement.outerHTML")
        .await;
    assert!(!page.as_str().expect("text").contains(SECRET));
}

#[tokio::test]
async fn the_lines_for_a_blog_have_a_preview_and_see_the_blog_ask() {
    let desktop = Desktop::start().await;
    let settings = ["presence.enabled=true", "server.client_ip=x-forwarded-for"];
    let app = Driven::start(&desktop, &settings).await;
    app.press("Add to your blog…").await;
    app.see("Waiting for your blog…").await;
    // The content policy of the window lets the element be drawn.
    let drawn = "return [...document.querySelectorAll('porch-light')].every((one) => \
                 !one.hidden && one.getBoundingClientRect().width > 20 && \
                 one.shadowRoot.querySelector('[part=name]').textContent !== '')";
    app.until("the preview", drawn).await;

    app.press("Copy code").await;
    let address = app.service.url().to_owned();
    eventually("the lines on the clipboard", async || {
        let copied = desktop.clipboard().await;
        let element = format!("<porch-light src=\"{address}\">");
        copied.contains(&element).then_some(())
    })
    .await;
    let blog = crate::harness::http()
        .get(format!("{address}/check"))
        .header("X-Forwarded-For", "203.0.113.9")
        .send()
        .await;
    assert_eq!(blog.expect("an answer").status(), 200);
    app.see("Your blog asked").await;
}

#[tokio::test]
async fn a_pause_is_under_way_until_the_worker_shows_nothing_about_the_owner() {
    let desktop = Desktop::start().await;
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let url = format!("edge.url={}", front.url());
    let secret = format!("edge.secret={SECRET}");
    let app = Driven::start(&desktop, &["presence.enabled=true", &url, &secret]).await;
    app.see("The light is on").await;
    let check = async || worker.json("/check").await;
    eventually("the presence at the Worker", async || {
        (check().await["application"] == "Porchlight").then_some(())
    })
    .await;

    front.is(Day::Lost);
    app.press("Pause for 30 min").await;
    app.see("Pausing…").await;
    assert_eq!(check().await["application"], "Porchlight");

    front.is(Day::Young);
    app.until(
        "the end of the wait",
        "return !document.body.textContent.includes('Pausing…')",
    )
    .await;
    let shown = check().await;
    assert_eq!(shown["applicationOnline"], false);
    let text = shown.to_string();
    assert!(!text.contains("Porchlight"), "{text}");
}
