// The backend process, over Tauri: the only module that imports Tauri.

import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { commandsOver } from "./api/commands";
import { type Native, Trouble } from "./api/interface";
import type { Message } from "./api/types";

async function command<T>(name: string, parameters?: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(name, parameters);
  } catch (cause) {
    // Commands fail with a message; anything else is an error of Tauri itself.
    const isMessage = typeof cause === "object" && cause !== null && "code" in cause;
    throw new Trouble(isMessage ? (cause as Message) : String(cause), { cause });
  }
}

/** The backend process of this window. */
export const native: Native = {
  ...commandsOver(command),
  // The scheme is `picture://localhost/` or, on Windows, `http://picture.localhost/`.
  pictureUrl: (hash, width) => `${convertFileSrc(hash, "picture")}?w=${width}`,
  deletedUrl: (hash) => convertFileSrc(`trash-${hash}`, "picture"),
  coverUrl: (number) => convertFileSrc(`game-${number}`, "picture"),
  // With the text: an image of the same URL would not be loaded again.
  codeUrl: (of, text) =>
    `${convertFileSrc(`code-${of}`, "picture")}?of=${encodeURIComponent(text)}`,
  on: (topic, listener) => listen(topic, ({ payload }) => listener(payload as never)),
};
