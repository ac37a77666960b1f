import { describe, expect, test } from 'vitest'
import {
  AnswerLog,
  type AnswersToSend,
  findLastAnswered,
  readAnswered,
} from '../../../../jobs/fleet/answer-log.ts'
import {
  ANSWERED_KEY,
  LOG_PARTS_KEY,
  loadWriterState,
  RecordCounter,
  STATE_KEY,
} from '../../../../jobs/fleet/writer-state.ts'
import { SUBMISSIONS, toChannel } from '../../../../jobs/queues.ts'
import type { Redis } from '../../../../jobs/redis.ts'
import type { Answer } from '../../../../pipeline/model/submission.ts'
import { buildOrganizationWrite } from '../../../support/fixtures/submissions.ts'
import { openFleetRedis } from '../../../support/processes/fleet-redis.ts'

const FENCE = 3

/** Opens the log of a writer that has begun; `received` are the messages that its callers have got. */
async function openLog(fence = FENCE) {
  const { connect } = await openFleetRedis()
  const [redis, listening] = [await connect(), await connect()]
  await redis.hset(STATE_KEY, 'fence', FENCE, 'backup', 'newest')
  const received: string[] = []
  listening.on('message', (_, text) => received.push(text))
  await listening.subscribe(toChannel('caller'))
  let missing = 0
  const log = new AnswerLog(redis, fence, new RecordCounter(0, () => missing++))
  return { redis, log, received, countMissing: () => missing }
}

/** Builds the answers of a commit that created organizations. */
function buildAnswers(seq: number, names: readonly string[], waitingFrom = '0-0'): AnswersToSend {
  const submissions = names.map(name => buildOrganizationWrite(name))
  const answers = new Map<string, Answer>(
    submissions.map(({ submission_id }) => [submission_id, { done: { seq } }]),
  )
  const messages = new Map([[toChannel('caller'), `answers of ${seq}`]])
  return {
    submissions,
    committed: { seq, at: seq * 10, events: 0, answers },
    waitingFrom,
    messages,
  }
}

async function collectAnswered(redis: Redis, seq: number) {
  const names: string[] = []
  for await (const { submissions, recorded } of readAnswered(redis, seq))
    names.push(
      `${recorded.at} ${submissions.map(({ operation }) => 'name' in operation && operation.name)}`,
    )
  return names
}

