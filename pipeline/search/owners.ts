// biome-ignore-all lint/style/noNonNullAssertion: positions are within the texts

const PAGE_BITS = 6

/** Finds the entry to which a byte of the texts belongs. */
export class Owners {
  /** Start of each entry's texts, followed by the end of the last. */
  readonly #starts: ArrayLike<number>
  /** The entry of the first byte of each page of the texts. */
  readonly #pages: Uint32Array

  constructor(starts: ArrayLike<number>) {
    this.#starts = starts
    this.#pages = new Uint32Array((starts[starts.length - 1]! >>> PAGE_BITS) + 1)
    for (let page = 0, id = 0; page < this.#pages.length; page++) {
      while (id + 2 < starts.length && starts[id + 1]! <= page << PAGE_BITS) id++
      this.#pages[page] = id
    }
  }

  findEntry(position: number): number {
    let id = this.#pages[position >>> PAGE_BITS]!
    while (this.#starts[id + 1]! <= position) id++
    return id
  }
}
