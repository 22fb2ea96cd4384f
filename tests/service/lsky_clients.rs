//! PicGo and PicList's core with PicGo's plugin for Lsky Pro, all from npm, against the service.

use serde_json::{Value, json};

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, pictures};

/// What the script prints of its steps. Node.js and the packages come with the tests of the Worker:
/// `cargo xtask test --only edge`.
async fn steps(client: &str, service: &TestService, token: &str, version: &str) -> Vec<Value> {
    let home = tempfile::tempdir().expect("a folder");
    let picture = home.path().join("a shot.png");
    let bytes = pictures::png(&pictures::scene(pictures::next_seed(), 24, 16));
    std::fs::write(&picture, bytes).expect("written");
    let mut command = clean_command("node", home.path());
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.arg("edge/tests/harness/picgo-client.mjs");
    command
        .args([client, &service.url(""), token, version])
        .arg(picture);
    let ended = RunningProcess::spawn(command).ended().await;
    let lines = ended.stdout.lines();
    let steps: Vec<Value> = lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert!(!steps.is_empty(), "{ended:?}");
    steps
}

#[tokio::test]
async fn picgos_plugin_for_lsky_pro_uploads_again_and_deletes() {
    for client in ["picgo", "piclist"] {
        let service = TestService::start(&["tools.lsky=true"]).await;
        let steps = steps(client, &service, &service.admin_token, "V2").await;
        let [first, second, gone] = &steps[..] else {
            panic!("{client}: {steps:?}");
        };
        assert_eq!(first["kind"], "image/webp", "{client}: {first}");
        assert_eq!(first, second, "{client}");
        assert_eq!(
            (&gone["status"], &gone["body"]),
            (&json!(404), &json!("success")),
            "{client}"
        );
        assert_eq!(service.count().await, 0, "{client}");
    }
}

#[tokio::test]
async fn picgos_plugin_for_the_first_lsky_pro_uploads() {
    let service = TestService::start(&["tools.lsky=true"]).await;
    let token = service.token("upload").await;
    let steps_of = steps("picgo", &service, &token, "V1").await;
    assert_eq!(steps_of[0]["kind"], "image/webp", "{steps_of:?}");
    assert_eq!(steps_of[0], steps_of[1]);
    assert_eq!(service.count().await, 1);
    let refused = steps("picgo", &service, "a-guess", "V1").await;
    assert_eq!(refused[0]["url"], Value::Null, "{refused:?}");
}
