//! Services that are away, refuse or ask to wait.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::companion::Companion;
use crate::desktop::Desktop;
use crate::fixture::{self, Home, at, program, seen, terminal};
use crate::harness::{TestService, answer};
use crate::stand_in::{Reply, StandIn};

/// One heartbeat as it came in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heartbeat {
    pub(crate) at: Instant,
}

/// A service that notes when heartbeats come.
pub(crate) struct Recorder {
    service: StandIn,
    heartbeats: Arc<Mutex<Vec<Heartbeat>>>,
}

impl Recorder {
    /// One that takes every heartbeat.
    pub(crate) async fn start() -> Self {
        Self::answering(|_| accepted()).await
    }

    /// One whose answer depends on how many have come before.
    async fn answering(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let heartbeats: Arc<Mutex<Vec<Heartbeat>>> = Arc::default();
        let noted = Arc::clone(&heartbeats);
        let service = StandIn::start(move |_| {
            let mut noted = noted.lock().expect("no panic");
            noted.push(Heartbeat { at: Instant::now() });
            reply(noted.len() - 1)
        })
        .await;
        Self {
            service,
            heartbeats,
        }
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        self.service.url()
    }

    /// Those so far.
    pub(crate) fn heartbeats(&self) -> Vec<Heartbeat> {
        self.heartbeats.lock().expect("no panic").clone()
    }

    async fn received(&self, count: usize) -> Vec<Heartbeat> {
        self.service.called(count).await;
        crate::eventually("the note of it", async || {
            Some(self.heartbeats()).filter(|all| all.len() >= count)
        })
        .await
    }
}

fn accepted() -> Reply {
    Reply::json(
        200,
        &serde_json::json!({
            "message": "Heartbeat received",
            "application": "",
            "introduce": "",
            "rgba": "",
            "applicationOnline": true,
        }),
    )
}

fn error(status: u16, text: &str) -> Reply {
    Reply::json(status, &serde_json::json!({ "error": text }))
}

#[tokio::test]
async fn a_service_that_was_killed_gets_the_newest_state_alone_when_it_is_back() {
    let desktop = Desktop::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let start = || {
        TestService::builder()
            .data_dir(folder.path())
            .set("limits.requests_per_second=0")
    };
    let mut service = start().start().await;
    let token = service.token("heartbeat").await;
    let (url, address) = (service.url(""), service.address());
    let companion = Companion::start(&desktop, &url, &token, &[]);
    let _terminal = terminal(&desktop, "Shell");
    desktop.window("Shell").await;
    seen(&service, "the terminal", at("XTerm")).await;

    service.kill().await;
    companion.wait_for_log("did not answer").await;
    let _flits_by = program(&desktop, &["flits-by", "Flits by"]);
    let window = desktop.window("Flits by").await;
    desktop
        .xdotool(&["windowactivate", "--sync", &window])
        .await;
    companion.wait_for_log("reporting \"Flits by\"").await;
    let _newest = program(&desktop, &["garden-planner", "Tulips"]);
    let window = desktop.window("Tulips").await;
    desktop
        .xdotool(&["windowactivate", "--sync", &window])
        .await;
    companion.wait_for_log("reporting \"Garden planner\"").await;

    let service = start().listen(address.to_string()).start().await;
    seen(&service, "the program", at("Garden planner")).await;
    companion.wait_for_log("heartbeats succeed again").await;
    let file = folder.path().join("porchlight.db-wal");
    let kept = std::fs::read(file).expect("the newest rows");
    let flits_by = kept.windows(8).any(|part| part == b"Flits by");
    assert!(!flits_by, "what changed in between is never sent");
}

#[tokio::test]
async fn a_retry_after_of_the_service_is_honoured() {
    let recorder = Recorder::answering(|before| match before {
        0 => Reply::Later(429, 3),
        _ => accepted(),
    })
    .await;
    let desktop = Desktop::start().await;
    let companion = Companion::start(&desktop, &recorder.url(), "token", &[]);
    companion
        .wait_for_log("the service asks to wait; tried again at")
        .await;
    // Changes do not hurry it.
    let _terminal = terminal(&desktop, "Shell");
    desktop.window("Shell").await;
    companion.wait_for_log("reporting \"XTerm\"").await;
    let heartbeats = recorder.received(2).await;
    let waited = heartbeats[1].at - heartbeats[0].at;
    assert!(waited >= Duration::from_secs(3), "{waited:?}");
    companion.wait_for_log("the reports arrive").await;
}

