//! Every setting counts at once: these tests change each key of the table in a running program, by its
//! settings file, and see the effect without a restart.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use porchlight_service::settings::meta;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::harness::front::{Day, Front};
use crate::harness::ipinfo::{self, FakeIpinfo};
use crate::harness::pictures::{animated_gif, jpeg, next_seed, scene};
use crate::harness::s3::ObjectStore;
use crate::harness::steam::{FakeSteam, KEY, STEAM_ID};
use crate::harness::{TestService, eventually, files, free_port, mmdb};

/// What `serve` does not show, and the test that changes it in a running program or in its part.
const SEEN_ELSEWHERE: [(&str, &str); 13] = [
    // The listener moves.
    (
        "server.listen",
        "crates/service/src/app/services/listener/tests.rs",
    ),
    // Read by the command or the button that needs it.
    ("edge.cloudflare_url", "tests/window/commands.rs"),
    ("update.url", "tests/window/commands.rs"),
    ("update.public_key", "tests/window/commands.rs"),
    // A foreground app, and an hour.
    ("presence.idle_seconds", "tests/companion/idleness.rs"),
    (
        "presence.history_days",
        "crates/service/src/presence/history.rs",
    ),
    (
        "tunnel.check_seconds",
        "crates/service/src/app/services/tests.rs",
    ),
    // The window's.
    ("app.theme", "tests/window/commands.rs"),
    ("app.language", "tests/window/layout.rs"),
    ("app.welcomed", "src-tauri/desktop/events.rs"),
    ("app.notifications", "tests/window/notices.rs"),
    ("app.upload_shortcut", "tests/window/shortcut.rs"),
    ("links.template", "tests/window/tray_menu.rs"),
];

/// The value as TOML.
fn toml_of(value: &Value) -> String {
    match value {
        Value::Array(all) => {
            let all: Vec<String> = all.iter().map(toml_of).collect();
            format!("[{}]", all.join(", "))
        }
        Value::Object(table) => {
            let parts = table
                .iter()
                .map(|(key, value)| format!("{key} = {}", toml_of(value)));
            format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
        }
        one => one.to_string(),
    }
}

/// A running service whose settings file is changed.
struct Live {
    service: TestService,
    written: BTreeMap<String, Value>,
}

impl Live {
    async fn start() -> Self {
        let service = TestService::start(&[]).await;
        let written = BTreeMap::new();
        Self { service, written }
    }

    /// Changes these keys, and waits until the program has followed. `null` takes a key out.
    async fn set(&mut self, changes: &[(&str, Value)]) {
        let before = self.edits();
        self.write(changes);
        eventually("the change", async || (self.edits() > before).then_some(())).await;
    }

    /// How many changes the program has followed.
    fn edits(&self) -> usize {
        let log = self.service.stderr();
        log.matches("the settings file was edited").count()
    }

    fn write(&mut self, changes: &[(&str, Value)]) {
        for (key, value) in changes {
            match value {
                Value::Null => self.written.remove(*key),
                value => self.written.insert((*key).to_owned(), value.clone()),
            };
        }
        let text: String = self
            .written
            .iter()
            .map(|(key, value)| format!("{key} = {}\n", toml_of(value)))
            .collect();
        fs::write(self.service.data_dir().join("settings.toml"), text).expect("to write");
    }

    async fn set_one(&mut self, key: &str, value: Value) {
        self.set(&[(key, value)]).await;
    }

    async fn status(&self, path: &str) -> u16 {
        self.service.get(path).await.status().as_u16()
    }

    async fn text(&self, path: &str) -> String {
        self.service.get(path).await.text().await.expect("a text")
    }

    /// The status of an upload of a new picture.
    async fn upload(&self) -> u16 {
        let picture = jpeg(&scene(next_seed(), 400, 300));
        self.service.upload(picture).await.status().as_u16()
    }
}

