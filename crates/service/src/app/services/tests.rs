//! Settings that are changed while the tray app runs.

use std::net::{Ipv4Addr, TcpStream};

use porchlight_test_harness::{free_port, steam};
use secrecy::ExposeSecret as _;

use crate::app::host::Host;
use crate::images::window::AddressKind;
use crate::presence::computer::Pause;
use crate::settings::changes::Changes;
use crate::testing::{host, picture, taken, upload};
use crate::text::image_hash::ImageHash;
use crate::uploads::watch::WatchOutcome;

async fn change(host: &Host, changes: serde_json::Value) {
    let changes: Changes = serde_json::from_value(changes).expect("changes");
    let problems = host.store().change(&changes).await.expect("taken over");
    assert_eq!(problems, []);
}

fn is_open(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[tokio::test]
async fn a_folder_is_watched_from_the_moment_it_is_in_the_settings() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(&home.path().join("data"), &[]).await;
    let mut outcomes = host.uploads().outcomes();
    for name in ["one", "two"] {
        let watched = home.path().join(name);
        std::fs::create_dir(&watched).expect("a folder");
        change(&host, serde_json::json!({ "watch.folders": [watched] })).await;
        std::fs::write(watched.join("a.png"), picture()).expect("a file");
        let outcome = outcomes.recv().await.expect("an outcome");
        assert!(matches!(outcome, WatchOutcome::Uploaded { .. }));
    }
    assert!(host.services().is_watching());
    change(&host, serde_json::json!({ "watch.folders": null })).await;
    assert!(!host.services().is_watching());
    host.stop().await;
}

#[tokio::test]
async fn editors_can_upload_from_the_moment_it_is_switched_on() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    let [one, two] = [free_port(), free_port()];
    change(
        &host,
        serde_json::json!({ "picgo.enabled": true, "picgo.port": one }),
    )
    .await;
    assert!(is_open(one));
    change(&host, serde_json::json!({ "picgo.port": two })).await;
    assert!(is_open(two) && !is_open(one));

    let (held, taken) = taken();
    let taken = taken.port();
    let changes = serde_json::json!({ "picgo.port": taken });
    let changes: Changes = serde_json::from_value(changes).expect("changes");
    let error = host.store().change(&changes).await.expect_err("taken");
    assert!(error.to_string().contains("picgo.port"), "{error}");
    // What is not about it is saved without a word of it.
    change(&host, serde_json::json!({ "app.theme": "dark" })).await;
    let error = host.store().change(&changes).await.expect_err("taken");
    assert!(error.to_string().contains("picgo.port"), "{error}");
    drop(held);
    assert_eq!(host.store().change(&changes).await, Ok(Vec::new()));
    assert!(is_open(taken), "saved again");
    change(&host, serde_json::json!({ "picgo.enabled": false })).await;
    assert!(!is_open(two));
    host.stop().await;
}