#[tokio::test]
async fn a_refused_token_is_reported_and_not_retried_constantly() {
    for status in [401, 403] {
        let recorder = Recorder::answering(move |_| error(status, "Unauthorized")).await;
        let desktop = Desktop::start().await;
        let companion = Companion::start(&desktop, &recorder.url(), "token", &[]);
        companion
            .wait_for_log("the service refused the token; tried again at")
            .await;
        let _terminal = terminal(&desktop, "Shell");
        desktop.window("Shell").await;
        companion.wait_for_log("reporting \"XTerm\"").await;
        let _program = program(&desktop, &["garden-planner", "Tulips"]);
        companion.wait_for_log("reporting \"Garden planner\"").await;
        assert_eq!(recorder.heartbeats().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_service_that_breaks_is_tried_with_growing_pauses() {
    let recorder = Recorder::answering(|before| match before {
        0..3 => error(500, "Internal server error"),
        _ => accepted(),
    })
    .await;
    let desktop = Desktop::start().await;
    let companion = Companion::start(&desktop, &recorder.url(), "token", &[]);
    let heartbeats = recorder.received(4).await;
    let pauses: Vec<u64> = heartbeats
        .windows(2)
        .map(|two| (two[1].at - two[0].at).as_secs())
        .collect();
    assert_eq!(pauses, [1, 2, 4]);
    companion.wait_for_log("heartbeats succeed again").await;
}

#[tokio::test]
async fn a_slow_service_is_reported_and_gets_one_heartbeat_at_a_time() {
    let recorder = Recorder::start().await;
    recorder.service.hold();
    let desktop = Desktop::start().await;
    let companion = Companion::start(&desktop, &recorder.url(), "token", &[]);
    companion.wait_for_log("is slow to answer").await;
    assert_eq!(recorder.service.count("/heartbeat"), 1);
    recorder.service.release();
    companion.wait_for_log("the reports arrive").await;
}

#[tokio::test]
async fn a_token_of_another_scope_is_refused() {
    let desktop = Desktop::start().await;
    let service = TestService::start(&[]).await;
    let token = service.token("upload").await;
    let companion = Companion::start(&desktop, &service.url(""), &token, &[]);
    companion
        .wait_for_log("the service refused the token")
        .await;
    let (_, check) = answer(service.get("/check").await).await;
    assert_eq!(check["last_heartbeat"], 0);
}

#[tokio::test]
async fn a_second_computer_is_a_device_of_the_first_and_waits_for_its_owner() {
    let desktop = Desktop::start().await;
    let service = fixture::service().await;
    let token = service.device(&["My laptop", "--kind", "laptop"]).await;
    let settings = ["presence.language=en"];
    let companion = Companion::start(&desktop, &service.url(""), &token, &settings);
    let here = Home {
        companion,
        service,
        desktop,
    };
    let _terminal = here.terminal("A title").await;
    let waiting = crate::eventually("the laptop waits", async || {
        let list = here.service.run(&["device", "list", "--json"]).await.stdout;
        let list: Value = serde_json::from_str(&list).expect("JSON");
        let first = list.get(0).cloned();
        first.filter(|laptop| laptop["last_report"].is_string())
    })
    .await;
    assert_eq!(
        (&waiting["id"], &waiting["name"], &waiting["allowed"]),
        (&json!("my-laptop"), &json!("My laptop"), &json!(false))
    );
    assert_eq!(here.service.json("/check").await["alive"], false);
    let allowed = here.service.run(&["device", "allow", "my-laptop"]).await;
    assert!(allowed.status.success(), "{allowed:?}");
    let seen = here
        .sees("the laptop", |check| check["application"] == "XTerm")
        .await;
    assert_eq!(seen.check["introduce"], "At the command line");
    let devices = here.service.json("/devices").await["devices"].take();
    assert_eq!(devices.as_array().map(Vec::len), Some(1), "{devices}");
    assert_eq!(devices[0]["name"], "My laptop");
    assert_eq!(devices[0]["kind"], "laptop");

    // The computer of the service is another one.
    let own = json!({ "application": "Editor", "applicationOnline": true });
    here.service.heartbeat(&own).await;
    here.sees("the computer", |check| check["application"] == "Editor")
        .await;
    let devices = here.service.json("/devices").await["devices"].take();
    assert_eq!(devices[1]["application"], "XTerm");
}

#[tokio::test]
async fn another_service_gets_the_reports_besides_the_own_one_while_the_settings_name_it() {
    let desktop = Desktop::start().await;
    let other = fixture::service().await;
    let data = desktop.home().join("companion");
    std::fs::create_dir(&data).expect("a folder");
    let write = |shares: bool, more: &str| {
        let text = format!("[presence]\nenabled = {shares}\ninterval_seconds = 1\n{more}");
        std::fs::write(data.join("settings.toml"), text).expect("to write");
    };
    let (url, token) = (other.url(""), &other.heartbeat_token);
    let there = format!("target_url = \"{url}\"\ntoken = \"{token}\"\n");
    write(true, &there);
    let mut command = desktop.command(env!("CARGO_BIN_EXE_porchlight"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(&data);
    let mut companion = Companion::spawn(command);
    let own = format!("{}/check", companion.url().await);
    let own = async || -> Value {
        let answer = other.http.get(&own).send().await.expect("an answer");
        answer.json().await.expect("JSON")
    };
    let _terminal = terminal(&desktop, "Shell");
    desktop.window("Shell").await;
    seen(&other, "the terminal there", at("XTerm")).await;
    let is_at = at("XTerm");
    crate::eventually("the terminal here", async || {
        is_at(&own().await).then_some(())
    })
    .await;

    let gone = |check: &Value| check["applicationOnline"] == false && check["application"] == "";
    // A no reaches both, and a yes, too.
    for (shares, what) in [(false, "nothing"), (true, "the terminal")] {
        let wanted = |check: &Value| if shares { is_at(check) } else { gone(check) };
        write(shares, &there);
        seen(&other, what, wanted).await;
        crate::eventually(what, async || wanted(&own().await).then_some(())).await;
    }
    write(true, "");
    seen(&other, "nothing there", gone).await;
    assert!(is_at(&own().await));
    // The next run has nothing to withdraw there.
    assert!(companion.terminated().await.status.success());
    assert!(!data.join("presence-shown-elsewhere").exists());
}
