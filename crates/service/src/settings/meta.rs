//! The table of all settings: a row for each, with everything that the process knows about its key.
//!
//! The default is that of the section's struct. Everything else that differs from key to key is
//! here alone. The page's copy of it is generated (`cargo xtask types`), and a test compares
//! `docs/settings.md` with it.

use serde_json::Value;

use self::ApprovalRule as Ask;
use super::app::{AppLanguage, Theme};
use super::value::SettingType::{
    self, Address, Choice, Command, Digits, Number, Path, Rules, Switch, Text, Texts,
};
use super::value::{self, any, names_of, parsed};
use super::{Behaviour, Settings};
use crate::error::message::{Message, Parameter};
use crate::http::settings::{ClientIp, Network};
use crate::images::link::LinkTemplate;
use crate::presence::computer::settings::Language;
use crate::settings::sections::{Delivery, StorageKind};
use crate::text::secret::Secret;
use crate::tunnel::settings::{AddressPattern, TunnelKind};
use crate::uploads::watch::settings::AfterUpload;

/// How the owner approves a change that is made in the window; see
/// [`Approval`](super::approval::Approval).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalRule {
    /// A program would run.
    Runs,
    /// Others would reach the service.
    Public,
    /// Pictures or secrets would go elsewhere.
    Elsewhere,
}

type ReadSecret = for<'a> fn(&'a Settings) -> Option<&'a Secret>;

#[derive(Debug, Clone, Copy)]
pub struct SettingMeta {
    /// Its name: `section.name`, or `behaviour`.
    pub key: &'static str,
    pub kind: SettingType,
    /// How the owner approves a change in the window; `None` where no approval is needed.
    pub approval: Option<ApprovalRule>,
    /// Reads it; `None` where it is no secret.
    pub read_secret: Option<ReadSecret>,
}

impl SettingMeta {
    /// Whether its value is in no message, no log and no row.
    pub const fn is_secret(&self) -> bool {
        self.read_secret.is_some()
    }

    /// What this value of the setting counts as; `None` where it is unset by it.
    ///
    /// # Errors
    /// Why it cannot be its value; never with a secret in it.
    pub fn read(&self, value: &toml_edit::Value) -> Result<Option<toml_edit::Value>, Message> {
        self.kind.read(value).map_err(|why| match self.is_secret() {
            true => crate::detail!("it must be a text in quotes"),
            false => why,
        })
    }

    /// The section that it is in, if it is in one.
    pub fn section(&self) -> Option<&'static str> {
        self.key.split_once('.').map(|(section, _)| section)
    }

    /// Its value among `all` settings as JSON; `null` where it is unset or a secret.
    pub fn value_in(&self, all: &Value) -> Value {
        let value = match self.key.split_once('.') {
            Some((section, name)) => &all[section][name],
            None => &all[self.key],
        };
        value.clone()
    }

    /// Its default as JSON; `null` where it is unset.
    pub fn default(&self) -> Value {
        self.value_in(&Settings::default().values())
    }

    const fn asks(mut self, rule: ApprovalRule) -> Self {
        self.approval = Some(rule);
        self
    }

    const fn secret(mut self, read: ReadSecret) -> Self {
        self.read_secret = Some(read);
        self
    }
}

const fn row(key: &'static str, kind: SettingType) -> SettingMeta {
    SettingMeta {
        key,
        kind,
        approval: None,
        read_secret: None,
    }
}

pub const PROGRAM: &str = "tunnel.program";

