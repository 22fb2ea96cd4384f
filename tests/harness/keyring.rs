//! GNOME's keyring on the session bus of a desktop: a real Secret Service.

use crate::desktop::Desktop;
use crate::process::RunningProcess;

/// The running daemon; it ends when this is dropped.
pub struct Keyring(RunningProcess);

impl Keyring {
    /// Starts it, and waits until it has its name on the bus. A locked one is one whose owner has not
    /// entered the password yet.
    pub async fn start(desktop: &Desktop, unlocked: bool) -> Self {
        let start = if unlocked {
            // The password, an empty one, comes on standard input.
            "exec gnome-keyring-daemon --foreground --components=secrets --unlock <<END\n\nEND\n"
        } else {
            "exec gnome-keyring-daemon --foreground --components=secrets"
        };
        let mut command = desktop.command("sh");
        command.args(["-c", start]);
        let daemon = RunningProcess::spawn(command);
        is_there(desktop, true).await;
        Self(daemon)
    }

    /// Ends it, and waits until its name is gone.
    pub async fn stop(self, desktop: &Desktop) {
        drop(self.0);
        is_there(desktop, false).await;
    }
}

async fn is_there(desktop: &Desktop, wanted: bool) {
    let words = [
        "--session",
        "--print-reply",
        "--dest=org.freedesktop.DBus",
        "/",
        "org.freedesktop.DBus.NameHasOwner",
        "string:org.freedesktop.secrets",
    ];
    crate::eventually("the Secret Service to come or go", async || {
        let answer = desktop.run("dbus-send", &words).await;
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        answer.contains(&format!("boolean {wanted}")).then_some(())
    })
    .await;
}
