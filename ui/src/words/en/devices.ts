// The texts of the owner's devices, in English.

import type { DeviceAccess, DeviceClient, DeviceKind } from "../../api/types";
import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function devices(locale: string) {
  const { number, one } = counting(locale);
  const percents = new Intl.NumberFormat(locale, { style: "percent" });
  const kinds: Record<DeviceKind, string> = {
    desktop: "Desktop computer",
    laptop: "Laptop",
    phone: "Phone",
    tablet: "Tablet",
    other: "Device",
  };
  const access: Record<DeviceAccess, string> = {
    allowed: "Readers see it",
    hidden: "Hidden from readers",
    waiting: "Waits for you",
  };
  const clients: Record<DeviceClient, string> = {
    live_dashboard: "live-dashboard",
    sleepy: "sleepy",
    mx_space: "ProcessReporter",
    porchlight: "Porchlight",
    own: "curl",
  };
  /** Where the fields are in each client. */
  const where: Record<DeviceClient, string> = {
    live_dashboard:
      "Install live-dashboard’s app and type these on its first page. It opens https:// addresses only.",
    sleepy:
      "Type the first three into a client of sleepy. On an iPhone, make an automation in Shortcuts that opens the URL with “Get Contents of URL”, with &status= and an app’s name at its end.",
    mx_space: "Type these in ProcessReporter under Integrations, Mix Space.",
    porchlight:
      "In the other Porchlight, open Settings, Presence: “Another service” and “Access token”. Its uploads would go there, too, which this token does not allow.",
    own: "Save the first line as the file device.header, then send a heartbeat whenever something changes.",
  };

  return {
    title: "Devices",
    lead: "Every device that reports to this Porchlight. A blog that shows one device shows the one you used last.",
    add: "Add a device",
    thisComputer: "This computer",
    kinds,
    access,
    list: "Your devices",
    inCheck: "Chosen for your blog",
    notShared: "Not shared",
    never: "Hasn’t reported yet",
    reported: (when: string) => `Last report ${when}`,
    battery: (percent: number, charging: boolean) =>
      `Battery ${percents.format(percent / 100)}${charging ? ", charging" : ""}`,
    batteryPrivate: "not shared",
    ownNote: (kind: string) => `Readers see it as “${kind}”, never by its host name.`,
    unlisted: "The list of devices is off in Settings. Readers see only the one on your blog.",
    only: "Only this computer reports so far. Add your phone, a tablet or another computer, and your blog shows where you are.",
    hold: {
      off: "Sharing is off: readers see none of these, and what devices send isn’t kept.",
      paused: "Sharing is paused for all devices at once. What they send meanwhile isn’t kept.",
    },
    waits: (name: string) => `Allow “${name}”?`,
    waitsLine: "Readers learn nothing of it, not even its name, until you allow it.",
    wouldSee: (what: string) => `They would see: ${what}`,
    allow: "Allow",
    allowed: (name: string) => `Readers see ${name} now.`,
    hide: "Don’t show",
    hidden: (name: string) => `${name} is hidden from readers.`,
    menu: (name: string) => `More for ${name}`,
    rename: "Rename…",
    renameField: "Name that readers see",
    up: "Move forward",
    down: "Move back",
    moved: (name: string, n: number) => `${name} moved to position ${number(n)}.`,
    forget: "Forget…",
    forgetTitle: (name: string) => `Forget ${name}?`,
    forgetLine:
      "It is removed with its history, and its token is revoked, so it can’t report any more.",
    forgetYes: "Forget",
    forgotten: (name: string) => `${name} is forgotten.`,
    waiting: (n: number) =>
      one(n) ? `${number(n)} device waits for you` : `${number(n)} devices wait for you`,
    alsoShown: "Your devices, as readers see them",
    adding: {
      what: "What do you want to add?",
      choices: {
        android: ["Android phone", "With the app of live-dashboard, or a client of sleepy"],
        iphone: ["iPhone or iPad", "With Shortcuts, which are on it already"],
        computer: ["Another computer", "With Porchlight, or another reporter"],
        program: ["A program of mine", "Anything that can send a request"],
      },
      nameHint: "Readers see it.",
      names: {
        android: "Phone",
        iphone: "iPhone",
        computer: "Laptop",
        program: "My program",
      },
      client: "It reports with",
      clients,
      show: "Let readers see it from its first report on",
      opens:
        "Apps made for sleepy, live-dashboard and mx-space can report once you continue. The switch is in Settings, Presence.",
      overruled:
        "The command line keeps clients of other programs off, so this device can’t report.",
      make: "Create token",
      connect: (name: string) => `Connect ${name}`,
      again: "Check again",
      reach: {
        good: "It was reached from outside just now.",
        reached: "It led here when Porchlight last tried it.",
        checking: "It is being reached from outside…",
        claimed:
          "Porchlight can’t check this address from here. The first report shows whether it works.",
        local: "Only this computer can open this address. Set up a tunnel first.",
        program: "Programs on this computer can open it. For others, set up a tunnel.",
        worker:
          "The Worker answers readers without this computer, but can’t pass reports on to it. A device also needs the tunnel.",
        down: "It can’t be reached from outside now, so reports won’t arrive.",
        temporary: "This address changes with the tunnel’s next start. Then type the new one.",
        insecure: "Reports with a token need https://. This address has none.",
      },
      tunnel: "Set up the tunnel",
      code: (label: string) => `QR code with ${label}`,
      codeHint: "With the phone’s camera or scanner, to copy it there.",
      secret: "Secret, only copied or scanned",
      copyField: (label: string) => `Copy ${label}`,
      fieldCopied: (label: string) => `${label} copied.`,
      where,
      once: "The token can be copied and scanned only while this dialog is open. You can revoke it in Settings, Access tokens.",
      waiting: "Waiting for its first report…",
      green: (name: string) => `Received the first report of ${name}.`,
      greenSeen: (what: string) => `Readers see: ${what}`,
      greenHidden: "Readers don’t see it. You can change that on its card.",
      held: "Sharing is not on. Until it is, reports aren’t kept, and this stays as it is.",
    },
  };
}