/// As Obsidian's plugin does: it keeps the items of uploads, and sends one back.
#[tokio::test]
async fn editors_delete_what_they_have_uploaded_and_nothing_else() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    let port = free_port();
    let on = serde_json::json!({ "picgo.enabled": true, "picgo.port": port });
    change(&host, on).await;
    let send = async |path: &str, body: &serde_json::Value| {
        let address = host.services().picgo_address().expect("it listens");
        let address = address.expose_secret().replace("/upload", path);
        // Pages are refused without a secret; other programs are not.
        let is_page = address.contains("?secret=");
        let client = crate::http::client_tls::http_client().no_proxy().build();
        let mut request = client.expect("a client").post(address).json(body);
        if is_page {
            request = request.header("origin", "app://obsidian.md");
        }
        let answer = request.send().await.expect("an answer");
        let readable = answer.headers().get("access-control-allow-origin");
        assert_eq!(readable.is_some(), is_page);
        let status = answer.status().as_u16();
        (
            status,
            answer.json::<serde_json::Value>().await.expect("JSON"),
        )
    };
    let upload = async |name: &str, bytes: &[u8]| {
        let file = home.path().join(name);
        std::fs::write(&file, bytes).expect("a file");
        let (status, answer) = send("/upload", &serde_json::json!({ "list": [file] })).await;
        assert_eq!(status, 200, "{answer}");
        answer["fullResult"][0].clone()
    };
    let delete = async |item: &serde_json::Value| {
        let (status, answer) = send("/delete", &serde_json::json!({ "list": [item] })).await;
        assert_eq!(status, 200, "{answer}");
        answer["success"] == true
    };
    let images = host.service().images();
    let incoming = async |bytes: &[u8]| {
        let mut incoming = images.start_upload().await.expect("an upload");
        let written = incoming.write(&bytes.to_vec().into()).await;
        written.expect("written");
        incoming
    };
    let elsewhere = async |bytes: &[u8]| {
        let stored = images.ingest(incoming(bytes).await).await;
        stored.expect("stored").hash
    };

    let mine = upload("mine.png", &picture()).await;
    let other = upload("other.png", &picture()).await;
    let foreign_bytes = picture();
    elsewhere(&foreign_bytes).await;
    // It came another way first, so this item proves nothing.
    let foreign = upload("foreign.png", &foreign_bytes).await;
    assert_eq!(foreign.get("proof"), None, "{foreign}");

    let mut forged = mine.clone();
    forged["id"] = foreign["id"].clone();
    let mut unproved = mine.clone();
    unproved["proof"] = "00".into();
    for item in [&foreign, &forged, &unproved, &serde_json::json!({})] {
        assert!(!delete(item).await, "{item}");
    }
    let both = serde_json::json!({ "list": [mine, foreign] });
    assert_eq!(send("/delete", &both).await.1["success"], false);
    assert_eq!(
        send("/delete", &serde_json::json!({ "list": [] })).await.1["success"],
        false
    );
    assert_eq!(
        send("/delete", &serde_json::json!({ "list": 7 })).await.0,
        400
    );
    let deleted = async || images.trash(0, 9).await.expect("a database").total;
    assert_eq!(deleted().await, 0);

    // What was deleted and uploaded again is not what this item proves.
    let bytes = picture();
    let old = upload("old.png", &bytes).await;
    let hash = old["id"].as_str().expect("a hash").parse();
    let hash = hash.expect("a hash");
    assert!(images.delete(hash).await.expect("a delete"));
    assert!(!delete(&old).await, "it is gone");
    assert_eq!(elsewhere(&bytes).await, hash);
    assert!(!delete(&old).await);
    assert_eq!(deleted().await, 0);

    let is_there = async |item: &serde_json::Value| {
        let hash = item["id"].as_str().expect("a hash").parse();
        let found = images.find(hash.expect("a hash")).await;
        found.expect("a look-up").is_some()
    };
    // At once, and into the trash. What is put back is what it was: its item proves it again.
    assert!(delete(&mine).await);
    assert!(!is_there(&mine).await);
    assert_eq!(deleted().await, 1);
    let hash = mine["id"].as_str().expect("a hash").parse();
    let back = images.put_back(vec![hash.expect("a hash")]).await;
    assert_eq!(back.expect("put back"), 1);
    assert!(is_there(&mine).await);
    assert!(delete(&mine).await);
    // What is uploaded here after that is new.
    let bytes = picture();
    let gone = upload("gone.png", &bytes).await;
    assert!(delete(&gone).await);
    let again = upload("gone.png", &bytes).await;
    assert_eq!(again["id"], gone["id"]);
    assert!(is_there(&again).await);
    assert!(delete(&again).await);
    // The owner's own deletion gives a program no right to what came another way.
    let hash: ImageHash = foreign["id"]
        .as_str()
        .expect("a hash")
        .parse()
        .expect("a hash");
    assert!(images.delete(hash).await.expect("a delete"));
    assert_eq!(images.put_back(vec![hash]).await.expect("put back"), 1);
    assert_eq!(upload("foreign.png", &foreign_bytes).await, foreign);
    // The proof holds after a start, and nothing is deleted without a secret.
    change(&host, serde_json::json!({ "picgo.enabled": false })).await;
    change(&host, serde_json::json!({ "picgo.enabled": true })).await;
    assert!(delete(&other).await);
    assert!(!is_there(&other).await);
    change(&host, serde_json::json!({ "picgo.secret": "" })).await;
    let only = serde_json::json!({ "list": [other] });
    assert_eq!(send("/delete", &only).await.0, 403);
    host.stop().await;
}

