import { randomUUID } from 'node:crypto'
import { Batcher } from '../../../jobs/indexer/batcher.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'

const EVERY_MS = 100

/**
 * Submits a write ten times a second; those that come during a commit are committed together, as in
 * the indexer.
 */
export class Writes {
  count = 0
  readonly #timer: NodeJS.Timeout
  readonly #waits: Promise<number>[] = []
  readonly #batcher: Batcher<Submission, undefined>

  constructor(sequencer: Sequencer) {
    this.#batcher = new Batcher(
      async submissions => {
        await sequencer.commit({ observations: [], submissions, actor: 'api:submission' })
        return submissions.map(() => undefined)
      },
      { measureSize: () => 1, size: 1, waitMs: 0, idleMs: () => 0 },
    )
    // A timer that is late in a busy process must not shorten a wait: count from when it was due.
    let due = performance.now() + EVERY_MS
    this.#timer = setInterval(() => {
      for (; due <= performance.now(); due += EVERY_MS) this.#waits.push(this.#write(due))
    }, EVERY_MS)
  }

  /** Stops writing; returns the longest wait, in ms. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    return Math.max(0, ...(await Promise.all(this.#waits)))
  }

  async #write(since: number): Promise<number> {
    const org_id = randomUUID()
    const operation = { op: 'organization.create', org_id, name: `bench ${org_id}` } as const
    this.count++
    await this.#batcher.add({ submission_id: randomUUID(), operation })
    return performance.now() - since
  }
}
