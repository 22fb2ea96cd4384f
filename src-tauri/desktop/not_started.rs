//! A start that fails, said where its owner is: of one from the menu of
//! applications or at login nobody reads the standard error.

use std::process::ExitCode;

use porchlight_core::{OpenDatabaseError, OpenError};
use tauri::App;
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};
use tokio::runtime::Runtime;

use super::words::words_in;
use crate::cli::{self, serve::Signals};
use crate::data_folder::DataFolderError;
use crate::host::{StartError, StartOptions};
use crate::settings::app::AppLanguage;
use crate::settings::layers::Layers;

/// What is said above the reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Leads {
    settings: &'static str,
    held: &'static str,
    newer: &'static str,
    other: &'static str,
}

pub(super) const ENGLISH: Leads = Leads {
    settings: "Porchlight couldn’t start: there’s a mistake in its settings. Fix it and start \
               Porchlight again.",
    held: "Porchlight couldn’t start: another Porchlight is already using this data folder. Quit that \
           one first.",
    newer: "Porchlight couldn’t start: its data comes from a newer version. Install that version.",
    other: "Porchlight couldn’t start.",
};

pub(super) const CHINESE: Leads = Leads {
    settings: "Porchlight 无法启动：设置中有错误。请修正后再次启动。",
    held: "Porchlight 无法启动：另一个 Porchlight 正在使用这个数据文件夹。请先退出它。",
    newer: "Porchlight 无法启动：数据来自更新版本的 Porchlight。请安装那个版本。",
    other: "Porchlight 无法启动。",
};

/// The language of the settings, as far as they can be read.
pub(super) fn language(options: &StartOptions) -> AppLanguage {
    let read = || {
        let folder = crate::data_folder::place(options.data_dir.clone()).ok()?;
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

/// Says why in a dialog of the system, and on standard error. Gives the exit
/// code, once the owner has read it or the session ends.
pub(super) fn tell(
    app: App,
    runtime: &Runtime,
    signals: Signals,
    error: &StartError,
    language: AppLanguage,
) -> ExitCode {
    let code = error.exit_code();
    let failed = cli::failed(error, code);
    let (read, ended) = (app.handle().clone(), app.handle().clone());
    app.dialog()
        .message(said(&words_in(language).not_started, error))
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

fn said(leads: &Leads, error: &StartError) -> String {
    let lead = match error {
        StartError::Settings(_) => leads.settings,
        StartError::DataFolder(DataFolderError::Held { .. }) => leads.held,
        StartError::Open(OpenError::Database(OpenDatabaseError::Newer(_))) => leads.newer,
        StartError::Open(error) if error.is_about_settings() => leads.settings,
        _ => leads.other,
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
    fn each_start_that_fails_says_what_to_do_and_why() {
        let held = StartError::DataFolder(DataFolderError::Held {
            folder: "/data".into(),
            as_companion: false,
            holder: Some("7".to_owned()),
        });
        let newer = OpenDatabaseError::Newer("/data/porchlight.db".into());
        let newer = StartError::Open(newer.into());
        let other = StartError::Http("no".to_owned());
        for leads in [&ENGLISH, &CHINESE] {
            for (lead, error) in [
                (leads.held, &held),
                (leads.newer, &newer),
                (leads.other, &other),
            ] {
                assert_eq!(said(leads, error), format!("{lead}\n\n{error}"));
            }
        }
    }
}
