//! Devices beside this computer: allowed, hidden and added in the window, with reports over HTTP.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::TOKEN;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;

impl Driven {
    /// Reports as a client does, and returns the status of the answer.
    pub(crate) async fn report(&self, path: &str, token: &str, body: &Value) -> u16 {
        let request = self.service.request(Method::POST, path).bearer_auth(token);
        let response = request.json(body).send().await;
        response.expect("an answer").status().as_u16()
    }

    /// Waits until readers get these devices beside this computer, by name and app.
    async fn readers_get(&self, expected: &[(&str, &str)]) {
        eventually("the devices of readers", async || {
            let listed = self.service.json("/devices").await;
            let listed = listed["devices"].as_array().expect("a list");
            let others = listed.iter().filter(|one| one["id"] != "this-computer");
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            let others = others.map(|one| (text(&one["name"]), text(&one["application"])));
            let others: Vec<(String, String)> = others.collect();
            let expected = expected
                .iter()
                .map(|(name, app)| ((*name).to_owned(), (*app).to_owned()));
            (others == expected.collect::<Vec<_>>()).then_some(())
        })
        .await;
    }
}

/// The token of a new device, made by `porchlight device add` with these words.
pub(crate) async fn device(desktop: &Desktop, words: &[&str]) -> String {
    let data_dir = desktop.data_dir();
    let data_dir = data_dir.to_str().expect("a UTF-8 path");
    let words = [&["device", "add", "--data-dir", data_dir], words].concat();
    let ended = desktop.run(env!("CARGO_BIN_EXE_porchlight"), &words).await;
    let token = String::from_utf8(ended.stdout).expect("UTF-8");
    token.trim().to_owned()
}

fn tablet(application: &str) -> Value {
    json!({ "application": application, "applicationOnline": true })
}

#[tokio::test]
async fn a_device_that_reports_waits_until_it_is_allowed_in_the_window_and_a_pause_hides_it() {
    let desktop = Desktop::start().await;
    let settings = ["presence.enabled=true", "presence.language=en"];
    let app = Driven::start(&desktop, &settings).await;
    app.see("No pictures yet.").await;
    let token = device(&desktop, &["Slate of Anna", "--kind", "tablet"]).await;
    let reported = app
        .report("/heartbeat", &token, &tablet("Sketchbook"))
        .await;
    assert_eq!(reported, 200);
    app.see("1 device waits for you").await;
    app.readers_get(&[]).await;
    app.press("View").await;
    app.see("They would see: Sketchbook").await;
    app.press("Allow: Slate of Anna").await;
    app.readers_get(&[("Slate of Anna", "Sketchbook")]).await;
    app.see_no_more("They would see").await;
    app.see("Readers see it").await;

    // Another app comes without a touch of the window.
    app.report("/heartbeat", &token, &tablet("Stargazer")).await;
    app.see("Stargazer").await;
    app.service
        .check("the device in use", |check| {
            check["application"] == "Stargazer"
        })
        .await;
    app.see("Chosen for your blog").await;

    app.press_named("More for Slate of Anna").await;
    app.press("Rename…").await;
    let field = app
        .find("//input[@aria-label='Name that readers see']")
        .await;
    // WebDriver's way of clearing a field leaves it, which ends the renaming.
    let keys = "\u{e003}".repeat("Slate of Anna".len()) + "Slate\u{e007}";
    field.send_keys(&keys).await.expect("a field");
    app.readers_get(&[("Slate", "Stargazer")]).await;

    app.go("Home").await;
    app.see("Slate").await;
    app.press("Pause for 30 min").await;
    app.readers_get(&[("Slate", "")]).await;
    app.service
        .check("the pause", |check| check["applicationOnline"] == false)
        .await;
    app.go("Presence").await;
    app.see("Sharing is paused for all devices at once.").await;
    let switch = "//button[@role='switch' and contains(@aria-labelledby, 'allow')]";
    app.click(switch).await;
    app.readers_get(&[]).await;
}

#[tokio::test]
async fn a_device_is_added_by_a_token_that_the_page_never_has_and_turns_green_at_its_first_report()
{
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    let light = json!({ "app_id": "com.example.maps", "app_label": "Maps" });
    assert_eq!(app.report("/api/report", TOKEN, &light).await, 404, "off");
    app.go("Presence").await;
    app.press("Add a device").await;
    app.see("Only this computer can open this address.").await;
    app.press("Create token").await;
    app.see("Waiting for its first report…").await;
    app.press_named("Copy Token 密钥").await;
    let token = eventually("the token", async || {
        let token = desktop.clipboard().await;
        (token.len() >= 43).then_some(token)
    })
    .await;
    app.nowhere_on_the_page(&token).await;
    let drawn = "const code = document.querySelector('dialog img'); \
                 return code?.complete && code.naturalWidth";
    app.until("the QR code", drawn).await;
    let read = "const code = document.querySelector('dialog img'); \
                const canvas = document.createElement('canvas'); \
                const brush = canvas.getContext('2d'); \
                brush.drawImage(code, 0, 0); \
                try { brush.getImageData(0, 0, 9, 9); return 'pixels' } catch { } \
                return fetch(code.src).then((answer) => answer.text(), () => 'refused')";
    assert_eq!(app.wait_for(read).await, "refused");

    assert_eq!(app.report("/api/report", &token, &light).await, 200);
    app.see("Received the first report of Phone.").await;
    app.see("Readers see: Maps").await;
    app.readers_get(&[("Phone", "Maps")]).await;
    app.press("Done").await;
    app.nowhere_on_the_page(&token).await;
    app.see("Last report").await;
    let listed = app.service.json("/devices").await;
    assert_eq!(listed["devices"][1]["kind"], "phone", "{listed}");
}
