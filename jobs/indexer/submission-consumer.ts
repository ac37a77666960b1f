import { setTimeout } from 'node:timers/promises'
import type { Log } from '../../pipeline/core/log.ts'
import { getFirst, getOrThrow } from '../../pipeline/core/present.ts'
import { traceWork } from '../../pipeline/core/trace.ts'
import { type Answer, readSubmission, type Submission } from '../../pipeline/model/submission.ts'
import type { Committed } from '../../pipeline/writer/commit-in-parts.ts'
import type { Answers } from '../api-client/submission-client.ts'
import type { AnswersToSend } from '../fleet/answer-log.ts'
import { SUBMISSIONS, toChannel } from '../queues.ts'
import type { Redis } from '../redis.ts'

/** Entries of the stream that are read at once. */
const ENTRIES_MAX = 20
const BLOCK_MS = 1_000
const RECONNECT_MS = 100
/**
 * Delay before committed entries are trimmed from the stream, so that answers do not wait for it.
 */
const TRIM_MS = 100

interface ReceivedSubmission {
  client: string
  submission: Submission
}

/** Steps with submissions that came. */
interface Consuming {
  commit: (submissions: Submission[]) => Promise<Committed>
  /** Records the answers and sends them, where they must outlive this host; rejects only for good. */
  sendAnswers?: ((toSend: AnswersToSend) => Promise<void>) | undefined
}

/** Entries that were read, and the position to continue from. */
interface Read {
  received: readonly ReceivedSubmission[]
  last: string
}

type Entries = readonly (readonly [id: string, fields: readonly string[]])[]

/**
 * Consumes submissions in order, in the writer process only: all that wait become one commit, and
 * are removed from the stream once they are committed and answered. A crash before that leaves them
 * for the next process; the accounts know which ones were done.
 */
export class SubmissionConsumer {
  readonly #blocking: Redis
  readonly #commands: Redis
  readonly #commit: Consuming['commit']
  readonly #sendAnswers: Consuming['sendAnswers']
  readonly #log: Log
  readonly #ended: Promise<void>
  #last = '0-0'
  #lastAnswered = '0-0'
  #trimming: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()
  #isClosed = false

  /** Creates the consumer; `blocking` is a connection of its own. A failed commit stops the consumer. */
  constructor(
    { blocking, commands }: { blocking: Redis; commands: Redis },
    { commit, sendAnswers }: Consuming,
    log: Log,
  ) {
    this.#sendAnswers = sendAnswers
    this.#blocking = blocking
    this.#commands = commands
    this.#commit = commit
    this.#log = log
    // A Redis that lost its data may number entries from an earlier time again.
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
    await this.#sending.catch(() => undefined)
    clearTimeout(this.#trimming)
    await this.#trim()
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const { received, last } = await this.#read()
      if (received.length === 0) continue
      const submissions = received.map(({ submission }) => submission)
      const committed = await traceWork(
        'commit submissions',
        { submissions: submissions.length },
        () => this.#commit(submissions),
        { parent: getFirst(submissions).trace },
      )
      this.#lastAnswered = last
      this.#answer(received, committed)
    }
  }

  /** Reads new entries; waits for the first. */
  async #read(): Promise<Read> {
    const from = ['STREAMS', SUBMISSIONS.key, this.#last] as const
    try {
      const read = await this.#blocking.xread('COUNT', ENTRIES_MAX, 'BLOCK', BLOCK_MS, ...from)
      const entries = (read?.[0]?.[1] ?? []) as Entries
      this.#last = entries.at(-1)?.[0] ?? this.#last
      const received = entries.flatMap(([, fields]) => this.#parseEntry(fields))
      return { received, last: this.#last }
    } catch {
      if (!this.#isClosed) await setTimeout(RECONNECT_MS)
      return { received: [], last: this.#last }
    }
  }

  /**
   * Parses the fields of an entry by their place: the client, then one or more `submission`s. One that
   * cannot be read changes nothing, so it is refused at once, outside any commit.
   */
  #parseEntry([, client = '', ...fields]: readonly string[]): ReceivedSubmission[] {
    return fields.flatMap((text, at) => {
      if (at % 2 === 0) return []
      const read = readSubmission(text)
      if ('submission' in read) return [{ client, ...read }]
      const { submission_id, refusal } = read
      this.#log.error({ submission: submission_id, fault: refusal.refused }, 'malformed submission')
      if (submission_id !== undefined) {
        const answers: Answers = [[submission_id, refusal]]
        this.#commands.publish(toChannel(client), JSON.stringify(answers)).catch(() => undefined)
      }
      return []
    })
  }

  /** Sends the callers their answers, in the order of the commits. */
  #answer(received: readonly ReceivedSubmission[], committed: Committed): void {
    const messages = buildMessages(received, committed.answers)
    const sendAnswers = this.#sendAnswers
    if (sendAnswers === undefined) {
      for (const [channel, text] of messages)
        this.#commands.publish(channel, text).catch(() => undefined)
      this.#trimming ??= globalThis.setTimeout(() => void this.#trim(), TRIM_MS)
      return
    }
    const submissions = received.map(({ submission }) => submission)
    const toSend = { submissions, committed, waitingFrom: this.#findFirstWaiting(), messages }
    this.#sending = this.#sending.then(() => sendAnswers(toSend))
    // Whoever cannot send them ends the process.
    this.#sending.catch(() => undefined)
  }

  #findFirstWaiting(): string {
    const [ms, number] = this.#lastAnswered.split('-')
    return `${ms}-${Number(number) + 1}`
  }

  async #trim(): Promise<void> {
    this.#trimming = undefined
    if (this.#sendAnswers !== undefined) return
    await this.#commands
      .xtrim(SUBMISSIONS.key, 'MINID', this.#findFirstWaiting())
      .catch(() => undefined)
  }
}

/** Builds the message of each client's channel. */
function buildMessages(
  received: readonly ReceivedSubmission[],
  answers: ReadonlyMap<string, Answer>,
): Map<string, string> {
  const byClient = new Map<string, [string, Answer][]>()
  for (const { client, submission } of received) {
    const { submission_id: id } = submission
    const answersOfClient = byClient.get(client) ?? []
    answersOfClient.push([id, getOrThrow(answers, id)])
    byClient.set(client, answersOfClient)
  }
  return new Map(
    [...byClient].map(([client, answersOfClient]) => [
      toChannel(client),
      JSON.stringify(answersOfClient satisfies Answers),
    ]),
  )
}
