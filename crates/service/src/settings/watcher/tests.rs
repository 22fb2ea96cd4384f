//! The settings file in the hands of editors.

use std::fs;
use std::time::Duration;

use notify::event::{DataChange, Flag, ModifyKind, RenameMode};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::app::diagnostics;
use crate::app::host::Host;
use crate::error::message::Message;
use crate::settings::changes::Changes;
use crate::settings::window::FileProblem;
use crate::testing::host;

/// A data folder with this settings file, and a host in it.
async fn host_with(text: &str) -> (TempDir, PathBuf, Host) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings.toml");
    fs::write(&file, text).expect("to write");
    let host = host(folder.path(), &[]).await;
    (folder, file, host)
}

/// Edits by this, and waits until the host is as expected.
async fn edited(host: &Host, edit: impl FnOnce(), expected: impl Fn(&Host) -> bool) {
    let mut changed = host.store().changes();
    edit();
    let comes = async {
        while !expected(host) {
            changed.changed().await.expect("a host");
        }
    };
    let came = timeout(Duration::from_secs(30), comes).await;
    let problems = host.store().file_problems();
    came.unwrap_or_else(|_| panic!("it was not noticed: {problems:?}"));
}

fn quality(host: &Host) -> u64 {
    host.settings().images.quality
}

fn problem(line: Option<u32>, key: &str, why: Message) -> FileProblem {
    FileProblem {
        line,
        key: Some(key.to_owned()),
        why,
    }
}

fn changes(of: serde_json::Value) -> Changes {
    serde_json::from_value(of).expect("changes")
}

#[tokio::test]
async fn an_edit_counts_however_the_editor_writes() {
    let (folder, file, host) = host_with("[images]\nquality = 70\n").await;
    let in_place = || fs::write(&file, "[images]\nquality = 60 # less\n").expect("to write");
    edited(&host, in_place, |host| quality(host) == 60).await;

    let other = folder.path().join(".settings.toml.swp");
    let by_rename = || {
        fs::write(&other, "[images]\nquality = 50\n").expect("to write");
        fs::rename(&other, &file).expect("to rename");
    };
    edited(&host, by_rename, |host| quality(host) == 50).await;

    let away = folder.path().join("settings.toml~");
    let away_and_anew = || {
        fs::rename(&file, &away).expect("to rename");
        fs::write(&file, "[images]\nquality = 40\n").expect("to write");
    };
    edited(&host, away_and_anew, |host| quality(host) == 40).await;
    let row = |key| {
        let mut rows = host.store().rows().into_iter();
        rows.find(|row| row.key == key).expect("a row")
    };
    assert_eq!(row("images.quality").value, 40);
    assert_eq!(host.store().file_problems(), []);
    host.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn an_edit_of_the_file_that_the_settings_file_is_a_link_to_counts() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let real = elsewhere.path().join("porchlight.toml");
    fs::write(&real, "").expect("to write");
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(&real, folder.path().join("settings.toml")).expect("a link");
    let host = host(folder.path(), &[]).await;
    // The first may be found by the look that begins with.
    for wanted in [60, 50] {
        let text = format!("images.quality = {wanted}\n");
        let edit = || fs::write(&real, text).expect("to write");
        edited(&host, edit, |host| quality(host) == wanted).await;
    }
    host.stop().await;
}

#[tokio::test]
async fn an_error_is_reported_with_its_line_and_the_settings_stay() {
    let (_folder, file, host) = host_with("[images]\nquality = 70\n").await;
    let wrong = "# mine\n[images]\nquality = 500\nqualty = 3\n";
    let expected = [
        FileProblem {
            line: Some(4),
            key: None,
            why: crate::detail!("unknown key `images.qualty`, did you mean `images.quality`?"),
        },
        problem(
            Some(3),
            "images.quality",
            Message::OutOfBounds {
                value: 500_i64.into(),
                min: 1_u64.into(),
                max: 100_u64.into(),
            },
        ),
    ];
    let edit = || fs::write(&file, wrong).expect("to write");
    edited(&host, edit, |host| host.store().file_problems() == expected).await;
    assert_eq!(quality(&host), 70);
    assert!(
        diagnostics::report(&host)
            .await
            .contains("line 3: images.quality")
    );

    // What is changed in the window meanwhile is refused, and the error names its place.
    let change = changes(json!({ "app.theme": "dark" }));
    let problems = host.store().change(&change).await.expect("an answer");
    assert_eq!(host.store().check(&change), problems);
    let why = &problems.last().expect("a problem").why;
    assert!(
        why.to_string()
            .contains("settings.toml, line 3: images.quality: 500"),
        "{why}"
    );
    assert_eq!(fs::read_to_string(&file).expect("to read"), wrong);

    let no_toml = || fs::write(&file, "[images\n").expect("to write");
    edited(&host, no_toml, |host| {
        let problems = host.store().file_problems();
        problems.len() == 1 && problems[0].key.is_none() && problems[0].line == Some(1)
    })
    .await;
    let problems = host.store().change(&change).await.expect("an answer");
    assert!(
        problems[0]
            .why
            .to_string()
            .contains("settings.toml, line 1: "),
        "{problems:?}"
    );

    let mended = || fs::write(&file, "[images]\nquality = 60\n").expect("to write");
    edited(&host, mended, |host| quality(host) == 60).await;
    assert_eq!(host.store().file_problems(), []);
    host.stop().await;
}

