import { Fatal } from '../../pipeline/core/errors.ts'
import { getOrThrow, requireValue } from '../../pipeline/core/present.ts'
import type { Answer, Submission } from '../../pipeline/model/submission.ts'
import type { RecordedAnswers } from '../../pipeline/writer/apply-context.ts'
import type { Committed } from '../../pipeline/writer/commit-in-parts.ts'
import { SUBMISSIONS } from '../queues.ts'
import { defineScript, type Redis, type Script } from '../redis.ts'
import {
  ANSWERED_KEY,
  checkMark,
  LOG_PARTS_KEY,
  type RecordCounter,
  STATE_KEY,
} from './writer-state.ts'

/** Entries that are read at once. */
const ENTRIES_MAX = 100
/** Digits of the second number in the name of a part of the log: see `nameLogPart`. */
const TO_DIGITS = '14, 25'

/**
 * Records answers, takes their submissions from those that wait, and sends them to the callers; nothing of it where another
 * host has taken over. ARGV: number of the fence, of the commit, the answers, the first submission that waits, the
 * mark, and channels with their messages.
 */
const ANSWER = `
if redis.call('hget', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
local known = ${checkMark('ARGV[5]')}
redis.call('hincrby', KEYS[1], 'mark', 1)
redis.call('xadd', KEYS[2], ARGV[2] .. '-*', 'answered', ARGV[3])
redis.call('xtrim', KEYS[3], 'minid', ARGV[4])
for i = 6, #ARGV, 2 do redis.call('publish', ARGV[i], ARGV[i + 1]) end
return known`

/**
 * Names a backup and drops what it has; nothing of it where something that was recorded is missing, since that may be
 * later than the backup. ARGV: the fence, the first commit and the number of events beyond it, its name, the mark.
 */
const TRIM = `
if redis.call('hget', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
if ${checkMark('ARGV[5]')} ~= 1 then return 2 end
redis.call('hset', KEYS[1], 'backup', ARGV[4])
redis.call('xtrim', KEYS[2], 'minid', ARGV[2] .. '-0')
while true do
  local part = redis.call('lindex', KEYS[3], 0)
  if not part or tonumber(string.sub(part, ${TO_DIGITS})) > tonumber(ARGV[3]) then break end
  redis.call('lpop', KEYS[3])
end
return 1`

/** An answer as it is recorded. */
interface Recorded {
  at: number
  answered: readonly (readonly [Submission, Answer])[]
}

/** Submissions that were answered together, in their order. */
export interface AnsweredBatch {
  submissions: Submission[]
  recorded: RecordedAnswers
}

/** Answers that are about to be sent. */
export interface AnswersToSend {
  submissions: readonly Submission[]
  committed: Committed
  /** Id of the first entry of the stream of submissions that is not answered yet. */
  waitingFrom: string
  /** Channels of the callers, each with its message. */
  messages: ReadonlyMap<string, string>
}

/** Log of what was answered since the newest backup. */
export class AnswerLog {
  readonly #fence: number
  readonly #answer: Script<number>
  readonly #trim: Script<number>
  readonly #counter: RecordCounter
  #commits = 0
  #bytes = 0
  #gaps = 0

  constructor(redis: Redis, fence: number, counter: RecordCounter) {
    this.#fence = fence
    this.#answer = defineScript(redis, 'registryAnswer', 3, ANSWER)
    this.#trim = defineScript(redis, 'registryTrimAnswers', 3, TRIM)
    this.#counter = counter
  }

  /** Returns how much was recorded since the last backup began. */
  get size(): { commits: number; bytes: number } {
    return { commits: this.#commits, bytes: this.#bytes }
  }

  /** Records answers and sends them; throws a Fatal where another host writes. */
  async sendAnswers({
    submissions,
    committed,
    waitingFrom,
    messages,
  }: AnswersToSend): Promise<void> {
    const answered = submissions.map(
      submission => [submission, getOrThrow(committed.answers, submission.submission_id)] as const,
    )
    const text = JSON.stringify({ at: committed.at, answered } satisfies Recorded)
    const keys = [STATE_KEY, ANSWERED_KEY, SUBMISSIONS.key]
    const channelsAndTexts = [...messages].flat()
    const result = await this.#answer(
      ...keys,
      this.#fence,
      committed.seq,
      text,
      waitingFrom,
      this.#counter.next(),
      ...channelsAndTexts,
    )
    if (!this.#counter.accept(result))
      throw new Fatal('another host has taken over: nobody was answered')
    this.#commits++
    this.#bytes += text.length
  }

  /** Begins to count anew: the backup that is made now has what was recorded so far. */
  beginBackup(): void {
    this.#commits = 0
    this.#bytes = 0
    this.#gaps = this.#counter.gaps
  }

  /** Names the backup that was begun last, and drops what it has. Throws where Redis lost something meanwhile. */
  async trim(backup: { name: string; seq: number; logSize: number }): Promise<void> {
    const keys = [STATE_KEY, ANSWERED_KEY, LOG_PARTS_KEY]
    const { name, seq, logSize } = backup
    const { recorded } = this.#counter
    if (this.#counter.gaps === this.#gaps) {
      const result = await this.#trim(...keys, this.#fence, seq + 1, logSize, name, recorded)
      if (!this.#counter.accept(result)) throw new Fatal('another host has taken over')
    }
    if (this.#counter.gaps !== this.#gaps)
      throw new Error('Redis lost answers while the backup was made, which may not have them')
  }
}

/** Reads what was answered after a commit, in its order. */
export async function* readAnswered(redis: Redis, seq: number): AsyncGenerator<AnsweredBatch> {
  for (let from = `${seq + 1}-0`; ; ) {
    const entries = await redis.xrange(ANSWERED_KEY, from, '+', 'COUNT', ENTRIES_MAX)
    for (const [, [, text]] of entries)
      yield parseRecorded(requireValue(text, 'text of the record'))
    const last = entries.at(-1)?.[0]
    if (last === undefined) return
    from = `(${last}`
  }
}

/** Finds the number of the last commit whose answers were recorded; 0 where there is none. */
export async function findLastAnswered(redis: Redis): Promise<number> {
  const [last] = await redis.xrevrange(ANSWERED_KEY, '+', '-', 'COUNT', 1)
  return Number(last?.[0].split('-')[0] ?? 0)
}

function parseRecorded(text: string): AnsweredBatch {
  const { at, answered } = JSON.parse(text) as Recorded
  return {
    submissions: answered.map(([submission]) => submission),
    recorded: {
      at,
      answers: new Map(answered.map(([{ submission_id }, answer]) => [submission_id, answer])),
    },
  }
}
