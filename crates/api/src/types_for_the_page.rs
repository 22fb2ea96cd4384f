//! Holds `ui/src/api/types.ts` to the types here, and the page's English messages and those that it is
//! tested with to the table of messages.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::{ApiStat, Message, Parameter, window};

fn declarations() -> String {
    let config = Config::default();
    let mut text = String::from(
        "// Made from crates/api by `cargo xtask types`. Do not edit.\n\n\
         /** What a setting can hold. */\n\
         export type SettingValue = string | number | boolean | null | SettingValue[] | { [key: string]: SettingValue };\n\n",
    );
    for declaration in [
        Message::decl(&config),
        Parameter::decl(&config),
        ApiStat::decl(&config),
        window::Sharing::decl(&config),
        window::Light::decl(&config),
        window::AddressKind::decl(&config),
        window::Address::decl(&config),
        window::LinkGlance::decl(&config),
        window::Caches::decl(&config),
        window::TunnelState::decl(&config),
        window::FolderState::decl(&config),
        window::FolderStatus::decl(&config),
        window::WatchStatus::decl(&config),
        window::EditorsGlance::decl(&config),
        window::ReaderCount::decl(&config),
        window::FileProblem::decl(&config),
        window::Home::decl(&config),
        window::Alert::decl(&config),
        window::AlertKind::decl(&config),
        window::AlertPlace::decl(&config),
        window::Picture::decl(&config),
        window::ImageSearch::decl(&config),
        window::ImagePage::decl(&config),
        window::ImageOrder::decl(&config),
        window::ImageFilter::decl(&config),
        window::ImageDay::decl(&config),
        window::LinkForm::decl(&config),
        window::Deletion::decl(&config),
        window::DeletedPicture::decl(&config),
        window::TrashPage::decl(&config),
        window::UploadTrouble::decl(&config),
        window::UploadState::decl(&config),
        window::Upload::decl(&config),
        window::CopiedLinks::decl(&config),
        window::SetAsideFile::decl(&config),
        window::ShownStatus::decl(&config),
        window::AwayBecause::decl(&config),
        window::PauseFor::decl(&config),
        window::PauseGlance::decl(&config),
        window::Status::decl(&config),
        window::SensorKind::decl(&config),
        window::UnavailableSensor::decl(&config),
        window::PresenceNow::decl(&config),
        window::RuleText::decl(&config),
        window::ForegroundApp::decl(&config),
        window::Verdict::decl(&config),
        window::RuleProblem::decl(&config),
        window::Trial::decl(&config),
        window::PrivateKind::decl(&config),
        window::PrivateGroup::decl(&config),
        window::PresencePage::decl(&config),
        window::PresencePeriod::decl(&config),
        window::DevicesGlance::decl(&config),
        window::DeviceCard::decl(&config),
        crate::DeviceAccess::decl(&config),
        crate::DeviceKind::decl(&config),
        window::DeviceClient::decl(&config),
        window::NewDevice::decl(&config),
        window::AddedDevice::decl(&config),
        window::DeviceField::decl(&config),
        window::GameSource::decl(&config),
        window::GameHidden::decl(&config),
        window::GameGlance::decl(&config),
        window::PlayedGame::decl(&config),
        window::GameField::decl(&config),
        window::Achievements::decl(&config),
        window::RunningGame::decl(&config),
        window::GamePage::decl(&config),
        window::GameTrial::decl(&config),
        window::GameTrials::decl(&config),
        window::Calls::decl(&config),
        window::PathCalls::decl(&config),
        window::DayReaders::decl(&config),
        window::TopPicture::decl(&config),
        window::PictureSpace::decl(&config),
        window::StatisticsTable::decl(&config),
        window::Statistics::decl(&config),
        window::SettingLayer::decl(&config),
        window::SettingCounts::decl(&config),
        window::Setting::decl(&config),
        window::SettingsPage::decl(&config),
        window::ShortcutGlance::decl(&config),
        window::SettingProblem::decl(&config),
        window::Appearance::decl(&config),
        crate::Scope::decl(&config),
        window::TokenGlance::decl(&config),
        window::Editor::decl(&config),
        window::EditorSetup::decl(&config),
        window::LogLine::decl(&config),
        window::WorkKind::decl(&config),
        window::Work::decl(&config),
        window::WorkReport::decl(&config),
        window::MaintenanceGlance::decl(&config),
        window::Reach::decl(&config),
        window::StoreMaker::decl(&config),
        window::ReachLines::decl(&config),
        window::ReachText::decl(&config),
        window::SnapshotGlance::decl(&config),
        window::SnapshotTrouble::decl(&config),
        window::EdgeGlance::decl(&config),
        window::StoreStep::decl(&config),
        window::StoreCheck::decl(&config),
        window::EdgeFiles::decl(&config),
        window::EdgeSetup::decl(&config),
        window::DeployedWorker::decl(&config),
        window::EdgeTask::decl(&config),
        window::EdgeRequest::decl(&config),
        window::EdgeStep::decl(&config),
        window::EdgeWork::decl(&config),
        window::BlogForm::decl(&config),
        window::BlogLines::decl(&config),
        window::UpdateCheck::decl(&config),
        window::UpdateResult::decl(&config),
        window::UpdateFailure::decl(&config),
        window::UpdateWay::decl(&config),
    ] {
        text.push_str("export ");
        text.push_str(&declaration);
        text.push_str("\n\n");
    }
    text
}

/// One message of each code, whose parameters are their names.
fn messages() -> String {
    let samples = serde_json::to_string(&Message::samples()).expect("JSON");
    format!(
        "// Made from crates/api by `cargo xtask types`. Do not edit.\n\n\
         import type {{ Message }} from \"../api/types\";\n\n\
         /** One message of each code, whose parameters are their names. */\n\
         export const messages: Message[] = {samples};\n"
    )
}

/// The code of each message and its sentence in English.
fn english() -> String {
    let code = |message: Message| serde_json::to_value(message).expect("JSON")["code"].to_string();
    let lines: Vec<_> = Message::samples()
        .into_iter()
        .zip(Message::SENTENCES)
        .map(|(message, sentence)| {
            let sentence = sentence.replace("{{", "{").replace("}}", "}");
            let sentence = serde_json::to_string(&sentence).expect("JSON");
            format!("  {}: {sentence}", code(message))
        })
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// `PORCHLIGHT_WRITE_TYPES=1` writes the file; otherwise a stale one fails.
fn must_be(current: &str, path: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../ui/src")
        .join(path);
    if std::env::var_os("PORCHLIGHT_WRITE_TYPES").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("make the folder");
        std::fs::write(&file, current).expect("write the file");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        written, current,
        "ui/src/{path} is stale: run `cargo xtask types`"
    );
}

#[test]
fn the_types_of_the_page_are_current() {
    must_be(&declarations(), "api/types.ts");
    must_be(&messages(), "testing/messages.ts");
    must_be(&english(), "words/en/messages.json");
}
