import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SubmissionClient } from '../../../jobs/api-client/submission-client.ts'
import { SubmissionConsumer } from '../../../jobs/indexer/submission-consumer.ts'
import { SUBMISSIONS } from '../../../jobs/queues.ts'
import { connectRedis, waitUntilReady } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { Answer, Submission } from '../../../pipeline/model/submission.ts'
import { buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { startRedis, startSlowRedis } from '../../support/processes/redis.ts'
import { generousTimeouts } from '../../support/registry/generous-limits.ts'
import { cleanUp } from '../../support/registry/registry.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'

const redis = openForEach(startRedis)

async function connect(use: 'failFast' | 'waitForever') {
  const connection = connectRedis(redis.url, use, silentLog)
  cleanUp(() => connection.disconnect())
  await waitUntilReady(connection)
  return connection
}

async function openClient(): Promise<SubmissionClient> {
  const writer = new SubmissionClient(
    { commands: await connect('failFast'), subscriber: await connect('waitForever') },
    generousTimeouts,
  )
  cleanUp(() => writer.close())
  return writer
}

/**
 * Opens a writer that answers each submission with the number of its commit; with `isHeld`, only when
 * released.
 */
async function openWriter({ isHeld = false } = {}) {
  const commits: string[][] = []
  const gates: (() => void)[] = []
  const commit = async (submissions: Submission[]) => {
    commits.push(submissions.map(({ submission_id }) => submission_id))
    const done = { commit: commits.length }
    if (isHeld) await new Promise<void>(resolve => gates.push(resolve))
    const answers = new Map<string, Answer>(
      submissions.map(({ submission_id }) => [submission_id, { done }]),
    )
    return { seq: commits.length, at: 0, events: 0, answers }
  }
  const connections = {
    blocking: await connect('waitForever'),
    commands: await connect('waitForever'),
  }
  const reader = new SubmissionConsumer(connections, { commit }, silentLog)
  const begun = async (count: number) => {
    while (commits.length < count) await setTimeout(5)
  }
  const letGo = () => {
    isHeld = false
    for (const gate of gates.splice(0)) gate()
  }
  return { commits, reader, begun, letGo }
}

const toId = (name: string) => buildOrganizationWrite(name).submission_id
/** Counts the submissions in the stream. */
const left = async () => {
  const entries = await redis.redis.xrange(SUBMISSIONS.key, '-', '+')
  return entries.flatMap(([, fields]) => fields.filter(name => name === 'submission')).length
}

describe('the stream of submissions', () => {
  it.each(['failFast', 'waitForever'] as const)(
    'waits for a connection to %s that is not up yet',
    async slow => {
      const { reader } = await openWriter()
      const late = await startSlowRedis(redis.url, 300)
      const open = (use: 'failFast' | 'waitForever') => {
        const connection = connectRedis(use === slow ? late : redis.url, use, silentLog)
        cleanUp(() => connection.disconnect())
        return connection
      }
      const connections = { commands: open('failFast'), subscriber: open('waitForever') }
      await waitUntilReady(slow === 'failFast' ? connections.subscriber : connections.commands)
      const writer = new SubmissionClient(connections, generousTimeouts)
      cleanUp(() => writer.close())
      expect(await writer.submit(buildOrganizationWrite('a'))).toEqual({ done: { commit: 1 } })
      await reader.close()
    },
  )

  it('commits those that arrive during a commit together, and answers each sender', async () => {
    const writer = await openWriter({ isHeld: true })
    const [client, other] = [await openClient(), await openClient()]
    const first = client.submit(buildOrganizationWrite('a'))
    await writer.begun(1)
    const later = [
      client.submit(buildOrganizationWrite('b')),
      other.submit(buildOrganizationWrite('c')),
      other.submit(buildOrganizationWrite('d')),
    ]
    while ((await left()) < 4) await setTimeout(5)
    writer.letGo()
    expect(await first).toEqual({ done: { commit: 1 } })
    expect(await Promise.all(later)).toEqual(later.map(() => ({ done: { commit: 2 } })))
    const [one, two] = writer.commits
    expect([one, [...two!].sort()]).toEqual([[toId('a')], ['b', 'c', 'd'].map(toId).sort()])
    await writer.reader.close()
    expect(await left()).toBe(0)
  })

  it('is read by the next writer when one ends before its commit', async () => {
    const dying = await openWriter({ isHeld: true })
    const writer = await openClient()
    const answer = writer.submit(buildOrganizationWrite('a'))
    await dying.begun(1)
    const next = await openWriter()
    expect(await answer).toEqual({ done: { commit: 1 } })
    expect(next.commits).toEqual([[toId('a')]])
    await next.reader.close()
    const third = await openWriter()
    expect(await writer.submit(buildOrganizationWrite('b'))).toEqual({ done: { commit: 1 } })
    expect(third.commits).toEqual([[toId('b')]])
    dying.letGo()
  })

  it('waits for a writer that is not there yet', async () => {
    const writer = await openClient()
    const answer = writer.submit(buildOrganizationWrite('a'))
    while ((await left()) < 1) await setTimeout(5)
    await openWriter()
    expect(await answer).toEqual({ done: { commit: 1 } })
  })

  it('skips malformed entries', async () => {
    await redis.redis.xadd(SUBMISSIONS.key, '*', 'desk', 'x', 'submission', '{"op":')
    const writer = await openWriter()
    const client = await openClient()
    expect('done' in (await client.submit(buildOrganizationWrite('a')))).toBe(true)
    await writer.reader.close()
    expect(await left()).toBe(0)
  })

  it('continues after Redis was away and lost its data', async () => {
    await openWriter()
    const writer = await openClient()
    expect('done' in (await writer.submit(buildOrganizationWrite('a')))).toBe(true)
    await redis.stop()
    await expect(writer.submit(buildOrganizationWrite('b'))).rejects.toThrow()
    await redis.again()
    const again = async (): Promise<Answer> =>
      writer.submit(buildOrganizationWrite('c')).catch(() => setTimeout(50).then(again))
    expect('done' in (await again())).toBe(true)
  })
})
