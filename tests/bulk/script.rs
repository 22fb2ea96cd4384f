//! `scripts/upload.sh`, on bash and curl alone.

use std::path::Path;

use crate::harness::process::{Ended, RunningProcess, clean_command};
use crate::harness::{TestService, files};
use crate::plain::{Plain, Trouble};
use crate::{Uploader, folder, times_sent};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/upload.sh");

impl Uploader {
    /// The script, with the token as the interface has it.
    fn script(&self, folder: &Path, api: &str, more: &[&str]) -> RunningProcess {
        let mut command = clean_command("bash", self.home.path());
        command.arg(SCRIPT).arg("--folder").arg(folder);
        command.args(["--token", &self.token, "--api", api]);
        command.args(more);
        RunningProcess::spawn(command)
    }

    pub(crate) async fn run_script(&self, folder: &Path, api: &str, more: &[&str]) -> Ended {
        self.script(folder, api, more).ended().await
    }
}

fn last_line(ended: &Ended) -> &str {
    ended.stdout.lines().last().expect("a summary")
}

#[tokio::test]
async fn names_of_every_kind_arrive_once_each() {
    let service = TestService::start(&[]).await;
    let uploader = Uploader::of(&service);
    let odd = tempfile::tempdir().expect("a folder");
    let (pictures, skipped) = folder::odd(odd.path());
    let first = uploader.run_script(odd.path(), &service.url(""), &[]).await;
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let summary = last_line(&first);
    assert!(
        summary.starts_with(&format!("{pictures} uploaded (")),
        "{first:?}"
    );
    let rest = format!("0 already there, {skipped} skipped, 0 failed");
    assert!(summary.ends_with(&rest), "{first:?}");
    assert_eq!(service.count().await, pictures);

    let second = uploader
        .run_script(odd.path(), &service.url("/"), &[])
        .await;
    assert!(last_line(&second).starts_with("0 uploaded"), "{second:?}");
    assert_eq!(
        times_sent(&service).await,
        pictures,
        "nothing is sent again"
    );
    assert!(!odd.path().join("x").exists(), "no name is run");
}

#[tokio::test]
async fn after_a_kill_answered_uploads_are_not_sent_again() {
    let plain = Plain::start(&[]).await;
    let uploader = Uploader::new();
    let pictures = folder::of_pictures(6);
    plain.answer_only(3);
    let mut first = uploader.script(pictures.path(), &plain.url(), &["--timeout", "5"]);
    for _ in 0..3 {
        assert!(first.line_with("uploaded").await.is_some());
    }
    first.kill();
    first.wait().await;
    let answered = plain.sent();
    plain.answer_all();
    let second = uploader
        .run_script(pictures.path(), &plain.url(), &[])
        .await;
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    for done in &answered {
        let sent = plain.sent();
        let times = sent.iter().filter(|sent| sent.digest == done.digest);
        assert_eq!(times.count(), 1);
    }
    assert_eq!(plain.arrived().1, 6);
    // Both tools keep the same list.
    let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(report.counts(), [0, 6, 0, 0], "{report:?}");
}

#[tokio::test]
async fn uploads_are_retried_after_temporary_errors() {
    let troubles = [Trouble::Wait(1), Trouble::Status(503), Trouble::Cut];
    let plain = Plain::start(&troubles).await;
    let pictures = folder::of_pictures(2);
    let began = std::time::Instant::now();
    let ended = Uploader::new()
        .run_script(pictures.path(), &plain.url(), &[])
        .await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(last_line(&ended).contains("1 already there"), "{ended:?}");
    assert!(began.elapsed().as_millis() >= 1000, "it was asked to wait");
    assert_eq!(plain.arrived(), (3, 2));
}

#[tokio::test]
async fn invalid_files_are_named_and_not_retried() {
    let plain = Plain::start(&[Trouble::Status(422)]).await;
    let pictures = folder::of_pictures(2);
    let ended = Uploader::new()
        .run_script(pictures.path(), &plain.url(), &[])
        .await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains(".jpg: the service answered 422"),
        "{ended:?}"
    );
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
    assert!(last_line(&ended).starts_with("1 uploaded"), "{ended:?}");
}

#[tokio::test]
async fn a_wrong_token_ends_it_and_wrong_usage_is_2() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(4);
    let uploader = Uploader::with_token("unknown-token");
    let ended = uploader
        .run_script(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("refused the token"), "{ended:?}");
    assert!(!ended.stderr.contains("unknown-token"), "{ended:?}");
    for more in [
        &["--retries", "x"][..],
        &["--timeout", "0"],
        &["--timeout"],
        &["more"],
    ] {
        let ended = uploader
            .run_script(pictures.path(), "http://127.0.0.1:9", more)
            .await;
        assert_eq!(ended.status.code(), Some(2), "{more:?}: {ended:?}");
        assert_eq!(ended.stdout, "");
    }
    let nowhere = uploader.run_script(Path::new("/nowhere/at/all"), "http://127.0.0.1:9", &[]);
    assert_eq!(nowhere.await.status.code(), Some(2));
}

#[tokio::test]
async fn the_token_is_in_no_argument_of_curl() {
    let plain = Plain::start(&[]).await;
    let uploader = Uploader::new();
    let pictures = folder::of_pictures(2);
    let bin = uploader.home.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let real = std::process::Command::new("bash")
        .args(["-c", "command -v curl"])
        .output()
        .expect("bash");
    let real = String::from_utf8(real.stdout).expect("UTF-8");
    let seen = uploader.home.path().join("seen");
    let wrapper = format!(
        "{{ printf '%s\\n' \"$@\"; env; }} >>'{}'\nexec {} \"$@\"\n",
        seen.display(),
        real.trim()
    );
    let curl = bin.join("curl");
    files::script(&curl, &wrapper);

    let mut command = clean_command("bash", uploader.home.path());
    let path = std::env::var("PATH").expect("a PATH");
    command.env("PATH", format!("{}:{path}", bin.display()));
    command.env("PORCHLIGHT_ADMIN_TOKEN", &uploader.token);
    command.arg(SCRIPT).arg("--folder").arg(pictures.path());
    command.args(["--api", &plain.url()]);
    let ended = RunningProcess::spawn(command).ended().await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    for sent in plain.sent() {
        assert_eq!(sent.authorization, format!("Bearer {}", uploader.token));
        assert_eq!(sent.file_name, "picture");
    }
    assert_eq!(plain.arrived(), (2, 2));
    let seen = std::fs::read_to_string(seen).expect("curl was called");
    assert!(seen.contains("/images/add"), "{seen}");
    assert!(!seen.contains(&uploader.token), "{seen}");
}