#[tokio::test]
async fn the_listener_and_its_limits_follow() {
    let mut live = Live::start().await;
    live.set_one("server.greeting", json!("a new greeting"))
        .await;
    assert_eq!(live.text("/").await, "a new greeting");

    let by_host = async |live: &Live| {
        let asked = live.service.request(reqwest::Method::GET, "/check");
        let asked = asked.header("host", "light.example").send().await;
        asked.expect("an answer").status().as_u16()
    };
    assert_eq!(by_host(&live).await, 403);
    live.set_one("server.public_url", json!("http://light.example"))
        .await;
    assert_eq!(by_host(&live).await, 200);
    let link = live.service.stored(jpeg(&scene(next_seed(), 40, 30))).await;
    let shown = live.service.json("/random_image?form=json").await;
    assert_eq!(shown["url"], format!("http://light.example/i/{link}.webp"));

    // One request at once, and a reader for each forwarded address.
    live.set(&[
        ("limits.requests_per_second", json!(1)),
        ("limits.burst", json!(1)),
        ("server.client_ip", json!("x-forwarded-for")),
    ])
    .await;
    let by_reader = async |live: &Live, address: &str| {
        let asked = live.service.request(reqwest::Method::GET, "/check");
        let asked = asked.header("x-forwarded-for", address).send().await;
        asked.expect("an answer").status().as_u16()
    };
    assert_eq!(by_reader(&live, "203.0.113.1").await, 200);
    assert_eq!(by_reader(&live, "203.0.113.1").await, 429);
    assert_eq!(by_reader(&live, "203.0.113.2").await, 200);
    live.set_one("server.trusted_proxies", json!(["10.0.0.0/8"]))
        .await;
    by_reader(&live, "203.0.113.3").await;
    assert_eq!(by_reader(&live, "203.0.113.4").await, 429);
}

