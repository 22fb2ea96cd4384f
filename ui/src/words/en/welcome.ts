// The texts of the first run.

import type { PrivateKind } from "../../api/types";
import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function welcome(locale: string) {
  const { number } = counting(locale);
  const kept: Record<PrivateKind, string> = {
    passwords: "Password managers",
    banks: "Banks and payments",
    private_windows: "Private browser windows",
    lock_screens: "The lock screen",
  };

  return {
    steps: { share: "Presence", tunnel: "Address", folder: "Pictures", blog: "Your blog" },
    step: (nth: number, of: number) => `Step ${number(nth)} of ${number(of)}`,
    progress: "Steps",
    back: "Back",
    next: "Next",
    skip: "Skip this step",
    skipAll: "Skip the rest",
    share: {
      title: "Leave a light on for your readers",
      lead: "Your blog can show when you’re online and which app you’re using. Your status isn’t shared until you say yes, and you can pause at any time, for all your devices at once. A phone or another computer is shown only once you allow it.",
      preview: "Your blog would show",
      away: "When you step away",
      program: "Visual Studio Code",
      kept: "Stays private",
      window: "Window titles, unless you allow them",
      windowNow: (title: string) => `Window titles, such as “${title}”, unless you allow them`,
      kinds: kept,
      keptAll: "Any app you hide",
      answered: { yes: "Sharing is on.", no: "Sharing is off." },
    },
    folder: {
      title: "Pictures from a folder",
      lead: "Save a picture in this folder, and it uploads automatically.",
      points: [
        "Your files stay where they are, unchanged.",
        "Readers get a small WebP, without location or camera data.",
        "Pictures already in the folder are uploaded and published, too.",
        "Other files are ignored.",
      ],
      other: "Choose another…",
      watched: "New pictures in this folder upload automatically.",
    },
    tunnel: {
      title: "Put it online",
      lead: "Right now, only this computer can reach Porchlight. A Worker at Cloudflare gives your blog an address that lasts; a tunnel works only while this computer is on.",
      label: "Way to an address",
      worker: "Cloudflare Worker (recommended)",
      workerHint:
        "Free and permanent. Answers while this computer is off. You then need a tunnel only for uploads and status updates from elsewhere.",
      sshHint: "Uses an SSH key without a password.",
      later: "Later",
      laterHint: "Only this computer can reach it for now.",
      host: "Server",
      hostHint: "user@example.org",
      port: "Port on the server",
      url: "Public address",
      urlHint: "https://light.example.org",
      line: "Command",
      lineHint: "tailscale funnel {port}",
      lineNote: "{port} is replaced with the local port.",
      start: "Start",
      choose: "Choose program…",
      state: {
        off: "Not running.",
        starting: "Starting…",
        checking: "Checking the address…",
        up: (address: string) => `Online: ${address}`,
        waiting: "Not reachable yet. Trying again…",
        missing: (program: string) =>
          `${program} is not installed. Install it with this command; Porchlight will find it.`,
        missingBare: (program: string) =>
          `${program} is not installed. Install it; Porchlight will find it.`,
        cannotStart: "The tunnel program couldn’t start.",
        stopped: "Couldn’t start.",
      },
    },
    done: {
      title: "You’re live",
      pictures: "Your pictures are online",
      local: "Ready on this computer",
      lead: "The light is on. Use this address in your blog:",
      leadUnshared: "Sharing is off, but pictures work. Use this address in your blog:",
      start: "Starting Porchlight",
      leadLocal:
        "Readers can’t reach this address for now. You can get a permanent one in Settings at any time.",
      open: "Open Porchlight",
    },
  };
}
