// Made from crates/service/src/settings/meta.rs by `cargo xtask types`. Do not edit.

import type { SettingValue } from "./types";

/** What a number, or the value of a choice, can be; `null` where a choice can be unset. */
export type SettingBounds = { min: number; max: number } | { values: (string | null)[] };

/** What the process knows about a setting, whatever its value is. */
export type SettingMeta = {
  type: "number" | "choice" | "switch" | "text" | "address" | "path" | "texts" | "rules";
  default: SettingValue;
  secret: boolean;
};

const table = {
  "behaviour": { type: "choice", default: null, secret: false },
  "server.listen": { type: "text", default: "127.0.0.1:4780", secret: false },
  "server.public_url": { type: "address", default: null, secret: false },
  "server.client_ip": { type: "choice", default: "peer", secret: false },
  "server.trusted_proxies": { type: "texts", default: ["127.0.0.0/8","::1"], secret: false },
  "server.greeting": { type: "text", default: "The porch light is on. This is Porchlight.\n", secret: false },
  "limits.requests_per_second": { type: "number", default: 50, secret: false },
  "limits.burst": { type: "number", default: 200, secret: false },
  "heartbeat.fields": { type: "switch", default: true, secret: false },
  "heartbeat.alive_seconds": { type: "number", default: 600, secret: false },
  "images.delivery": { type: "choice", default: "direct", secret: false },
  "images.quality": { type: "number", default: 80, secret: false },
  "images.max_side": { type: "number", default: 0, secret: false },
  "images.max_upload_bytes": { type: "number", default: 52428800, secret: false },
  "images.max_pixels": { type: "number", default: 100000000, secret: false },
  "images.max_animation_pixels": { type: "number", default: 1000000000, secret: false },
  "images.trash_days": { type: "number", default: 30, secret: false },
  "images.rendition_cache_bytes": { type: "number", default: 1073741824, secret: false },
  "storage.kind": { type: "choice", default: "disk", secret: false },
  "storage.endpoint": { type: "address", default: null, secret: false },
  "storage.region": { type: "text", default: null, secret: false },
  "storage.bucket": { type: "text", default: null, secret: false },
  "storage.access_key": { type: "text", default: null, secret: true },
  "storage.secret_key": { type: "text", default: null, secret: true },
  "storage.storage_url": { type: "address", default: null, secret: false },
  "edge.url": { type: "address", default: null, secret: false },
  "edge.secret": { type: "text", default: null, secret: true },
  "edge.cloudflare_url": { type: "address", default: "https://api.cloudflare.com/client/v4", secret: false },
  "game.steam_api_key": { type: "text", default: null, secret: true },
  "game.steam_id": { type: "text", default: null, secret: false },
  "game.region": { type: "text", default: null, secret: false },
  "game.language": { type: "text", default: "schinese", secret: false },
  "game.steam_api_url": { type: "address", default: "https://api.steampowered.com", secret: false },
  "game.steam_store_url": { type: "address", default: "https://store.steampowered.com", secret: false },
  "game.local_steam": { type: "switch", default: true, secret: false },
  "game.steam_folder": { type: "path", default: null, secret: false },
  "game.report_offline": { type: "switch", default: false, secret: false },
  "ip.mmdb": { type: "path", default: null, secret: false },
  "ip.ipinfo_token": { type: "text", default: null, secret: true },
  "ip.ipinfo_url": { type: "address", default: "https://ipinfo.io", secret: false },
  "system.show_user": { type: "switch", default: false, secret: false },
  "system.show_host": { type: "switch", default: false, secret: false },
  "system.show_addresses": { type: "switch", default: false, secret: false },
  "presence.enabled": { type: "switch", default: null, secret: false },
  "presence.interval_seconds": { type: "number", default: 30, secret: false },
  "presence.idle_seconds": { type: "number", default: 300, secret: false },
  "presence.share_titles": { type: "switch", default: false, secret: false },
  "presence.share_music": { type: "switch", default: false, secret: false },
  "presence.share_browser_music": { type: "switch", default: false, secret: false },
  "presence.rules": { type: "rules", default: null, secret: false },
  "presence.language": { type: "choice", default: null, secret: false },
  "presence.history_days": { type: "number", default: 30, secret: false },
  "presence.target_url": { type: "address", default: null, secret: false },
  "presence.token": { type: "text", default: null, secret: true },
  "devices.show": { type: "switch", default: true, secret: false },
  "devices.share_battery": { type: "switch", default: false, secret: false },
  "devices.clients": { type: "switch", default: false, secret: false },
  "lanyard.enabled": { type: "switch", default: true, secret: false },
  "lanyard.id": { type: "text", default: "1", secret: false },
  "watch.folders": { type: "texts", default: [], secret: false },
  "watch.recursive": { type: "switch", default: true, secret: false },
  "watch.after": { type: "choice", default: "keep", secret: false },
  "watch.existing": { type: "switch", default: true, secret: false },
  "watch.albums": { type: "switch", default: false, secret: false },
  "watch.poll": { type: "switch", default: false, secret: false },
  "watch.copy_link": { type: "switch", default: false, secret: false },
  "blog.folders": { type: "texts", default: [], secret: false },
  "tunnel.kind": { type: "choice", default: "none", secret: false },
  "tunnel.program": { type: "path", default: null, secret: false },
  "tunnel.cloudflared_token": { type: "text", default: null, secret: true },
  "tunnel.hostname": { type: "text", default: null, secret: false },
  "tunnel.ssh_host": { type: "text", default: null, secret: false },
  "tunnel.ssh_port": { type: "number", default: 0, secret: false },
  "tunnel.public_url": { type: "address", default: null, secret: false },
  "tunnel.command": { type: "texts", default: null, secret: false },
  "tunnel.pattern": { type: "text", default: null, secret: false },
  "tunnel.port": { type: "number", default: 0, secret: false },
  "tunnel.check_seconds": { type: "number", default: 60, secret: false },
  "picgo.enabled": { type: "switch", default: false, secret: false },
  "picgo.port": { type: "number", default: 36677, secret: false },
  "picgo.secret": { type: "text", default: null, secret: true },
  "links.template": { type: "text", default: "url", secret: false },
  "tools.lsky": { type: "switch", default: false, secret: false },
  "tools.chevereto": { type: "switch", default: false, secret: false },
  "app.theme": { type: "choice", default: "system", secret: false },
  "app.language": { type: "choice", default: "system", secret: false },
  "app.welcomed": { type: "switch", default: false, secret: false },
  "app.notifications": { type: "switch", default: true, secret: false },
  "app.upload_shortcut": { type: "text", default: "", secret: false },
  "update.url": { type: "address", default: null, secret: false },
  "update.public_key": { type: "text", default: null, secret: false },
} satisfies Record<string, SettingMeta>;