#[tokio::test]
async fn a_listener_that_failed_is_opened_when_the_owner_retries() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    let held = [taken(), taken()];
    let [picgo, tunnel] = [held[0].1.port(), held[1].1.port()];
    let wanted = serde_json::json!({
        "picgo.enabled": true, "picgo.port": picgo,
        "tunnel.kind": "command",
        "tunnel.command": ["no-such-program-of-porchlight"],
        "tunnel.pattern": "(https://[a-z.]+)",
        "tunnel.port": tunnel,
    });
    let wanted: Changes = serde_json::from_value(wanted).expect("changes");
    let error = host.store().change(&wanted).await.expect_err("taken");
    assert!(
        error.to_string().contains("picgo.port") && error.to_string().contains("the tunnel"),
        "{error}"
    );
    drop(held);
    host.try_now().await;
    assert!(is_open(picgo) && is_open(tunnel));
    host.stop().await;
}

#[tokio::test]
async fn the_listener_of_the_tunnel_moves_and_closes_with_its_settings() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    let [one, two] = [free_port(), free_port()];
    let wanted = serde_json::json!({
        "tunnel.kind": "command",
        "tunnel.command": ["no-such-program-of-porchlight"],
        "tunnel.pattern": "(https://[a-z.]+)",
        "tunnel.port": one,
    });
    change(&host, wanted).await;
    assert!(is_open(one));
    // The same port again: the old listener closes first.
    change(&host, serde_json::json!({ "tunnel.check_seconds": 5 })).await;
    assert!(is_open(one));
    change(&host, serde_json::json!({ "tunnel.port": two })).await;
    assert!(is_open(two) && !is_open(one));

    let (_held, taken) = taken();
    let taken = taken.port();
    let changes = serde_json::json!({ "tunnel.port": taken });
    let changes: Changes = serde_json::from_value(changes).expect("changes");
    let error = host.store().change(&changes).await.expect_err("taken");
    assert!(error.to_string().contains("the tunnel"), "{error}");
    assert!(is_open(two), "the one from before stays");
    change(
        &host,
        serde_json::json!({ "tunnel.kind": "none", "tunnel.port": 0 }),
    )
    .await;
    assert!(!is_open(two));
    host.stop().await;
}

#[tokio::test]
async fn the_address_that_a_tunnel_gives_is_public_for_as_long_as_it_leads_here() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    assert_eq!(host.blog_address().kind, AddressKind::Local);
    let mut public = host.address().subscribe();
    let tunnel = host.address().tunnel_url();
    tunnel.set(Some("https://a.example".parse().expect("an address")));
    let address = public.wait_for(Option::is_some).await.expect("published");
    drop(address);
    let address = host.blog_address();
    assert_eq!(
        (address.url.as_str(), address.kind),
        ("https://a.example", AddressKind::Temporary)
    );
    tunnel.set(None);
    drop(public.wait_for(Option::is_none).await.expect("withdrawn"));
    assert_eq!(host.blog_address().kind, AddressKind::Local);
    host.stop().await;
}

#[tokio::test]
async fn the_game_follows_its_settings_and_stays_hidden_in_a_pause() {
    let steam = steam::FakeSteam::playing().await;
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    change(&host, serde_json::json!({ "game.local_steam": false })).await;
    host.consent().answer(true).await.expect("written");
    assert_eq!(host.service().game().status().await.status, "在线");
    let settings: Vec<String> = steam.settings();
    let wanted: Changes = settings
        .iter()
        .map(|setting| {
            let (key, value) = setting.split_once('=').expect("a setting");
            let value: serde_json::Value = match value {
                "true" | "false" => serde_json::Value::Bool(value == "true"),
                text => text.trim_matches(['"', '\'']).into(),
            };
            (key.to_owned(), value)
        })
        .collect();
    let problems = host.store().change(&wanted).await.expect("taken over");
    assert_eq!(problems, []);
    assert_eq!(host.service().game().status().await.status, "在游戏中");

    host.consent()
        .pause(Pause::UntilResumed)
        .await
        .expect("a pause");
    change(&host, serde_json::json!({ "game.report_offline": true })).await;
    assert_eq!(host.service().game().status().await.status, "在线");
    host.consent().resume().await.expect("no pause");
    assert_eq!(host.service().game().status().await.status, "在游戏中");
    host.stop().await;
}

#[tokio::test]
async fn limits_of_images_count_for_the_next_upload() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    change(&host, serde_json::json!({ "images.max_pixels": 63 })).await;
    upload(&host, picture()).await.expect_err("too large");
    change(&host, serde_json::json!({ "images.max_pixels": null })).await;
    upload(&host, picture()).await.expect("an image");
    host.stop().await;
}
