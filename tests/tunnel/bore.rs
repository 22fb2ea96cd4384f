//! A real bore, both ends of it. Its control port is always 7835, so all of it
//! is one test.

use reqwest::Method;
use tokio::process::Command;

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually, free_port};
use crate::programs::{family, group, is_there};
use crate::{documented, up, wait_for_log};

fn server(home: &std::path::Path, port: u16) -> Command {
    let mut command = clean_command("bore", home);
    command.args(["server", "--bind-addr", "127.0.0.1"]).args([
        "--min-port",
        &port.to_string(),
        "--max-port",
        &port.to_string(),
    ]);
    command
}

/// bore does not pass on readers' addresses, so all of them share one limit,
/// twenty times that of the settings, whatever they claim.
async fn forged_addresses_are_ignored(service: &TestService, address: &str) {
    let ask = |number: u8| {
        let forged = format!("203.0.113.{number}");
        service
            .http
            .get(format!("{address}/check"))
            .header("x-forwarded-for", &forged)
            .header("cf-connecting-ip", &forged)
            .send()
    };
    let answers = futures_util::future::join_all((1..=120).map(ask)).await;
    let refused = answers
        .into_iter()
        .filter(|answer| answer.as_ref().expect("an answer").status() == 429);
    assert!(refused.count() >= 1, "a forged address got another bucket");
    // They do not reach the owner's own listener.
    assert_eq!(service.get("/check").await.status(), 200);
}

#[tokio::test]
async fn bore_carries_requests_and_is_restarted_after_a_kill() {
    let home = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let mut bore = RunningProcess::spawn(server(home.path(), port));
    bore.line_with("server listening").await.expect("a server");

    let mut settings = documented("bore");
    let command = settings["command"].as_array_mut().expect("words");
    *command.last_mut().expect("a host") = "127.0.0.1".into();
    let mut service = TestService::builder()
        .sets(&[
            "tunnel.kind=command".to_owned(),
            format!("tunnel.command={}", settings["command"]),
            format!("tunnel.pattern={}", settings["pattern"]),
            "tunnel.check_seconds=1".to_owned(),
            "limits.requests_per_second=1".to_owned(),
            "limits.burst=1".to_owned(),
        ])
        .start()
        .await;

    let address = up(&service, 1).await;
    assert_eq!(address, format!("http://127.0.0.1:{port}"));
    let check = service.http.get(format!("{address}/check")).send().await;
    assert_eq!(check.expect("an answer").status(), 200);

    // Plain HTTP: a token that came by it is refused, whosever it is.
    let heartbeat = service
        .http
        .request(Method::POST, format!("{address}/heartbeat"))
        .bearer_auth(&service.heartbeat_token)
        .send()
        .await
        .expect("an answer");
    assert_eq!(heartbeat.status(), 403);
    assert_eq!(
        heartbeat.json::<serde_json::Value>().await.expect("JSON"),
        serde_json::json!({ "error": "HTTPS required" })
    );

    bore.kill();
    bore.ended().await;
    wait_for_log(&service, "bore ended").await;
    let mut again = RunningProcess::spawn(server(home.path(), port));
    again.line_with("server listening").await.expect("a server");
    up(&service, 2).await;
    forged_addresses_are_ignored(&service, &address).await;

    // A killed process without any cleanup leaves no tunnel.
    let family = family(service.pid());
    assert!(
        family.len() >= 3,
        "the service, the holder, bore: {family:?}"
    );
    // Ctrl-C in a terminal is for the service's group, and must not end the
    // holder before it has ended the tunnel.
    let own = group(service.pid());
    let beside = family.iter().filter(|pid| **pid != service.pid());
    assert!(beside.clone().count() >= 2, "the holder and the tunnel");
    for pid in beside {
        assert_ne!(group(*pid), own, "{pid} is in the service's group");
    }
    service.kill().await;
    eventually("the tunnel to be gone", async || {
        (!family.iter().any(|pid| is_there(*pid))).then_some(())
    })
    .await;
}
