//! Restoring a backup in the window: the app restarts with its content, and a
//! file that is no backup changes nothing. A repair goes on beside the service.

use reqwest::Method;

use crate::app::{Service, TOKEN};
use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::photo;
use crate::input::ENTER;

/// Chooses this file in the dialog for a backup.
async fn choose(desktop: &Desktop, app: &Driven, file: &str) {
    // It waits while a backup is looked into.
    app.click("//button[normalize-space()='Restore backup…' and not(@disabled)]")
        .await;
    dialog::choose(desktop, "Choose backup", file).await;
}

/// Changes a setting, and waits until that is written down.
async fn set_quality(desktop: &Desktop, app: &Driven, quality: &str) {
    app.open_settings("Quality").await;
    app.write("Quality", &format!("{quality}{ENTER}")).await;
    eventually(quality, async || {
        let written = std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
        let line = format!("quality = {quality}\n");
        written.ok()?.contains(&line).then_some(())
    })
    .await;
}

/// The service of the app that took the place of the first one.
async fn after_the_new_start(desktop: &Desktop) -> Service {
    eventually("the new start", async || {
        let out = std::fs::read_to_string(desktop.home().join("out")).ok()?;
        let mut lines = out.lines().skip(1);
        Some(Service::at(lines.next()?.strip_prefix("listening on ")?))
    })
    .await
}

/// Folders with what was there before a backup was restored.
fn kept(desktop: &Desktop) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(desktop.data_dir()).expect("the data folder");
    all.flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with("before-restore-")
        })
        .collect()
}

#[tokio::test]
async fn a_backup_is_restored_and_a_broken_one_is_refused_without_changes() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let old = app.service.upload(&photo()).await;
    set_quality(&desktop, &app, "41").await;
    app.open_settings("Backup & repair").await;
    // The settings are in it as the tokens are.
    let named = "//*[normalize-space()='Include secrets']/@id";
    app.click(&format!(
        "//button[@role='switch' and @aria-labelledby={named}]"
    ))
    .await;
    app.press("Save backup…").await;
    let place = |name: &str| {
        let path = desktop.home().join(name);
        path.to_str().expect("a UTF-8 path").to_owned()
    };
    let (whole, torn) = (place("whole.tar"), place("torn.tar"));
    dialog::choose(&desktop, "Save backup", &whole).await;
    app.see("1 picture saved in").await;
    let bytes = std::fs::read(&whole).expect("a backup");
    std::fs::write(&torn, &bytes[..bytes.len() / 2]).expect("to write");

    // Another life.
    let new = app.service.upload(&photo()).await;
    let delete = app
        .service
        .request(Method::DELETE, &format!("/images/{old}"))
        .bearer_auth(TOKEN);
    assert_eq!(delete.send().await.expect("an answer").status(), 200);
    set_quality(&desktop, &app, "62").await;
    app.open_settings("Backup & repair").await;
    choose(&desktop, &app, &torn).await;
    app.see("is no backup that can be restored").await;
    app.see("nothing was restored").await;
    assert_eq!(app.service.status(&format!("/i/{new}")).await, 200);
    assert_eq!(app.service.count().await, 1);

    choose(&desktop, &app, &whole).await;
    dialog::press_yes(&desktop).await;
    let again = after_the_new_start(&desktop).await;
    desktop.window("Porchlight").await;
    assert_eq!(again.status(&format!("/i/{old}")).await, 200);
    assert_eq!(again.status(&format!("/i/{new}")).await, 404);
    assert_eq!(again.count().await, 1);
    let settings = std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
    let settings = settings.expect("the settings");
    assert!(settings.contains("quality = 41\n"), "{settings}");
    // What it replaced is beside it, and no temporary folder is left.
    let kept = kept(&desktop);
    let [before] = kept.as_slice() else {
        panic!("{kept:?}");
    };
    let picture = before.join(format!("images/{}/{new}.webp", &new[..2]));
    assert!(picture.is_file(), "{}", picture.display());
    let settings = std::fs::read_to_string(before.join("settings.toml"));
    assert!(settings.expect("the settings").contains("quality = 62\n"));
    assert!(!desktop.data_dir().join("restoring").exists());
}

/// More pictures than may be missing without a question.
const MANY: u64 = 6;

#[tokio::test]
async fn many_missing_pictures_are_removed_only_after_a_second_confirmation() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    for _ in 0..MANY {
        app.service.upload(&photo()).await;
    }
    let elsewhere = desktop.home().join("elsewhere");
    std::fs::rename(desktop.data_dir().join("images"), elsewhere).expect("moved");
    app.open_settings("Backup & repair").await;
    let repair = "//button[normalize-space()='Check and repair' and not(@disabled)]";
    app.click(repair).await;
    dialog::press_yes(&desktop).await;
    dialog::press_no(&desktop).await;
    app.see("is missing").await;
    assert_eq!(app.service.count().await, MANY);
    let out = std::fs::read_to_string(desktop.home().join("out"));
    assert_eq!(out.expect("its output").lines().count(), 1, "no new start");

    app.click(repair).await;
    dialog::press_yes(&desktop).await;
    dialog::press_yes(&desktop).await;
    app.see("Fixed 6 problems.").await;
    assert_eq!(app.service.count().await, 0);
    let files = std::fs::read_dir(desktop.data_dir()).expect("the data folder");
    let copies = files.flatten().filter(|file| {
        let name = file.file_name();
        name.to_string_lossy()
            .starts_with("porchlight.db.before-repair-")
    });
    assert_eq!(copies.count(), 1);
}
