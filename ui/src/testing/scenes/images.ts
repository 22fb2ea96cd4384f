// States of the page "images", for tests and for the preview without the app.

import type {
  DeletedPicture,
  ImageDay,
  ImagePage,
  ImageSearch,
  Picture,
  SetAsideFile,
  TrashPage,
  Upload,
} from "../../api/types";
import { midnight } from "../../days";
import { isEverything } from "../../images/search";
import type { Scene } from "../fake-native";
import { locked } from "../text";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);
/** Landscapes, upright photographs, a square, a panorama, and a page from top to bottom. */
const SIZES = [
  [1600, 1200],
  [1200, 1600],
  [3840, 2160],
  [1080, 1080],
  [9000, 1500],
  [3024, 4032],
  [1080, 5400],
] as const;
const NAMES = [
  "evening harbour",
  "灯笼与雨",
  null,
  "Screenshot 2026-11-20",
  "码头尽头的旧灯塔，从回家的渡船上看过去，天已经快黑了，远处的岛上亮起了第一盏灯",
];
const ALBUMS = ["Cats", null, "旅行", null];
const FORMATS = ["jpeg", "png", "heic", "gif", "webp", "tiff"];

/** The hash of the `n`th picture, counted from the oldest. */
export const hash = (n: number) => {
  const mixed = (n * 2_654_435_761) % 4_294_967_296;
  return mixed.toString(16).padStart(8, "0") + n.toString(16).padStart(24, "0");
};

/** Width and height of the picture with this hash. */
export const sizeOf = (hash: string) => {
  const n = Number.parseInt(hash.slice(-12), 16);
  return SIZES[(n * 5) % SIZES.length] ?? SIZES[0];
};

/** The `n`th picture of `total`, counted from the oldest. */
export function picture(n: number, total: number): Picture {
  const age = total - 1 - n;
  const [width, height] = sizeOf(hash(n));
  const size = 90_000 + ((n * 7_919) % 900_000);
  return {
    hash: hash(n),
    width,
    height,
    size,
    sourceSize: size * (3 + (n % 9)),
    sourceFormat: FORMATS[n % FORMATS.length] ?? "jpeg",
    animated: n % 6 === 3 && n % 4 === 1,
    views: age < 4 ? 0 : (n * 37) % 430,
    createdAt: NOW - 400_000 - age * 5_400_000,
    url: `https://light.example.org/i/${hash(n)}`,
    name: NAMES[n % NAMES.length] ?? null,
    album: ALBUMS[n % ALBUMS.length] ?? null,
    posts: null,
  };
}

/** Answers a search among `total` pictures, newest first. */
export function library(total: number) {
  return (search: ImageSearch, offset: number, limit: number): ImagePage => {
    const all = isEverything(search) && search.order === "newest";
    const wanted = (one: Picture) =>
      ((search.hash === null && search.name === null) ||
        (search.hash !== null && one.hash.startsWith(search.hash)) ||
        (search.name !== null && one.name?.toLowerCase().includes(search.name) === true)) &&
      (search.album === null || one.album === search.album) &&
      (search.only !== "animated" || one.animated) &&
      (search.only !== "unnamed" || one.name === null) &&
      (search.only !== "unseen" || one.views === 0) &&
      one.createdAt >= (search.from ?? Number.NEGATIVE_INFINITY) &&
      one.createdAt < (search.to ?? Number.POSITIVE_INFINITY);
    const nth = (place: number) => picture(total - 1 - place, total);
    if (all) {
      const count = Math.max(0, Math.min(limit, total - offset));
      return { total, images: Array.from({ length: count }, (_, n) => nth(offset + n)) };
    }
    const found = Array.from({ length: total }, (_, n) => nth(n)).filter(wanted);
    if (search.order === "oldest") found.reverse();
    if (search.order === "largest") found.sort((one, other) => other.size - one.size);
    if (search.order === "views") found.sort((one, other) => other.views - one.views);
    if (search.order === "name") {
      found.sort((one, other) => (one.name ?? "\uffff").localeCompare(other.name ?? "\uffff"));
    }
    return { total: found.length, images: found.slice(offset, offset + limit) };
  };
}

/** The hashes of the pictures that a search finds. */
export function hashes(total: number) {
  const page = library(total);
  return (search: ImageSearch, offset: number, limit: number) =>
    page(search, offset, limit).images.map(({ hash }) => hash);
}

