//! The place "presence": a rule is written, tried on a real window, and saved.

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::presence::{before_a_terminal, bring_to_front};

/// The settings file; nothing where none was written yet.
fn kept(desktop: &Desktop) -> String {
    std::fs::read_to_string(desktop.data_dir().join("settings.toml")).unwrap_or_default()
}

async fn save(app: &Driven) {
    app.press("Save rules").await;
    app.see("Rules saved.").await;
}

#[tokio::test]
async fn a_rule_from_the_editor_names_a_real_window_and_then_hides_it() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    app.go("Presence").await;
    app.see("the kettle").await;
    app.see("No rule matches, so readers would see").await;
    app.press("Add rule for XTerm").await;
    app.fill("Show as", "The workshop").await;
    app.fill("Description", "Sawing").await;
    app.fill("Colour", "10,20,30,0.5").await;
    // Tested before it is saved, and not sent yet.
    app.see("With rule 1, readers would see").await;
    app.until(
        "the name in the trial",
        "return document.querySelector('.verdict').innerText.includes('The workshop')",
    )
    .await;
    assert!(!kept(&desktop).contains("The workshop"));

    save(&app).await;
    bring_to_front(&desktop, "the kettle").await;
    let check = app
        .service
        .check("the rule", |check| check["application"] == "The workshop")
        .await;
    assert_eq!(check["introduce"], "Sawing");
    assert_eq!(check["rgba"], "10,20,30,0.5");
    let written = kept(&desktop);
    for part in ["The workshop", "Sawing", "10,20,30,0.5"] {
        assert!(written.contains(part), "{written}");
    }

    bring_to_front(&desktop, "Porchlight").await;
    app.tick("Hide this app").await;
    app.see("This app is hidden").await;
    save(&app).await;
    bring_to_front(&desktop, "the kettle").await;
    let unnamed = |check: &serde_json::Value| {
        check["application"] == "" && check["introduce"] == "" && check["applicationOnline"] == true
    };
    app.service.check("nothing of it", unnamed).await;
    assert!(kept(&desktop).contains("hide = true"), "{}", kept(&desktop));
}

#[tokio::test]
async fn an_invalid_rule_shows_why_and_is_not_saved() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    app.go("Presence").await;
    app.press("Add rule").await;
    app.fill("App", "/(/").await;
    app.see("There is a mistake in rule 1.").await;
    app.press("Save rules").await;
    app.see("Couldn’t save. Fix the rules marked in red.").await;
    assert!(!kept(&desktop).contains("rules"), "{}", kept(&desktop));
    app.press("Discard").await;
    app.see("No rules yet.").await;
}
