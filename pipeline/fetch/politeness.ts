/**
 * Limits concurrent requests to a host, and to an address that many hosts may share. The host is
 * always entered before the address, and a request that has both waits for nothing, so there is no
 * deadlock. Unused names take no memory. (p-limit would create a queue and promises for every call;
 * nearly every call here enters at once.)
 */
export class Politeness {
  readonly #hosts: SlotsByName
  readonly #addresses: SlotsByName

  constructor(hostConcurrency: number, addressConcurrency: number) {
    this.#hosts = new SlotsByName(hostConcurrency)
    this.#addresses = new SlotsByName(addressConcurrency)
  }

  /**
   * Takes a slot of a host and of an address; undefined when both were free. Waiting requests are
   * admitted in order of arrival.
   */
  enter(host: string, address: string): Promise<void> | undefined {
    const wait = this.#hosts.enter(host)
    return wait ? wait.then(() => this.#addresses.enter(address)) : this.#addresses.enter(address)
  }

  /** Frees the slots; must follow every `enter`, exactly once. */
  leave(host: string, address: string): void {
    this.#addresses.leave(address)
    this.#hosts.leave(host)
  }

  /** Counts the names that are in use now. */
  get size(): number {
    return this.#hosts.size + this.#addresses.size
  }
}

interface Slots {
  used: number
  waiting: (() => void)[]
}

class SlotsByName {
  readonly #slots = new Map<string, Slots>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#slots.size
  }

  enter(name: string): Promise<void> | undefined {
    const slots = this.#slots.get(name)
    if (slots === undefined) {
      this.#slots.set(name, { used: 1, waiting: [] })
      return undefined
    }
    if (slots.used < this.#limit) {
      slots.used++
      return undefined
    }
    return new Promise(resolve => slots.waiting.push(resolve))
  }

  /** Frees a slot, or passes it to the first waiting request. */
  leave(name: string): void {
    const slots = this.#slots.get(name)
    if (slots === undefined) return
    const next = slots.waiting.shift()
    if (next) next()
    else if (--slots.used === 0) this.#slots.delete(name)
  }
}
