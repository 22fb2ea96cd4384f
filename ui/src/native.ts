// The page's own process, over Tauri: the one module that knows of Tauri.

import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { type Native, Trouble } from "./api/interface";
import type { Home, Upload } from "./api/types";

async function command<T>(name: string, parameters?: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(name, parameters);
  } catch (cause) {
    // Commands fail with a sentence; anything else is Tauri's own trouble.
    throw new Trouble(typeof cause === "string" ? cause : String(cause), { cause });
  }
}

/** The process that this window belongs to. */
export const native: Native = {
  home: () => command<Home>("home"),
  uploads: () => command<Upload[]>("uploads"),
  share: (share) => command("share", { share }),
  pause: (paused) => command("pause", { paused }),
  choosePictures: () => command("choose_pictures"),
  clearUploads: () => command("clear_uploads"),
  copyLink: (hash) => command("copy_link", { hash }),
  copyAddress: () => command("copy_address"),
  // The scheme is `picture://localhost/` or, on Windows, `http://picture.localhost/`.
  pictureUrl: (hash, width) => `${convertFileSrc(hash, "picture")}?w=${width}`,
  onHomeChanged: (listener) => listen("home-changed", () => listener()),
  onUploadsChanged: (listener) =>
    listen<Upload[]>("uploads-changed", ({ payload }) => listener(payload)),
  onDropHover: (listener) => listen<boolean>("drop-hover", ({ payload }) => listener(payload)),
};
