// The stored pictures, in pages that are read when they become visible.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { ImageDay, ImageSearch, Picture } from "../api/types";
import { reason } from "../notice.svelte";
import { ALL } from "./search";

/** Pictures per page. */
export const PAGE = 200;
/** The maximum number of loaded pages. */
const KEPT = 16;
/** The maximum number of concurrent requests. */
const AT_ONCE = 2;

/** Called before pictures move; returns a callback for afterwards. */
export type Mover = () => () => void;

/** All pictures, of which only some pages are loaded. */
export class Pictures {
  /** The number of matches; `null` until it is known. */
  total = $state<number | null>(null);
  /** The number of pictures per day, in order; `null` if they are not ordered by time. */
  days = $state.raw<readonly ImageDay[] | null>(null);
  /** Why they could not be read, if so. */
  trouble = $state<Reason | null>(null);
  /** The current search. */
  search = $state.raw<ImageSearch>(ALL);
  /** Keeps the scroll position when pictures are added or removed. */
  readonly movers = new Set<Mover>();

  #pages = $state.raw<ReadonlyMap<number, Picture[]>>(new Map());
  readonly #asking = new Set<number>();
  // The visible pages first, then their neighbours.
  #wanted: number[] = [0];
  #inSight: number[] = [0];
  // Answers to requests from an earlier era are stale.
  #era = 0;
  #reading = false;
  #changed = false;

  constructor(
    private readonly native: Native,
    search: ImageSearch,
  ) {
    this.search = search;
  }

  /** The picture at this index, if it is loaded. */
  at(index: number): Picture | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** The loaded ones of these pictures, in order. */
  loaded(hashes: ReadonlySet<string>): Picture[] {
    const pages = [...this.#pages].sort(([one], [other]) => one - other);
    return pages.flatMap(([, pictures]) => pictures.filter(({ hash }) => hashes.has(hash)));
  }

  /** The index of this picture, if it is loaded. */
  indexOf(hash: string): number | null {
    for (const [page, pictures] of this.#pages) {
      const index = pictures.findIndex((picture) => picture.hash === hash);
      if (index !== -1) return page * PAGE + index;
    }
    return null;
  }

  /** The visible range: from the first picture up to, but not including, the last. */
  want(from: number, to: number) {
    const first = Math.floor(Math.max(0, from) / PAGE);
    const last = Math.max(first, Math.floor((to - 1) / PAGE));
    this.#inSight = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    this.#wanted = [...this.#inSight, last + 1, first - 1];
    this.#ask();
  }

  /** The hashes from one index up to but not including another. */
  async hashes(from: number, to: number): Promise<string[]> {
    const here = Array.from({ length: to - from }, (_, n) => this.at(from + n)?.hash);
    const known = here.filter((hash) => hash !== undefined);
    if (known.length === here.length) return known;
    return this.native.imageHashes(this.search, from, to - from);
  }

  /** Starts another search. */
  look(search: ImageSearch): Promise<void> {
    this.search = search;
    this.#inSight = [0];
    this.#wanted = [0, 1];
    return this.#reread();
  }

  /** Reads the visible pages again. */
  again() {
    if (this.#reading) this.#changed = true;
    else void this.#reread();
  }

  /** Reads the first page and keeps visible pages current; returns a function that stops it. */
  follow(): () => void {
    const changed = subscribe(this.native, "images-changed", () => this.again());
    const posts = subscribe(this.native, "posts-changed", () => this.again());
    void this.#reread();
    return () => {
      changed.end();
      posts.end();
    };
  }

  /** Replaces the loaded pages by pages that were all read together. */
  async #reread() {
    const era = ++this.#era;
    this.#reading = true;
    this.#changed = false;
    this.#asking.clear();
    const pages = this.#inSight;
    try {
      const [days, ...read] = await Promise.all([
        this.#days(),
        ...pages.map((page) => this.#page(page)),
      ]);
      if (era !== this.#era) return;
      const after = [...this.movers].map((before) => before());
      this.#pages = new Map(pages.map((page, n) => [page, read[n]?.images ?? []]));
      this.total = read[0]?.total ?? 0;
      this.days = days;
      this.trouble = null;
      for (const move of after) move();
    } catch (thrown) {
      if (era !== this.#era) return;
      this.trouble = reason(thrown);
    }
    this.#reading = false;
    if (this.#changed) void this.#reread();
    else this.#ask();
  }

  /** Requests missing pages, a few at a time: the user may scroll on soon. */
  #ask() {
    if (this.#reading || this.trouble !== null) return;
    const pages = Math.ceil((this.total ?? 0) / PAGE);
    for (const page of this.#wanted) {
      if (this.#asking.size >= AT_ONCE) return;
      if (page < 0 || page >= pages || this.#pages.has(page) || this.#asking.has(page)) continue;
      void this.#fetch(page);
    }
  }

  async #fetch(page: number) {
    const era = this.#era;
    this.#asking.add(page);
    try {
      const { images } = await this.#page(page);
      if (era !== this.#era) return;
      this.#keep(page, images);
    } catch (thrown) {
      if (era !== this.#era) return;
      this.trouble = reason(thrown);
    }
    this.#asking.delete(page);
    this.#ask();
  }

  #keep(page: number, images: Picture[]) {
    const pages = new Map(this.#pages).set(page, images);
    const middle = this.#inSight[0] ?? 0;
    while (pages.size > KEPT) {
      const farthest = [...pages.keys()].reduce((far, one) =>
        Math.abs(one - middle) > Math.abs(far - middle) ? one : far,
      );
      pages.delete(farthest);
    }
    this.#pages = pages;
  }

  async #days(): Promise<ImageDay[] | null> {
    const { order } = this.search;
    if (order !== "newest" && order !== "oldest") return null;
    const days = (await this.native.imageDays(this.search)) ?? null;
    return order === "newest" ? days : (days?.toReversed() ?? null);
  }

  async #page(page: number) {
    const read = await this.native.images(this.search, page * PAGE, PAGE);
    return read ?? { total: 0, images: [] };
  }
}
