// The words of the place "settings", in English.

import type {
  Editor,
  SecretsIn,
  SettingLayer,
  TokenScope,
  TunnelGlance,
  WorkKind,
} from "../../api/types";
import type { Group } from "../../settings/table";
import type { Unit } from "../../settings/units";
import { settingRows } from "./setting-rows";

/** The words, with numbers written as `locale` writes them. */
export function settings(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;
  const unit = (n: number, one: string) => (plurals.select(n) === "one" ? one : `${one}s`);
  const pictures = (n: number) => counted(n, "picture", "pictures");

  const groups: Record<Group, [name: string, sentence: string]> = {
    app: ["Look & start", "How Porchlight looks, and when it is there."],
    sharing: ["Sharing", "What is told of you, how often, and to whom."],
    folders: ["Watched folders", "Pictures that upload themselves."],
    links: ["Links", "What lands on the clipboard."],
    tunnel: ["Tunnel", "How the world finds the light on this computer."],
    service: ["Service", "What your blog talks to."],
    images: ["Images", "How pictures are made, limited and delivered."],
    storage: ["Storage", "Where pictures lie."],
    game: ["Game", "Where it is looked up what you play."],
    ip: ["IP look-up", "How your blog finds out where a reader is from."],
    system: ["System facts", "What your blog may tell about this computer."],
    editors: ["Editors", "Programs that hand their pictures to Porchlight."],
    tokens: ["Tokens", "Keys to your service, each for one purpose."],
    care: ["Care", "Backups, checks, the log and what to do when something is wrong."],
  };

  const values: Record<string, Record<string, string>> = {
    "app.theme": { system: "As the system", light: "Light", dark: "Dark" },
    "app.language": { system: "As the system", en: "English", zh: "简体中文" },
    "presence.language": { "": "As the system", en: "English", zh: "简体中文" },
    "watch.after": { keep: "Keep it", archive: "Move to a subfolder", trash: "Move to the trash" },
    "server.client_ip": {
      peer: "Who connects",
      "cf-connecting-ip": "CF-Connecting-IP",
      "x-forwarded-for": "X-Forwarded-For, last entry",
    },
    behaviour: { "": "As set below", A: "A: from here, plain", B: "B: redirect, with fields" },
    "images.delivery": { direct: "This computer", redirect: "Object store" },
    "storage.kind": { disk: "On this disk", s3: "In an object store" },
  };

  const layers: Record<Exclude<SettingLayer, "default" | "file">, (name: string) => string> = {
    environment: (name) => `Fixed by the environment: ${name}`,
    command_line: (name) => `Fixed on the command line: --set ${name}=…`,
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

  const scopes: Record<TokenScope, [name: string, sentence: string]> = {
    heartbeat: ["Heartbeat", "Says that you are in. It can read and change nothing else."],
    upload: ["Upload", "Adds pictures. One that leaks deletes nothing."],
    admin: ["Everything", "Adds and deletes pictures and posts heartbeats. Keep it off web pages."],
  };

  const tunnel: Record<TunnelGlance["state"], string> = {
    off: "No tunnel",
    starting: "Starting",
    checking: "Looking from outside",
    up: "Up",
    waiting: "Waiting for the next try",
    missing: "The program is not installed",
    stopped: "It cannot begin",
  };

  const work: Record<WorkKind, string> = {
    backup: "Saving a backup",
    check: "Checking every picture",
    repair: "Checking and mending",
    move: "Moving pictures",
    restore: "Reading the backup",
  };

  const editors: Record<Editor, [name: string, sentence: string]> = {
    share_x: ["ShareX", "Saves an uploader file that ShareX opens."],
    curl: ["curl", "Puts a line for a shell or a script on the clipboard."],
    typora: ["Typora", "Puts a custom command for Typora on the clipboard."],
  };

  const kept: Record<SecretsIn, string> = {
    keyring: "Porchlight’s own tokens are in the system’s keyring.",
    file: "Porchlight’s own tokens are in a file that you alone can read.",
  };

  return {
    groups,
    rows: settingRows,
    values,
    units,
    list: "Groups of settings",
    find: "Find a setting",
    found: (n: number) => counted(n, "setting", "settings"),
    none: "No setting is called that. Its name in settings.toml works, too.",
    clearSearch: "Clear the search",
    trouble: "The settings could not be read.",
    default: (value: string) => `Default: ${value}`,
    on: "on",
    off: "off",
    unset: "none",
    empty: "empty",
    reset: "Reset",
    resetOf: (label: string) => `Reset “${label}” to its default`,
    fixed: (layer: keyof typeof layers, name: string) => layers[layer](name),
    nextStart: "From the next start",
    held: "Not saved yet",
    discard: "Undo",
    discardOf: (label: string) => `Undo the change to “${label}”`,
    saved: "Saved",
    savedOf: (label: string) => `“${label}” is saved`,
    notANumber: "That is not a number.",
    between: (least: number, most: number) => `From ${number(least)} to ${number(most)}.`,
    atLeast: (least: number) => `At least ${number(least)}.`,
    unitOf: (label: string) => `Unit of “${label}”`,
    restart: {
      why: "Some changes count from the next start.",
      now: "Restart now",
    },
    secret: {
      set: "Set",
      notSet: "Not set",
      hint: "It can be replaced, never read.",
      enter: "Set it",
      replace: "Replace",
      remove: "Remove",
      save: "Save",
      cancel: "Cancel",
      of: (what: string, label: string) => `${what}: ${label}`,
      typed: "Typed, not saved yet",
      removeTitle: (label: string) => `Remove “${label}”?`,
      removeWhy: "It is nowhere else in Porchlight, so it cannot be brought back from here.",
    },
    choose: "Choose…",
    addFolder: "Add a folder…",
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    noFolders: "No folder is watched yet.",
    login: {
      label: "Start at login",
      sentence: "Porchlight starts in the tray when you sign in, without a window.",
      unknown:
        "Porchlight would start in the tray when you sign in, but this system does not say whether it can.",
    },
    menu: {
      label: "Menu entry",
      sentence: "In the menu of applications, and “Upload with Porchlight” for images.",
    },
    shortcut: {
      press: "Press the keys",
      pressing: "Press them now…",
      given: (keys: string) => `The desktop has given: ${keys}. It is changed in its own settings.`,
      clear: "No keys",
      none: "None",
    },
    rules: {
      label: "Rules",
      sentence: "What is told of which program is in Presence, with a live test.",
      go: "Open Presence",
    },
    template: {
      forms: {
        "{url}": "Address",
        markdown: "Markdown",
        html: "HTML",
        bbcode: "BBCode",
        own: "Own",
      },
      own: "Your own text, with {url} where the address goes",
      example: "So it looks on the clipboard",
    },
    tunnel: {
      states: tunnel,
      cannotStart: "The program cannot be started",
      roundTrip: (ms: number) => `${number(ms)} ms from outside`,
      cards: {
        none: ["No tunnel", "Only this computer, or a proxy of your own, reaches the service."],
        quick: ["Cloudflare, quick", "No account. The address is another after each start."],
        named: ["Cloudflare, named", "Your own name, which stays. It needs a free account."],
        ssh: ["Your server, by SSH", "A port of your own server is carried to this computer."],
        command: ["Another program", "bore, frp, Tailscale, ngrok, or what you like."],
      } as Record<TunnelCard, [string, string]>,
      forget: "Change to a quick tunnel?",
      forgetWhy:
        "The token and the name of the named tunnel are forgotten here. Cloudflare keeps them.",
      forgetIt: "Forget them",
      presets: "Begin with",
      fillIn: "It starts as soon as what it needs below is filled in.",
      confirm:
        "Before a new command runs, Porchlight asks you once more in a window of its own. This page cannot answer that for you.",
    },
    move: {
      label: "Move the pictures that are here",
      sentence:
        "To where new ones go. Readers notice nothing, and it can be done again if it is interrupted.",
      start: { disk: "Move to this disk", s3: "Move to the object store" },
    },
    editorAddress: {
      label: "Address for editors",
      sentence: "It contains the secret: paste it into the settings of Obsidian and others.",
      copy: "Copy the address",
      copied: "The address is on the clipboard",
      open: "Programs that cannot send a secret",
      openSentence:
        "Without a secret, every program and every user of this computer can upload. A custom command is better: see below.",
      allow: "Turn the secret off…",
    },
    editors: {
      title: "Set up a program",
      sentence: "It gets a token of its own that can only upload; revoke it in Tokens at any time.",
      names: editors,
      start: "Set up",
      startOf: (name: string) => `Set up ${name}`,
      file: (file: string, token: string) => `Saved as ${file}, with the token “${token}”.`,
      clipboard: (token: string) =>
        `It is on the clipboard, with the token “${token}”: paste it now.`,
    },
    tokens: {
      kept,
      name: "Name",
      scope: "May",
      made: "Made",
      used: "Last used",
      never: "never",
      actions: "Actions",
      own: "Porchlight’s own",
      fresh: "New token…",
      freshTitle: "A new token",
      nameHint: "What it is for, such as “blog” or “phone”",
      scopes,
      make: "Make it and copy it",
      once: "It is on the clipboard, once: paste it now",
      revoke: "Revoke",
      revokeOf: (name: string) => `Revoke “${name}”`,
      revokeTitle: (name: string) => `Revoke “${name}”?`,
      revokeWhy: "Whatever uses it is refused from this moment on. It cannot be brought back.",
      inUse: "In use here",
      inUseWhy:
        "Porchlight works with this one, so it is not revoked from here. To be rid of it, quit Porchlight and use `porchlight token revoke`.",
      revoked: "It is revoked",
      empty: "There are no tokens. Make one for your blog or your phone.",
    },
    cancel: "Cancel",
    watching: {
      label: "Uploads from these folders",
      sentence: "Paused, files wait in their folders until you resume or start Porchlight anew.",
      pause: "Pause",
      resume: "Resume",
    },
    file: {
      wrong: "The settings file was edited and is not right.",
      stays:
        "The settings from before stay in force. Until it is right, nothing else can be saved here.",
      place: (line: number | null, key: string | null) =>
        [line === null ? null : `line ${number(line)}`, key].filter(Boolean).join(", "),
      problem: (place: string, why: string) => (place === "" ? why : `${place}: ${why}`),
      open: "Open its folder",
    },
    care: {
      backup: "Backup",
      backupSentence: "One file with all pictures and the database.",
      withSecrets: "With secrets",
      withSecretsWhy: "Tokens and keys go into the file, too. Whoever has it has them.",
      backupStart: "Save a backup…",
      restore: "Restore",
      restoreSentence: "Goes back to a backup. Porchlight starts anew with it.",
      restoreStart: "Restore a backup…",
      restoreTitle: "Go back to a backup?",
      restoreWhy:
        "You choose the file next. What is here now, pictures and history, is replaced by what is in it.",
      restoreIt: "Choose a backup…",
      check: "Check",
      checkSentence:
        "Reads every stored picture and compares it with its name. Nothing is changed.",
      checkStart: "Check all pictures",
      repairStart: "Check and repair",
      log: "Log",
      diagnostics: "Report of trouble",
      diagnosticsSentence: "Versions, states and the last lines of the log. It holds no secret.",
      diagnosticsStart: "Copy diagnostics",
      diagnosticsDone: "The report is on the clipboard",
      folders: "Files",
      data: "Open the data folder",
      logs: "Open the logs",
      restart: "Restart",
      restartSentence: "It takes a few seconds, in which your blog cannot reach the service.",
      restartStart: "Restart Porchlight",
    },
    work: {
      /** What stands between two sentences. */
      between: " ",
      kinds: work,
      progress: (done: number, of: number) => `${number(done)} of ${number(of)}`,
      done: (done: number) => pictures(done),
      saved: (good: number, file: string) => `${pictures(good)} saved in ${file}.`,
      secrets: (names: string) => `These secrets are in it: ${names}.`,
      noSecrets: "No secret is in it.",
      checked: (good: number) =>
        `${pictures(good)} ${good === 1 ? "is as it" : "are as they"} should be.`,
      moved: (good: number) => `${pictures(good)} moved.`,
      fine: "Nothing was found wrong.",
      wrong: (n: number) =>
        `${counted(n, "thing was", "things were")} found${n >= 100 ? ", the first hundred" : ""}:`,
      mended: (n: number) => `${counted(n, "thing was", "things were")} put right.`,
    },
    log: {
      levels: {
        ERROR: "Errors alone",
        WARN: "Warnings and errors",
        INFO: "What happened",
        DEBUG: "Everything",
      },
      level: "How much",
      filter: "Only lines with",
      follow: "Follow",
      copy: "Copy the line",
      copied: "The line is on the clipboard",
      empty: "No line fits.",
      shown: (n: number) => counted(n, "line", "lines"),
    },
  };
}

/** The kinds of tunnel as the owner tells them apart. */
export type TunnelCard = "none" | "quick" | "named" | "ssh" | "command";

/** The words of this place. */
export type SettingsWords = ReturnType<typeof settings>;
