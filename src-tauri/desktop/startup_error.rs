//! A start that fails, shown in a dialog: of one from the menu of applications or at login the
//! standard error is not seen.

use std::process::ExitCode;

use porchlight_service::app::host::StartOptions;
use porchlight_service::error::message::Message;
use porchlight_service::settings::app::AppLanguage;
use porchlight_service::settings::layers::Layers;
use tauri::App;
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};
use tokio::runtime::Runtime;

use super::i18n::{Words, words_in};
use crate::cli::{self, serve::Signals};

/// The language of the settings, as far as they can be read.
pub(super) fn language(options: &StartOptions) -> AppLanguage {
    let read = || {
        let folder = porchlight_service::files::data_dir::place(options.data_dir.clone()).ok()?;
        let layers = Layers::of_this_process(&folder, options.set.clone(), options.listen);
        if let Ok(reading) = layers.read() {
            return Some(reading.settings.app.language);
        }
        // Another key may be at fault.
        let file: toml::Table = toml::from_str(&layers.file_text().ok()?).ok()?;
        file.get("app")?.get("language")?.clone().try_into().ok()
    };
    read().unwrap_or(AppLanguage::System)
}

/// Shows why in a dialog of the system, and on standard error. Returns the exit
/// code, once the owner has read it or the session ends.
pub(super) fn show(
    app: App,
    runtime: &Runtime,
    signals: Signals,
    error: &Message,
    language: AppLanguage,
) -> ExitCode {
    let code = cli::exit_code(error);
    let failed = cli::failed(error, code);
    let (read, ended) = (app.handle().clone(), app.handle().clone());
    app.dialog()
        .message(text(words_in(language), error))
        .title("Porchlight")
        .kind(MessageDialogKind::Error)
        .show(move |_| read.exit(code.into()));
    runtime.spawn(async move {
        signals.one().await;
        ended.exit(code.into());
    });
    app.run_return(|_, _| {});
    failed
}

fn text(words: &Words, error: &Message) -> String {
    let lead = match error {
        Message::DataFolderHeld { folder, process } => {
            return format!("{}\n\n{folder}{process}", words.not_started_held);
        }
        Message::Settings { .. } => words.not_started_settings,
        Message::DatabaseNewer { .. } => words.not_started_newer,
        _ => words.not_started_other,
    };
    format!("{lead}\n\n{error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folder: &std::path::Path, set: &[&str]) -> StartOptions {
        StartOptions {
            data_dir: Some(folder.to_owned()),
            listen: None,
            set: set.iter().map(|set| (*set).to_owned()).collect(),
            without_keyring: true,
        }
    }

    #[test]
    fn the_language_is_that_of_the_settings_also_when_another_key_is_wrong() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |set: &[&str]| language(&options(folder.path(), set));
        assert_eq!(read(&[]), AppLanguage::System);
        assert_eq!(read(&["app.language=zh"]), AppLanguage::Chinese);
        for (text, expected) in [
            ("[app]\nlanguage = \"zh\"\n", AppLanguage::Chinese),
            (
                "[app]\nlanguage = \"en\"\n[images]\nquality = 500\n",
                AppLanguage::English,
            ),
            ("[app\n", AppLanguage::System),
        ] {
            std::fs::write(folder.path().join("settings.toml"), text).expect("to write");
            assert_eq!(read(&[]), expected, "{text}");
        }
    }

    #[test]
    fn each_failed_start_reports_the_reason_and_what_to_do() {
        let held = Message::DataFolderHeld {
            folder: "/data".into(),
            process: " (process 7)".into(),
        };
        let newer = Message::DatabaseNewer {
            file: "/data/porchlight.db".into(),
        };
        let other = Message::text("no");
        for language in [AppLanguage::English, AppLanguage::Chinese] {
            let words = words_in(language);
            let text_of_held = format!("{}\n\n/data (process 7)", words.not_started_held);
            assert_eq!(text(words, &held), text_of_held);
            for (lead, error) in [
                (words.not_started_newer, &newer),
                (words.not_started_other, &other),
            ] {
                assert_eq!(text(words, error), format!("{lead}\n\n{error}"));
            }
        }
    }
}
