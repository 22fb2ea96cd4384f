// The backend process: its commands, which `commands.ts` lists, and its events.
//
// The page depends only on this: `native.ts` implements it with
// Tauri, `testing/fake-native.ts` in memory.

import type { Commands } from "./commands";
import type { CopiedLinks, Message, Upload, Work } from "./types";

/** Ends a subscription. */
export type Unlisten = () => void;

/** The pages of the window, by their names in URLs, events and texts. */
export type PlaceName = "home" | "images" | "presence" | "game" | "statistics" | "settings";

/** The events of the process and their payloads. */
export interface Events {
  /** The home status changed. */
  "home-changed": null;
  /** The queue changed. */
  "uploads-changed": Upload[];
  /** Uploads finished, and their links were copied to the clipboard. */
  "links-copied": CopiedLinks;
  /** Pictures were added or removed. */
  "images-changed": null;
  /** The presence or the foreground app changed. */
  "presence-changed": null;
  /** Settings, tokens or the appearance have changed. */
  "settings-changed": null;
  /** The posts, or what they use, changed. */
  "posts-changed": null;
  /** Progress of a maintenance task; `null` when it is over. */
  "work-changed": Work | null;
  /** The set-up of the Worker at Cloudflare is a step further. */
  "reach-changed": null;
  /** The log has more lines. */
  "log-changed": null;
  /** Whether files are dragged over the window. The process handles the drop. */
  "drop-hover": boolean;
  /** This page should be shown. */
  "show-place": Destination;
}

/** The target of the tray or a notification: a page, or the status dialog. */
export type Destination = PlaceName | "status";

/** The backend process. */
export interface Native extends Commands {
  /** The URL of a picture that is at most `width` pixels wide. */
  pictureUrl(hash: string, width: number): string;
  /** The URL of a deleted picture. */
  deletedUrl(hash: string): string;
  /** The URL of the cover with this number; available while its game runs and is shown. */
  coverUrl(number: number): string;
  /** The URL of a QR code: of the address for a blog, or of what to type in this field of the device
   * that was added last. Another `text` or device is another picture. */
  codeUrl(of: "address" | number, text: string): string;
  /** Subscribes to an event. */
  on<Topic extends keyof Events>(
    topic: Topic,
    listener: (payload: Events[Topic]) => void,
  ): Promise<Unlisten>;
}

/** The reason of an error: a message of the backend, or a text of the page. */
export type Reason = Message | string;

/** An error with a reason. */
export class Trouble extends Error {
  override name = "Trouble";

  constructor(
    readonly why: Reason,
    options?: ErrorOptions,
  ) {
    super(typeof why === "string" ? why : why.code, options);
  }
}
