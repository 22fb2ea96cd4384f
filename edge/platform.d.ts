// What the Worker uses of its platform beyond what browsers have.

/** A stream whose length is known, so that the answer has a `Content-Length`. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number);
}

interface CacheStorage {
  readonly default: Cache;
}
