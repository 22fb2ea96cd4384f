//! Commands of the owner's own: what is missing, what ends, and the pauses.

use crate::harness::TestService;
use crate::programs::{path_with, script};
use crate::said;

#[tokio::test]
async fn a_program_that_is_not_there_is_named_and_taken_once_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = TestService::builder()
        .sets(&[
            "tunnel.kind=command",
            "tunnel.command=['my-tunnel', '{port}']",
            "tunnel.pattern=(http[^ ]+)",
        ])
        .env("PATH", path_with(folder.path()))
        .start()
        .await;
    said(&service, "the program `my-tunnel` is not installed").await;
    assert_eq!(service.get("/check").await.status(), 200);
    // It answers by the door's own port, as the simplest of tunnels.
    script(
        folder.path(),
        "my-tunnel",
        "echo http://127.0.0.1:$1\nsleep 600\n",
    );
    crate::up(&service, 1).await;
}

#[tokio::test]
async fn a_program_that_ends_is_started_again_with_growing_pauses() {
    let folder = tempfile::tempdir().expect("a folder");
    script(
        folder.path(),
        "my-tunnel",
        "echo 'no such account' >&2\nexit 3\n",
    );
    let mut service = TestService::builder()
        .sets(&[
            "tunnel.kind=command",
            "tunnel.command=['my-tunnel']",
            "tunnel.pattern=(http[^ ]+)",
        ])
        .env("PATH", path_with(folder.path()))
        .start()
        .await;
    said(&service, "no such account; starting again in 1 s").await;
    said(&service, "no such account; starting again in 2 s").await;
    // It does not wait for the pause to stop.
    assert!(service.stop().await.success());
}

#[tokio::test]
async fn settings_that_make_no_tunnel_are_refused_with_what_is_missing() {
    for (settings, named) in [
        (vec!["tunnel.kind=ssh"], "tunnel.ssh_host"),
        (vec!["tunnel.kind=command"], "tunnel.command"),
        (
            vec!["tunnel.kind=cloudflared", "tunnel.hostname=a.example"],
            "tunnel.cloudflared_token",
        ),
    ] {
        let ended = TestService::builder().sets(&settings).refused().await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains(named), "{ended:?}");
    }
}