#[tokio::test]
async fn a_change_in_the_window_keeps_what_was_edited_and_is_not_read_as_an_edit() {
    let (_folder, file, host) = host_with("[images]\nquality = 70\n").await;
    let change = changes(json!({ "app.theme": "dark" }));
    // The edit has not been read yet.
    fs::write(&file, "# mine\n[images]\nquality = 60 # less\n").expect("to write");
    assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
    assert_eq!(
        fs::read_to_string(&file).expect("to read"),
        "# mine\n[images]\nquality = 60 # less\n\n[app]\ntheme = \"dark\"\n"
    );
    assert_eq!(quality(&host), 60);
    let changed = host.store().changes();
    host.store().reload().await;
    assert!(!changed.has_changed());
    host.stop().await;
}

#[tokio::test]
async fn a_change_of_consent_in_the_file_counts() {
    let (_folder, file, host) = host_with("").await;
    host.consent().answer(true).await.expect("written");
    let no = || fs::write(&file, "presence.enabled = false\n").expect("to write");
    let off = |host: &Host| host.consent().sharing() == crate::status::window::home::Sharing::Off;
    edited(&host, no, off).await;
    host.stop().await;
}

#[tokio::test]
async fn a_file_that_is_gone_takes_nothing_with_it() {
    let (_folder, file, host) = host_with("# mine\n[images]\nquality = 70\n").await;
    let gone = || fs::remove_file(&file).expect("to remove");
    edited(&host, gone, |host| {
        let problems = host.store().file_problems();
        problems
            .iter()
            .any(|problem| problem.why.to_string().ends_with("is gone"))
    })
    .await;
    assert_eq!(quality(&host), 70);
    let change = changes(json!({ "app.theme": "dark" }));
    assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
    assert_eq!(host.store().file_problems(), []);
    assert_eq!(
        fs::read_to_string(&file).expect("to read"),
        "# mine\n[images]\nquality = 70\n\n[app]\ntheme = \"dark\"\n"
    );
    host.stop().await;
}

#[test]
fn reading_the_file_and_writing_others_sends_no_event() {
    let file = PathBuf::from("/data/settings.toml");
    let files = BTreeSet::from([file.clone()]);
    let of = |kind, path: &Path| matters(Ok(Event::new(kind).add_path(path.to_owned())), &files);
    let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    for kind in [
        written,
        EventKind::Access(AccessKind::Close(AccessMode::Write)),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)),
    ] {
        assert!(of(kind, &file), "{kind:?}");
        assert!(!of(kind, Path::new("/data/porchlight.db-wal")), "{kind:?}");
    }
    for kind in [AccessKind::Open(AccessMode::Any), AccessKind::Read] {
        assert!(!of(EventKind::Access(kind), &file), "{kind:?}");
    }
    let missed = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert!(matters(Ok(missed), &files));
}

#[tokio::test]
async fn an_edit_after_validation_is_kept_and_validated_with_the_change() {
    let (_folder, file, host) = host_with("[images]\nquality = 70\n").await;
    let dark = || {
        let dark = host
            .store()
            .validate(&changes(json!({ "app.theme": "dark" })));
        dark.unwrap_or_else(|problems| panic!("{problems:?}"))
    };
    let valid = dark();
    fs::write(&file, "# mine\n[images]\nquality = 60\n").expect("to write");
    assert_eq!(host.store().write(valid).await, Ok(Vec::new()));
    assert_eq!(quality(&host), 60);
    let text = fs::read_to_string(&file).expect("to read");
    assert!(
        text.starts_with("# mine\n[images]\nquality = 60\n"),
        "{text}"
    );
    assert!(text.contains("theme = \"dark\""), "{text}");

    let valid = dark();
    let wrong = "[images]\nquality = 500\n";
    fs::write(&file, wrong).expect("to write");
    let problems = host.store().write(valid).await.expect("an answer");
    assert!(
        problems[0].why.to_string().contains("out of bounds"),
        "{problems:?}"
    );
    assert_eq!(fs::read_to_string(&file).expect("to read"), wrong);
    assert_eq!(quality(&host), 60);
    host.stop().await;
}
