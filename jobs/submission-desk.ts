import { randomUUID } from 'node:crypto'
import type { Limits } from '../pipeline/core/limits.ts'
import type { Answer, Submission } from '../pipeline/model/submission.ts'
import { channelOf, SUBMISSIONS } from './queues.ts'
import { type Redis, whenReady } from './redis.ts'

/**
 * How long somebody is kept waiting: for an answer, for one of Redis itself, and for a connection to
 * it that was just opened; one that is lost later fails at once.
 */
export type Patience = Pick<Limits, 'answerMs' | 'redisAnswerMs' | 'redisConnectMs'>

/** What the writer tells a desk: answers by submission. */
export type Answers = readonly (readonly [submission_id: string, answer: Answer])[]

/** A submission that is about to be sent. */
interface Leaving {
  text: string
  /** Called when it cannot be. */
  lost: (error: unknown) => void
}

/** Hands submissions to the one writer and waits for its answers. */
export class SubmissionDesk {
  readonly #asking: Redis
  readonly #listening: Redis
  readonly #patience: Patience
  readonly #name = randomUUID()
  /** Both are up, and answers are heard. */
  readonly #opened: Promise<unknown>
  readonly #waiting = new Map<string, Set<(answer: Answer) => void>>()
  /** What is handed in within one turn of the event loop goes together. */
  readonly #leaving: Leaving[] = []

  constructor({ asking, listening }: { asking: Redis; listening: Redis }, patience: Patience) {
    this.#asking = asking
    this.#listening = listening
    this.#patience = patience
    listening.on('message', (_, text) => this.#hear(JSON.parse(text)))
    const hears = listening.subscribe(channelOf(this.#name))
    this.#opened = Promise.all([hears, whenReady(asking)]).catch(() => undefined)
  }

  /** Resolves with what it came to; fails when Redis is away, or nobody answers in time. */
  async submit(submission: Submission): Promise<Answer> {
    await this.#whenUp()
    const { submission_id: id } = submission
    let late: NodeJS.Timeout | undefined
    let hear: (answer: Answer) => void = () => {}
    try {
      return await new Promise<Answer>((resolve, reject) => {
        hear = resolve
        this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(hear))
        late = setTimeout(
          () => reject(new Error('nobody answered in time')),
          this.#patience.answerMs,
        )
        this.#send({ text: JSON.stringify(submission), lost: reject })
      })
    } finally {
      clearTimeout(late)
      const waiting = this.#waiting.get(id)
      waiting?.delete(hear)
      if (waiting?.size === 0) this.#waiting.delete(id)
    }
  }

  close(): void {
    this.#listening.disconnect()
  }

  #send(leaving: Leaving): void {
    if (this.#leaving.push(leaving) === 1) setImmediate(() => this.#sendAll())
  }

  #sendAll(): void {
    const all = this.#leaving.splice(0)
    for (let start = 0; start < all.length; start += SUBMISSIONS.each) {
      const entry = all.slice(start, start + SUBMISSIONS.each)
      const fields = entry.flatMap(({ text }) => ['submission', text])
      this.#asking.xadd(SUBMISSIONS.key, '*', 'desk', this.#name, ...fields).catch(error => {
        for (const { lost } of entry) lost(error)
      })
    }
  }

  async #whenUp(): Promise<void> {
    let late: NodeJS.Timeout | undefined
    const enough = new Promise(resolve => {
      late = setTimeout(resolve, this.#patience.redisConnectMs)
    })
    await Promise.race([this.#opened, enough])
    clearTimeout(late)
    const isUp = [this.#asking, this.#listening].every(({ status }) => status === 'ready')
    if (!isUp) throw new Error('redis is away')
  }

  #hear(answers: Answers): void {
    for (const [id, answer] of answers) {
      for (const hear of this.#waiting.get(id) ?? []) hear(answer)
    }
  }
}
