//! Whether a backup is restored, and with what.

use porchlight_app::maintenance::for_approval::{ApprovalLines, ForApproval};
use tauri::{Manager as _, WebviewWindow};
use tauri_plugin_dialog::{
    DialogExt as _, MessageDialogButtons, MessageDialogKind, MessageDialogResult,
};
use tokio::sync::oneshot;

use super::{confirmed, phrases};
use crate::desktop::i18n::Words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::desktop) enum Restore {
    Everything,
    /// All but what needs approval.
    Without,
    Nothing,
}

/// Asks the question of `text` about a backup and, if parts of it need approval, whether to restore
/// them, too.
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
    let named = named(phrases, for_approval.settings(), for_approval.tokens());
    let (send, answer) = oneshot::channel();
    window
        .dialog()
        .message(format!("{text}{named}"))
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

/// What a button means; closing the dialog rejects everything.
fn wanted(phrases: &Words, pressed: &MessageDialogResult) -> Restore {
    match pressed {
        MessageDialogResult::Yes => Restore::Everything,
        MessageDialogResult::No => Restore::Without,
        MessageDialogResult::Custom(label) if label == phrases.restore_all => Restore::Everything,
        MessageDialogResult::Custom(label) if label == phrases.restore_without => Restore::Without,
        _ => Restore::Nothing,
    }
}

/// What in a backup needs a yes.
fn named(phrases: &Words, settings: ApprovalLines, tokens: ApprovalLines) -> String {
    let mut text = String::new();
    for (about, shown, between) in [
        (phrases.restore_settings, settings, "\n"),
        (phrases.restore_tokens, tokens, ", "),
    ] {
        if !shown.lines.is_empty() {
            text += &format!("\n\n{about}\n{}", shown.joined(between, phrases.more));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::i18n::{CHINESE, ENGLISH};

    #[test]
    fn the_dialog_names_the_content_of_a_backup_and_closing_it_restores_nothing() {
        let shown = |lines: &[&str], more| ApprovalLines {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            more,
        };
        let settings = ["tunnel.command = [\"sh\"]", "picgo.secret"];
        for phrases in [&ENGLISH, &CHINESE] {
            let text = named(phrases, shown(&settings, 0), shown(&["\"t0\""], 1));
            assert!(
                text.contains("\ntunnel.command = [\"sh\"]\npicgo.secret\n"),
                "{text}"
            );
            let more = phrases.more.replace("{count}", "1");
            assert!(text.ends_with(&format!("\n\"t0\", {more}")), "{text}");
            assert_eq!(named(phrases, shown(&[], 0), shown(&[], 0)), "");

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
