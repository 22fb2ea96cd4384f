// The pictures that the owner has selected.

/** A selection that can be extended from its anchor. */
export class Selection {
  hashes = $state.raw<ReadonlySet<string>>(new Set());
  /** The index of the anchor. */
  from = 0;
  /** The picture at the anchor: others may be inserted before it. */
  anchor: string | undefined;
  // The selection before the range.
  #before: ReadonlySet<string> = new Set();
  #changes = 0;

  readonly size = $derived(this.hashes.size);

  has(hash: string): boolean {
    return this.hashes.has(hash);
  }

  /** Toggles this picture, and makes it the anchor. */
  toggle(hash: string, index: number) {
    const hashes = new Set(this.hashes);
    if (!hashes.delete(hash)) hashes.add(hash);
    this.#set(hashes);
    this.begin(index, hash);
  }

  /** Sets the anchor, with its picture if it is known. */
  begin(index: number, hash: string | undefined) {
    this.from = index;
    this.anchor = hash;
    this.#before = this.hashes;
  }

  /** Extends the range to the result of `reading`, unless the selection changes meanwhile. */
  async extend(reading: Promise<string[]>) {
    const change = ++this.#changes;
    const hashes = await reading;
    if (change === this.#changes) this.hashes = new Set([...this.#before, ...hashes]);
  }

  /** Replaces the selection by the result of `reading`, unless it changes meanwhile. */
  async replace(reading: Promise<string[]>) {
    const change = ++this.#changes;
    const hashes = await reading;
    if (change === this.#changes) this.hashes = new Set(hashes);
  }

  clear() {
    this.#set(new Set());
    this.#before = this.hashes;
  }

  #set(hashes: ReadonlySet<string>) {
    this.#changes++;
    this.hashes = hashes;
  }
}
