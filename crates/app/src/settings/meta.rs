//! The table of all settings: a row for each, with everything that the process knows about its key.
//!
//! The default is that of the section's struct. Everything else that differs from key to key is
//! here alone. The page's copy of it is generated (`cargo xtask types`), and a test compares
//! `docs/settings.md` with it.

use porchlight_api::window::SettingCounts::{self, NextStart, Now};
use secrecy::SecretString;
use serde_json::Value;

use self::ApprovalRule as Ask;
use self::Part::{
    AddedFiles, App, Editors, FolderWatch, Game, Images, Ip, Listener, Presence, PublicAddress,
    Publishing, Reporter, Storage, System, Tunnel,
};
use self::SettingType::{Address, Choice, Number, Path, Rules, Switch, Text, Texts};
use super::Settings;

/// What a setting can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingType {
    /// `true` or `false`.
    Switch,
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A text.
    Text,
    /// An `http://` or `https://` address.
    Address,
    /// A file or a folder of this machine.
    Path,
    /// A list of texts.
    Texts,
    /// The list of presence rules.
    Rules,
}

/// How the owner approves a change that is made in the window; see
/// [`Approval`](super::approval::Approval).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalRule {
    /// A command would run.
    Command,
    /// A program would run.
    Program,
    /// A program's output would be read by this.
    Pattern,
    /// Secrets or images would be sent to the service that this names.
    SentElsewhere,
    /// This decides through which tunnel and under which name the service is public.
    PublicAccess,
    /// Readers would be redirected there.
    Readers,
    /// The listener would be reachable from other machines.
    Listen,
    /// Client addresses would be taken from a header.
    ClientIp,
    /// More peers would be trusted.
    Proxies,
    /// More folders would be watched.
    Folders,
    /// Files would be moved once they are uploaded.
    AfterUpload,
    /// Other settings of the tunnel would become effective.
    TunnelKind,
    /// Programs could upload. It depends on `picgo.enabled` and `picgo.secret` together.
    Editors,
    /// This decides whose announcement of a release is believed.
    Updates,
}

/// A part of the process that reads a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The listener and its rate limits.
    Listener,
    /// The public address that links are made from.
    PublicAddress,
    /// What heartbeats mean, and the history of presence.
    Presence,
    /// Images and their conversion.
    Images,
    /// The stores of images.
    Storage,
    /// The snapshot in the object store.
    Publishing,
    /// Steam.
    Game,
    /// Look-ups of IP addresses.
    Ip,
    /// `/sysinfo`.
    System,
    /// The heartbeat reporter.
    Reporter,
    /// The watched folders.
    FolderWatch,
    /// The upload of files that are dropped, chosen, pasted or handed over.
    AddedFiles,
    /// The tunnel.
    Tunnel,
    /// The upload server for editors.
    Editors,
    /// The tray app and its window.
    App,
}

type ReadSecret = for<'a> fn(&'a Settings) -> Option<&'a SecretString>;

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingMeta {
    /// Its name: `section.name`, or `behaviour`.
    pub key: &'static str,
    /// What it can hold.
    pub kind: SettingType,
    /// When a change applies.
    pub applies: SettingCounts,
    /// What must restart or follow when it changes.
    pub parts: &'static [Part],
    /// How the owner approves a change in the window; `None` where no approval is needed.
    pub approval: Option<ApprovalRule>,
    /// Whether the owner must approve it when a backup is restored.
    pub restore_needs_approval: bool,
    /// Reads it; `None` where it is no secret.
    pub read_secret: Option<ReadSecret>,
}

impl SettingMeta {
    /// Whether its value is in no message, no log and no row.
    pub const fn is_secret(&self) -> bool {
        self.read_secret.is_some()
    }

