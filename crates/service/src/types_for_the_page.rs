//! Holds `ui/src/api/types.ts` to the types here, and the page's English messages and those that it is
//! tested with to the table of messages.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::error::message::{Message, Parameter};
use crate::http::replies::ApiStat;

fn declarations() -> String {
    let config = Config::default();
    let mut text = String::from(
        "// Made from crates/service by `cargo xtask types`. Do not edit.\n\n\
         /** What a setting can hold. */\n\
         export type SettingValue = string | number | boolean | null | SettingValue[] | { [key: string]: SettingValue };\n\n\
         /** What to adopt: also from these hosts, also what only drafts use, also `srcset` and sizes in HTML. */\n\
         export type BlogChoice = { foreign: string[]; drafts: boolean; responsive: boolean };\n\n",
    );
    for declaration in [
        Message::decl(&config),
        Parameter::decl(&config),
        ApiStat::decl(&config),
        crate::status::window::home::Sharing::decl(&config),
        crate::status::window::home::Light::decl(&config),
        crate::images::window::AddressKind::decl(&config),
        crate::status::window::home::Address::decl(&config),
        crate::status::window::home::LinkGlance::decl(&config),
        crate::status::window::home::Caches::decl(&config),
        crate::tunnel::window::TunnelState::decl(&config),
        crate::uploads::window::FolderState::decl(&config),
        crate::uploads::window::FolderStatus::decl(&config),
        crate::uploads::window::WatchStatus::decl(&config),
        crate::status::window::home::EditorsGlance::decl(&config),
        crate::stats::window::ReaderCount::decl(&config),
        crate::settings::window::FileProblem::decl(&config),
        crate::status::window::home::Home::decl(&config),
        crate::status::window::alerts::Alert::decl(&config),
        crate::status::window::alerts::AlertKind::decl(&config),
        crate::status::window::alerts::AlertPlace::decl(&config),
        crate::images::window::Picture::decl(&config),
        crate::images::window::ImageSearch::decl(&config),
        crate::images::window::ImagePage::decl(&config),
        crate::images::window::ImageOrder::decl(&config),
        crate::images::window::ImageFilter::decl(&config),
        crate::images::window::ImageDay::decl(&config),
        crate::images::window::LinkForm::decl(&config),
        crate::images::window::Deletion::decl(&config),
        crate::images::window::DeletedPicture::decl(&config),
        crate::images::window::TrashPage::decl(&config),
        crate::blog::window::PostsGlance::decl(&config),
        crate::blog::window::BrokenReference::decl(&config),
        crate::blog::window::PostLine::decl(&config),
        crate::blog::window::PictureUse::decl(&config),
        crate::blog::window::BlogFound::decl(&config),
        crate::blog::window::ForeignHost::decl(&config),
        crate::blog::window::BlogPlan::decl(&config),
        crate::blog::Adopted::decl(&config),
        crate::blog::PostProblem::decl(&config),
        crate::blog::Undone::decl(&config),
        crate::uploads::window::UploadTrouble::decl(&config),
        crate::uploads::window::UploadState::decl(&config),
        crate::uploads::window::Upload::decl(&config),
        crate::uploads::window::CopiedLinks::decl(&config),
        crate::uploads::window::SetAsideFile::decl(&config),
        crate::presence::window::ShownStatus::decl(&config),
        crate::presence::window::AwayBecause::decl(&config),
        crate::presence::window::PauseFor::decl(&config),
        crate::presence::window::PauseGlance::decl(&config),
        crate::presence::window::Status::decl(&config),
        crate::presence::window::SensorKind::decl(&config),
        crate::presence::window::UnavailableSensor::decl(&config),
        crate::presence::window::PresenceNow::decl(&config),
        crate::presence::window::RuleText::decl(&config),
        crate::presence::window::ForegroundApp::decl(&config),
        crate::presence::window::Verdict::decl(&config),
        crate::presence::window::RuleProblem::decl(&config),
        crate::presence::window::Trial::decl(&config),
        crate::presence::window::PrivateKind::decl(&config),
        crate::presence::window::PrivateGroup::decl(&config),
        crate::presence::window::PresencePage::decl(&config),
        crate::presence::window::PresencePeriod::decl(&config),
        crate::presence::devices_window::DevicesGlance::decl(&config),
        crate::presence::devices_window::DeviceCard::decl(&config),
        crate::devices::DeviceAccess::decl(&config),
        crate::devices::DeviceKind::decl(&config),
        crate::presence::devices_window::DeviceClient::decl(&config),
        crate::presence::devices_window::NewDevice::decl(&config),
        crate::presence::devices_window::AddedDevice::decl(&config),
        crate::presence::devices_window::DeviceField::decl(&config),
        crate::game::window::GameSource::decl(&config),
        crate::game::window::GameHidden::decl(&config),
        crate::game::window::GameGlance::decl(&config),
        crate::game::window::PlayedGame::decl(&config),
        crate::game::window::GameField::decl(&config),
        crate::game::window::Achievements::decl(&config),
        crate::game::window::RunningGame::decl(&config),
        crate::game::window::GamePage::decl(&config),
        crate::stats::window::Calls::decl(&config),
        crate::stats::window::PathCalls::decl(&config),
        crate::stats::window::DayReaders::decl(&config),
        crate::stats::window::TopPicture::decl(&config),
        crate::images::window::PictureSpace::decl(&config),
        crate::stats::window::StatisticsTable::decl(&config),
        crate::stats::window::Statistics::decl(&config),
        crate::settings::window::SettingLayer::decl(&config),
        crate::settings::window::Setting::decl(&config),
        crate::settings::window::SettingsPage::decl(&config),
        crate::settings::window::ShortcutGlance::decl(&config),
        crate::settings::window::SettingProblem::decl(&config),
        crate::settings::window::Appearance::decl(&config),
        crate::tokens::scope::Scope::decl(&config),
        crate::settings::window::TokenGlance::decl(&config),
        crate::settings::window::Editor::decl(&config),
        crate::settings::window::EditorSetup::decl(&config),
        crate::settings::window::LogLine::decl(&config),
        crate::settings::window::WorkKind::decl(&config),
        crate::settings::window::Work::decl(&config),
        crate::settings::window::WorkReport::decl(&config),
        crate::settings::window::MaintenanceGlance::decl(&config),
        crate::status::window::reach::Reach::decl(&config),
        crate::status::window::reach::StoreMaker::decl(&config),
        crate::status::window::reach::ReachLines::decl(&config),
        crate::status::window::reach::ReachText::decl(&config),
        crate::edge::window::EdgeGlance::decl(&config),
        crate::edge::window::EdgeState::decl(&config),
        crate::storage::window::StoreStep::decl(&config),
        crate::storage::window::StoreCheck::decl(&config),
        crate::status::window::reach::EdgeFiles::decl(&config),
        crate::edge::window::EdgeSetup::decl(&config),
        crate::edge::window::DeployedWorker::decl(&config),
        crate::edge::window::EdgeTask::decl(&config),
        crate::edge::window::EdgeRequest::decl(&config),
        crate::edge::window::EdgeStep::decl(&config),
        crate::edge::window::EdgeWork::decl(&config),
        crate::status::window::reach::BlogForm::decl(&config),
        crate::status::window::reach::BlogLines::decl(&config),
        crate::status::window::update::UpdateCheck::decl(&config),
        crate::status::window::update::UpdateResult::decl(&config),
        crate::status::window::update::UpdateFailure::decl(&config),
        crate::status::window::update::UpdateWay::decl(&config),
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
        "// Made from crates/service by `cargo xtask types`. Do not edit.\n\n\
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
