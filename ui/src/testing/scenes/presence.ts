// States of the page "presence", for tests and for the preview without the app.

import type {
  ForegroundApp,
  Message,
  PresenceNow,
  PresencePage,
  PresencePeriod,
  RuleText,
  ShownStatus,
  Trial,
  Verdict,
} from "../../api/types";
import type { Scene } from "../fake-native";
import { detail, locked } from "../text";
import { added, longNames, several, withStranger } from "./devices";
import { lit, withWorker } from "./home";

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const HOUR = 3_600_000;
const MINUTE = 60_000;

const zed: ShownStatus = {
  application: "Zed",
  introduce: "写代码 & tea",
  rgba: "8,76,207,0.9",
  online: true,
};
const firefox: ShownStatus = {
  application: "Firefox",
  introduce: "看网页",
  rgba: "255,113,57,0.9",
  online: true,
};
const terminal: ShownStatus = {
  application: "Terminal",
  introduce: "",
  rgba: "20,20,24,1",
  online: true,
};
const music: ShownStatus = {
  application: "Spotify",
  introduce: "听音乐",
  rgba: "30,215,96,0.8",
  online: true,
};
const pale: ShownStatus = {
  application: "Obsidian",
  introduce: "",
  rgba: "255,255,240,1",
  online: true,
};
const unnamed: ShownStatus = { application: "", introduce: "", rgba: "255,180,84,1", online: true };
const gone: ShownStatus = { ...zed, online: false };

/** A day's work, in minutes after half past seven (UTC), until `end`. */
function workday(begin: number, end: number, seed: number): PresencePeriod[] {
  const turns: [ShownStatus, number][] = [
    [firefox, 34],
    [zed, 71],
    [terminal, 12],
    [zed, 48],
    [gone, 22],
    [music, 9],
    [zed, 96],
    [firefox, 18],
    [gone, 52],
    [pale, 40],
    [unnamed, 15],
    [zed, 110],
    [terminal, 26],
    [gone, 75],
    [firefox, 64],
  ];
  const periods: PresencePeriod[] = [];
  let at = begin;
  for (let n = 0; at < end; n++) {
    const [shown, minutes] = turns[(n + seed) % turns.length] ?? [zed, 10];
    const to = Math.min(end, at + (minutes + ((n * 7 + seed * 13) % 17)) * MINUTE);
    periods.push({ from: at, to, shown });
    at = to;
  }
  return periods;
}

const today = Date.UTC(2026, 10, 20);
const history: PresencePeriod[] = [
  ...[6, 5, 4, 3, 2, 1].flatMap((back) =>
    back === 5
      ? []
      : workday(
          today - back * 24 * HOUR + 7 * HOUR + back * 11 * MINUTE,
          today - back * 24 * HOUR + (16 + (back % 4)) * HOUR,
          back,
        ),
  ),
  ...workday(today + 7.5 * HOUR, NOW - 4_000, 0),
];

const presence: PresenceNow = {
  preview: zed,
  pause: null,
  fixed: null,
  recent: [],
  away: null,
  hidden: false,
  unavailable: [],
  trouble: null,
  nextTry: null,
};

const foreground: ForegroundApp = {
  names: ["zed", "dev.zed.Zed", "zed-editor"],
  title: "porchlight — rules.rs",
};

const rule = (part: Partial<RuleText>): RuleText => ({
  program: null,
  title: null,
  name: null,
  introduce: null,
  rgba: null,
  hide: false,
  ...part,
});

const rules: RuleText[] = [
  rule({ title: "/(?i)payslip|工资/", hide: true }),
  rule({ program: "zed", name: "Zed", introduce: "写代码 & tea", rgba: "8,76,207,0.9" }),
  rule({ program: "/^(firefox|librewolf)$/", introduce: "看网页" }),
  rule({ program: "steam", name: "Steam", introduce: "{title}", rgba: "102,192,244,0.8" }),
];

const page: PresencePage = {
  presence,
  foreground,
  rules,
  builtIn: 94,
  private: [
    {
      kind: "passwords",
      names: ["1password", "bitwarden", "keepassxc", "org.gnome.seahorse.Application"],
    },
    { kind: "banks", names: ["bank", "paypal", "alipay", "支付宝", "网银"] },
    { kind: "private_windows", names: ["private browsing", "incognito", "inprivate", "无痕"] },
    { kind: "lock_screens", names: ["gnome-screensaver", "i3lock", "swaylock", "xscreensaver"] },
  ],
  historyDays: 30,
};

/** What a trial of these rules answers: the plain program name is all that it knows. */
const noExpression: Message = {
  code: "no_expression",
  parameters: { given: "`(`", why: "it is not closed" },
};

