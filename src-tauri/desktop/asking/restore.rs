//! Whether a backup is restored, and with what.

use tauri::{Manager as _, WebviewWindow};
use tauri_plugin_dialog::{
    DialogExt as _, MessageDialogButtons, MessageDialogKind, MessageDialogResult,
};
use tokio::sync::oneshot;

use super::{Phrases, confirmed, phrases};
use crate::restoring::ForApproval;

/// So many names of tokens are shown.
const TOKENS_SHOWN: usize = 20;

/// What the owner wants restored of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::desktop) enum Restore {
    /// All of it.
    Everything,
    /// All but what needs a yes.
    Without,
    /// Nothing.
    Nothing,
}

/// Asks the question of `text` about a backup, and whether what needs a yes is to be
/// restored, too, where there is any of that.
pub(in crate::desktop) async fn whether_to_restore(
    window: &WebviewWindow,
    text: String,
    for_approval: &ForApproval,
) -> Restore {
    if for_approval.is_empty() {
        return match confirmed(window, text).await {
            true => Restore::Everything,
            false => Restore::Nothing,
        };
    }
    let phrases = phrases(window.app_handle());
    let settings: Vec<String> = for_approval.settings().collect();
    let tokens: Vec<String> = for_approval.tokens().collect();
    let (send, answer) = oneshot::channel();
    window
        .dialog()
        .message(format!("{text}{}", named(phrases, &settings, &tokens)))
        .title("Porchlight")
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::YesNoCancelCustom(
            phrases.restore_all.to_owned(),
            phrases.restore_without.to_owned(),
            phrases.cancel.to_owned(),
        ))
        .parent(window)
        .show_with_result(move |pressed| {
            // The window may have been closed meanwhile.
            let _ = send.send(pressed);
        });
    answer
        .await
        .map_or(Restore::Nothing, |pressed| wanted(phrases, &pressed))
}

/// What a button means; closing the dialog is a no to everything.
fn wanted(phrases: &Phrases, pressed: &MessageDialogResult) -> Restore {
    match pressed {
        MessageDialogResult::Yes => Restore::Everything,
        MessageDialogResult::No => Restore::Without,
        MessageDialogResult::Custom(label) if label == phrases.restore_all => Restore::Everything,
        MessageDialogResult::Custom(label) if label == phrases.restore_without => Restore::Without,
        _ => Restore::Nothing,
    }
}

/// What in a backup needs a yes.
fn named(phrases: &Phrases, settings: &[String], tokens: &[String]) -> String {
    let mut text = String::new();
    if !settings.is_empty() {
        text += &format!("\n\n{}\n{}", phrases.restore_settings, settings.join("\n"));
    }
    if !tokens.is_empty() {
        let shown = &tokens[..tokens.len().min(TOKENS_SHOWN)];
        text += &format!("\n\n{}\n{}", phrases.restore_tokens, shown.join(", "));
        let more = tokens.len() - shown.len();
        if more > 0 {
            text += &format!(
                " {}",
                phrases.more_tokens.replace("{count}", &more.to_string())
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{CHINESE, ENGLISH};
    use super::*;

    #[test]
    fn what_a_backup_would_bring_is_named_and_closing_the_dialog_restores_nothing() {
        let settings = [
            "tunnel.command = [\"sh\"]".to_owned(),
            "picgo.secret".to_owned(),
        ];
        let tokens: Vec<String> = (0..=TOKENS_SHOWN).map(|n| format!("\"t{n}\"")).collect();
        for phrases in [&ENGLISH, &CHINESE] {
            let text = named(phrases, &settings, &tokens);
            assert!(
                text.contains("\ntunnel.command = [\"sh\"]\npicgo.secret\n"),
                "{text}"
            );
            assert!(
                text.contains("\"t19\"") && !text.contains("\"t20\""),
                "{text}"
            );
            assert!(
                text.ends_with(&phrases.more_tokens.replace("{count}", "1")),
                "{text}"
            );
            assert_eq!(named(phrases, &[], &[]), "");

            let label = |label: &str| MessageDialogResult::Custom(label.to_owned());
            for (pressed, expected) in [
                (label(phrases.restore_all), Restore::Everything),
                (MessageDialogResult::Yes, Restore::Everything),
                (label(phrases.restore_without), Restore::Without),
                (MessageDialogResult::No, Restore::Without),
                (label(phrases.cancel), Restore::Nothing),
                (MessageDialogResult::Cancel, Restore::Nothing),
            ] {
                assert_eq!(wanted(phrases, &pressed), expected, "{pressed:?}");
            }
        }
    }
}
