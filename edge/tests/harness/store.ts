// A stand-in for the object store, and the snapshot that the service writes into it.

import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { serve } from "./http.ts";
import { SECRET } from "./service.ts";

export async function startStore() {
  const objects = new Map<string, Buffer>();
  const store = {
    objects,
    /** What it answers for an object that it lacks. */
    missing: 404,
    /** What it answers to everything. */
    broken: 0,
    /** Whether it knows parts of an object. */
    ranges: true,
    put(key: string, value: Buffer | string | object) {
      const isPlain = typeof value === "object" && !Buffer.isBuffer(value);
      objects.set(key, Buffer.from(isPlain ? JSON.stringify(value) : (value as Buffer | string)));
    },
    snapshot(name: string, value: Buffer | string | object) {
      store.put(`porchlight/${name}`, value);
    },
  };
  const server = await serve((asked, response) => {
    let body = objects.get(asked.path.slice(1));
    const range = store.ranges ? (asked.headers.range ?? "") : "";
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    if (first) body = body?.subarray(Number(first), Number(last) + 1);
    response.writeHead(store.broken || (body ? (first ? 206 : 200) : store.missing), {
      // The type that a store sends must not matter.
      "Content-Type": "text/html",
      "Content-Length": store.broken ? 0 : (body?.length ?? 0),
    });
    response.end(asked.method === "HEAD" || store.broken ? undefined : body);
  });
  return Object.assign(store, server);
}

export type Store = Awaited<ReturnType<typeof startStore>>;

/** Where a snapshot is written. */
export type Published = Pick<Store, "snapshot">;

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** What `origin.json` holds. */
export function sealed(url: string | null, writtenAt = seconds(), secret = SECRET) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", createHash("sha256").update(secret).digest(), nonce);
  const text = JSON.stringify({ url, written_at: writtenAt });
  const bytes = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return { sealed: bytes.toString("base64") };
}

/** A name of 32 digits, a different one for each number. */
export function nameOf(number: number): string {
  return createHash("sha256").update(String(number)).digest("hex").slice(0, 32);
}

/** The forms of a WebP file. */
export const FORMS = ["VP8 ", "VP8L", "VP8X"] as const;

/** A file that begins like a WebP of this width, in one of the three forms. */
export function webp(width: number, form: (typeof FORMS)[number] = "VP8 ", size = 1000): Buffer {
  const file = Buffer.alloc(size, 7);
  file.write("RIFF", 0);
  file.writeUInt32LE(size - 8, 4);
  file.write(`WEBP${form}`, 8);
  // The bits beside the width are of other fields.
  if (form === "VP8 ") file.writeUInt16LE(width | 0x4000, 26);
  else if (form === "VP8L") file.writeUInt16LE((width - 1) | 0xc000, 21);
  else file.writeUIntLE(width - 1, 24, 3);
  return file;
}

/** An index of images, cut into pages of these sizes; the objects themselves are not put. */
export function putIndex(store: Published, sizes: number[]): string[] {
  let made = 0;
  const names: string[] = [];
  const pages = sizes.map((count) => {
    const images = Array.from({ length: count }, () => {
      made += 1;
      names.push(nameOf(made));
      return {
        hash: nameOf(made),
        contentType: "image/webp",
        createdAt: "2026-01-31T08:15:00.000Z",
        width: 10,
        height: 10,
      };
    });
    const bytes = JSON.stringify({ images });
    const name = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    store.snapshot(`images/${name}.json`, bytes);
    return { name, count };
  });
  const index = { publisher: "p", total: made, pages, written_at: seconds() };
  store.snapshot("images/index.json", index);
  return names;
}

export function putCheck(store: Published, over: object = {}) {
  store.snapshot("check.json", {
    alive: true,
    last_heartbeat: seconds() - 10,
    application: "Editor",
    introduce: "writing",
    rgba: "1,2,3,1",
    applicationOnline: true,
    state: "online",
    since: seconds() - 100,
    written_at: seconds() - 10,
    valid_until: seconds() + 590,
    ...over,
  });
}

/** The owner in the form of Lanyard. */
export const presence = ({
  id = "1",
  application = "Editor",
  introduce = "",
  device = "",
} = {}) => ({
  discord_user: { id, username: "owner", bot: false },
  discord_status: "online",
  active_on_discord_desktop: true,
  listening_to_spotify: true,
  spotify: { song: "A song", artist: "Somebody" },
  activities: [{ type: 0, id: "app", name: application }],
  kv: { application, introduce, rgba: "1,2,3,1", device },
});

/** What is left of it after its time. */
export const GONE = {
  discord_user: { id: "1", username: "owner", bot: false },
  discord_status: "offline",
  active_on_discord_desktop: false,
  listening_to_spotify: false,
  spotify: null,
  activities: [],
  kv: { application: "", introduce: "", rgba: "", device: "" },
};

/** `lanyard.json` while `lanyard.enabled` is off. */
export function putLanyardOff(store: Published) {
  const error = { code: "user_not_monitored", message: "User is not being monitored by Lanyard" };
  store.snapshot("lanyard.json", { success: false, error, valid_until: 0 });
}

/** `lanyard.json`, valid for so many seconds. */
export function putLanyard(store: Published, { left = 590, ...shown }: Lanyard = {}) {
  const body = { success: true, data: presence(shown), valid_until: seconds() + left };
  store.snapshot("lanyard.json", body);
}

type Lanyard = Parameters<typeof presence>[0] & { left?: number };
