//! Commands of the owner's own: what is missing, what ends, and the pauses.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::harness::{Builder, TestService, eventually};
use crate::programs::{group, is_there, path_with, script};
use crate::wait_for_log;

/// A service whose tunnel is the program `my-tunnel` in this folder.
fn with_my_tunnel(folder: &Path) -> Builder {
    TestService::builder()
        .sets(&[
            "tunnel.kind=command",
            "tunnel.command=['my-tunnel', '{port}']",
            "tunnel.pattern=(http[^ ]+)",
        ])
        .env("PATH", path_with(folder))
}

#[tokio::test]
async fn a_missing_program_is_named_and_used_once_installed() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = with_my_tunnel(folder.path()).start().await;
    wait_for_log(&service, "the program `my-tunnel` is not installed").await;
    assert_eq!(service.get("/check").await.status(), 200);
    // It answers by the listener's own port, as the simplest of tunnels.
    script(
        folder.path(),
        "my-tunnel",
        "echo http://127.0.0.1:$1\nsleep 600\n",
    );
    crate::up(&service, 1).await;
}

#[tokio::test]
async fn a_program_is_found_outside_the_path_of_the_session() {
    let home = tempfile::tempdir().expect("a folder");
    let bin = home.path().join(".local/bin");
    script(&bin, "my-tunnel", "echo http://127.0.0.1:$1\nsleep 600\n");
    let service = with_my_tunnel(home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home.path().display().to_string());
    crate::up(&service.start().await, 1).await;
}

#[tokio::test]
async fn the_configured_program_file_is_started_instead_of_the_one_in_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    script(folder.path(), "my-tunnel", "echo 'not me' >&2\nexit 3\n");
    let mine = folder.path().join("mine");
    let service = with_my_tunnel(folder.path())
        .sets(&[&format!("tunnel.program={}", mine.display())])
        .start()
        .await;
    // A program that is gone does not keep the service from its work.
    wait_for_log(&service, &format!("there is no file {}", mine.display())).await;
    assert_eq!(service.get("/check").await.status(), 200);
    script(
        folder.path(),
        "mine",
        "echo http://127.0.0.1:$1\nsleep 600\n",
    );
    crate::up(&service, 1).await;
    assert!(!service.stderr().contains("not me"));
}

#[tokio::test]
async fn a_program_that_ends_is_started_again_with_growing_pauses() {
    let folder = tempfile::tempdir().expect("a folder");
    script(
        folder.path(),
        "my-tunnel",
        "echo 'no such account' >&2\nexit 3\n",
    );
    let mut service = with_my_tunnel(folder.path()).start().await;
    wait_for_log(&service, "no such account; starting again in 1 s").await;
    wait_for_log(&service, "no such account; starting again in 2 s").await;
    // It does not wait for the pause to stop.
    assert!(service.stop().await.success());
}

#[tokio::test]
async fn incomplete_tunnel_settings_are_refused_and_named() {
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

#[tokio::test]
async fn until_the_tunnels_scheme_is_known_tokens_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("port");
    let text = format!("echo \"$1\" > {}\nsleep 600\n", file.display());
    script(folder.path(), "my-tunnel", &text);
    let service = with_my_tunnel(folder.path()).start().await;
    let port = eventually("the port of the public listener", async || {
        let port = std::fs::read_to_string(&file).ok()?;
        port.trim().parse::<u16>().ok()
    })
    .await;
    let listener = format!("http://127.0.0.1:{port}");
    let check = service.http.get(format!("{listener}/check")).send().await;
    assert_eq!(check.expect("an answer").status(), 200);
    let heartbeat = service.http.post(format!("{listener}/heartbeat"));
    let heartbeat = heartbeat.bearer_auth(&service.heartbeat_token).send().await;
    assert_eq!(heartbeat.expect("an answer").status(), 403);
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn the_tunnel_program_inherits_the_environment_without_our_secrets_and_the_former_umask() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumped = folder.path().join("environment");
    let text = format!(
        "env > {0}.part\numask >> {0}.part\nmv {0}.part {0}\nsleep 600\n",
        dumped.display()
    );
    script(folder.path(), "my-tunnel", &text);
    let mask = ["/bin/sh", "-c", "umask 0027; exec \"$@\"", "sh"];
    let _service = with_my_tunnel(folder.path())
        .wrapped_in(&mask)
        .env("PORCHLIGHT_STORAGE_SECRET_KEY", "a secret")
        .env("TUNNEL_TOKEN", "for the program")
        .start()
        .await;
    let dumped = eventually("the environment of the program", async || {
        std::fs::read_to_string(&dumped).ok()
    })
    .await;
    let held_back = ["PORCHLIGHT_", "secret"];
    let leaked = |line: &&str| held_back.iter().any(|part| line.contains(part));
    assert_eq!(dumped.lines().find(leaked), None);
    assert!(dumped.contains("TUNNEL_TOKEN=for the program"), "{dumped}");
    assert_eq!(dumped.lines().last(), Some("0027"));
}

/// Ends what is written down in the file when it is dropped.
struct Ends(PathBuf);

impl Ends {
    fn pids(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        for pid in self.pids() {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
            // Gone already, in the best case.
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

#[tokio::test]
async fn leftover_processes_do_not_prevent_a_restart_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = Ends(folder.path().join("left"));
    // Out of its group, with its pipes open. It reports when it has left: what
    // is still in the group when the program ends, ends with it.
    let text = format!(
        "out={0}/out.$$\nmkfifo $out\n\
         setsid sh -c 'echo $$ >> {1}; echo > '$out'; exec sleep 600' &\n\
         read line < $out\necho gone >&2\nexit 3\n",
        folder.path().display(),
        left.0.display()
    );
    script(folder.path(), "my-tunnel", &text);
    let service = with_my_tunnel(folder.path()).start().await;
    wait_for_log(&service, "gone; starting again in 2 s").await;
    let left = left.pids();
    assert!(left.len() >= 2 && left.iter().all(|pid| is_there(*pid)));
}

#[tokio::test]
async fn ctrl_c_leaves_no_tunnel_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Ends(folder.path().join("pid"));
    let text = format!(
        "echo $$ > {}\necho http://127.0.0.1:$1\nexec sleep 600\n",
        file.0.display()
    );
    script(folder.path(), "my-tunnel", &text);
    // A terminal sends it to the whole group, of which the test is none.
    let service = with_my_tunnel(folder.path()).wrapped_in(&["setsid"]);
    let mut service = service.start().await;
    crate::up(&service, 1).await;
    let [tunnel] = file.pids()[..] else {
        panic!("no tunnel");
    };
    assert!(is_there(tunnel));
    let group = Pid::from_raw(group(service.pid())).expect("a group");
    assert_ne!(group, rustix::process::getpgrp(), "the group of this test");
    kill_process_group(group, Signal::INT).expect("sent");
    eventually("the tunnel to end", async || {
        (!is_there(tunnel)).then_some(())
    })
    .await;
    assert!(service.stop().await.success());
}