describe('answers that must outlive a host', () => {
  test('are recorded, sent, and wait no more, in one step', async () => {
    const { redis, log, received } = await openLog()
    for (const id of ['1-0', '2-0', '3-0'])
      await redis.xadd(SUBMISSIONS.key, id, 'client', 'caller')
    await log.sendAnswers(buildAnswers(8, ['Acme', 'Nova'], '3-0'))
    await expect.poll(() => received).toEqual(['answers of 8'])
    expect(await collectAnswered(redis, 0)).toEqual(['80 Acme,Nova'])
    expect((await redis.xrange(SUBMISSIONS.key, '-', '+')).map(([id]) => id)).toEqual(['3-0'])
    expect(log.size.commits).toBe(1)
  })

  test('nobody gets one, and nothing is recorded, where another host took over in the middle of a commit', async () => {
    const { redis, log, received } = await openLog()
    await redis.xadd(SUBMISSIONS.key, '1-0', 'client', 'caller')
    await redis.hincrby(STATE_KEY, 'fence', 1)
    await expect(log.sendAnswers(buildAnswers(8, ['Acme'], '2-0'))).rejects.toThrow(
      'nobody was answered',
    )
    // A later message comes after what would have been sent.
    await redis.publish(toChannel('caller'), 'last')
    await expect.poll(() => received).toEqual(['last'])
    expect(await redis.exists(ANSWERED_KEY)).toBe(0)
    expect(await redis.xlen(SUBMISSIONS.key)).toBe(1)
  })

  test('are read in the order in which they were sent, also those of one commit', async () => {
    const { redis, log } = await openLog()
    for (const [seq, name] of [
      [5, 'a'],
      [6, 'b'],
      [6, 'c'],
      [9, 'd'],
      [10, 'e'],
    ] as const)
      await log.sendAnswers(buildAnswers(seq, [name]))
    expect(await collectAnswered(redis, 5)).toEqual(['60 b', '60 c', '90 d', '100 e'])
    expect(await findLastAnswered(redis)).toBe(10)
  })

  test('more than are read at once come all, each once', async () => {
    const { redis, log } = await openLog()
    const names = Array.from({ length: 250 }, (_, n) => String(n))
    for (const [n, name] of names.entries())
      await log.sendAnswers(buildAnswers(Math.floor(n / 3), [name]))
    const read = await collectAnswered(redis, -1)
    expect(read.map(line => line.split(' ')[1])).toEqual(names)
  })

  test('a backup drops what it has, and keeps what came while it was made', async () => {
    const { redis, log } = await openLog()
    for (const seq of [5, 6, 7, 8]) await log.sendAnswers(buildAnswers(seq, [`of ${seq}`]))
    const part = (from: number, to: number) =>
      `${String(from).padStart(12, '0')}-${String(to).padStart(12, '0')}-3.ndjson`
    await redis.rpush(LOG_PARTS_KEY, part(0, 40), part(40, 60), part(60, 61))
    await log.trim({ name: 'next', seq: 6, logSize: 60 })
    expect(await collectAnswered(redis, 0)).toEqual(['70 of 7', '80 of 8'])
    expect(await redis.lrange(LOG_PARTS_KEY, 0, -1)).toEqual([part(60, 61)])
    expect((await loadWriterState(redis)).backup).toBe('next')
  })

  test('a backup of a writer that was replaced drops nothing', async () => {
    const { redis, log } = await openLog()
    await log.sendAnswers(buildAnswers(5, ['Acme']))
    await redis.hincrby(STATE_KEY, 'fence', 1)
    await expect(log.trim({ name: 'late', seq: 9, logSize: 0 })).rejects.toThrow('taken over')
    expect(await collectAnswered(redis, 0)).toEqual(['50 Acme'])
    expect((await loadWriterState(redis)).backup).toBe('newest')
  })

  test('where Redis lacks an answer that was sent, no backup is named, until one is complete', async () => {
    const { redis, log, countMissing } = await openLog()
    await log.sendAnswers(buildAnswers(5, ['kept']))
    await log.sendAnswers(buildAnswers(6, ['lost']))
    // As a replica that did not get the last write, and is the primary now.
    await redis.xtrim(ANSWERED_KEY, 'MAXLEN', 0)
    await redis.hincrby(STATE_KEY, 'mark', -1)
    await log.sendAnswers(buildAnswers(7, ['after']))
    expect(countMissing()).toBe(1)
    expect((await loadWriterState(redis)).backup).toBeUndefined()
    log.beginBackup()
    await log.trim({ name: 'next', seq: 7, logSize: 0 })
    await log.sendAnswers(buildAnswers(8, ['more']))
    expect(countMissing()).toBe(1)
    expect((await loadWriterState(redis)).backup).toBe('next')
  })

  test.each([
    ['was found before', true],
    ['is found by it', false],
  ])(
    'a backup is not named where Redis lost answers while it was made, which %s',
    async (_, isFound) => {
      const { redis, log } = await openLog()
      log.beginBackup()
      await log.sendAnswers(buildAnswers(6, ['lost, and not in the backup']))
      await redis.xtrim(ANSWERED_KEY, 'MAXLEN', 0)
      await redis.hincrby(STATE_KEY, 'mark', -1)
      if (isFound) await log.sendAnswers(buildAnswers(7, ['after']))
      const backup = { name: 'next', seq: 5, logSize: 0 }
      await expect(log.trim(backup)).rejects.toThrow('lost answers while the backup was made')
      expect((await loadWriterState(redis)).backup).toBeUndefined()
      log.beginBackup()
      await log.trim({ ...backup, seq: 7 })
      expect((await loadWriterState(redis)).backup).toBe('next')
    },
  )
})
