// The words of the first run.

import type { PrivateKind } from "../../api/types";

/** The words, with numbers written as `locale` writes them. */
export function welcome(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);
  const kept: Record<PrivateKind, string> = {
    passwords: "Password managers",
    banks: "Banks and payments",
    private_windows: "Private browser windows",
    lock_screens: "Lock screens",
  };

  return {
    steps: { share: "Presence", folder: "Pictures", tunnel: "Tunnel", done: "Ready" },
    step: (nth: number, of: number) => `Step ${number(nth)} of ${number(of)}`,
    progress: "Steps",
    back: "Back",
    next: "Next",
    skip: "Skip this",
    skipAll: "Skip the welcome",
    share: {
      title: "Leave a light on for your readers",
      lead: "Your blog can show that you are in and which program you are at. Nothing is told before you say so here, and you can pause it at any time.",
      told: "Your blog would say",
      away: "When you step away",
      somebody: "Somebody is in",
      program: "The program in front",
      kept: "Stays on this computer",
      window: "Window titles",
      windowNow: (title: string) => `Window titles, such as “${title}”`,
      kinds: kept,
      keptAll: "and every program that you hide",
      yes: "Share it",
      no: "Not now",
      answered: { yes: "You share it.", no: "Nothing is shared." },
    },
    folder: {
      title: "Pictures from a folder",
      lead: "Save a picture in this folder, and your blog can use it a moment later.",
      points: [
        "Your files stay where they are, unchanged.",
        "Readers get a small WebP without the place and the camera that a photo carries.",
        "What is no picture is left alone.",
      ],
      choose: "Choose a folder…",
      other: "Another one…",
      watched: "This folder is watched",
      existing: "Pictures that are in it already are added too.",
    },
    tunnel: {
      title: "Let your blog in",
      lead: "Porchlight listens on this computer alone. A tunnel gives it an address that the world can reach.",
      label: "Kind of tunnel",
      cloudflared: "Cloudflare, quick",
      cloudflaredHint: "No account needed; the address is another after each start.",
      ssh: "A server of mine",
      sshHint: "Over ssh, with a key that needs no password.",
      command: "A command of mine",
      commandHint: "Any program that forwards a port.",
      later: "Later",
      laterHint: "Only this computer can read it for now.",
      host: "Server",
      hostHint: "user@example.org",
      port: "Port on the server",
      url: "Public address",
      urlHint: "https://light.example.org",
      line: "Command",
      lineHint: "tailscale funnel {port}",
      lineNote: "{port} becomes the port to forward.",
      start: "Start it",
      copyInstall: "Copy the install line",
      installCopied: "The install line is on the clipboard",
      lookAgain: "Look again",
      choose: "Choose it…",
      state: {
        off: "It begins with the next start of Porchlight.",
        starting: "Starting…",
        checking: "Looking whether the address leads here…",
        up: (address: string) => `It stands: ${address}`,
        waiting: "It does not lead here yet. It is tried again by itself.",
        missing: (program: string) =>
          `${program} is not installed. Install it with this line; it is found by itself.`,
        missingBare: (program: string) =>
          `${program} is not installed. Install it; it is found by itself.`,
        cannotStart: "Its program cannot be started.",
        stopped: "It cannot begin.",
      },
    },
    done: {
      title: "Your blog can read this now",
      local: "This computer can read this now",
      lead: "The light is on. Point your blog at this address:",
      leadUnshared: "Nothing is told of you, but pictures work. Point your blog at this address:",
      leadLocal:
        "Only this computer can reach the address for now. A tunnel can be set up at any time in the settings.",
      snippet: "A snippet for your page",
      copySnippet: "Copy the snippet",
      snippetCopied: "The snippet is on the clipboard",
      open: "Open Porchlight",
    },
  };
}
