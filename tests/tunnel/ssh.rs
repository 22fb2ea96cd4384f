//! `ssh -R` to a real OpenSSH server on loopback, with its own keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually, free_port};
use crate::programs::{family, path_with, script};
use crate::{up, wait_for_log};

/// What root's sshd requires, in a private mount namespace: its own user, and
/// an empty folder.
const AS_ROOT: &str = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd \
    && mount --bind \"$0\" /etc/passwd && exec \"$@\"";

/// A server with one user, who signs in by a key.
struct Sshd {
    home: tempfile::TempDir,
    process: RunningProcess,
}

impl Sshd {
    async fn start() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path();
        for key in ["host_key", "user_key"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.join(key))
                .status();
            assert!(made.expect("ssh-keygen").success());
        }
        let port = free_port();
        fs::write(
            folder.join("sshd_config"),
            format!(
                "ListenAddress 127.0.0.1:{port}\nHostKey {0}/host_key\nPidFile none\n\
                 AuthorizedKeysFile {0}/user_key.pub\nStrictModes no\nUsePAM no\n\
                 PermitRootLogin yes\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n",
                folder.display()
            ),
        )
        .expect("to write");
        fs::write(
            folder.join("ssh_config"),
            format!(
                "Port {port}\nIdentityFile {0}/user_key\nIdentitiesOnly yes\n\
                 UserKnownHostsFile {0}/known_hosts\n",
                folder.display()
            ),
        )
        .expect("to write");
        // The real one, with a configuration file for this server instead of the
        // user's own.
        let ssh = found("ssh");
        script(
            &folder.join("bin"),
            "ssh",
            &format!(
                "exec {} -F {}/ssh_config \"$@\"\n",
                ssh.display(),
                folder.display()
            ),
        );
        let process = Self::run(folder).await;
        Self { home, process }
    }

    async fn run(folder: &Path) -> RunningProcess {
        let sshd = found("sshd");
        let mut command = if rustix::process::geteuid().is_root() {
            let mut users = fs::read_to_string("/etc/passwd").expect("users");
            users.push_str("sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n");
            fs::write(folder.join("passwd"), users).expect("to write");
            let mut command = clean_command("unshare", folder);
            command.args(["--mount", "sh", "-c", AS_ROOT]);
            command.arg(folder.join("passwd")).arg(sshd);
            command
        } else {
            clean_command(sshd.to_str().expect("UTF-8"), folder)
        };
        command
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"));
        let process = RunningProcess::spawn(command);
        eventually("sshd", async || {
            process.stderr().contains("Server listening").then_some(())
        })
        .await;
        process
    }

    fn settings(&self, remote: u16) -> Vec<String> {
        let user = Command::new("id").arg("-un").output().expect("id").stdout;
        let user = String::from_utf8(user).expect("UTF-8");
        vec![
            "tunnel.kind=ssh".to_owned(),
            format!("tunnel.ssh_host={}@127.0.0.1", user.trim()),
            format!("tunnel.ssh_port={remote}"),
            format!("tunnel.public_url=http://127.0.0.1:{remote}"),
            "tunnel.check_seconds=1".to_owned(),
        ]
    }
}

fn found(program: &str) -> PathBuf {
    which::which(program)
        .unwrap_or_else(|_| panic!("`{program}` is missing: `cargo xtask setup --tests` brings it"))
}

#[tokio::test]
async fn ssh_carries_requests_and_is_restarted_after_a_kill() {
    let mut sshd = Sshd::start().await;
    let remote = free_port();
    let mut service = TestService::builder()
        .sets(&sshd.settings(remote))
        .env("PATH", path_with(&sshd.home.path().join("bin")))
        .start()
        .await;
    let address = up(&service, 1).await;
    let check = service.http.get(format!("{address}/check")).send().await;
    assert_eq!(check.expect("an answer").status(), 200);

    // The processes that serve its connections would outlive it.
    let sessions = family(sshd.process.pid().expect("it runs"));
    for pid in sessions {
        let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
        kill_process(pid, Signal::KILL).expect("a process of ours");
    }
    sshd.process.wait().await;
    wait_for_log(&service, "ssh ended").await;
    let gone = service.http.get(format!("{address}/check")).send().await;
    assert!(gone.is_err(), "{gone:?}");

    sshd.process = Sshd::run(sshd.home.path()).await;
    up(&service, 2).await;
    let check = service.http.get(format!("{address}/check")).send().await;
    assert_eq!(check.expect("an answer").status(), 200);
    service.stop().await;
    let gone = crate::harness::http()
        .get(format!("{address}/check"))
        .send()
        .await;
    assert!(gone.is_err(), "{gone:?}");
}

#[tokio::test]
async fn a_refused_login_is_reported_with_the_output_of_ssh() {
    let sshd = Sshd::start().await;
    fs::write(sshd.home.path().join("user_key.pub"), "").expect("to write");
    let service = TestService::builder()
        .sets(&sshd.settings(free_port()))
        .env("PATH", path_with(&sshd.home.path().join("bin")))
        .start()
        .await;
    wait_for_log(&service, "Permission denied").await;
    wait_for_log(&service, "starting again in 2 s").await;
    // The service itself keeps running.
    assert_eq!(service.get("/check").await.status(), 200);
}
