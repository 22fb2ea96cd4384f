// Every setting that the page shows: its group and its control. Bounds and values are those of
// the process. Its words are in `words/…/setting-rows.ts` under the same key.

import { type SettingKey, settingMeta } from "../api/setting-meta";
import { bytes, days, pixels, seconds, type Unit } from "./units";

/** The control of a setting. */
export type Control =
  | { kind: "switch" }
  | { kind: "text"; mono?: boolean; lines?: number }
  | { kind: "number"; least: number; most: number; units?: readonly Unit[] }
  /** One of these values; `null` is "unset". */
  | { kind: "choice"; values: readonly (string | null)[]; beside?: boolean }
  | { kind: "secret" }
  | { kind: "path"; choose: "file" | "folder" }
  | { kind: "folders" }
  /** A list of words, a line each. */
  | { kind: "words" }
  | { kind: "shortcut" }
  | { kind: "template" };

/** The groups of settings below their headings, in the order of the list. */
export const sections = [
  ["general", ["app", "maintenance"]],
  ["sharing", ["sharing", "system", "game"]],
  ["pictures", ["images", "folders", "links", "editors", "storage"]],
  ["online", ["tunnel", "reachable"]],
  ["advanced", ["service", "ip", "tokens"]],
] as const;

/** A heading. */
export type Section = (typeof sections)[number][0];

/** All groups. */
export const groups = sections.flatMap(([, groups]) => [...groups]);

/** One of them. */
export type Group = (typeof groups)[number];

/** Where a setting is shown. */
export interface Row {
  group: Group;
  control: Control;
  /** Only there while another setting has one of these values. */
  when?: { key: string; is: readonly unknown[] };
}

/** A control without what the process knows: bounds and values. */
type Own<C> = C extends Control ? Omit<C, "least" | "most" | "values"> : never;

const on = { kind: "switch" } as const;
const text = { kind: "text" } as const;
const mono = { kind: "text", mono: true } as const;
const secret = { kind: "secret" } as const;
const choice = { kind: "choice" } as const;
/** A choice of few short names, side by side. */
const beside = { kind: "choice", beside: true } as const;
const number = (units?: readonly Unit[]) =>
  ({ kind: "number", ...(units === undefined ? {} : { units }) }) as const;

/** Settings that are set elsewhere: the rules in "Presence", the other by the welcome. */
export const elsewhere = ["presence.rules", "app.welcomed"] as const satisfies SettingKey[];

/** A setting with a row. */
export type RowKey = Exclude<SettingKey, (typeof elsewhere)[number]>;

const inStore = { key: "storage.kind", is: ["s3"] };
const overSsh = { key: "tunnel.kind", is: ["ssh"] };
const byCommand = { key: "tunnel.kind", is: ["command"] };
const anyTunnel = { key: "tunnel.kind", is: ["cloudflared", "ssh", "command"] };

