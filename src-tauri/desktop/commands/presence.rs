//! The place of presence: its past, the rules, and what they make of the last
//! foreground app.

use porchlight_service::app::host::Host;
use porchlight_service::app::presence_rules;
use porchlight_service::error::message::Message;
use porchlight_service::presence::window::{
    PresencePage, PresencePeriod, RuleProblem, RuleText, Trial,
};
use tauri::State;

/// Everything about presence.
#[tauri::command]
pub(crate) async fn presence(host: State<'_, Host>) -> Result<PresencePage, Message> {
    Ok(presence_rules::page(&host))
}

/// What readers saw between two times.
#[tauri::command]
pub(crate) async fn presence_history(
    from: i64,
    to: i64,
    host: State<'_, Host>,
) -> Result<Vec<PresencePeriod>, Message> {
    Ok(presence_rules::past(&host, from, to).await?)
}

/// The result of these rules for the last foreground app. Nothing is changed.
#[tauri::command]
pub(crate) async fn try_rules(
    rules: Vec<RuleText>,
    host: State<'_, Host>,
) -> Result<Trial, Message> {
    Ok(presence_rules::try_rules(&host, &rules).await)
}

/// The `program` of a rule for the app that readers know by this name: the program's own names.
/// `None` if no program on this machine has it.
#[tauri::command]
pub(crate) async fn program_of(
    application: String,
    host: State<'_, Host>,
) -> Result<Option<String>, Message> {
    Ok(host.consent().program_of(application).await)
}

/// Writes the rules and returns their problems; with any, nothing is written.
#[tauri::command]
pub(crate) async fn set_rules(
    rules: Vec<RuleText>,
    host: State<'_, Host>,
) -> Result<Vec<RuleProblem>, Message> {
    presence_rules::set_rules(&host, &rules).await
}

/// Turns Porchlight's extension on in GNOME Shell, which then reports the foreground app.
#[tauri::command]
pub(crate) async fn turn_on_gnome_extension() -> Result<(), Message> {
    porchlight_service::presence::computer::turn_on_gnome_extension().await
}
