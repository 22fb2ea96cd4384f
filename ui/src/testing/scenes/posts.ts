// States of the pictures of posts and of adopting a blog, for tests and for the preview.

import type {
  Adopted,
  BlogFound,
  BlogPlan,
  ImageSearch,
  Message,
  Picture,
  PostLine,
  PostsGlance,
  Undone,
  Work,
  WorkReport,
} from "../../api/types";
import type { Scene } from "../fake-native";
import { detail } from "../text";
import { bare } from "./home";
import { scenes as images, library } from "./images";

const LONG =
  "content/posts/2024/a-very-long-walk-along-the-coast-from-the-old-lighthouse-to-the-harbour-and-back-again/index.md";
const FILES = [
  "posts/harbour.md",
  "posts/灯笼与雨.md",
  LONG,
  "posts/טיול לאורך החוף.md",
  "_drafts/next.md",
];
const TOTAL = 2_417;

/** A line of the `n`th post. */
export const post = (n: number): PostLine => ({
  folder: 0,
  file: FILES[n % FILES.length] ?? LONG,
  line: 3 + n * 7,
});

const gone = (what: string): Message => detail(what);

/** This number of references that lead to no picture. */
const broken = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    post: post(n),
    address:
      n % 3 === 2
        ? `https://light.example.org/i/${n.toString(16).padStart(32, "0")}`
        : `../images/2024/old ${n}.png`,
  }));

/** Posts as they were read last. */
export const posts = (more: Partial<PostsGlance> = {}): PostsGlance => ({
  folders: ["/home/mira/blog"],
  reading: false,
  posts: 78,
  unused: 12,
  broken: [],
  brokenTotal: 0,
  unread: [],
  ...more,
});

const uses = (n: number) => [3, 0, 1, 12, 0][n % 5] ?? 0;
const all = library(TOTAL);
const used = (one: Picture): Picture => ({
  ...one,
  posts: uses(Number.parseInt(one.hash.slice(-12), 16)),
});

/** What was found in a folder. */
export const found: BlogFound = {
  folder: "/home/mira/blog",
  posts: 78,
  local: 123,
  foreign: [
    { host: "i.imgur.com", count: 31 },
    { host: "cdn.jsdelivr.net", count: 12 },
    { host: "s2.loli.net", count: 1 },
  ],
  missing: 3,
  outside: 1,
  ours: 12,
  drafts: 5,
  unused: 4,
  unread: [],
  permanent: true,
};

/** What would change. */
export const plan: BlogPlan = {
  pictures: 123,
  posts: 78,
  references: 456,
  diff: Array.from({ length: 24 }, (_, n) => [
    `--- a/${post(n).file}`,
    `+++ b/${post(n).file}`,
    `@@ -${n + 3},3 +${n + 3},3 @@`,
    " The light at the end of the pier:",
    `-![The harbour](images/harbour-${n}.jpg "In the evening")`,
    `+![The harbour](https://light.example.org/i/NEW "In the evening")`,
  ])
    .flat()
    .join("\n"),
  cut: true,
};

/** What came of it. */
export const adopted: Adopted = {
  id: "20261120-142000",
  uploaded: 120,
  alreadyHere: 3,
  posts: 77,
  references: 451,
  failed: [],
  left: [],
};

/** The report of that work. */
export const report = (more: Partial<Adopted> | null): WorkReport => ({
  kind: "adopt",
  good: 123,
  wrong: [],
  mended: 0,
  file: null,
  secrets: [],
  alreadyHere: 0,
  cancelled: more === null,
  adopted: more === null ? null : { ...adopted, ...more },
});

/** The work, half done. */
export const work: Work = {
  kind: "adopt",
  done: 61,
  of: 123,
  cancelling: false,
  cancellable: true,
};

export const left = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    file: post(n).file,
    why: gone("it was edited since"),
  }));

/** What an undo has restored, and what it has left. */
const undone = (restored: number, count: number): Undone => ({
  id: adopted.id ?? "",
  folder: found.folder,
  restored: Array.from({ length: restored }, (_, n) => post(n).file),
  left: left(count),
  uploaded: adopted.uploaded,
});

const scene = {
  ...images.full,
  images: (search: ImageSearch, offset: number, limit: number) => {
    const page = all({ ...search, only: null }, offset, limit);
    return { ...page, images: page.images.map(used) };
  },
  posts: posts(),
  postsOf: (hashes: string[]) =>
    hashes.flatMap((hash) => {
      const count = uses(Number.parseInt(hash.slice(-12), 16));
      return count === 0 ? [] : [{ hash, posts: Array.from({ length: count }, (_, n) => post(n)) }];
    }),
  openPost: undefined,
  chooseBlog: found,
  planBlog: plan,
  adoptBlog: report({}),
  undoBlog: undone(77, 0),
};

/** Every scene by its name. */
export const scenes = {
  blog: scene,
  blogBroken: {
    ...scene,
    posts: posts({ broken: broken(200), brokenTotal: 704, unread: left(6) }),
    adoptBlog: report({
      failed: Array.from({ length: 9 }, (_, n) => ({
        file: post(n).file,
        line: 3 + n,
        address: `https://i.imgur.com/${n}${"x".repeat(n * 14)}.png`,
        why: gone("it answers 404"),
      })),
      left: left(3),
    }),
    undoBlog: undone(70, 7),
  },
  blogHosts: {
    ...scene,
    posts: posts({ folders: ["/home/mira/blog", `/home/mira/${LONG}`] }),
    chooseBlog: {
      ...found,
      folder: `/home/mira/${LONG}`,
      foreign: Array.from({ length: 40 }, (_, n) => ({
        host: n === 7 ? `${"a-very-long-name.".repeat(6)}example.com` : `pictures-${n}.example.net`,
        count: 401 - n * 10,
      })),
      unread: left(5),
      permanent: false,
    },
    home: bare,
  },
  blogWorking: {
    ...scene,
    maintenance: { work, reports: [] },
    adoptBlog: () => new Promise<WorkReport>(() => undefined),
  },
} satisfies Record<string, Scene>;
