// States of the first run, for tests and for the preview without the app.

import type { Home } from "../../api/types";
import type { Scene } from "../fake-native";
import { bare, blogLines, lit } from "./home";
import { edgeIn, reachable } from "./settings";

const base = (home: Home): Scene => ({
  home,
  blogLines: blogLines(home),
  presence: {
    presence: home.presence,
    foreground: { names: ["Zed"], title: "letter-to-anna.md" },
    rules: [],
    builtIn: 120,
    private: [
      { kind: "passwords", names: ["KeePassXC"] },
      { kind: "banks", names: ["bank"] },
      { kind: "private_windows", names: ["Private"] },
      { kind: "lock_screens", names: ["i3lock"] },
    ],
    historyDays: 30,
  },
  tryRules: {
    foreground: { names: ["Zed"], title: "letter-to-anna.md" },
    rule: null,
    verdict: { told: "shown", application: "Zed", introduce: "", rgba: "233,30,99,0.9" },
    problems: [],
  },
  updateSettings: () => [],
  reach: { ...reachable, hasKey: false, edge: edgeIn({ state: "off" }) },
  chooseFolder: "/home/mia/Pictures/blog",
});

/** One that lights up when the owner shares. */
function answering(home: Home): Scene {
  let now = home;
  return {
    ...base(home),
    home: () => now,
    share: (yes) => {
      now = yes ? { ...lit, tunnel: home.tunnel, sharing: "on" } : { ...now, sharing: "off" };
    },
    blogLines: (form, whole) => blogLines(now)(form, whole),
  };
}

const unasked: Home = { ...bare, sharing: "unasked", welcomed: false };

/** Every scene by its name. */
export const scenes = {
  first: base(unasked),
  /** A new one each time, for it remembers the answer. */
  get lit() {
    return answering({ ...unasked, tunnel: lit.tunnel });
  },
  missing: base({
    ...unasked,
    tunnel: {
      state: "missing",
      program: "cloudflared",
      why: null,
      install: "brew install cloudflared",
    },
  }),
  down: base({
    ...unasked,
    tunnel: {
      state: "waiting",
      why: {
        code: "address_answers",
        parameters: { address: "https://light.example.org", status: 530 },
      },
      nextTry: 0,
    },
  }),
  public: base({
    ...lit,
    sharing: "unasked",
    welcomed: false,
  }),
  noFront: {
    ...base(unasked),
    presence: () => {
      throw new Error("nothing is known");
    },
  },
} satisfies Record<string, Scene>;
