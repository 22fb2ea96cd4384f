//! The owner switches between two programs all the time, and the app keeps answering.

use std::time::{Duration, Instant};

use crate::app::App;
use crate::desktop::Desktop;
use crate::harness::process::RunningProcess;

/// Time between two switches: seven a second.
const PACE: Duration = Duration::from_millis(143);

/// How long it lasts, unless `PORCHLIGHT_SWITCHING` has a number of seconds.
const SHORT: u64 = 5;

/// After so many switches the service is asked.
const ASK_AFTER: u32 = 7;

#[tokio::test]
async fn the_service_answers_however_often_the_foreground_app_changes() {
    let seconds = std::env::var("PORCHLIGHT_SWITCHING").map_or(Ok(SHORT), |text| text.parse());
    let lasts = Duration::from_secs(seconds.expect("a number of seconds"));
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(lasts);
    let rules =
        r#"presence.rules=[{title="the kettle",name="Kettle"},{title="the lamp",name="Lamp"}]"#;
    // Windows come to the front without input: that must not count as being away.
    let settings = [
        "presence.enabled=true",
        "presence.idle_seconds=86400",
        rules,
    ];
    let mut words = vec!["--hidden"];
    words.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let app = App::start(&desktop, &words).await;
    let mut programs = Vec::new();
    let mut windows = Vec::new();
    for title in ["the kettle", "the lamp"] {
        let mut command = desktop.command("xterm");
        command.args(["-title", title, "-e", "sleep", "3600"]);
        programs.push(RunningProcess::spawn(command));
        windows.push(desktop.window(title).await);
    }
    let started = Instant::now();
    let mut switches = 0;
    let mut pace = tokio::time::interval(PACE);
    while started.elapsed() < lasts {
        for window in &windows {
            pace.tick().await;
            desktop.xdotool(&["windowactivate", window]).await;
            switches += 1;
            if switches % ASK_AFTER == 0 {
                assert_eq!(app.service.status("/check").await, 200);
            }
        }
    }
    // What is in front in the end is what readers see.
    app.service
        .check("Lamp", |check| check["application"] == "Lamp")
        .await;
    println!(
        "{switches} switches in {} s, and it answers",
        started.elapsed().as_secs()
    );
    app.terminate();
    app.ends_well().await;
}
