import { randomUUID } from 'node:crypto'
import type { Sequencer } from '../../../pipeline/index/sequencer.ts'

const EVERY_MS = 100

/** A write ten times a second, each waiting its turn like any other. */
export class Writes {
  count = 0
  readonly #timer: NodeJS.Timeout
  readonly #waits: Promise<number>[] = []

  constructor(sequencer: Sequencer) {
    // A timer that is late in a busy process must not shorten a wait: count from when it was due.
    let due = performance.now() + EVERY_MS
    this.#timer = setInterval(() => {
      for (; due <= performance.now(); due += EVERY_MS)
        this.#waits.push(this.#write(sequencer, due))
    }, EVERY_MS)
  }

  /** The longest that one waited, in ms. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    return Math.max(0, ...(await Promise.all(this.#waits)))
  }

  async #write(sequencer: Sequencer, since: number): Promise<number> {
    const org_id = randomUUID()
    const operation = { op: 'organization.create', org_id, name: `bench ${org_id}` } as const
    const submissions = [{ submission_id: randomUUID(), operation }]
    this.count++
    await sequencer.commit({ observations: [], submissions, actor: 'api:submission' })
    return performance.now() - since
  }
}
