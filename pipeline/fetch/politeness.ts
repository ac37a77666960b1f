/**
 * How many requests at once a host, and an address that many hosts may share, has to bear.
 *
 * The host is always entered before the address, and who is in both waits for nothing: so there is
 * no circle to wait in. A name that nobody uses leaves no trace. (p-limit keeps a queue and makes
 * promises for every call; nearly every call here finds the door open.)
 */
export class Politeness {
  readonly #hosts: Gates
  readonly #addresses: Gates

  constructor(hostConcurrency: number, addressConcurrency: number) {
    this.#hosts = new Gates(hostConcurrency)
    this.#addresses = new Gates(addressConcurrency)
  }

  /** Undefined when the way is free; who waits, waits in the order of arrival. */
  enter(host: string, address: string): Promise<void> | undefined {
    const wait = this.#hosts.enter(host)
    return wait ? wait.then(() => this.#addresses.enter(address)) : this.#addresses.enter(address)
  }

  /** Must follow every `enter`, exactly once. */
  leave(host: string, address: string): void {
    this.#addresses.leave(address)
    this.#hosts.leave(host)
  }

  /** Names in use now. */
  get size(): number {
    return this.#hosts.size + this.#addresses.size
  }
}

interface Gate {
  inside: number
  waiting: (() => void)[]
}

class Gates {
  readonly #gates = new Map<string, Gate>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#gates.size
  }

  enter(name: string): Promise<void> | undefined {
    const gate = this.#gates.get(name)
    if (gate === undefined) {
      this.#gates.set(name, { inside: 1, waiting: [] })
      return undefined
    }
    if (gate.inside < this.#limit) {
      gate.inside++
      return undefined
    }
    return new Promise(resolve => gate.waiting.push(resolve))
  }

  /** Who waits first takes over the place that becomes free. */
  leave(name: string): void {
    const gate = this.#gates.get(name)
    if (gate === undefined) return
    const next = gate.waiting.shift()
    if (next) next()
    else if (--gate.inside === 0) this.#gates.delete(name)
  }
}