/** The name of a setting. */
export type SettingKey = keyof typeof table;

/** Every setting by its name. */
export const settingMeta: Record<SettingKey, SettingMeta> = table;

/** The names of all settings. */
export const settingKeys = Object.keys(table) as SettingKey[];

/** The bounds of numbers and choices. The window needs these alone of the table. */
export const settingBounds: Partial<Record<SettingKey, SettingBounds>> = {
  "behaviour": { values: [null,"A","B"] },
  "server.client_ip": { values: ["peer","cf-connecting-ip","x-forwarded-for"] },
  "limits.requests_per_second": { min: 0, max: 1000000 },
  "limits.burst": { min: 1, max: 1000000 },
  "heartbeat.alive_seconds": { min: 1, max: 31536000 },
  "images.delivery": { values: ["direct","redirect"] },
  "images.quality": { min: 1, max: 100 },
  "images.max_side": { min: 0, max: 16383 },
  "images.max_upload_bytes": { min: 1, max: 4294967296 },
  "images.max_pixels": { min: 1, max: 1000000000 },
  "images.max_animation_pixels": { min: 1, max: 1000000000000 },
  "images.trash_days": { min: 0, max: 3650 },
  "images.rendition_cache_bytes": { min: 0, max: 1125899906842624 },
  "storage.kind": { values: ["disk","s3","edge"] },
  "presence.interval_seconds": { min: 1, max: 3600 },
  "presence.idle_seconds": { min: 1, max: 86400 },
  "presence.language": { values: [null,"en","zh"] },
  "presence.history_days": { min: 1, max: 36500 },
  "watch.after": { values: ["keep","archive","trash"] },
  "tunnel.kind": { values: ["none","cloudflared","ssh","command"] },
  "tunnel.ssh_port": { min: 0, max: 65535 },
  "tunnel.port": { min: 0, max: 65535 },
  "tunnel.check_seconds": { min: 1, max: 86400 },
  "picgo.port": { min: 1, max: 65535 },
  "app.theme": { values: ["system","light","dark"] },
  "app.language": { values: ["system","en","zh"] },
};
