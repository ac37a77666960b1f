/** Maximum bytes of one answer; clients refuse longer answers of single lookups. */
const ANSWER_BYTES_MAX = 200 * 1024

/** Tracks how many bytes of an answer are left for its lists: 200 KiB for all of them together. */
export class ResponseBudget {
  #left: number

  constructor(bytes = ANSWER_BYTES_MAX) {
    this.#left = bytes
  }

  /** Takes as many items as fit; `<name>_total` and `<name>_truncated` say if some are missing. */
  fit<Name extends string, Item>(name: Name, items: readonly Item[]) {
    const shown = this.take(items)
    return {
      [name]: shown,
      ...(shown.length < items.length && {
        [`${name}_total`]: items.length,
        [`${name}_truncated`]: true,
      }),
    } as Record<Name, Item[]>
  }

  take<Item>(items: readonly Item[], toJson: (item: Item) => string = JSON.stringify): Item[] {
    const shown: Item[] = []
    for (const item of items) {
      this.#left -= Buffer.byteLength(toJson(item)) + 1
      if (this.#left < 0) break
      shown.push(item)
    }
    return shown
  }
}
