import { randomUUID } from 'node:crypto'
import type { Limits } from '../../pipeline/core/limits.ts'
import { getTraceParent } from '../../pipeline/core/trace.ts'
import { type Answer, readSubmission, type Submission } from '../../pipeline/model/submission.ts'
import { SUBMISSIONS, toChannel } from '../queues.ts'
import { type Redis, waitUntilReady } from '../redis.ts'

/**
 * Timeouts: for an answer, for a reply of Redis, and for connecting at start. A connection that is
 * lost later fails at once.
 */
export type ClientTimeouts = Pick<Limits, 'answerMs' | 'redisAnswerMs' | 'redisConnectMs'>

/** Answers of the writer to a client, by submission. */
export type Answers = readonly (readonly [submission_id: string, answer: Answer])[]

/** A submission that is about to be sent. */
interface OutgoingSubmission {
  /** The submission as JSON. */
  text: string
  /** Is called when it cannot be sent. */
  reject: (error: unknown) => void
}

/** Sends submissions to the writer and waits for their answers. */
export class SubmissionClient {
  readonly #commands: Redis
  readonly #subscriber: Redis
  readonly #timeouts: ClientTimeouts
  readonly #name = randomUUID()
  /** Resolves when both connections are up and answers can be received. */
  readonly #connected: Promise<unknown>
  readonly #waiting = new Map<string, Set<(answer: Answer) => void>>()
  /** Ends the wait of each submission that has no answer yet. */
  readonly #pending = new Set<(error: Error) => void>()
  /** Submissions of one tick of the event loop; sent together. */
  readonly #outgoing: OutgoingSubmission[] = []

  constructor(
    { commands, subscriber }: { commands: Redis; subscriber: Redis },
    timeouts: ClientTimeouts,
  ) {
    this.#commands = commands
    this.#subscriber = subscriber
    this.#timeouts = timeouts
    subscriber.on('message', (_, text) => this.#resolveAnswers(JSON.parse(text)))
    const subscribed = subscriber.subscribe(toChannel(this.#name))
    this.#connected = Promise.all([subscribed, waitUntilReady(commands)]).catch(() => undefined)
  }

  /**
   * Resolves with the answer; fails when Redis is unavailable or no answer comes in time. What the writer
   * could not read is refused without being sent.
   */
  async submit(submission: Submission): Promise<Answer> {
    const trace = getTraceParent()
    const text = JSON.stringify(trace === undefined ? submission : { ...submission, trace })
    const read = readSubmission(text)
    if ('refusal' in read) return read.refusal
    await this.#waitUntilConnected()
    const { submission_id: id } = submission
    let timer: NodeJS.Timeout | undefined
    let resolveAnswer: (answer: Answer) => void = () => {}
    let endWait: (error: Error) => void = () => {}
    try {
      return await new Promise<Answer>((resolve, reject) => {
        resolveAnswer = resolve
        endWait = reject
        this.#pending.add(endWait)
        this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(resolveAnswer))
        timer = setTimeout(() => reject(new Error('no answer in time')), this.#timeouts.answerMs)
        this.#send({ text, reject })
      })
    } finally {
      clearTimeout(timer)
      this.#pending.delete(endWait)
      const waiting = this.#waiting.get(id)
      waiting?.delete(resolveAnswer)
      if (waiting?.size === 0) this.#waiting.delete(id)
    }
  }

  /** Ends every wait as well: a command that has given up must not go on until its answer is late. */
  close(): void {
    for (const endWait of this.#pending) endWait(new Error('the client is closed'))
    this.#subscriber.disconnect()
  }

  #send(submission: OutgoingSubmission): void {
    if (this.#outgoing.push(submission) === 1) setImmediate(() => this.#sendAll())
  }

  #sendAll(): void {
    const all = this.#outgoing.splice(0)
    for (let start = 0; start < all.length; start += SUBMISSIONS.entriesMax) {
      const entry = all.slice(start, start + SUBMISSIONS.entriesMax)
      const fields = entry.flatMap(({ text }) => ['submission', text])
      this.#commands.xadd(SUBMISSIONS.key, '*', 'client', this.#name, ...fields).catch(error => {
        for (const { reject } of entry) reject(error)
      })
    }
  }

  /** Waits for both connections at start; fails when one of them is away. */
  async #waitUntilConnected(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise(resolve => {
      timer = setTimeout(resolve, this.#timeouts.redisConnectMs)
    })
    await Promise.race([this.#connected, timeout])
    clearTimeout(timer)
    const isConnected = [this.#commands, this.#subscriber].every(({ status }) => status === 'ready')
    if (!isConnected) throw new Error('Cannot reach Redis')
  }

  #resolveAnswers(answers: Answers): void {
    for (const [id, answer] of answers) {
      for (const resolveAnswer of this.#waiting.get(id) ?? []) resolveAnswer(answer)
    }
  }
}
