//! The keys that upload what was copied, wherever the owner is: of an X server,
//! of a desktop's portal, and of the desktop's own settings.

use crate::app::{self, App, file};
use crate::desktop::Desktop;
use crate::dialog::read_it;
use crate::driver::Driven;
use crate::eventually;
use crate::external_uploads::copy;
use crate::harness::pictures::{flat, photo, png};
use crate::harness::process::RunningProcess;
use crate::input::ENTER;
use crate::notifications::Notifications;
use crate::portal::{Answers, Portal};

/// A session of Wayland, as far as the keys go: the window itself is on the X
/// server that such sessions have for old programs.
const WAYLAND: [(&str, &str); 2] = [("WAYLAND_DISPLAY", "none"), ("GDK_BACKEND", "x11")];
const KEYS: &str = "Upload shortcut";

#[tokio::test]
async fn a_global_shortcut_uploads_the_clipboard_also_with_num_lock() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let keys = ["--hidden", "--set", "app.upload_shortcut=Ctrl+Alt+U"];
    let app = App::start(&desktop, &keys).await;
    for (number, colour) in [(1, [1, 2, 3]), (2, [200, 2, 3])] {
        let image = png(&flat(32, 24, colour));
        let image = file(desktop.home(), "a.png", &image);
        let _owner = copy(&desktop, "image/png", &image).await;
        eventually("the picture", async || {
            // Until the app has grabbed the keys, they have no effect.
            desktop.xdotool(&["key", "ctrl+alt+u"]).await;
            let count = app.service.json("/images/count").await;
            (count["count"] == number).then_some(())
        })
        .await;
        notifications.next().await;
        desktop.xdotool(&["key", "Num_Lock"]).await;
    }
}

#[tokio::test]
async fn the_command_for_desktop_shortcuts_uploads_the_clipboard() {
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let image = file(desktop.home(), "a.jpg", &photo());
    let list = file(
        desktop.home(),
        "list",
        format!("file://{image}\r\n").as_bytes(),
    );
    let _owner = copy(&desktop, "text/uri-list", &list).await;
    let second = RunningProcess::spawn(app::command(&desktop, &["--upload-clipboard"]));
    assert!(second.ended().await.status.success());
    eventually("the picture", async || {
        (app.service.json("/images/count").await["count"] == 1).then_some(())
    })
    .await;
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn keys_of_another_program_are_reported_as_in_use_and_others_can_be_chosen() {
    let desktop = Desktop::start().await;
    // Openbox has Alt+F4 for itself.
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("App").await;
    app.write(KEYS, &format!("Alt+F4{ENTER}")).await;
    app.see("Another program has these keys already").await;
    app.write(KEYS, &format!("Ctrl+Alt+U{ENTER}")).await;
    app.see_no_more("Another program has these keys already")
        .await;
    let picture = file(desktop.home(), "a.png", &png(&flat(32, 24, [1, 2, 3])));
    let _owner = copy(&desktop, "image/png", &picture).await;
    eventually("the picture", async || {
        desktop.xdotool(&["key", "ctrl+alt+u"]).await;
        (app.service.count().await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_invalid_shortcut_is_refused_with_an_example() {
    let desktop = Desktop::start().await;
    let keys = ["--hidden", "--set", "app.upload_shortcut=Hyper+U"];
    let started = RunningProcess::spawn(app::command(&desktop, &keys));
    read_it(&desktop).await;
    let ended = started.ended().await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(
        ended.stderr.contains("such as Ctrl+Alt+U"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn keys_from_the_desktops_portal_upload() {
    let desktop = Desktop::start_with(&WAYLAND).await;
    let mut portal = Portal::start(&desktop, Answers::Keys("Meta+U")).await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("App").await;
    app.write(KEYS, &format!("Ctrl+Alt+PageUp{ENTER}")).await;
    let asked = portal.asked().await;
    assert_eq!(asked.keys, "CTRL+ALT+Page_Up");
    assert_eq!(asked.does, "Upload from clipboard");
    // It may give others.
    app.see("Your desktop assigned Meta+U.").await;
    let picture = file(desktop.home(), "a.png", &png(&flat(32, 24, [1, 2, 3])));
    let _owner = copy(&desktop, "image/png", &picture).await;
    portal.press(&asked).await;
    eventually("the picture", async || {
        (app.service.count().await == 1).then_some(())
    })
    .await;

    // A restarted portal does not know earlier requests.
    portal.ends().await;
    app.see("The desktop's portal has gone").await;
    let mut portal = Portal::start(&desktop, Answers::Keys("Meta+I")).await;
    let again = portal.asked().await;
    assert_eq!(again.keys, "CTRL+ALT+Page_Up");
    app.see("Your desktop assigned Meta+I.").await;
}

#[tokio::test]
async fn keys_that_the_portal_refuses_are_reported() {
    for (answers, sentence) in [
        (Answers::No, "Your desktop didn’t assign these keys"),
        (Answers::NoKeys, "No keys are set yet"),
    ] {
        let desktop = Desktop::start_with(&WAYLAND).await;
        let mut portal = Portal::start(&desktop, answers).await;
        let settings = ["presence.enabled=false", "app.upload_shortcut=Ctrl+Alt+U"];
        let app = Driven::start(&desktop, &settings).await;
        portal.asked().await;
        app.open_settings("App").await;
        app.see(sentence).await;
    }
}

#[tokio::test]
async fn a_portal_that_requires_an_app_id_works_once_the_app_is_in_the_menu() {
    let desktop = Desktop::start_with(&WAYLAND).await;
    let mut portal = Portal::strict(&desktop, "Ctrl+Alt+U").await;
    let settings = ["presence.enabled=false", "app.upload_shortcut=Ctrl+Alt+U"];
    let app = Driven::start(&desktop, &settings).await;
    app.open_settings("App").await;
    app.see("Your desktop allows shortcuts only for apps in its menu")
        .await;
    let switch =
        "//button[@role='switch' and @aria-labelledby=//*[.='Show in applications menu']/@id]";
    app.click(switch).await;
    let asked = portal.asked().await;
    let name = asked.application.expect("a name");
    let entry = desktop.home().join(".local/share/applications");
    assert!(entry.join(format!("{name}.desktop")).exists(), "{name}");
    app.see("Your desktop assigned Ctrl+Alt+U.").await;
}

#[tokio::test]
async fn without_global_shortcuts_the_settings_show_the_alternative() {
    let desktop = Desktop::start_with(&WAYLAND).await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("App").await;
    app.see("in its keyboard settings that runs: porchlight --upload-clipboard")
        .await;
}
