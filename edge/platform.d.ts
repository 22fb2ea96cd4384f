// What the Worker uses of its platform beyond what browsers have, and the types of its own values.

/** A stream whose length is known, so that the answer has a `Content-Length`. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}

interface CacheStorage {
  readonly default: Cache;
}

interface Crypto {
  /** A digest of what is written to it. */
  readonly DigestStream: new (
    algorithm: "SHA-256",
  ) => WritableStream<Uint8Array> & { readonly digest: Promise<ArrayBuffer> };
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
}

interface ObjectStorage {
  get(key: string): Promise<Counts | undefined>;
  put(key: string, value: Counts): Promise<void>;
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
  env: import("./worker.js").Env;
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
  pages: { name: string; count: number }[];
}

/** An image in a page of the snapshot. */
interface Item {
  hash: string;
  contentType: string;
  createdAt: string;
}

/** What a document of the snapshot says to a reader. */
// biome-ignore lint/suspicious/noExplicitAny: the documents are the service's own
type Answer = (snapshot: any) => string | Promise<string>;

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
