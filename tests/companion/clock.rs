//! The machine's clock is set while something hides what the owner does, and while nothing runs.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::companion::{Companion, command};
use crate::desktop::Desktop;
use crate::fixture::{at, seen, service, terminal};
use crate::harness::TestService;
use crate::harness::clock::MovedClock;

const HOUR: i64 = 3_600_000;

/// A desktop with a companion and a service, whose clock is moved.
struct Moved {
    clock: MovedClock,
    desktop: Desktop,
    service: TestService,
}

impl Moved {
    async fn new() -> Self {
        Self {
            clock: MovedClock::new(),
            desktop: Desktop::start().await,
            service: service().await,
        }
    }

    fn keeps(&self, overrides: &Value) {
        let folder = self.desktop.home().join("companion");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("presence.json"), overrides.to_string()).expect("to write");
    }

    fn kept(&self) -> Value {
        let file = self.desktop.home().join("companion/presence.json");
        let text = std::fs::read(file).expect("it was written");
        serde_json::from_slice(&text).expect("JSON")
    }

    fn companion(&self) -> Companion {
        let token = &self.service.heartbeat_token;
        let mut command = command(&self.desktop, &self.service.url(""), token);
        command.envs(self.clock.environment());
        Companion::spawn(command)
    }

    /// A terminal that comes to the front.
    async fn terminal(&self, title: &str) -> crate::harness::process::RunningProcess {
        let terminal = terminal(&self.desktop, title);
        let window = self.desktop.window(title).await;
        self.desktop
            .xdotool(&["windowactivate", "--sync", &window])
            .await;
        terminal
    }
}

#[tokio::test]
async fn a_pause_does_not_end_by_a_clock_that_is_ahead_at_the_start() {
    let moved = Moved::new().await;
    moved.keeps(&json!({ "pause": { "left": 3 * HOUR } }));
    // What the first run stores is what the second one starts with.
    for hours in [0, 8, -8] {
        moved.clock.is_ahead(hours);
        let companion = moved.companion();
        companion.wait_for_log("paused until 20").await;
        let _terminal = moved.terminal("Shell").await;
        companion.terminated().await;
        let left = moved.kept()["pause"]["left"].as_i64().expect("an end");
        assert!((3 * HOUR - 300_000..=3 * HOUR).contains(&left), "{left}");
        assert_eq!(moved.service.json("/check").await["last_heartbeat"], 0);
    }
}

#[tokio::test]
async fn what_hides_the_owner_does_not_end_when_the_clock_is_set() {
    let moved = Moved::new().await;
    let lunch = json!({ "application": "Lunch", "left": 3 * HOUR });
    moved.keeps(&json!({ "fixed": lunch }));
    let companion = moved.companion();
    seen(&moved.service, "the status", at("Lunch")).await;
    let file = moved.desktop.home().join("companion/presence.json");
    std::fs::remove_file(&file).expect("it was there");
    moved.clock.is_ahead(8);
    let _terminal = moved.terminal("Shell").await;
    // It has looked at the clock, by which the status ends at another time now.
    crate::eventually("the new time", async || file.exists().then_some(())).await;
    assert!(at("Lunch")(&moved.service.json("/check").await));
    companion.terminated().await;
    let left = moved.kept()["fixed"]["left"].as_i64().expect("an end");
    assert!((3 * HOUR - 300_000..=3 * HOUR).contains(&left), "{left}");

    moved.clock.is_ahead(0);
    moved.keeps(&json!({ "pause": { "left": 3 * HOUR } }));
    let companion = moved.companion();
    companion.wait_for_log("paused until").await;
    let first = companion.log();
    moved.clock.is_ahead(8);
    let _second = moved.terminal("Second shell").await;
    // By the new clock it ends eight hours later.
    crate::eventually("the new time", async || {
        let log = companion.log();
        let times = log.matches("paused until").count();
        (times > first.matches("paused until").count()).then_some(())
    })
    .await;
    assert!(
        !companion.log().contains("reporting"),
        "{}",
        companion.log()
    );
}

#[tokio::test]
async fn a_pause_ends_by_itself_also_while_the_clock_is_behind() {
    let moved = Moved::new().await;
    moved.clock.is_ahead(-8);
    moved.keeps(&json!({ "pause": { "left": 1_500 } }));
    let _companion = moved.companion();
    let _terminal = moved.terminal("Shell").await;
    seen(&moved.service, "the terminal", at("XTerm")).await;
}

/// As on a machine that slept without a word, or whose processes were stopped.
#[tokio::test]
async fn hours_in_which_nothing_ran_are_away() {
    let clock = MovedClock::new();
    let desktop = Desktop::start().await;
    let mut builder = TestService::builder().set("limits.requests_per_second=0");
    for (key, value) in clock.environment() {
        builder = builder.env(key, value);
    }
    let mut moved = Moved {
        service: builder.start().await,
        clock,
        desktop,
    };
    let companion = moved.companion();
    let _terminal = moved.terminal("Shell").await;
    seen(&moved.service, "the terminal", at("XTerm")).await;
    let processes = [companion.pid(), moved.service.pid()].map(|process| {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        process.expect("a process")
    });
    for process in processes {
        kill_process(process, Signal::STOP).expect("to stop it");
    }
    moved.clock.is_ahead(8);
    for process in processes {
        kill_process(process, Signal::CONT).expect("to continue it");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let hours_later = now.expect("a time").as_millis() as i64 + 7 * HOUR;
    let later = |check: &Value| {
        at("XTerm")(check) && check["last_heartbeat"].as_i64() > Some(hours_later / 1_000)
    };
    seen(&moved.service, "the terminal again", later).await;
    companion.terminated().await;
    moved.service.stop().await;
    let database = moved.service.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(database).expect("a database");
    let mut changes = database
        .prepare("SELECT until - at FROM presence_change WHERE application = 'XTerm' ORDER BY at")
        .expect("a table");
    let lengths = changes.query_map((), |row| row.get(0));
    let lengths: Vec<i64> = lengths
        .expect("rows")
        .map(|row| row.expect("a number"))
        .collect();
    assert!(lengths.len() >= 2, "{lengths:?}");
    assert!(lengths.iter().all(|length| *length < HOUR), "{lengths:?}");
}
