// The texts of the window around its places.

import { counting } from "../counting";

/** The texts, with numbers formatted for `locale`. */
export function shell(locale: string) {
  const { number, one } = counting(locale);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

  return {
    places: "Pages",
    severity: "System status",
    bulb: { lit: "The light is on", unlit: "The light is off" },
    service: {
      on: "Service running",
      off: "Service not running",
      unknown: "Service not responding",
    },
    tunnel: {
      off: "No tunnel",
      starting: "Tunnel starting…",
      checking: "Checking tunnel…",
      up: "Tunnel connected",
      waiting: "Tunnel disconnected",
      missing: "Tunnel not installed",
      stopped: "Tunnel couldn’t start",
    },
    alerts: (n: number) => (one(n) ? `${number(n)} action needed` : `${number(n)} actions needed`),
    alert: {
      service: "The service is not running",
      data_on_network: "The data folder is on a network drive, which can damage it",
      heartbeats: "Status updates aren’t getting through",
      waiting_devices: (n: number) => `Devices waiting for you: ${number(n)}`,
      tunnel_stopped: "The tunnel couldn’t start",
      tunnel_down: "The tunnel is disconnected",
      folder_missing: (folder: string) => `Watched folder not found: ${folder}`,
      upload_queue: "Watched folders can’t upload",
      editors: "Editors can’t upload",
      failed_uploads: (n: number) => `Failed uploads: ${number(n)}`,
      set_aside: (n: number) => `Not uploaded from watched folders: ${number(n)}`,
      edge: "The Worker gets no updates from this computer",
      edge_of_another: "The Worker belongs to another Porchlight",
      host_rewritten:
        "A proxy changes the header Host, so blogs are refused. In nginx: proxy_set_header Host $host;",
      clock: "This computer’s clock is wrong, so the Worker refuses updates",
      worker_outdated: "A newer Worker is ready to be deployed",
      plain_tunnel: "The Worker can’t use a tunnel without HTTPS",
      images_on_disk: (n: number) => `Pictures only on this computer: ${number(n)}`,
      worker_day: (spent: boolean, until: number) =>
        spent
          ? `The Worker’s limit for today is reached, until ${time.format(until)}`
          : `The Worker has used 70% of its requests for today, until ${time.format(until)}`,
      ip_file: "The file of ip.mmdb can’t be used. See the log for details.",
      settings_file: "There’s a mistake in settings.toml",
    },
    underWay: (n: number) =>
      one(n) ? `Uploading ${number(n)} file` : `Uploading ${number(n)} files`,
    listenFailed: (why: string) => `Live updates stopped: ${why}`,
    wrong: (why: string) => `Something went wrong in this window: ${why}`,
    notDrawn: "Something went wrong in this window. Your blog isn’t affected.",
    dropNow: "Drop to upload",
    palette: {
      title: "Search everything",
      search: "Pages, actions, settings, pictures",
      none: "Nothing found",
      kinds: { page: "Page", action: "Action", setting: "Setting", picture: "Picture" },
    },
    shortcuts: {
      title: "Keyboard shortcuts",
      goTo: (place: string) => `Go to ${place}`,
      add: "Add pictures",
      paste: "Paste a picture",
      help: "Show this list",
      close: "Close the open dialog",
      everywhere: "Everywhere",
      search: "Search (also in Settings)",
      select: "Select or deselect",
      more: "Extend the selection",
      all: "Select all",
      copy: "Copy the link",
      open: "View large",
      remove: "Delete",
      undo: "Undo",
      move: "Move a rule",
      space: "Space",
      or: "or",
      escape: "Esc",
    },
  };
}