#[tokio::test]
async fn heartbeats_devices_and_other_programs_paths_follow() {
    let mut live = Live::start().await;
    let report = json!({ "application": "Editor", "applicationOnline": true });
    live.service.heartbeat(&report).await;
    let check = async |live: &Live| live.service.json("/check").await;
    assert_eq!(check(&live).await["application"], "Editor");
    live.set_one("heartbeat.fields", json!(false)).await;
    assert_eq!(check(&live).await.get("application"), None);
    live.set(&[("heartbeat.fields", Value::Null), ("behaviour", json!("A"))])
        .await;
    assert_eq!(check(&live).await.get("application"), None);
    live.set_one("behaviour", Value::Null).await;
    assert_eq!(check(&live).await["application"], "Editor");
    live.set_one("heartbeat.alive_seconds", json!(1)).await;
    eventually("the end", async || {
        (check(&live).await["alive"] == false).then_some(())
    })
    .await;
    live.set_one("heartbeat.alive_seconds", json!(600)).await;

    let phone = live
        .service
        .device(&["Phone", "--kind", "phone", "--allow"])
        .await;
    let report = async |live: &Live| {
        let report = json!({ "application": "Maps", "introduce": "Riga", "applicationOnline": true,
                             "battery": 50, "charging": true });
        assert_eq!(
            live.service.heartbeat_by(&phone, &report).await.status(),
            200
        );
        let devices = live.service.json("/devices").await["devices"].take();
        let devices = devices.as_array().expect("a list").clone();
        devices
            .into_iter()
            .find(|one| one["kind"] == "phone")
            .unwrap_or_default()
    };
    let shown = report(&live).await;
    assert_eq!(
        (&shown["introduce"], &shown["battery"]),
        (&json!(""), &Value::Null)
    );
    live.set_one("devices.share_battery", json!(true)).await;
    assert_eq!(report(&live).await["battery"], 50);
    live.set_one("presence.share_titles", json!(true)).await;
    assert_eq!(report(&live).await["introduce"], "Riga");
    let rule = json!([{ "program": "Maps", "name": "A map" }]);
    live.set_one("presence.rules", rule).await;
    assert_eq!(report(&live).await["application"], "A map");
    live.set_one("devices.clients", json!(true)).await;
    let by_client = async |live: &Live, program: &str, player: &str| {
        let media = json!({ "title": "Clair de lune", "artist": "Debussy", "processName": player });
        let body = json!({ "key": phone, "timestamp": 1, "process": { "name": program },
                           "media": media });
        let sent = live
            .service
            .request(reqwest::Method::POST, "/api/process-reporter");
        let sent = sent.json(&body).send().await.expect("an answer");
        assert_eq!(sent.status(), 200);
        let devices = live.service.json("/devices").await["devices"].take();
        let mut devices = devices.as_array().expect("a list").iter();
        let found = devices.find(|one| one["kind"] == "phone");
        found.cloned().unwrap_or_default()
    };
    assert_eq!(by_client(&live, "Quill", "Spotify").await["introduce"], "");
    live.set_one("presence.share_music", json!(true)).await;
    let line = by_client(&live, "Quill", "Spotify").await["introduce"].take();
    assert!(line.to_string().contains("Clair de lune"), "{line}");
    assert_eq!(by_client(&live, "Quill", "Edge").await["introduce"], "");
    live.set_one("presence.share_browser_music", json!(true))
        .await;
    let line = by_client(&live, "Quill", "Edge").await["introduce"].take();
    assert!(line.to_string().contains("Clair de lune"), "{line}");
    live.set_one("presence.language", json!("zh")).await;
    assert_eq!(
        by_client(&live, "nautilus", "").await["application"],
        "文件"
    );
    live.set_one("presence.language", json!("en")).await;
    assert_eq!(
        by_client(&live, "nautilus", "").await["application"],
        "Files"
    );

    live.set_one("devices.show", json!(false)).await;
    assert_eq!(report(&live).await, Value::Null);

    assert_eq!(live.status("/api/health").await, 200);
    live.set_one("devices.clients", json!(false)).await;
    assert_eq!(live.status("/api/health").await, 404);
    assert_eq!(live.status("/v1/users/7").await, 404);
    live.set_one("lanyard.id", json!("7")).await;
    assert_eq!(live.status("/v1/users/7").await, 200);
    live.set_one("lanyard.enabled", json!(false)).await;
    assert_eq!(live.status("/v1/users/7").await, 404);

    assert_eq!(live.status("/api/v1/profile").await, 404);
    live.set_one("tools.lsky", json!(true)).await;
    assert_eq!(live.status("/api/v1/profile").await, 401);
    assert_eq!(live.status("/api/1/upload").await, 404);
    live.set_one("tools.chevereto", json!(true)).await;
    assert_eq!(live.status("/api/1/upload").await, 405);
}

