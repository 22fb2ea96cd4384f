// The page's own process, in memory: it says what a scene says, remembers what
// it was asked for, and lets a test speak up as the process would.

import { type Native, Trouble } from "../api/interface";
import type { Home, Upload } from "../api/types";
import type { Scene } from "./scenes";

/** The fake, and what a test may do with it. */
export class FakeNative implements Native {
  /** What `home` answers; an error is thrown. */
  state: Home | Error;
  queue: Upload[];
  /** The commands that came, as `name` or `name:argument`. */
  readonly asked: string[] = [];
  /** What each command from now on fails with, if anything. */
  failure: string | null = null;

  readonly #home = new Set<() => void>();
  readonly #uploads = new Set<(uploads: Upload[]) => void>();
  readonly #hover = new Set<(hovering: boolean) => void>();
  readonly #hovering: boolean;
  readonly #picture: (hash: string, width: number) => string;

  constructor(
    scene: Scene,
    picture: (hash: string, width: number) => string = (hash, width) =>
      `picture://localhost/${hash}?w=${width}`,
  ) {
    this.state = scene.home;
    this.queue = scene.uploads;
    this.#hovering = scene.hovering ?? false;
    this.#picture = picture;
  }

  /** Changes what `home` answers, and says so. */
  changeHome(change: Partial<Home>) {
    if (!(this.state instanceof Error)) this.state = { ...this.state, ...change };
    for (const listener of this.#home) listener();
  }

  /** Changes the queue, and says so. */
  changeUploads(uploads: Upload[]) {
    this.queue = uploads;
    for (const listener of this.#uploads) listener(uploads);
  }

  /** Lets files hover above the window, or no longer. */
  hover(hovering: boolean) {
    for (const listener of this.#hover) listener(hovering);
  }

  /** How many listeners there are. */
  get listeners(): number {
    return this.#home.size + this.#uploads.size + this.#hover.size;
  }

  async home() {
    this.asked.push("home");
    if (this.state instanceof Error) throw this.state;
    return this.state;
  }

  async uploads() {
    this.asked.push("uploads");
    return this.queue;
  }

  async share(share: boolean) {
    this.#hear(`share:${share}`);
    this.changeHome({ sharing: share ? "on" : "off" });
  }

  async pause(paused: boolean) {
    this.#hear(`pause:${paused}`);
    this.changeHome({ sharing: paused ? "paused" : "on" });
  }

  async choosePictures() {
    this.#hear("choosePictures");
  }

  async clearUploads() {
    this.#hear("clearUploads");
    this.changeUploads(
      this.queue.filter(({ state }) => state === "waiting" || state === "working"),
    );
  }

  async copyLink(hash: string) {
    this.#hear(`copyLink:${hash}`);
  }

  async copyAddress() {
    this.#hear("copyAddress");
  }

  pictureUrl(hash: string, width: number) {
    return this.#picture(hash, width);
  }

  async onHomeChanged(listener: () => void) {
    return subscribe(this.#home, listener);
  }

  async onUploadsChanged(listener: (uploads: Upload[]) => void) {
    return subscribe(this.#uploads, listener);
  }

  async onDropHover(listener: (hovering: boolean) => void) {
    listener(this.#hovering);
    return subscribe(this.#hover, listener);
  }

  #hear(command: string) {
    this.asked.push(command);
    if (this.failure !== null) throw new Trouble(this.failure);
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
