import { setTimeout } from 'node:timers/promises'
import type { Log } from '../pipeline/core/log.ts'
import { type Answer, Submission } from '../pipeline/model/submission.ts'
import { channelOf, SUBMISSIONS } from './queues.ts'
import type { Redis } from './redis.ts'
import type { Answers } from './submission-desk.ts'

/** More than so many are waited for by nobody. */
const MOST = 100
const MOST_ENTRIES = 20
const BLOCK_MS = 1_000
const AWAY_MS = 100
/** Nobody is kept waiting for others longer than this, however long a commit waited for the writer. */
const GATHER_MS = 30
const GATHER_STEP_MS = 1
/** What is committed is taken out of the stream a little later, so that no answer waits for it. */
const TRIM_MS = 100

interface Handed {
  desk: string
  submission: Submission
}

/** What was read, as far as it was understood, and where the stream is read on. */
interface Read {
  handed: readonly Handed[]
  last: string
}

type Entries = readonly (readonly [id: string, fields: readonly string[]])[]

/**
 * Submissions in the order in which they were handed in, as only the one writer reads them: all that
 * wait are one commit, and leave the stream when they are committed and answered. Whatever stops the
 * process before that leaves them for the next one; the accounts know those that were done.
 */
export class SubmissionReader {
  readonly #blocking: Redis
  readonly #asking: Redis
  readonly #commit: (submissions: Submission[]) => Promise<ReadonlyMap<string, Answer>>
  readonly #log: Log
  readonly #gatherMs: number
  readonly #ended: Promise<void>
  #last = '0-0'
  #done = '0-0'
  #trimming: NodeJS.Timeout | undefined
  #isClosed = false

  /**
   * `blocking` is used by nobody else. A commit that fails ends the reading. So many ms at most one
   * commit waits for who was answered by the one before.
   */
  constructor(
    { blocking, asking }: { blocking: Redis; asking: Redis },
    commit: (submissions: Submission[]) => Promise<ReadonlyMap<string, Answer>>,
    log: Log,
    gatherMs = GATHER_MS,
  ) {
    this.#gatherMs = gatherMs
    this.#blocking = blocking
    this.#asking = asking
    this.#commit = commit
    this.#log = log
    // A Redis that lost its memory may count from an earlier time on.
    blocking.on('ready', () => {
      this.#last = '0-0'
    })
    this.#ended = this.#run().catch(() => undefined)
  }

  /** Resolves when what was read is committed. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#blocking.disconnect()
    await this.#ended
    clearTimeout(this.#trimming)
    await this.#trim()
  }

  async #run(): Promise<void> {
    let next = this.#read(BLOCK_MS)
    while (!this.#isClosed) {
      const { handed, last } = await next
      if (handed.length === 0) {
        next = this.#read(BLOCK_MS)
        continue
      }
      const began = performance.now()
      const answers = await this.#commit(handed.map(({ submission }) => submission))
      const patienceMs = Math.min(performance.now() - began, this.#gatherMs)
      // Before anybody is answered: whoever asks again is not among these.
      const waiting = this.#read()
      this.#answer(handed, answers)
      this.#done = last
      this.#trimming ??= globalThis.setTimeout(() => void this.#trim(), TRIM_MS)
      next = this.#gather(await waiting, handed.length, patienceMs)
    }
  }

  /**
   * A commit of many costs hardly more than one of few, and who was answered together mostly asks again
   * together: so they are waited for, unless it was only one and nobody else is there.
   */
  async #gather(waiting: Read, answered: number, patienceMs: number): Promise<Read> {
    const until = performance.now() + patienceMs
    const all = waiting.handed.length + answered
    let { handed, last } = waiting
    while (all > 1 && handed.length < Math.min(all, MOST) && performance.now() < until) {
      await setTimeout(GATHER_STEP_MS)
      const more = await this.#read()
      handed = [...handed, ...more.handed]
      last = more.last
    }
    return handed.length > 0 ? { handed, last } : this.#read(BLOCK_MS)
  }

  /** What came since it was read last; for so long it is waited for the first. */
  async #read(blockMs?: number): Promise<Read> {
    const from = ['STREAMS', SUBMISSIONS.key, this.#last] as const
    try {
      const read =
        blockMs === undefined
          ? await this.#blocking.xread('COUNT', MOST_ENTRIES, ...from)
          : await this.#blocking.xread('COUNT', MOST_ENTRIES, 'BLOCK', blockMs, ...from)
      const entries = (read?.[0]?.[1] ?? []) as Entries
      this.#last = entries.at(-1)?.[0] ?? this.#last
      const handed = entries.flatMap(([, fields]) => this.#understood(fields))
      return { handed, last: this.#last }
    } catch {
      if (!this.#isClosed) await setTimeout(AWAY_MS)
      return { handed: [], last: this.#last }
    }
  }

  /** Of names and values in turn: `desk`, then one or more times `submission`. */
  #understood([, desk = '', ...fields]: readonly string[]): Handed[] {
    return fields.flatMap((text, at) => {
      if (at % 2 === 0) return []
      try {
        return [{ desk, submission: Submission.parse(JSON.parse(text)) }]
      } catch (error) {
        this.#log.error({ error }, 'a submission was not understood')
        return []
      }
    })
  }

  #answer(handed: readonly Handed[], answers: ReadonlyMap<string, Answer>): void {
    const byDesk = new Map<string, [string, Answer][]>()
    for (const { desk, submission } of handed) {
      const { submission_id: id } = submission
      const told = byDesk.get(desk) ?? []
      told.push([id, answers.get(id)!])
      byDesk.set(desk, told)
    }
    for (const [desk, told] of byDesk) {
      const text = JSON.stringify(told satisfies Answers)
      this.#asking.publish(channelOf(desk), text).catch(() => undefined)
    }
  }

  async #trim(): Promise<void> {
    this.#trimming = undefined
    const [ms, number] = this.#done.split('-')
    await this.#asking
      .xtrim(SUBMISSIONS.key, 'MINID', `${ms}-${Number(number) + 1}`)
      .catch(() => undefined)
  }
}