#[tokio::test]
async fn images_and_their_storage_follow() {
    let mut live = Live::start().await;
    let size = async |live: &Live| {
        let hash = live
            .service
            .stored(jpeg(&scene(next_seed(), 400, 300)))
            .await;
        live.service.webp(&hash).await.len()
    };
    let usual = size(&live).await;
    live.set_one("images.quality", json!(1)).await;
    assert!(size(&live).await * 2 < usual);
    live.set_one("images.max_side", json!(100)).await;
    size(&live).await;
    let newest = live.service.json("/images/list?detail=1&limit=1").await;
    assert_eq!(newest["images"][0]["width"], 100);
    let limits = [
        ("images.max_upload_bytes", json!(10)),
        ("images.max_pixels", json!(10)),
    ];
    for (key, limit) in limits {
        live.set_one(key, limit).await;
        assert_eq!(live.upload().await, 413, "{key}");
        live.set_one(key, Value::Null).await;
        assert_eq!(live.upload().await, 201, "{key}");
    }
    live.set_one("images.max_animation_pixels", json!(100))
        .await;
    let animation = animated_gif(3, 40, 30, 50);
    assert_eq!(live.service.upload(animation).await.status(), 413);

    let deleted = async |live: &Live| {
        let hash = live.service.stored(jpeg(&scene(next_seed(), 40, 30))).await;
        assert_eq!(live.service.delete(&hash).await.status(), 200);
        let kept = live.service.data_dir().join("trash");
        files::below(&kept)
            .iter()
            .any(|file| file.to_string_lossy().contains(&hash))
    };
    assert!(deleted(&live).await);
    live.set_one("images.trash_days", json!(0)).await;
    assert!(!deleted(&live).await);

    live.set_one("images.max_side", Value::Null).await;
    let renditions = async |live: &Live| {
        let hash = live
            .service
            .stored(jpeg(&scene(next_seed(), 700, 300)))
            .await;
        assert_eq!(live.status(&format!("/i/{hash}?w=320")).await, 200);
        let kept = files::below(&live.service.data_dir().join("renditions"));
        kept.iter()
            .any(|file| file.to_string_lossy().contains(&hash))
    };
    assert!(renditions(&live).await);
    live.set_one("images.rendition_cache_bytes", json!(1)).await;
    assert!(!renditions(&live).await);

    let (one, other) = (ObjectStore::start().await, ObjectStore::start().await);
    let described = |store: &ObjectStore| -> Vec<(String, Value)> {
        let settings = store.settings();
        let pairs = settings
            .iter()
            .map(|setting| setting.split_once('=').expect("a setting"));
        pairs
            .map(|(key, value)| (key.to_owned(), json!(value)))
            .collect()
    };
    let describe = async |live: &mut Live, store: &ObjectStore| {
        let all = described(store);
        let all: Vec<_> = all
            .iter()
            .map(|(key, value)| (key.as_str(), value.clone()))
            .collect();
        live.set(&all).await;
    };
    describe(&mut live, &one).await;
    assert_eq!((live.upload().await, one.objects().len()), (201, 1));
    live.set_one("images.delivery", json!("redirect")).await;
    let hash = live.service.stored(jpeg(&scene(next_seed(), 40, 30))).await;
    let path = format!("/i/{hash}");
    let sent_on = async |live: &Live| live.service.get(&path).await;
    let to = sent_on(&live).await.headers()["location"]
        .to_str()
        .expect("a text")
        .to_owned();
    assert!(to.starts_with(&one.url()), "{to}");
    live.set_one("storage.storage_url", json!("https://cdn.example"))
        .await;
    let to = sent_on(&live).await.headers()["location"]
        .to_str()
        .expect("a text")
        .to_owned();
    assert!(to.starts_with("https://cdn.example/"), "{to}");
    live.set_one("images.delivery", Value::Null).await;
    // Another endpoint: what is there is not moved, and the next picture goes there.
    live.set_one("storage.endpoint", json!(other.url())).await;
    assert_eq!((live.upload().await, other.objects().len()), (201, 1));

    // A Worker that does not answer holds no later change back.
    let silent = Front::of(&one.url()).await;
    silent.is(Day::Lost);
    live.set(&[
        ("edge.url", json!(silent.url())),
        ("edge.secret", json!("k".repeat(32))),
    ])
    .await;
    eventually("a call", async || (silent.refused() > 0).then_some(())).await;
    let before = live.edits();
    for (key, greeting) in [("l", "the Worker is silent"), ("m", "it still is")] {
        live.write(&[
            ("edge.secret", json!(key.repeat(32))),
            ("server.greeting", json!(greeting)),
        ]);
        eventually("the greeting", async || {
            (live.text("/").await == greeting).then_some(())
        })
        .await;
    }
    assert_eq!(live.edits(), before);
    live.set(&[
        ("edge.url", Value::Null),
        ("edge.secret", Value::Null),
        ("storage.kind", json!("disk")),
    ])
    .await;
    let before = other.objects().len();
    assert_eq!(
        (live.upload().await, other.objects().len() == before),
        (201, true)
    );
}