/// Every setting, section by section.
///
/// `asks`: a change in the window needs approval. `secret`: it is never shown.
// One line for each setting, so that they can be compared.
#[rustfmt::skip]
pub static SETTINGS: &[SettingMeta] = &[
    row("behaviour", Choice(names_of::<Behaviour>)),

    row("server.listen", Text(value::listen)).asks(Ask::Public),
    row("server.public_url", Address).asks(Ask::Public),
    row("server.client_ip", Choice(names_of::<ClientIp>)).asks(Ask::Public),
    row("server.trusted_proxies", Texts(parsed::<Network>)).asks(Ask::Public),
    row("server.greeting", Text(any)),

    row("limits.requests_per_second", Number(0, 1_000_000)),
    row("limits.burst", Number(1, 1_000_000)),

    row("heartbeat.fields", Switch),
    row("heartbeat.alive_seconds", Number(1, 31_536_000)),

    row("images.delivery", Choice(names_of::<Delivery>)),
    row("images.quality", Number(1, 100)),
    row("images.max_side", Number(0, 16_383)),
    row("images.max_upload_bytes", Number(1, 4_294_967_296)),
    row("images.max_pixels", Number(1, 1_000_000_000)),
    row("images.max_animation_pixels", Number(1, 1_000_000_000_000)),
    row("images.trash_days", Number(0, 3_650)),
    row("images.rendition_cache_bytes", Number(0, 1_125_899_906_842_624)),

    row("storage.kind", Choice(names_of::<StorageKind>)),
    row("storage.endpoint", Address).asks(Ask::Elsewhere),
    row("storage.region", Text(any)),
    row("storage.bucket", Text(any)).asks(Ask::Elsewhere),
    row("storage.access_key", Text(any)).asks(Ask::Elsewhere).secret(|all| all.storage.access_key.as_ref()),
    row("storage.secret_key", Text(any)).secret(|all| all.storage.secret_key.as_ref()),
    row("storage.storage_url", Address).asks(Ask::Elsewhere),

    row("edge.url", Address).asks(Ask::Public),
    row("edge.secret", Text(any)).asks(Ask::Public).secret(|all| all.edge.secret.as_ref()),
    row("edge.cloudflare_url", Address).asks(Ask::Elsewhere),

    row("game.steam_api_key", Digits(value::filled)).secret(|all| all.game.steam_api_key.as_ref()),
    row("game.steam_id", Digits(value::steam_id)),
    row("game.region", Text(value::country)),
    row("game.language", Text(value::store_language)),
    row("game.steam_api_url", Address).asks(Ask::Elsewhere),
    row("game.steam_store_url", Address),
    row("game.local_steam", Switch),
    row("game.steam_folder", Path),
    row("game.report_offline", Switch),

    row("ip.mmdb", Path),
    row("ip.ipinfo_token", Digits(value::filled)).secret(|all| all.ip.ipinfo_token.as_ref()),
    row("ip.ipinfo_url", Address).asks(Ask::Elsewhere),

    row("system.show_user", Switch),
    row("system.show_host", Switch),
    row("system.show_addresses", Switch),

    row("presence.enabled", Switch),
    row("presence.interval_seconds", Number(1, 3_600)),
    row("presence.idle_seconds", Number(1, 86_400)),
    row("presence.share_titles", Switch),
    row("presence.share_music", Switch),
    row("presence.share_browser_music", Switch),
    row("presence.rules", Rules),
    row("presence.language", Choice(names_of::<Language>)),
    row("presence.history_days", Number(1, 36_500)),
    row("presence.target_url", Address).asks(Ask::Elsewhere),
    row("presence.token", Text(any)).secret(|all| all.presence.token.as_ref()),

    row("devices.show", Switch),
    row("devices.share_battery", Switch),
    row("devices.clients", Switch),

    row("lanyard.enabled", Switch),
    row("lanyard.id", Digits(value::lanyard_id)),

    row("watch.folders", Texts(value::full_path)),
    row("watch.recursive", Switch),
    row("watch.after", Choice(names_of::<AfterUpload>)),
    row("watch.existing", Switch),
    row("watch.albums", Switch),
    row("watch.poll", Switch),
    row("watch.copy_link", Switch),

    // Nothing goes anywhere by it: posts are read, and only the window shows where.
    row("blog.folders", Texts(value::full_path)),

    row("tunnel.kind", Choice(names_of::<TunnelKind>)).asks(Ask::Public),
    row("tunnel.program", Path).asks(Ask::Runs),
    row("tunnel.cloudflared_token", Text(any)).asks(Ask::Public).secret(|all| all.tunnel.cloudflared_token.as_ref()),
    row("tunnel.hostname", Text(any)).asks(Ask::Public),
    row("tunnel.ssh_host", Text(any)).asks(Ask::Public),
    row("tunnel.ssh_port", Number(0, 65_535)),
    row("tunnel.public_url", Address).asks(Ask::Public),
    row("tunnel.command", Command).asks(Ask::Runs),
    row("tunnel.pattern", Text(parsed::<AddressPattern>)),
    row("tunnel.port", Number(0, 65_535)),
    row("tunnel.check_seconds", Number(1, 86_400)),

    row("picgo.enabled", Switch),
    row("picgo.port", Number(1, 65_535)),
    row("picgo.secret", Text(any)).asks(Ask::Public).secret(|all| all.picgo.secret.as_ref()),

    row("links.template", Text(parsed::<LinkTemplate>)),

    row("tools.lsky", Switch),
    row("tools.chevereto", Switch),

    row("app.theme", Choice(names_of::<Theme>)),
    row("app.language", Choice(names_of::<AppLanguage>)),
    row("app.welcomed", Switch),
    row("app.notifications", Switch),
    row("app.upload_shortcut", Text(value::shortcut)),

    row("update.url", Address),
    row("update.public_key", Text(value::public_key)),
];

/// The row of this key; `None` when there is no such setting.
pub fn meta(key: &str) -> Option<&'static SettingMeta> {
    SETTINGS.iter().find(|row| row.key == key)
}

/// The row of this key.
///
/// # Errors
/// The message where there is no such setting.
pub fn known(key: &str) -> Result<&'static SettingMeta, Message> {
    meta(key).ok_or_else(|| {
        if is_section(key) {
            return crate::detail!("{key} is a section: write `[{key}]`");
        }
        match likest(key, keys()) {
            Some(meant) => crate::detail!("unknown key `{key}`, did you mean `{meant}`?"),
            None => crate::detail!("unknown key `{key}`"),
        }
    })
}

/// Every key, in the order of the table.
pub fn keys() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|row| row.key)
}

pub fn secrets() -> impl Iterator<Item = &'static str> {
    let secrets = SETTINGS.iter().filter(|row| row.is_secret());
    secrets.map(|row| row.key)
}

pub fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|row| row.section() == Some(name))
}

pub fn unknown_section(name: &str) -> Message {
    let section = name;
    match likest(name, SETTINGS.iter().filter_map(SettingMeta::section)) {
        Some(meant) => crate::detail!("unknown section `[{section}]`, did you mean `{meant}`?"),
        None => crate::detail!("unknown section `[{section}]`"),
    }
}

/// The one that may have been meant.
fn likest(written: &str, there: impl IntoIterator<Item = &'static str>) -> Option<Parameter> {
    there
        .into_iter()
        .map(|key| (strsim::normalized_damerau_levenshtein(written, key), key))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, key)| key.into())
}

#[cfg(test)]
mod tests;
