// The texts of the page "settings", in English.

import type { Editor, Scope, SettingLayer, TunnelState, WorkKind } from "../../api/types";
import type { Group, Section } from "../../settings/groups";
import { rowTexts } from "../../settings/table";
import type { Unit } from "../../settings/units";
import type { TunnelCard } from "../../tunnel-kinds";
import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function settings(locale: string) {
  const { number, one, counted } = counting(locale);
  const unit = (n: number, single: string) => (one(n) ? single : `${single}s`);
  const pictures = (n: number) => counted(n, "picture", "pictures");

  const groups: Record<Group, [name: string, sentence: string]> = {
    app: ["App", "Appearance, language and start-up."],
    sharing: ["Presence", "What readers see, and how often it updates."],
    folders: ["Watched folders", "New pictures in these folders upload automatically."],
    links: ["Links", "The format of the links you copy."],
    tunnel: ["Tunnel", "How readers reach this computer."],
    reachable: [
      "Always reachable",
      "Once set up, pictures and status stay visible while this computer is off.",
    ],
    service: ["Service", "Address, limits, compatibility and updates."],
    images: ["Quality", "Quality, size limits and delivery."],
    storage: ["Storage", "Where your pictures are kept."],
    game: ["Game", "Where your game status comes from."],
    ip: ["IP lookup", "How your blog finds out where a reader is from."],
    system: ["System info", "What readers can see about this computer."],
    editors: ["Editors", "Upload pictures from Typora, Obsidian and other editors."],
    tokens: ["Access tokens", "For your blog, scripts and other apps."],
    maintenance: ["Backup & repair", "Backups, checks and the log."],
  };

  const values: Record<string, Record<string, string>> = {
    "app.theme": { system: "System", light: "Light", dark: "Dark" },
    "app.language": { system: "System", en: "English", zh: "简体中文" },
    "presence.language": { "": "System", en: "English", zh: "简体中文" },
    "watch.after": { keep: "Keep file", archive: "Move to subfolder", trash: "Move to trash" },
    "server.client_ip": {
      peer: "From the connection",
      "cf-connecting-ip": "CF-Connecting-IP",
      "x-forwarded-for": "X-Forwarded-For (last entry)",
    },
    behaviour: { "": "Custom", A: "A: direct, simple", B: "B: redirect, detailed" },
    "images.delivery": { direct: "This computer", redirect: "Object storage" },
    "storage.kind": { disk: "This disk", s3: "Object storage (S3)", edge: "Your Worker" },
  };

  const layers: Record<Exclude<SettingLayer, "default" | "file">, (name: string) => string> = {
    environment: (name) => `Fixed by the environment variable ${name}`,
    command_line: (name) => `Fixed at start by --set ${name}=…`,
  };

  const units: Record<Unit["name"], (n: number) => string> = {
    bytes: (n) => unit(n, "byte"),
    mib: () => "MiB",
    gib: () => "GiB",
    pixels: (n) => unit(n, "pixel"),
    megapixels: (n) => unit(n, "megapixel"),
    seconds: (n) => unit(n, "second"),
    minutes: (n) => unit(n, "minute"),
    hours: (n) => unit(n, "hour"),
    days: (n) => unit(n, "day"),
  };

  const scopes: Record<Scope, [name: string, sentence: string]> = {
    heartbeat: [
      "Status updates",
      "Can update the status of this computer, nothing else. For a phone or another device, use “Add a device”.",
    ],
    upload: ["Upload", "Can add pictures, nothing else."],
    admin: [
      "Full access",
      "Can add and delete pictures and update your presence. Never put it on a web page.",
    ],
  };

  const tunnel: Record<TunnelState["state"], string> = {
    off: "No tunnel",
    starting: "Starting…",
    checking: "Checking…",
    up: "Connected",
    waiting: "Disconnected, trying again soon",
    missing: "Program not installed",
    stopped: "Couldn’t start",
  };

  const work: Record<WorkKind, string> = {
    backup: "Saving a backup",
    check: "Checking pictures",
    repair: "Checking and repairing",
    move: "Moving pictures",
    restore: "Restoring a backup",
    import: "Importing pictures",
    adopt: "Adopting a blog",
  };

  const cancelled: Record<WorkKind, (good: number) => string> = {
    backup: () => "Cancelled. No file was saved.",
    check: (good) => `Cancelled after ${pictures(good)}.`,
    repair: (good) => `Cancelled after ${pictures(good)}. Nothing was changed.`,
    move: (good) => `Cancelled after ${pictures(good)}. The others are where they were.`,
    restore: () => "Cancelled. Nothing was restored.",
    import: (good) => `Cancelled after ${pictures(good)}. Import again to continue.`,
    adopt: (good) => `Cancelled after ${pictures(good)}. Adopt again to continue.`,
  };

  const editors: Record<Editor, [name: string, sentence: string]> = {
    share_x: ["ShareX", "Saves an uploader file to open in ShareX."],
    curl: ["curl", "Copies a command for a terminal or script."],
    typora: ["Typora", "Copies a custom command for Typora."],
    flameshot: ["Flameshot", "Copies a command for a keyboard shortcut. On Linux."],
    ksnip: ["ksnip", "Makes an upload script and copies its path. On Linux and macOS."],
    lsky: ["Lsky Pro", "Copies a new access token for a program that uploads to Lsky Pro."],
    chevereto: ["Chevereto", "Copies a new access token for a program that uploads to Chevereto."],
  };

  return {
    groups,
    rows: rowTexts("en"),
    values,
    units,
    list: "Groups of settings",
    sections: {
      general: "General",
      sharing: "Sharing",
      pictures: "Pictures",
      online: "Online",
      advanced: "Advanced",
    } satisfies Record<Section, string>,
    about: (version: string) => `Porchlight ${version}`,
    licence: "Open-source software, under the MIT or the Apache-2.0 licence.",
    find: "Find a setting",
    found: (n: number) => counted(n, "setting", "settings"),
    none: "No settings found. You can also search by the name used in settings.toml.",
    trouble: "Couldn’t load the settings.",
    default: (value: string) => `Default: ${value}`,
    on: "on",
    off: "off",
    unset: "not set",
    empty: "empty",
    reset: "Reset",
    resetOf: (label: string) => `Reset “${label}” to its default`,
    fixed: (layer: keyof typeof layers, name: string) => layers[layer](name),
    held: "Not saved yet",
    discardOf: (label: string) => `Undo the change to “${label}”`,
    saved: "Saved",
    savedOf: (label: string) => `“${label}” saved`,
    notANumber: "Enter a number.",
    between: (least: number, most: number) =>
      `Enter a number from ${number(least)} to ${number(most)}.`,
    unitOf: (label: string) => `Unit of “${label}”`,
    secret: {
      set: "Set",
      notSet: "Not set",
      hint: "Can be replaced, not shown.",
      enter: "Add",
      replace: "Replace",
      remove: "Remove",
      save: "Save",
      of: (what: string, label: string) => `${what}: ${label}`,
      typed: "Not saved yet",
      removeTitle: (label: string) => `Remove “${label}”?`,
      removeWhy: "Porchlight keeps no other copy. You’ll have to enter it again.",
    },
    choose: "Choose…",
    addFolder: "Add folder…",
    removeOf: (name: string) => `Remove ${name}`,
    noFolders: "No folders yet.",
    login: {
      label: "Start at login",
      sentence: "Start when you sign in, without opening this window.",
      unknown:
        "Start when you sign in, without opening this window. This may not be available on this system.",
    },
    menu: {
      label: "Show in applications menu",
      sentence: "Also adds “Upload with Porchlight” to the menu of pictures in file managers.",
    },
    explorer: {
      label: "Upload from Explorer",
      sentence: "Adds “Upload with Porchlight” to the menu of pictures.",
    },
    shortcut: {
      press: "Record shortcut",
      pressing: "Press the keys…",
      given: (keys: string) => `Your desktop assigned ${keys}. Change it in your system settings.`,
      none: "None",
    },
    rules: {
      label: "Rules",
      sentence: "Choose what readers see for each app, with a live preview.",
      go: "Open Presence",
    },
    template: {
      own: "Your own text, with {url} for the picture’s URL",
      example: "Preview",
    },
    tunnel: {
      states: tunnel,
      roundTrip: (ms: number) => `${number(ms)} ms round trip`,
      lasts: { permanent: "Permanent", temporary: "Temporary" },
      cards: {
        named: ["Cloudflare named tunnel", "An address on your own domain. Needs a free account."],
        tailscale: [
          "Tailscale Funnel",
          "Needs a free account with Funnel on. Enter your ts.net address for permanent links.",
        ],
        ssh: ["My own server (SSH)", "Forwards a port on your server to this computer."],
        frp: ["My own server (frp)", "Uses the frp client with your configuration file."],
        quick: [
          "Cloudflare quick tunnel",
          "No account. The address changes with every restart, so old links break.",
        ],
        localhostRun: [
          "localhost.run",
          "Nothing to install: uses SSH. No account. The address changes, so old links break.",
        ],
        bore: ["bore", "No account. Not encrypted, so nothing can be uploaded through it."],
        ngrok: ["ngrok", "Needs a free account, with your token added to ngrok."],
        command: ["Another program", "Any program that forwards a port."],
        none: ["No tunnel", "Only this computer or your own proxy can reach Porchlight."],
      } as Record<TunnelCard, [string, string]>,
      forget: "Switch to a quick tunnel?",
      forgetWhy:
        "The named tunnel’s token and hostname are removed from Porchlight. Cloudflare keeps them.",
      forgetIt: "Switch",
      fillIn: "Starts when you’ve filled in the fields below.",
      confirm: "Before running a new command, Porchlight asks you to confirm in a separate dialog.",
    },
    move: {
      label: "Move existing pictures",
      sentence:
        "Moves older pictures to where new ones go. Links keep working, and you can continue if it’s interrupted.",
      start: {
        disk: "Move to this disk",
        s3: "Move to object storage",
        edge: "Move to your Worker",
      },
    },
    editorAddress: {
      label: "Address for editors",
      sentence: "Paste it into the settings of Obsidian and others. It contains the secret.",
      open: "Editors that can’t send a secret",
      openSentence:
        "Without a secret, every program and every user on this computer can upload. A custom command is safer: see below.",
      allow: "Turn off the secret…",
    },
    editors: {
      title: "Set up an app",
      sentence:
        "Each app gets its own access token that can only upload. Revoke it in Access tokens at any time.",
      names: editors,
      start: "Set up",
      startOf: (name: string) => `Set up ${name}`,
      file: (file: string, token: string) => `Saved as ${file}, with the token “${token}”.`,
      clipboard: (token: string) => `Copied, with the token “${token}”. Paste it now.`,
      server: "Server address",
    },
    tokens: {
      scope: "Access",
      made: "Created",
      used: "Last used",
      never: "never",
      actions: "Actions",
      fresh: "New token…",
      freshTitle: "New token",
      nameHint: "What it’s for, such as “blog” or “script”",
      scopes,
      make: "Create and copy",
      once: "Token copied. It’s shown only once, so paste it now.",
      revoke: "Revoke",
      revokeOf: (name: string) => `Revoke “${name}”`,
      revokeTitle: (name: string) => `Revoke “${name}”?`,
      revokeWhy: "Anything using it stops working right away. This can’t be undone.",
      revoked: "Token revoked",
      empty: "No tokens yet. Create one for your blog or phone.",
    },
    watching: {
      label: "Automatic uploads",
      sentence:
        "While paused, files wait in their folders until you resume. Quitting Porchlight ends the pause.",
      pause: "Pause",
    },
    file: {
      wrong: "There’s a mistake in settings.toml.",
      stays: "Porchlight keeps using the previous settings. Fix the file to save changes here.",
      place: (line: number | null, key: string | null) =>
        [line === null ? null : `line ${number(line)}`, key].filter(Boolean).join(", "),
      problem: (place: string, why: string) => (place === "" ? why : `${place}: ${why}`),
      open: "Open folder",
    },
    maintenance: {
      backup: "Backup",
      backupSentence: "One file with all your pictures and the database.",
      withSecrets: "Include secrets",
      withSecretsWhy: "The backup then holds your tokens and keys. Keep the file private.",
      backupStart: "Save backup…",
      restore: "Restore",
      restoreSentence:
        "Replaces your pictures and history with those of a backup. Porchlight restarts.",
      restoreStart: "Restore backup…",
      importing: "Import",
      importSentence:
        "Copies all pictures of another Porchlight, with their names in links and their dates.",
      importFrom: "Address of the other server",
      importStart: "Import…",
      check: "Check",
      checkSentence: "Looks for damaged pictures. “Check and repair” also fixes what it can.",
      checkStart: "Check all pictures",
      repairStart: "Check and repair",
      log: "Log",
      diagnostics: "Report a problem",
      diagnosticsSentence: "Versions, status and the last lines of the log, without any secrets.",
      diagnosticsStart: "Copy diagnostics",
      diagnosticsDone: "Diagnostics copied",
      folders: "Files",
      data: "Open data folder",
      logs: "Open log folder",
    },
    work: {
      /** The separator between two sentences. */
      between: " ",
      kinds: work,
      progress: (done: number, of: number) => `${number(done)} of ${number(of)}`,
      done: (done: number) => pictures(done),
      saved: (good: number, file: string) => `${pictures(good)} saved in ${file}.`,
      secrets: (names: string) => `It includes these secrets: ${names}.`,
      noSecrets: "It includes no secrets.",
      checked: (good: number) => `${pictures(good)} OK.`,
      moved: (good: number) => `${pictures(good)} moved.`,
      imported: (good: number, already: number) =>
        already === 0
          ? `${pictures(good)} imported.`
          : `${pictures(good)} imported; ${number(already)} already here.`,
      cancelling: "Cancelling…",
      cancelled,
      fine: "No problems found.",
      wrong: (n: number) =>
        n >= 100
          ? `${number(n)} problems found (only the first 100 are listed):`
          : `${counted(n, "problem", "problems")} found:`,
      mended: (n: number) => `Fixed ${counted(n, "problem", "problems")}.`,
    },
    log: {
      levels: {
        ERROR: "Errors",
        WARN: "Warnings and errors",
        INFO: "Info",
        DEBUG: "Debug",
      },
      level: "Level",
      filter: "Filter",
      follow: "Auto-scroll",
      copy: "Copy line",
      copied: "Line copied",
      empty: "No matching lines.",
      shown: (n: number) => counted(n, "line", "lines"),
    },
  };
}

/** The kinds of tunnel that the user chooses from. */

/** The texts of this page. */
export type SettingsWords = ReturnType<typeof settings>;
