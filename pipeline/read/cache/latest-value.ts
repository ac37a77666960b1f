/** Caches one value until any object that it was computed from is replaced. */
export class LatestValue<Value> {
  #sources: readonly unknown[] | undefined
  #value: Value | undefined

  get(sources: readonly unknown[], make: () => Value): Value {
    if (this.#sources === undefined || sources.some((source, i) => source !== this.#sources?.[i])) {
      this.#value = make()
      this.#sources = sources
    }
    return this.#value as Value
  }
}
