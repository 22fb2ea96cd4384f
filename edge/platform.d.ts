// What the Worker uses of its platform beyond what browsers have, and the types of its own values.

/** A stream whose length is known, so that the answer has a `Content-Length`. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}

interface CacheStorage {
  readonly default: Cache;
}

interface ReadableStreamBYOBReader {
  /** At least so many bytes, unless the stream ends before. */
  readAtLeast(
    bytes: number,
    into: Uint8Array,
  ): Promise<{ value?: Uint8Array<ArrayBuffer>; done: boolean }>;
}

/** The variables of the Worker. */
interface Env {
  /** The Durable Object of the class `Store`, the Worker's own store. */
  STORE?: Namespace;
  /** An R2 binding: the images beside STORE, or all objects without it. */
  BUCKET?: Bucket;
  /** Where an object store elsewhere is read. */
  STORAGE_URL?: string;
  /** Where the snapshot lies in the store. */
  PREFIX?: string;
  /** The key that the Worker shares with the service. */
  EDGE_SECRET?: string;
  /** The Worker's own address; the edge cache of another is not used. */
  ADDRESS?: string;
  /** The service's address, instead of the one in the store. */
  ORIGIN?: string;
  /** The header with the reader's address; unset: none is sent. */
  CLIENT_IP_HEADER?: string;
}

/** What is used of an R2 binding. */
interface Bucket {
  get(
    key: string,
    part?: { range: { offset: number; length: number } },
  ): Promise<BucketObject | null>;
  head(key: string): Promise<(Omit<BucketObject, "body"> & { body?: null }) | null>;
  put(key: string, value: ArrayBuffer, about: { customMetadata: Metadata }): Promise<unknown>;
  delete(key: string): Promise<void>;
}

type Metadata = Record<string, string>;

interface BucketObject {
  size: number;
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
  customMetadata?: Metadata;
}

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
  sql: { exec(query: string, ...values: SqlValue[]): Iterable<Row> & { toArray(): Row[] } };
}

type SqlValue = string | number | ArrayBuffer | null;

/** A row of the table `objects`, of which a query may leave columns out. */
interface Row {
  key: string;
  number: number;
  time: number;
  size: number;
  sha256: string;
  bytes: ArrayBuffer;
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
}

/** Which bytes of an object are read. */
interface Part {
  first: number;
  last: number;
}

/** An object, or a part of it. */
interface Found {
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Of the whole object; it may be NaN. */
  size: number;
  key?: string;
  /** Whether the body is only the part that was asked for. */
  isPart?: boolean;
  sha256?: string | undefined;
}

/** `images/index.json` */
interface Index {
  total: number;
  /** False where the classes have no albums. */
  albums?: boolean;
  /** The document of the images' places, from which seeds draw; none where there are too many. */
  places?: string;
  pages: {
    name: string;
    count: number;
    /** How many images each class has. An index of an earlier version has none. */
    classes?: Record<string, number>;
  }[];
}

/** Whether the images of a class are meant. */
type Meant = (name: string) => boolean;

/** An image in a page of the snapshot. */
interface Item {
  hash: string;
  contentType: string;
  createdAt: string;
  width: number;
  height: number;
  thumbhash?: string | null;
  album?: string;
}

type Items = (
  call: Call,
  index: Index,
  start: number,
  many: number,
  meant: Meant,
) => Promise<Item[]>;
/** Each call draws another image from the places of a class: where it is in the whole list, or -1. */
type OfSeed = (places: (number | null)[], seed: string) => Promise<() => number>;
/** What is not given does not matter. */
type Classes = (orientation?: string, album?: string) => Meant;

/** What a document of the snapshot says to a reader. */
// biome-ignore lint/suspicious/noExplicitAny: the documents are the service's own
type Answer = (snapshot: any) => Response | Promise<Response>;

/** Presence in the form of Lanyard. */
interface Presence {
  discord_user: { id: string };
  discord_status: string;
  kv?: Record<string, string>;
}

