//! The place of presence: its past, the rules, and what they make of the last
//! program in front.

use porchlight_api::window::{PresencePage, RuleProblem, RuleText, Stretch, Trial};
use porchlight_app::host::Host;
use tauri::State;

use super::sentence;

/// Everything about presence.
#[tauri::command]
pub(crate) async fn presence(host: State<'_, Host>) -> Result<PresencePage, String> {
    Ok(host.presence_page())
}

/// What readers saw between two times.
#[tauri::command]
pub(crate) async fn presence_history(
    from: i64,
    to: i64,
    host: State<'_, Host>,
) -> Result<Vec<Stretch>, String> {
    host.presence_past(from, to).await.map_err(sentence)
}

/// What these rules would make of the last program in front.
#[tauri::command]
pub(crate) async fn try_rules(
    rules: Vec<RuleText>,
    host: State<'_, Host>,
) -> Result<Trial, String> {
    Ok(host.try_rules(&rules).await)
}

/// Writes the rules; what is wrong with them, in which case nothing was
/// written.
#[tauri::command]
pub(crate) async fn set_rules(
    rules: Vec<RuleText>,
    host: State<'_, Host>,
) -> Result<Vec<RuleProblem>, String> {
    host.set_rules(&rules).await.map_err(sentence)
}
