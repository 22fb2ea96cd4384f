// What the page may ask of its own process, and what it is told by it.
//
// The page knows nothing else of where it runs: `native.ts` is this over
// Tauri, `testing/fake-native.ts` is this in memory.

import type { Home, Upload } from "./types";

/** Ends a subscription. */
export type Unlisten = () => void;

/** Every command rejects with a `Trouble` that says in a sentence what went wrong. */
export interface Native {
  /** Everything on the first page. */
  home(): Promise<Home>;
  /** The queue of this run, oldest first. */
  uploads(): Promise<Upload[]>;
  /** Answers the first-run question, and changes the answer later. */
  share(share: boolean): Promise<void>;
  /** Stops heartbeats for now, or starts them again. */
  pause(paused: boolean): Promise<void>;
  /** Opens the system's file dialog; what is chosen joins the queue. */
  choosePictures(): Promise<void>;
  /** Forgets the uploads that are finished. */
  clearUploads(): Promise<void>;
  /** Puts a picture's public address on the clipboard. */
  copyLink(hash: string): Promise<void>;
  /** Puts the address of the service on the clipboard. */
  copyAddress(): Promise<void>;
  /** Where the pixels of a picture are, at most `width` pixels across. */
  pictureUrl(hash: string, width: number): string;
  /** Something on the first page is no longer as it was. */
  onHomeChanged(listener: () => void): Promise<Unlisten>;
  /** The queue, each time it changes. */
  onUploadsChanged(listener: (uploads: Upload[]) => void): Promise<Unlisten>;
  /** Whether files hover above the window. Dropping them is not the page's part. */
  onDropHover(listener: (hovering: boolean) => void): Promise<Unlisten>;
}

/** What went wrong, in a sentence that can be shown. */
export class Trouble extends Error {
  override name = "Trouble";
}

/** What ends a subscription that may not have begun yet. */
export function ending(listening: Promise<Unlisten>): Unlisten {
  return () =>
    void listening.then(
      (unlisten) => unlisten(),
      // One that never began has nothing to end; whoever began it was told.
      () => undefined,
    );
}