function testRules(wanted: RuleText[]): Trial {
  const problems = wanted.flatMap(({ program, title }, index) =>
    [program, title].some((pattern) => pattern === "/(/")
      ? [{ rule: index, why: noExpression }]
      : [],
  );
  const index = wanted.findIndex(
    ({ program, title }) =>
      program !== null && foreground.names.includes(program) && title === null,
  );
  const found = wanted[index];
  const verdict: Verdict | null =
    problems.length > 0
      ? null
      : found?.hide
        ? { told: "hidden" }
        : {
            told: "shown",
            application: found?.name ?? "zed",
            introduce: (found?.introduce ?? "").replace("{title}", foreground.title),
            rgba: found?.rgba ?? "8,76,207,0.9",
          };
  return { foreground, rule: found === undefined ? null : index, verdict, problems };
}

/** Today's, with a phone in between. */
const ofDevices = history.map((period, nth) =>
  nth % 3 === 1 ? { ...period, device: "手机" } : period,
);

const full: Scene = {
  home: lit,
  presence: page,
  presenceHistory: history,
  tryRules: testRules,
  programOf: (application: string) => application,
  setRules: (wanted: RuleText[]) => testRules(wanted).problems,
};

const withPage = (changed: Partial<PresencePage>): Scene => ({
  ...full,
  presence: { ...page, ...changed },
});

const withDevices: Scene = {
  ...full,
  home: { ...lit, devices: several },
  presenceHistory: ofDevices,
  addDevice: added,
};

/** Every scene by its name. */
export const scenes = {
  full,
  devices: withDevices,
  stranger: { ...withDevices, home: { ...lit, devices: withStranger } },
  longNames: { ...withDevices, home: { ...lit, devices: longNames } },
  devicesPaused: {
    ...withDevices,
    home: { ...lit, sharing: "paused", devices: several },
    presence: { ...page, presence: { ...presence, preview: null, pause: { until: null } } },
  },
  onlyWorker: {
    ...withDevices,
    home: { ...lit, tunnel: { state: "off" }, edge: withWorker.edge },
  },
  empty: {
    ...full,
    presence: { ...page, rules: [], presence: { ...presence, preview: unnamed }, foreground: null },
    presenceHistory: [],
    tryRules: { foreground: null, rule: null, verdict: null, problems: [] },
  },
  away: withPage({ presence: { ...presence, preview: gone, away: "idle" } }),
  paused: withPage({
    presence: { ...presence, preview: null, pause: { until: NOW + 25 * MINUTE } },
  }),
  fixed: withPage({
    presence: {
      ...presence,
      preview: { application: "散步", introduce: "晚饭后回来", rgba: "46,125,79,1", online: true },
      fixed: { application: "散步", introduce: "晚饭后回来", rgba: "46,125,79,1", until: null },
    },
  }),
  lacking: withPage({
    presence: {
      ...presence,
      preview: unnamed,
      trouble: {
        code: "service_silent",
        parameters: {
          address: "https://light.example.org",
          why: { code: "connection_refused", parameters: { text: "Connection refused" } },
        },
      },
      nextTry: NOW + MINUTE,
      unavailable: [
        { sensor: "foreground", why: { code: "wayland_no_foreground" } },
        {
          sensor: "media",
          why: detail("the session bus cannot be asked (the bus has gone away)"),
        },
      ],
    },
  }),
  gnome: withPage({
    presence: {
      ...presence,
      preview: unnamed,
      unavailable: [
        {
          sensor: "foreground",
          why: { code: "gnome_needs_switch", parameters: { extension: "focus45@porchlight.app" } },
        },
      ],
    },
  }),
  gnomeLogin: withPage({
    presence: {
      ...presence,
      preview: unnamed,
      unavailable: [
        {
          sensor: "foreground",
          why: { code: "gnome_needs_login", parameters: { extension: "focus45@porchlight.app" } },
        },
      ],
    },
  }),
  gnomeLacksIt: withPage({
    presence: {
      ...presence,
      preview: unnamed,
      unavailable: [
        {
          sensor: "foreground",
          why: { code: "gnome_no_extension", parameters: { extension: "focus45@porchlight.app" } },
        },
      ],
    },
  }),
  private: {
    ...full,
    presence: { ...page, presence: { ...presence, preview: unnamed, hidden: true } },
    tryRules: {
      foreground: { names: ["keepassxc"], title: "Passwords.kdbx" },
      rule: null,
      verdict: { told: "private" },
      problems: [],
    },
  },
  wrong: {
    ...full,
    presence: { ...page, rules: [...rules, rule({ program: "/(/", name: "Broken" })] },
  },
  loading: {
    ...full,
    presence: () => new Promise<PresencePage>(() => undefined),
  },
  lost: {
    presence: () => {
      throw locked;
    },
  },
} satisfies Record<string, Scene>;
