// What the Worker uses of its platform beyond what browsers have, and the types of its own values.

/** A stream whose length is known, so that the answer has a `Content-Length`. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}

interface CacheStorage {
  readonly default: Cache;
}

/** The variables of the Worker. */
interface Env {
  /** The Durable Object of the class `Store`, the Worker's own store. */
  STORE?: Namespace;
  /** An R2 binding: the pictures beside STORE. */
  BUCKET?: Bucket;
  /** The key that the Worker shares with the service. */
  EDGE_SECRET?: string;
  /** The Worker's own address; the edge cache of another is not used. */
  ADDRESS?: string;
  /** The service's address where the last sync names none. */
  ORIGIN?: string;
  /** The header with the reader's address; unset: none is sent, and no reader has a share. */
  CLIENT_IP_HEADER?: string;
}

/** What is used of an R2 binding. */
interface Bucket {
  get(
    key: string,
    part: { range: { offset: number; length: number } },
  ): Promise<{ body: ReadableStream<Uint8Array<ArrayBuffer>> } | null>;
  put(key: string, value: ArrayBuffer): Promise<unknown>;
  delete(key: string): Promise<void>;
}

type Metadata = { [name: string]: string };

/** What is used of a binding of a Durable Object. */
interface Namespace {
  idFromName(name: string): object;
  get(id: object): { fetch(url: string, init: RequestInit): Promise<Response> };
}

/** What is used of what a Durable Object has. */
interface State {
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>;
  storage: ObjectStorage;
  /** From now on the platform holds this socket, also while the object is not in memory. */
  acceptWebSocket(socket: WebSocket): void;
  getWebSockets(): Socket[];
  setWebSocketAutoResponse(pair: WebSocketRequestResponsePair): void;
  /** When a socket last got the automatic response. */
  getWebSocketAutoResponseTimestamp(socket: WebSocket): Date | null;
}

/** A socket that was accepted, with what is known of its reader. */
interface Socket extends WebSocket {
  serializeAttachment(reader: Reader): void;
  deserializeAttachment(): Reader;
}

/** The reader at the other end of a socket. */
interface Reader {
  /** A sum of its address or network; "" where that is not known. */
  network: string;
  /** Whether it has subscribed to anything, be it known here or not. */
  hasAsked: boolean;
  /** Whether it receives changes. */
  isSubscribed: boolean;
  /** When it was last heard of, in Unix milliseconds, but for heartbeats that the platform answers. */
  at: number;
  /** Since when its messages are counted, in Unix milliseconds. */
  since: number;
  /** How many have come since then. */
  messages: number;
}

/** One end for the reader, and one for the object. */
declare class WebSocketPair {
  0: WebSocket;
  1: Socket;
}

declare class WebSocketRequestResponsePair {
  constructor(request: string, response: string);
}

interface ResponseInit {
  webSocket?: WebSocket | null | undefined;
}

interface Response {
  readonly webSocket?: WebSocket | null;
}

interface ObjectStorage {
  get(key: string): Promise<Counts | undefined>;
  put(key: string, value: Counts): Promise<void>;
  /** In Unix milliseconds; null where none is set. */
  getAlarm(): Promise<number | null>;
  setAlarm(time: number): Promise<void>;
  transactionSync<T>(work: () => T): T;
  sql: { exec(query: string, ...values: SqlValue[]): Iterable<Columns> & { toArray(): Columns[] } };
}

type SqlValue = string | number | ArrayBuffer | null;

/** A row of a table, of which a query may leave columns out. */
interface Columns {
  key: string;
  time: number;
  size: number;
  sha256: string;
  bytes: ArrayBuffer;
  here: number;
  rows: string;
  value: string;
}

interface Context {
  /** Work that outlives the answer. */
  waitUntil(work: Promise<unknown>): void;
  /** The cache in front of the Worker, where the platform has one. */
  cache?: { purge(what: { tags: string[] }): Promise<unknown> };
}

/** One request. */
interface Call {
  request: Request;
  url: URL;
  env: Env;
  context: Context;
  /** What is counted of it; null where STORE has done so. */
  event: CountedEvent | null;
}

