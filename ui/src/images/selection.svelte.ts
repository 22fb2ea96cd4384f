// The pictures that the owner has selected.

/** A selection that can be extended from where it began. */
export class Selection {
  hashes = $state.raw<ReadonlySet<string>>(new Set());
  /** Where a range begins. */
  from = 0;
  /** The picture that it begins at: others may come before it. */
  anchor: string | undefined;
  // What was selected before the range began.
  #before: ReadonlySet<string> = new Set();
  #changes = 0;

  readonly size = $derived(this.hashes.size);

  has(hash: string): boolean {
    return this.hashes.has(hash);
  }

  /** Selects this picture, or no longer; a range begins at it. */
  toggle(hash: string, index: number) {
    const hashes = new Set(this.hashes);
    if (!hashes.delete(hash)) hashes.add(hash);
    this.#set(hashes);
    this.begin(index, hash);
  }

  /** A range begins at this place, with this picture if it is known. */
  begin(index: number, hash: string | undefined) {
    this.from = index;
    this.anchor = hash;
    this.#before = this.hashes;
  }

  /** The range is what `reading` gives; later changes win over it. */
  async extend(reading: Promise<string[]>) {
    const change = ++this.#changes;
    const hashes = await reading;
    if (change === this.#changes) this.hashes = new Set([...this.#before, ...hashes]);
  }

  /** What `reading` gives and nothing else, once it is there; later changes win over it. */
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
