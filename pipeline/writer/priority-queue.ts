import { setImmediate } from 'node:timers/promises'

/** Time after which somebody who has saved is no longer expected to save again. */
const SAVING_MS = 2_000

/** Priority of work for the writer: submissions of people, or everything else. */
export type Priority = 'people' | 'others'

/**
 * Runs one task at a time. Interactive and bulk tasks alternate where both wait, so that a save
 * waits for at most one bulk task, such as a commit of the night or a checkpoint; and a stream of
 * saves does not block bulk tasks.
 */
export class PriorityQueue {
  readonly #queues: Record<Priority, (() => Promise<void>)[]> = { people: [], others: [] }
  #preferred: Priority = 'people'
  #isBusy = false
  #taskBegan: number | undefined
  #peopleCame = Number.NEGATIVE_INFINITY

  take<Result>(who: Priority, work: () => Promise<Result>): Promise<Result> {
    if (who === 'people') this.#peopleCame = performance.now()
    return new Promise((resolve, reject) => {
      this.#queues[who].push(() => work().then(resolve, reject))
      if (!this.#isBusy) void this.#run()
    })
  }

  /** Tells whether people have sent submissions within the last seconds. */
  get arePeopleSaving(): boolean {
    return performance.now() - this.#peopleCame < SAVING_MS
  }

  /** Returns for how many milliseconds the current task has been running; 0 without one. */
  get busyMs(): number {
    return this.#taskBegan === undefined ? 0 : performance.now() - this.#taskBegan
  }

  /** Resolves when everything that was queued before has ended. */
  async settled(): Promise<void> {
    const nothing = async () => undefined
    await Promise.all([this.take('people', nothing), this.take('others', nothing)])
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      this.#taskBegan = performance.now()
      await next()
      // A task may have waited for nothing but the disk: whatever else the process has to do comes first.
      await setImmediate()
    }
    this.#isBusy = false
    this.#taskBegan = undefined
  }

  #takeNext(): (() => Promise<void>) | undefined {
    const first = this.#preferred
    const who = this.#queues[first].length > 0 ? first : getOther(first)
    const next = this.#queues[who].shift()
    this.#preferred = next === undefined ? 'people' : getOther(who)
    return next
  }
}

function getOther(who: Priority): Priority {
  return who === 'people' ? 'others' : 'people'
}