/** How many of the pictures that a search finds there are on each day. */
export function days(total: number) {
  const page = library(total);
  return (search: ImageSearch): ImageDay[] => {
    const days: ImageDay[] = [];
    for (const { createdAt: at } of page({ ...search, order: "newest" }, 0, total).images) {
      const last = days.at(-1);
      if (last !== undefined && midnight(last.at) === midnight(at)) last.count += 1;
      else days.push({ at, count: 1 });
    }
    return days;
  };
}

/** Twelve files in the upload queue. */
export const files: Upload[] = [
  {
    id: 1,
    name: "evening-harbour.jpg",
    size: 12_400_000,
    state: "done",
    hash: hash(1),
    url: `https://light.example.org/i/${hash(1)}`,
    stored: 1_100_000,
  },
  {
    id: 2,
    name: "灯笼与雨.png",
    size: 4_830_000,
    state: "duplicate",
    hash: hash(2),
    url: `https://light.example.org/i/${hash(2)}`,
  },
  { id: 3, name: "notes.heic", size: 8_120, state: "failed", trouble: "not_a_picture" },
  {
    id: 4,
    name: "scan-of-a-very-long-letter-that-was-found-in-the-attic-behind-the-old-suitcase-page-17.tiff",
    size: 88_000_000,
    state: "failed",
    trouble: "broken",
  },
  { id: 5, name: "screenshot 2026-11-20.png", size: 2_210_000, state: "working", permille: 640 },
  { id: 6, name: "IMG_2041.jpg", size: 6_400_000, state: "waiting" },
];

const many = Array.from({ length: 240 }, (_, n): Upload => {
  const file = { id: n + 1, name: `IMG_${2_000 + n}.jpg`, size: 3_000_000 + n * 4_001 };
  if (n === 17) return { ...file, state: "failed", trouble: "too_large" };
  if (n > 82) return { ...file, state: "waiting" };
  if (n > 80) return { ...file, state: "working", permille: (n - 80) * 310 };
  const url = `https://light.example.org/i/${hash(n)}`;
  return { ...file, state: "done", hash: hash(n), url, stored: 410_000 };
});

/** Files of the watched folders that could not be uploaded. */
export const aside: SetAsideFile[] = [
  {
    id: 7,
    name: "IMG_0311.heic",
    folder: "~/Pictures/Phone",
    reason: { code: "unsupported_format", parameters: { status: 415, text: "" } },
  },
  {
    id: 9,
    name: "half.png",
    folder: "~/Pictures/Screenshots",
    reason: { code: "damaged_picture", parameters: { status: 422, text: "" } },
  },
];

/** Answers with a page of this number of deleted pictures. */
export function deleted(total: number) {
  const one = (n: number): DeletedPicture => {
    const { width, height, size, name, album, createdAt } = picture(n, total);
    const until = NOW + (30 - n) * 86_400_000;
    return { hash: hash(n + 10_000), width, height, size, name, album, createdAt, until };
  };
  return (offset: number, limit: number): TrashPage => {
    const count = Math.max(0, Math.min(limit, total - offset));
    return { total, pictures: Array.from({ length: count }, (_, n) => one(offset + n)) };
  };
}

/** This number of pictures, which can be deleted and restored. */
const stored = (total: number) => ({
  images: library(total),
  imageHashes: hashes(total),
  imageDays: days(total),
  removeImages: (hashes: string[]) => ({ pictures: hashes.length, inTrash: true }),
  putBackImages: (hashes: string[]) => hashes.length,
  trash: deleted(3),
  nameImage: undefined,
  putInAlbum: undefined,
  renameAlbum: undefined,
  albums: total > 0 ? ["Cats", "旅行"] : [],
});

const quiet = { uploads: [], setAsideFiles: [] };

/** Every scene by its name. */
export const scenes = {
  full: { ...stored(2_417), ...quiet },
  /** Their places are easily counted without headings. */
  plain: { ...stored(2_417), imageDays: [], ...quiet },
  few: { ...stored(5), ...quiet },
  hundredThousand: { ...stored(100_000), imageDays: [], ...quiet },
  empty: { ...stored(0), ...quiet },
  uploading: {
    ...stored(2_417),
    uploads: files,
    setAsideFiles: [],
  },
  uploaded: {
    ...stored(2_417),
    uploads: files.slice(0, 4),
    setAsideFiles: [],
  },
  many: { ...stored(2_417), uploads: many, setAsideFiles: [] },
  aside: { ...stored(2_417), uploads: [], setAsideFiles: aside },
  loading: {
    images: () => new Promise<ImagePage>(() => undefined),
    ...quiet,
  },
  lost: {
    images: () => Promise.reject(locked),
    ...quiet,
  },
} satisfies Record<string, Scene>;