    /// Whether a change applies in this run.
    pub fn applies_now(&self) -> bool {
        self.applies == Now
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

    const fn restored(mut self) -> Self {
        self.restore_needs_approval = true;
        self
    }

    const fn secret(mut self, read: ReadSecret) -> Self {
        self.read_secret = Some(read);
        self
    }
}

const fn row(
    key: &'static str,
    kind: SettingType,
    applies: SettingCounts,
    parts: &'static [Part],
) -> SettingMeta {
    SettingMeta {
        key,
        kind,
        applies,
        parts,
        approval: None,
        restore_needs_approval: false,
        read_secret: None,
    }
}

/// Every setting, section by section.
///
/// `asks`: a change in the window needs approval. `restored`: it needs approval when a backup
/// brings it. `secret`: it is never shown.
// One line for each setting, so that they can be compared.
#[rustfmt::skip]
pub static SETTINGS: &[SettingMeta] = &[
    row("behaviour", Choice(&["A", "B"]), NextStart, &[Images, Presence]),

    row("server.listen", Text, NextStart, &[Listener]).asks(Ask::Listen).restored(),
    row("server.public_url", Address, Now, &[PublicAddress]).asks(Ask::PublicAccess).restored(),
    row("server.client_ip", Choice(&["peer", "cf-connecting-ip", "x-forwarded-for"]), NextStart, &[Listener]).asks(Ask::ClientIp).restored(),
    row("server.trusted_proxies", Texts, NextStart, &[Listener]).asks(Ask::Proxies).restored(),
    row("server.greeting", Text, NextStart, &[Listener]),

    row("limits.requests_per_second", Number(0, 1_000_000), NextStart, &[Listener]),
    row("limits.burst", Number(1, 1_000_000), NextStart, &[Listener]),

    row("heartbeat.fields", Switch, NextStart, &[Presence]),
    row("heartbeat.alive_seconds", Number(1, 31_536_000), NextStart, &[Presence]),

    row("images.delivery", Choice(&["direct", "redirect"]), NextStart, &[Images]),
    row("images.quality", Number(1, 100), Now, &[Images]),
    row("images.max_upload_bytes", Number(1, 4_294_967_296), Now, &[Images]),
    row("images.max_pixels", Number(1, 1_000_000_000), Now, &[Images]),
    row("images.max_animation_pixels", Number(1, 1_000_000_000_000), Now, &[Images]),
    row("images.rendition_cache_bytes", Number(0, 1_125_899_906_842_624), NextStart, &[Images]),

    row("storage.kind", Choice(&["disk", "s3"]), NextStart, &[Storage]).restored(),
    row("storage.endpoint", Address, NextStart, &[Storage]).asks(Ask::SentElsewhere).restored(),
    row("storage.region", Text, NextStart, &[Storage]).restored(),
    row("storage.bucket", Text, NextStart, &[Storage]).asks(Ask::SentElsewhere).restored(),
    row("storage.access_key", Text, NextStart, &[Storage]).asks(Ask::SentElsewhere).restored().secret(|all| all.storage.access_key.as_ref()),
    row("storage.secret_key", Text, NextStart, &[Storage]).restored().secret(|all| all.storage.secret_key.as_ref()),
    row("storage.storage_url", Address, NextStart, &[Storage]).asks(Ask::Readers).restored(),

    row("publish.enabled", Switch, NextStart, &[Publishing]).restored(),
    row("publish.prefix", Text, NextStart, &[Publishing]).restored(),

    row("edge.url", Address, Now, &[PublicAddress]).asks(Ask::PublicAccess).restored(),
    row("edge.secret", Text, NextStart, &[Listener, Publishing]).asks(Ask::PublicAccess).restored().secret(|all| all.edge.secret.as_ref()),

    row("game.steam_api_key", Text, Now, &[Game]).secret(|all| all.game.steam_api_key.as_ref()),
    row("game.steam_id", Text, Now, &[Game]),
    row("game.region", Text, Now, &[Game]),
    row("game.language", Text, Now, &[Game]),
    row("game.steam_api_url", Address, Now, &[Game]).asks(Ask::SentElsewhere).restored(),
    row("game.steam_store_url", Address, Now, &[Game]).restored(),
    row("game.local_steam", Switch, Now, &[Game]),
    row("game.steam_folder", Path, Now, &[Game]),
    row("game.report_offline", Switch, Now, &[Game]),

    row("ip.mmdb", Path, NextStart, &[Ip]),
    row("ip.ipinfo_token", Text, NextStart, &[Ip]).secret(|all| all.ip.ipinfo_token.as_ref()),
    row("ip.ipinfo_url", Address, NextStart, &[Ip]).asks(Ask::SentElsewhere).restored(),

    row("system.show_user", Switch, NextStart, &[System]).restored(),
    row("system.show_host", Switch, NextStart, &[System]).restored(),
    row("system.show_addresses", Switch, NextStart, &[System]).restored(),

    row("presence.enabled", Switch, Now, &[Reporter]).restored(),
    row("presence.interval_seconds", Number(1, 3_600), Now, &[Reporter]),
    row("presence.idle_seconds", Number(1, 86_400), Now, &[Reporter]),
    row("presence.share_titles", Switch, Now, &[Reporter]).restored(),
    row("presence.share_music", Switch, Now, &[Reporter]).restored(),
    row("presence.share_browser_music", Switch, Now, &[Reporter]).restored(),
    row("presence.rules", Rules, Now, &[Reporter]).restored(),
    row("presence.language", Choice(&["en", "zh"]), Now, &[Reporter]),
    row("presence.history_days", Number(1, 36_500), NextStart, &[Presence]),
    row("presence.target_url", Address, Now, &[Reporter, FolderWatch, AddedFiles, Editors]).asks(Ask::SentElsewhere).restored(),
    row("presence.token", Text, Now, &[Reporter, FolderWatch, AddedFiles, Editors]).restored().secret(|all| all.presence.token.as_ref()),

    row("watch.folders", Texts, Now, &[FolderWatch]).asks(Ask::Folders).restored(),
    row("watch.recursive", Switch, Now, &[FolderWatch]).restored(),
    row("watch.after", Choice(&["keep", "archive", "trash"]), Now, &[FolderWatch]).asks(Ask::AfterUpload).restored(),
    row("watch.existing", Switch, Now, &[FolderWatch]).restored(),
    row("watch.poll", Switch, Now, &[FolderWatch]).restored(),
    row("watch.copy_link", Switch, Now, &[FolderWatch]).restored(),

    row("tunnel.kind", Choice(&["none", "cloudflared", "ssh", "command"]), Now, &[Tunnel]).asks(Ask::TunnelKind).restored(),
    row("tunnel.program", Path, Now, &[Tunnel]).asks(Ask::Program).restored(),
    row("tunnel.cloudflared_token", Text, Now, &[Tunnel]).asks(Ask::PublicAccess).restored().secret(|all| all.tunnel.cloudflared_token.as_ref()),
    row("tunnel.hostname", Text, Now, &[Tunnel]).asks(Ask::PublicAccess).restored(),
    row("tunnel.ssh_host", Text, Now, &[Tunnel]).asks(Ask::PublicAccess).restored(),
    row("tunnel.ssh_port", Number(0, 65_535), Now, &[Tunnel]).restored(),
    row("tunnel.public_url", Address, Now, &[Tunnel]).asks(Ask::PublicAccess).restored(),
    row("tunnel.command", Texts, Now, &[Tunnel]).asks(Ask::Command).restored(),
    row("tunnel.pattern", Text, Now, &[Tunnel]).asks(Ask::Pattern).restored(),
    row("tunnel.port", Number(0, 65_535), Now, &[Tunnel]).restored(),
    row("tunnel.check_seconds", Number(1, 86_400), Now, &[Tunnel]).restored(),

    row("picgo.enabled", Switch, Now, &[Editors]).asks(Ask::Editors).restored(),
    row("picgo.port", Number(1, 65_535), Now, &[Editors]).restored(),
    row("picgo.secret", Text, Now, &[Editors]).asks(Ask::Editors).restored().secret(|all| all.picgo.secret.as_ref()),

    row("links.template", Text, Now, &[FolderWatch]),

    row("app.theme", Choice(&["system", "light", "dark"]), Now, &[App]),
    row("app.language", Choice(&["system", "en", "zh"]), Now, &[App]),
    row("app.welcomed", Switch, Now, &[App]),
    row("app.notifications", Switch, Now, &[App]),
    row("app.upload_shortcut", Text, Now, &[App]),

    row("update.url", Address, Now, &[App]).asks(Ask::Updates).restored(),
    row("update.public_key", Text, Now, &[App]).asks(Ask::Updates).restored(),
];

/// The row of this key; `None` when there is no such setting.
pub fn meta(key: &str) -> Option<&'static SettingMeta> {
    SETTINGS.iter().find(|row| row.key == key)
}

/// Every key, in the order of the table.
pub fn keys() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|row| row.key)
}

/// The keys of all secrets.
pub fn secrets() -> impl Iterator<Item = &'static str> {
    let secrets = SETTINGS.iter().filter(|row| row.is_secret());
    secrets.map(|row| row.key)
}

/// Whether this key is that of a secret.
pub fn is_secret(key: &str) -> bool {
    meta(key).is_some_and(SettingMeta::is_secret)
}

/// Every section, in the order of the table.
pub fn sections() -> Vec<&'static str> {
    let mut sections: Vec<_> = SETTINGS.iter().filter_map(SettingMeta::section).collect();
    sections.dedup();
    sections
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod types_for_the_page;