/// What a real store verifies.
#[cfg(unix)]
#[tokio::test]
async fn keys_and_the_region_of_a_store_follow() {
    let garage = crate::harness::garage::Garage::start().await;
    let mut live = Live::start().await;
    let settings = garage.settings();
    let right: Vec<(&str, Value)> = settings
        .iter()
        .map(|setting| setting.split_once('=').expect("a setting"))
        .map(|(key, value)| (key, json!(value)))
        .collect();
    live.set(&right).await;
    assert_eq!(live.upload().await, 201);
    for key in [
        "storage.region",
        "storage.bucket",
        "storage.access_key",
        "storage.secret_key",
    ] {
        live.set_one(key, json!("wrong")).await;
        assert_ne!(live.upload().await, 201, "{key}");
        live.set(&right).await;
        assert_eq!(live.upload().await, 201, "{key}");
    }
}

#[tokio::test]
async fn the_worker_the_look_up_and_the_machine_follow() {
    let mut live = Live::start().await;
    let hash = live.service.stored(jpeg(&scene(next_seed(), 40, 30))).await;
    live.set_one("edge.url", json!("https://light.example"))
        .await;
    let shown = live.service.json("/random_image?form=json").await;
    assert_eq!(shown["url"], format!("https://light.example/i/{hash}.webp"));
    let secret = "a-key-of-this-test-with-32-signs";
    let signed = async |live: &Live| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a clock")
            .as_secs();
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        let mac = mac.chain_update(format!("{now}\n\nGET\n/check"));
        let v1 = hex::encode(mac.finalize().into_bytes());
        let asked = live.service.request(reqwest::Method::GET, "/check");
        let asked = asked.header("x-porchlight-edge", format!("t={now}, ip=, v1={v1}"));
        // A page of another site is no caller of this machine.
        let asked = asked.header("origin", "https://blog.example");
        asked.send().await.expect("an answer").status() == 200
    };
    assert!(!signed(&live).await);
    live.set_one("edge.secret", json!(secret)).await;
    assert!(signed(&live).await);

    let (one, other) = (FakeIpinfo::start().await, FakeIpinfo::start().await);
    let look_up =
        async |live: &Live, ip: &str| live.service.json(&format!("/ipcheck?ip={ip}")).await;
    live.set_one("ip.ipinfo_url", json!(one.web.url())).await;
    assert_eq!(look_up(&live, "8.8.8.8").await["city"], "Mountain View");
    live.set_one("ip.ipinfo_url", json!(other.web.url())).await;
    look_up(&live, "8.8.4.4").await;
    assert_eq!(other.web.calls().len(), 1);
    live.set_one("ip.ipinfo_token", json!(ipinfo::TOKEN)).await;
    look_up(&live, "9.9.9.9").await;
    let asked = format!("{:?}", other.web.calls().last().expect("a call"));
    assert!(asked.contains(ipinfo::TOKEN), "{asked}");
    let file = live.service.data_dir().join("city.mmdb");
    let row = json!({ "city": { "names": { "en": "Riga" } } });
    mmdb::write(&file, "GeoLite2-City", 32, &[("9.9.9.0/24", row)]);
    live.set_one("ip.mmdb", json!(file)).await;
    assert_eq!(look_up(&live, "9.9.9.9").await["city"], "Riga");

    let output = async |live: &Live| live.service.json("/sysinfo").await["output"].to_string();
    for (key, line) in [
        ("system.show_user", "User</span>"),
        ("system.show_host", "Host</span>"),
        ("system.show_addresses", "Address"),
    ] {
        let before = output(&live).await;
        live.set_one(key, json!(true)).await;
        let after = output(&live).await;
        assert!(
            !before.contains(line) && after.contains(line),
            "{key}: {after}"
        );
    }
}