/** What is asked of the service. */
interface Question {
  method: string;
  headers?: Headers;
  body?: ReadableStream | null;
  /** The reader's address, or nothing. */
  reader: string;
  /** In milliseconds. */
  limit: number;
}

/** What is written of an object; without a size it is deleted. */
interface Written {
  time: number;
  size?: number | null;
  sha256?: string | null;
  bytes?: ArrayBuffer | null;
}

/** What an isolate remembers. */
interface Memory {
  /** Until when STORE, which holds nothing, is not asked. */
  unusedUntil: number;
  /** Until when the service is left alone, and 0 while it is not known to be off. */
  offUntil: number;
  /** What `origin.json` said. */
  origin?: { url: string | null; writtenAt: number; readAt: number } | null;
  /** The address that last proved to be the service's, and when. */
  proven?: { url: string; at: number };
  /** What is shared for a while. */
  // biome-ignore lint/suspicious/noExplicitAny: each key has its own type
  kept: Map<string, { at: number; value: any }>;
  /** What is under way. */
  // biome-ignore lint/suspicious/noExplicitAny: each key has its own type
  running: Map<string, { at: number; work: Promise<any> }>;
  tally: Tally;
  /** Whether the tally is about to be sent. */
  isTallyDue?: boolean;
}

/** What an isolate counted and has not sent to STORE yet. */
interface Tally {
  requests: number;
  /** By path; only requests that the Worker answered by itself. */
  calls: Record<string, number>;
  readers: Set<number>;
}

/** What STORE has counted. */
interface Counts {
  /** The newest first. */
  days: { day: string; requests: number; readers: number }[];
  calls: Record<string, { count: number; lastUpdated: string }>;
  /** A bit for each reader of the day. */
  bits: Uint8Array;
  ones: number;
}

/** What is made of the edge cache. */
type UseCache = <T>(use: (cache: Cache) => Promise<T>) => Promise<T | null>;

/** An image by its name, whose width is empty or like `.w640`. */
type ReadImage = (call: Call, hash: string, width: string, part: Part) => Promise<Found | null>;

type SendImage = (call: Call, name: string, short: boolean) => Promise<Response>;
/** A random image has no name. */
type PartFor = (request: Request, name: string) => Part;
type FindImage = (env: Env, hash: string, width: string, part: Part) => Promise<Found | null>;
/** `caching` is null for a random image. */
type Deliver = (
  call: Call,
  found: Found,
  name: string,
  caching: string | null,
) => Promise<Response>;
/** Null for all of it. */
type RangeOf = (request: Request, name: string, size: number) => Part | null;
/** An object, a part of it, or its size. */
type ReadPlace = (env: Env, key: string, part: Part) => Promise<Found | null>;
/** Null without a presence. */
// biome-ignore lint/suspicious/noExplicitAny: the document is the service's own
type PresenceIn = (snapshot: any) => Presence | null;
type WholeNumber = (url: URL, name: string, standard: bigint) => bigint | null;
type Read = (call: Call, path: string, name: string, answer: Answer) => Promise<Response>;
/** Null where STORE fails, too. */
// biome-ignore lint/suspicious/noExplicitAny: each document has its own type
type Published = (call: Call, name: string) => Promise<any>;
type AskService = (call: Call, path: string) => Promise<string | null>;
/** `hash` is null for a random image. */
type ImageOfService = (
  call: Call,
  hash: string | null,
  caching: string,
) => Promise<Response | null>;
type Ask = (env: Env, origin: string, url: URL, question: Question) => Promise<Response | null>;
/** `patience` is in milliseconds. */
type ReadOrigin = (env: Env, context: Context, patience: number) => Promise<string | null>;
type AskStore = (store: Namespace, path: string, init?: RequestInit) => Promise<Response>;
/** `limit` is in milliseconds. */
type Send = (url: string, init: RequestInit, limit: number) => Promise<Response | null>;
type Unseal = (secret: string, sealed: string) => Promise<string>;

/** Work that is shared; `life` and `limit` are in milliseconds. */
type Share = <T>(
  context: Context,
  key: string,
  life: number,
  limit: number,
  begin: () => Promise<T | null>,
) => Promise<T | null>;
