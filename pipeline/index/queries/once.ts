import type { Snapshot } from '../reader.ts'

/**
 * What is found in a snapshot, kept by question since a snapshot never changes: found when it is asked
 * for the first time. What was asked for first is forgotten first.
 */
export class OnceASnapshot<Value> {
  readonly #most: number
  readonly #known = new WeakMap<Snapshot, Map<string, Promise<Value>>>()

  constructor(most: number) {
    this.#most = most
  }

  get(snapshot: Snapshot, question: string, find: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(snapshot) ?? new Map<string, Promise<Value>>()
    this.#known.set(snapshot, known)
    const before = known.get(question)
    if (before !== undefined) return before
    const [oldest] = known.keys()
    if (known.size >= this.#most && oldest !== undefined) known.delete(oldest)
    const found = find()
    known.set(question, found)
    found.catch(() => known.delete(question))
    return found
  }
}