#[tokio::test]
async fn the_game_follows() {
    let steam = FakeSteam::playing().await;
    let mut live = Live::start().await;
    let status = async |live: &Live| live.service.json("/game_status").await;
    let url = steam.web.url();
    live.set(&[
        ("game.steam_api_url", json!(url)),
        ("game.steam_store_url", json!(url)),
        ("game.steam_id", json!(STEAM_ID)),
        ("game.steam_api_key", json!(KEY)),
    ])
    .await;
    assert_eq!(status(&live).await["status"], "在游戏中");
    live.set(&[
        ("game.region", json!("us")),
        ("game.language", json!("english")),
    ])
    .await;
    status(&live).await;
    let asked = |part: &str| {
        steam
            .web
            .calls()
            .iter()
            .any(|call| format!("{call:?}").contains(part))
    };
    eventually("the store", async || {
        status(&live).await;
        (asked("cc=US") && asked("l=english")).then_some(())
    })
    .await;
    steam.change(|account| {
        account.player = crate::harness::steam::player(&json!({ "personastate": 0 }));
    });
    live.set_one("game.report_offline", json!(true)).await;
    eventually("offline", async || {
        (status(&live).await["status"] == "离线").then_some(())
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_game_of_steams_client_follows() {
    use crate::harness::steam_client::SteamClient;

    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let mut live = Live::start().await;
    live.set_one("game.steam_store_url", json!(store.web.url()))
        .await;
    let _game = client.start_game(70);
    let game = async |live: &Live| live.service.json("/game_status").await["game"].take();
    assert_eq!(game(&live).await, "");
    live.set_one("game.steam_folder", json!(client.folder()))
        .await;
    assert_eq!(game(&live).await, "Half-Life");
    live.set_one("game.local_steam", json!(false)).await;
    assert_eq!(game(&live).await, Value::Null);
}

#[tokio::test]
async fn watched_folders_and_editors_follow() {
    let mut live = Live::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    let drop_into = |folder: &Path| {
        let file = folder.join(format!("{}.jpg", next_seed()));
        fs::write(&file, jpeg(&scene(next_seed(), 60, 40))).expect("a picture");
        file
    };
    let count = async |live: &Live, wanted: u64| {
        eventually("the pictures", async || {
            (live.service.count().await == wanted).then_some(())
        })
        .await;
    };
    drop_into(folder.path());
    live.set(&[
        ("watch.folders", json!([folder.path()])),
        ("watch.existing", json!(false)),
    ])
    .await;
    drop_into(folder.path());
    count(&live, 1).await;
    live.set_one("watch.after", json!("archive")).await;
    let file = drop_into(folder.path());
    count(&live, 2).await;
    eventually("the archive", async || (!file.exists()).then_some(())).await;
    live.set_one("watch.albums", json!(true)).await;
    drop_into(&inner);
    count(&live, 3).await;
    let album = live.service.json("/images/list?album=inner").await;
    assert_eq!(album["pagination"]["total"], 1);
    live.set_one("watch.recursive", json!(false)).await;
    drop_into(&inner);
    drop_into(folder.path());
    count(&live, 4).await;
    live.set_one("watch.poll", json!(true)).await;
    drop_into(folder.path());
    count(&live, 5).await;
    live.set_one("watch.copy_link", json!(true)).await;

    let port = free_port();
    live.set(&[("picgo.enabled", json!(true)), ("picgo.port", json!(port))])
        .await;
    let post = async |secret: &str| {
        let url = format!("http://127.0.0.1:{port}/upload?secret={secret}");
        let sent = crate::harness::http()
            .post(url)
            .json(&json!({ "list": [] }))
            .send()
            .await;
        sent.map_or(0, |answer| answer.status().as_u16())
    };
    assert_eq!(post("a-secret").await, 401);
    live.set_one("picgo.secret", json!("a-secret")).await;
    assert_ne!(post("a-secret").await, 401);
    live.set_one("picgo.enabled", json!(false)).await;
    assert_eq!(post("a-secret").await, 0);
}

#[tokio::test]
async fn folders_of_posts_follow() {
    let mut live = Live::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str| fs::write(folder.path().join(name), "![](gone.png)").expect("a post");
    let are_read = async |live: &Live, count: u32| {
        let line = format!("posts of blog.folders: {count}, broken references in them: {count}");
        eventually("the posts to be read", async || {
            live.service.stderr().contains(&line).then_some(())
        })
        .await;
    };
    write("a.md");
    live.set_one("blog.folders", json!([folder.path()])).await;
    are_read(&live, 1).await;
    write("b.md");
    are_read(&live, 2).await;
}

#[tokio::test]
async fn what_is_shared_of_this_computer_follows() {
    let other = TestService::start(&[]).await;
    let mut live = Live::start().await;
    assert_eq!(live.service.json("/check").await["alive"], false);
    live.set(&[
        ("presence.interval_seconds", json!(1)),
        ("presence.enabled", json!(true)),
    ])
    .await;
    let last = async |service: &TestService| {
        service.json("/check").await["last_heartbeat"]
            .as_i64()
            .unwrap_or_default()
    };
    eventually("a heartbeat", async || {
        (last(&live.service).await > 0).then_some(())
    })
    .await;
    let first = last(&live.service).await;
    eventually("the next", async || {
        (last(&live.service).await > first + 1).then_some(())
    })
    .await;
    let token = other.device(&["Desk", "--allow"]).await;
    live.set(&[
        ("presence.target_url", json!(other.url(""))),
        ("presence.token", json!(token)),
    ])
    .await;
    eventually("it there", async || (last(&other).await > 0).then_some(())).await;
    live.set_one("presence.enabled", json!(false)).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_tunnel_follows() {
    use std::os::unix::fs::PermissionsExt as _;

    let mut live = Live::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (program, started) = (folder.path().join("tunnel"), folder.path().join("started"));
    let text = format!(
        "#!/bin/sh\necho \"$@ token=$TUNNEL_TOKEN\" >> '{}'\necho https://a.example\nexec sleep 600\n",
        started.display()
    );
    fs::write(&program, text).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a mode");
    let starts = async |with: &str| {
        eventually(with, async || {
            let started = fs::read_to_string(&started).unwrap_or_default();
            started.lines().last()?.contains(with).then_some(())
        })
        .await;
    };
    let port = free_port();
    live.set(&[
        ("tunnel.kind", json!("command")),
        ("tunnel.command", json!([program, "first", "{port}"])),
        ("tunnel.pattern", json!("(https:[^ ]+)")),
        ("tunnel.port", json!(port)),
    ])
    .await;
    starts(&format!("first {port}")).await;
    live.set(&[
        ("tunnel.kind", json!("cloudflared")),
        ("tunnel.program", json!(program)),
        ("tunnel.command", Value::Null),
        ("tunnel.pattern", Value::Null),
    ])
    .await;
    starts("--url").await;
    live.set(&[
        ("tunnel.cloudflared_token", json!("a-token")),
        ("tunnel.hostname", json!("light.example")),
    ])
    .await;
    starts("token=a-token").await;
    live.set(&[
        ("tunnel.kind", json!("ssh")),
        ("tunnel.cloudflared_token", Value::Null),
        ("tunnel.hostname", Value::Null),
        ("tunnel.ssh_host", json!("me@light.example")),
        ("tunnel.ssh_port", json!(8080)),
        ("tunnel.public_url", json!("https://light.example")),
    ])
    .await;
    starts("me@light.example").await;
    starts("8080").await;
    live.set_one("tunnel.kind", json!("none")).await;
}

/// The tests above are the parts of this one.
#[test]
fn every_key_of_the_table_is_changed_in_a_running_program() {
    let file = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let here = file("tests/settings/at_once.rs");
    for key in meta::keys() {
        let elsewhere = SEEN_ELSEWHERE
            .iter()
            .find(|(elsewhere, _)| *elsewhere == key);
        let (name, text, wanted) = match elsewhere {
            None => ("here", here.clone(), format!("\"{key}\"")),
            Some((_, name)) => {
                let wanted = key.rsplit('.').next().unwrap_or(key);
                (*name, file(name), wanted.to_owned())
            }
        };
        assert!(text.contains(&wanted), "{key} is not changed in {name}");
    }
}