/** The endpoint, the hash of the picture and the sum of the reader, each "" where it is not counted. */
type CountedEvent = [endpoint: string, hash: string, reader: string];

/** What an isolate remembers: where the service is, and when STORE said so. */
interface Memory {
  at: number;
  isThere: boolean;
  address: string | null;
}

/** Which bytes are read. */
interface Part {
  first: number;
  last: number;
}

type Bytes = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;

/** An object, of which nothing is read yet. */
interface Place {
  size: number;
  /** Its SHA-256, where that is known. */
  sum: string;
  /** Null for all of it; an answer instead where it cannot be read. */
  open(part: Part | null): Promise<Bytes | Response>;
}

/** A picture, of which nothing is read yet. */
interface Found extends Omit<Place, "sum"> {
  /** What it is asked for as. */
  name: string;
  /** Its own hash; "" where caches do not keep it. */
  tag: string;
}

/** The address of a picture. */
interface Asked {
  hash: string;
  /** Empty, or like `.w640`. */
  width: string;
  caching: string;
  refusal: Response | null;
}

type Query = Map<string, string | null>;

/** A picture in the list. */
type Row = [
  hash: string,
  createdAt: string,
  width: number,
  height: number,
  size: number,
  animated: boolean,
  color: string | null,
  thumbhash: string | null,
  album: string | null,
  place: "disk" | "s3" | "edge",
  names?: string[],
];

/** The list by what readers ask for. */
interface Index {
  /** Newest first. */
  classes: Map<string, Row[]>;
  /** By second name. */
  names: Map<string, Row>;
}

/** Presence as `/check` has it. */
interface Check {
  alive: boolean;
  application?: string;
  introduce?: string;
  rgba?: string;
  applicationOnline?: boolean;
}

/** Presence in the form of Lanyard. */
interface Presence {
  discord_user: { id: string };
}

/** What a badge shows. */
interface Shown {
  title: string;
  introduce: string;
  state: string;
  /** `#rrggbb` */
  colour: string;
}

/** A text that fits its box. */
interface Line {
  words: string;
  width: number;
  size: number;
}

/** The parts of a sync that come only when they changed. */
interface SyncedParts {
  presence: {
    check: Check;
    check_over: Check;
    lanyard: Presence | null;
    lanyard_over: Presence | null;
  };
  game: { now: object; over: object };
  devices: { until: number | null; now: object; over: object }[];
  settings: {
    delivery: "redirect" | "direct";
    storage: "disk" | "s3" | "edge";
    storage_url: string | null;
    requests_per_second: number;
    burst: number;
  };
  widget: string;
}

interface SyncedAlways {
  service: string;
  state: "running" | "paused" | "asleep" | "stopped";
  /** Unix seconds. */
  valid_until: number;
  address: string | null;
}

/** The body of `POST /-/sync`. */
interface Sync extends SyncedAlways, Partial<SyncedParts> {
  replaces?: string;
  counted?: number;
  images: { from: number; to: number; put?: Row[]; delete?: string[]; more?: boolean };
}

/** All syncs so far. */
interface Synced extends SyncedAlways, SyncedParts {
  /** That of the last one's signature, in Unix milliseconds. */
  time: number;
  /** When it came, in Unix milliseconds. */
  at: number;
  /** The number of the list; undefined before there is one. */
  images?: number | undefined;
  /** That of the new list that is not whole yet. */
  unfinished?: number | undefined;
  /** Counts that the service has not added yet. */
  batch?: Batch | undefined;
  /** The id of the last batch; 0 before there is one. */
  closed: number;
}

interface Calls {
  count: number;
  last: number;
}

interface Batch {
  id: number;
  calls: { [endpoint: string]: Calls };
  pictures: { [hash: string]: number };
}

/** What STORE has counted. */
interface Counts {
  /** The newest first. */
  days: { day: string; requests: number; readers: number }[];
  /** A part of the sum of each reader of the day. */
  readers: Set<number>;
  /** The id of the last batch, whose calls and pictures are not in these. */
  closed: number;
  calls: Map<string, Calls>;
  pictures: Map<string, number>;
}

/** What is made of the edge cache. */
type UseCache = <T>(use: (cache: Cache) => Promise<T>) => Promise<T | null>;
