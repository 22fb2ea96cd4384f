//! How much of a backup is restored.

use porchlight_service::app::maintenance::restore::Extent;
use tauri::{Manager as _, WebviewWindow};
use tauri_plugin_dialog::{
    DialogExt as _, MessageDialogButtons, MessageDialogKind, MessageDialogResult,
};
use tokio::sync::oneshot;

use super::phrases;
use crate::desktop::i18n::Words;

/// Asks the question of `text` about a backup; `None` where nothing is to be restored.
pub(in crate::desktop) async fn how_much_to_restore(
    window: &WebviewWindow,
    text: String,
) -> Option<Extent> {
    let phrases = phrases(window.app_handle());
    let (send, answer) = oneshot::channel();
    window
        .dialog()
        .message(text)
        .title("Porchlight")
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::YesNoCancelCustom(
            phrases.restore_all.to_owned(),
            phrases.restore_content.to_owned(),
            phrases.cancel.to_owned(),
        ))
        .parent(window)
        .show_with_result(move |pressed| {
            // The window may have been closed meanwhile.
            let _ = send.send(pressed);
        });
    wanted(phrases, &answer.await.ok()?)
}

/// What a button means; closing the dialog rejects everything.
fn wanted(phrases: &Words, pressed: &MessageDialogResult) -> Option<Extent> {
    match pressed {
        MessageDialogResult::Yes => Some(Extent::All),
        MessageDialogResult::No => Some(Extent::Content),
        MessageDialogResult::Custom(label) if label == phrases.restore_all => Some(Extent::All),
        MessageDialogResult::Custom(label) if label == phrases.restore_content => {
            Some(Extent::Content)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::i18n::{CHINESE, ENGLISH};

    #[test]
    fn each_button_means_its_label_and_closing_the_dialog_restores_nothing() {
        let label = |label: &str| MessageDialogResult::Custom(label.to_owned());
        for phrases in [&ENGLISH, &CHINESE] {
            for (pressed, expected) in [
                (label(phrases.restore_all), Some(Extent::All)),
                (MessageDialogResult::Yes, Some(Extent::All)),
                (label(phrases.restore_content), Some(Extent::Content)),
                (MessageDialogResult::No, Some(Extent::Content)),
                (label(phrases.cancel), None),
                (MessageDialogResult::Cancel, None),
            ] {
                assert_eq!(wanted(phrases, &pressed), expected, "{pressed:?}");
            }
        }
    }
}
