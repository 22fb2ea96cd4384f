//! What the owner is asked in dialogs of the system: where a file goes, and
//! whether something may be done that the page may not decide. In the language
//! of the app.

use std::path::PathBuf;

use porchlight_service::app::host::Host;
use porchlight_service::settings::approval::Approval;
use tauri::{AppHandle, Manager as _, WebviewWindow, Wry};
use tauri_plugin_dialog::{
    DialogExt as _, FileDialogBuilder, MessageDialogButtons, MessageDialogKind,
};
use tokio::sync::oneshot;

use super::i18n::{Words, with, words};

mod restore;

pub(super) use restore::how_much_to_restore;

pub(super) fn phrases(app: &AppHandle) -> &'static Words {
    words(app.state::<Host>().inner())
}

/// Asks a question that is answered by yes or no; closing it is a no.
pub(super) async fn confirmed(window: &WebviewWindow, text: String) -> bool {
    let phrases = phrases(window.app_handle());
    let (send, answer) = oneshot::channel();
    window
        .dialog()
        .message(text)
        .title("Porchlight")
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom(
            phrases.go_on.to_owned(),
            phrases.leave_it.to_owned(),
        ))
        .parent(window)
        .show(move |yes| {
            // The window may have been closed meanwhile.
            let _ = send.send(yes);
        });
    answer.await.unwrap_or(false)
}

/// Asks whether this many files are to be uploaded; whether the answer was a yes.
pub(super) async fn many_meant(window: WebviewWindow, count: usize) -> bool {
    let text = phrases(window.app_handle()).many_files;
    confirmed(&window, with(text, count)).await
}

/// Asks what the page may not decide, all of it in one dialog; whether the
/// answer was a yes.
pub(super) async fn all_confirmed(window: &WebviewWindow, questions: &[Approval]) -> bool {
    let phrases = phrases(window.app_handle());
    questions.is_empty() || confirmed(window, asked(phrases, questions)).await
}

/// Each question with what it is about; the same question is asked once.
fn asked(phrases: &Words, questions: &[Approval]) -> String {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for question in questions {
        let (asks, fact) = fact(phrases, question);
        match parts.iter_mut().find(|(asked, _)| *asked == asks) {
            Some((_, facts)) => facts.push(fact),
            None => parts.push((asks, vec![fact])),
        }
    }
    let part = |(asks, facts): (&str, Vec<String>)| format!("{asks}\n\n{}", facts.join("\n"));
    let parts: Vec<String> = parts.into_iter().map(part).collect();
    parts.join("\n\n")
}

fn fact(phrases: &Words, question: &Approval) -> (&'static str, String) {
    match question {
        // Each word as it is: one with a space in it is one word all the same.
        Approval::Program(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            (phrases.run, words.join(" "))
        }
        Approval::Public { key, value } => (phrases.public, of_key(key, value.as_deref())),
        Approval::Elsewhere { key, value } => (phrases.elsewhere, of_key(key, value.as_deref())),
    }
}

/// A setting, and its value where that may be shown.
fn of_key(key: &str, value: Option<&str>) -> String {
    value.map_or_else(|| key.to_owned(), |value| format!("{key}\n{value:?}"))
}

/// Where Microsoft's WebView2 Runtime is installed from: the address of its own documentation that
/// stays.
pub(super) const WEBVIEW: &str = "https://go.microsoft.com/fwlink/p/?LinkId=2124703";

/// Explains why no window comes, and offers to open the address of what is missing. `closed` is called
/// once the dialog is closed.
pub(super) fn show_no_webview(app: &AppHandle, closed: impl FnOnce() + Send + 'static) {
    let phrases = phrases(app);
    app.dialog()
        .message(with(phrases.no_webview, WEBVIEW))
        .title("Porchlight")
        .kind(MessageDialogKind::Error)
        .buttons(MessageDialogButtons::OkCancelCustom(
            phrases.download.to_owned(),
            phrases.not_now.to_owned(),
        ))
        .show(|yes| {
            closed();
            if yes && let Err(error) = open::that_detached(WEBVIEW) {
                tracing::error!(%error, "{WEBVIEW} cannot be opened");
            }
        });
}

/// A dialog above the window.
pub(super) fn files(window: &WebviewWindow, title: &str) -> FileDialogBuilder<Wry> {
    window.dialog().file().set_parent(window).set_title(title)
}

/// Where the owner wants a file; `None` when they do not.
pub(super) async fn where_to(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.save_file(move |file| {
        let _ = send.send(file);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

pub(super) async fn which_file(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.pick_file(move |file| {
        let _ = send.send(file);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

pub(super) async fn which_folder(dialog: FileDialogBuilder<Wry>) -> Option<PathBuf> {
    let (send, chosen) = oneshot::channel();
    dialog.pick_folder(move |folder| {
        let _ = send.send(folder);
    });
    chosen.await.ok().flatten()?.into_path().ok()
}

#[cfg(test)]
mod tests {
    use super::super::i18n::{CHINESE, ENGLISH};
    use super::*;

    fn public(key: &str, value: Option<&str>) -> Approval {
        Approval::Public {
            key: key.to_owned(),
            value: value.map(str::to_owned),
        }
    }

    #[test]
    fn one_dialog_asks_all_and_each_question_once() {
        let listen = public("server.listen", Some("0.0.0.0:80"));
        let elsewhere = Approval::Elsewhere {
            key: "storage.bucket".to_owned(),
            value: Some("mine".to_owned()),
        };
        let caller = public("server.client_ip", Some("x-forwarded-for"));
        for phrases in [&ENGLISH, &CHINESE] {
            let questions = [listen.clone(), elsewhere.clone(), caller.clone()];
            assert_eq!(
                asked(phrases, &questions),
                format!(
                    "{}\n\nserver.listen\n\"0.0.0.0:80\"\nserver.client_ip\n\
                     \"x-forwarded-for\"\n\n{}\n\nstorage.bucket\n\"mine\"",
                    phrases.public, phrases.elsewhere
                )
            );
        }
    }

    #[test]
    fn the_dialog_hides_a_token() {
        let text = asked(&ENGLISH, &[public("tunnel.cloudflared_token", None)]);
        let expected = format!("{}\n\ntunnel.cloudflared_token", ENGLISH.public);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_question_shows_the_whole_command() {
        let words = ["bore", "two words", "a\nb"].map(str::to_owned).to_vec();
        let text = asked(&ENGLISH, &[Approval::Program(words)]);
        assert!(text.ends_with(r#""bore" "two words" "a\nb""#), "{text}");
    }
}