const table = {
  "app.theme": { group: "app", control: beside },
  "app.language": { group: "app", control: beside },
  "app.notifications": { group: "app", control: on },
  "app.upload_shortcut": { group: "app", control: { kind: "shortcut" } },

  "presence.enabled": { group: "sharing", control: on },
  "presence.share_titles": { group: "sharing", control: on },
  "presence.share_music": { group: "sharing", control: on },
  "presence.share_browser_music": { group: "sharing", control: on },
  "presence.language": { group: "sharing", control: beside },
  "presence.interval_seconds": { group: "sharing", control: number(seconds) },
  "presence.idle_seconds": { group: "sharing", control: number(seconds) },
  "presence.history_days": { group: "sharing", control: number(days) },
  "presence.target_url": { group: "sharing", control: mono },
  "presence.token": { group: "sharing", control: secret },

  "watch.folders": { group: "folders", control: { kind: "folders" } },
  "watch.recursive": { group: "folders", control: on },
  "watch.existing": { group: "folders", control: on },
  "watch.after": { group: "folders", control: choice },
  "watch.poll": { group: "folders", control: on },
  "watch.copy_link": { group: "folders", control: on },

  "links.template": { group: "links", control: { kind: "template" } },

  "tunnel.kind": { group: "tunnel", control: choice },
  "tunnel.cloudflared_token": {
    group: "tunnel",
    control: secret,
    when: { key: "tunnel.kind", is: ["cloudflared"] },
  },
  "tunnel.hostname": {
    group: "tunnel",
    control: mono,
    when: { key: "tunnel.kind", is: ["cloudflared"] },
  },
  "tunnel.ssh_host": { group: "tunnel", control: mono, when: overSsh },
  "tunnel.ssh_port": { group: "tunnel", control: number(), when: overSsh },
  "tunnel.command": { group: "tunnel", control: { kind: "words" }, when: byCommand },
  "tunnel.pattern": { group: "tunnel", control: mono, when: byCommand },
  "tunnel.public_url": {
    group: "tunnel",
    control: mono,
    when: { key: "tunnel.kind", is: ["ssh", "command"] },
  },
  "tunnel.program": {
    group: "tunnel",
    control: { kind: "path", choose: "file" },
    when: anyTunnel,
  },
  "tunnel.port": { group: "tunnel", control: number(), when: anyTunnel },
  "tunnel.check_seconds": { group: "tunnel", control: number(seconds), when: anyTunnel },

  "server.public_url": { group: "service", control: mono },
  "server.listen": { group: "service", control: mono },
  "server.client_ip": {
    group: "service",
    control: choice,
  },
  "server.trusted_proxies": {
    group: "service",
    control: { kind: "words" },
    when: { key: "server.client_ip", is: ["cf-connecting-ip", "x-forwarded-for"] },
  },
  "server.greeting": { group: "service", control: { kind: "text", lines: 2 } },
  behaviour: { group: "service", control: choice },
  "heartbeat.fields": { group: "service", control: on },
  "heartbeat.alive_seconds": { group: "service", control: number(seconds) },
  "limits.requests_per_second": { group: "service", control: number() },
  "limits.burst": { group: "service", control: number() },
  "update.url": { group: "service", control: mono },
  "update.public_key": { group: "service", control: mono },

  "images.delivery": { group: "images", control: beside },
  "images.quality": { group: "images", control: number() },
  "images.max_upload_bytes": { group: "images", control: number(bytes) },
  "images.max_pixels": { group: "images", control: number(pixels) },
  "images.max_animation_pixels": { group: "images", control: number(pixels) },
  "images.rendition_cache_bytes": { group: "images", control: number(bytes) },

  "storage.kind": { group: "storage", control: beside },
  "storage.endpoint": { group: "storage", control: mono, when: inStore },
  "storage.region": { group: "storage", control: mono, when: inStore },
  "storage.bucket": { group: "storage", control: mono, when: inStore },
  "storage.access_key": { group: "storage", control: secret, when: inStore },
  "storage.secret_key": { group: "storage", control: secret, when: inStore },
  "storage.storage_url": { group: "storage", control: mono, when: inStore },

  "publish.enabled": { group: "reachable", control: on, when: inStore },
  "publish.prefix": { group: "reachable", control: mono, when: inStore },

  "edge.url": { group: "reachable", control: mono },
  "edge.secret": { group: "reachable", control: secret },

  "game.local_steam": { group: "game", control: on },
  "game.steam_folder": { group: "game", control: { kind: "path", choose: "folder" } },
  "game.steam_api_key": { group: "game", control: secret },
  "game.steam_id": { group: "game", control: mono },
  "game.report_offline": { group: "game", control: on },
  "game.language": { group: "game", control: text },
  "game.region": { group: "game", control: text },
  "game.steam_api_url": { group: "game", control: mono },
  "game.steam_store_url": { group: "game", control: mono },

  "ip.mmdb": { group: "ip", control: { kind: "path", choose: "file" } },
  "ip.ipinfo_token": { group: "ip", control: secret },
  "ip.ipinfo_url": { group: "ip", control: mono },

  "system.show_user": { group: "system", control: on },
  "system.show_host": { group: "system", control: on },
  "system.show_addresses": { group: "system", control: on },

  "picgo.enabled": { group: "editors", control: on },
  "picgo.port": { group: "editors", control: number() },
  "picgo.secret": { group: "editors", control: secret },
} as const satisfies Record<RowKey, Omit<Row, "control"> & { control: Own<Control> }>;

/** The keys of all rows, in order. */
export const rowKeys = Object.keys(table) as RowKey[];

/** Every row by its key, in the order in which they are shown. */
export const rows = Object.fromEntries(
  rowKeys.map((key): [RowKey, Row] => [key, { ...table[key], control: whole(key) }]),
) as Record<RowKey, Row>;

/** The control of a setting with its bounds or its values. */
function whole(key: RowKey): Control {
  const { control }: { control: Own<Control> } = table[key];
  const meta = settingMeta[key];
  if (control.kind === "number" && meta.type === "number")
    return { ...control, least: meta.min, most: meta.max };
  if (control.kind === "choice" && meta.type === "choice")
    // Only what is unset by default can be unset.
    return { ...control, values: meta.default === null ? [null, ...meta.values] : meta.values };
  if (control.kind === "number" || control.kind === "choice")
    throw new Error(`${key} is a ${meta.type}`);
  return control;
}

/** Settings that depend on each other are written together, as one bundle. */
export function bundle(key: string): string {
  if (["behaviour", "heartbeat.fields", "images.delivery", "publish.enabled"].includes(key))
    return "storage";
  return key.split(".")[0] ?? key;
}

/** Whether this is the key of a row. */
export function isRowKey(key: string): key is RowKey {
  return Object.hasOwn(table, key);
}

/** Whether this is the name of a group. */
export function isGroup(name: string): name is Group {
  return (groups as readonly string[]).includes(name);
}

/** Other names of a group. */
const also: Record<string, Group> = {
  presence: "sharing",
  heartbeat: "service",
  server: "service",
  edge: "reachable",
  publish: "reachable",
  limits: "service",
  watch: "folders",
  picgo: "editors",
  update: "app",
  log: "maintenance",
  backup: "maintenance",
};

/** The group that a section name refers to, if any. */
export function groupFor(section: string): Group | null {
  if (isGroup(section)) return section;
  if (isRowKey(section)) return rows[section].group;
  return also[section] ?? null;
}
