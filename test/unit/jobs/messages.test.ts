import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dropParts, packObservations, unpackObservations } from '../../../jobs/crawl-messages.ts'
import { REDIS_PREFIX } from '../../../jobs/redis.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const MESSAGE_BYTES_MAX = 64 * 1024
const server = openForAll(startRedis)

/** Builds an observation whose body does not compress. */
function buildObservation(location: string, bodyBytes: number): Observation {
  const body = randomBytes(bodyBytes)
  return { kind: 'brand.json', location, observed_at: 1, outcome: 'ok', document: { é: 1 }, body }
}

function buildAbsence(location: string): Observation {
  return { kind: 'adagents.json', location, observed_at: 2, outcome: 'absent', status: 404 }
}

async function deliver(observations: Observation[]): Promise<Observation[]> {
  const messages = await packObservations(observations, MESSAGE_BYTES_MAX, server.redis)
  for (const { payload } of messages) expect(payload.length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX)
  const lists = await Promise.all(
    messages.map(message => unpackObservations(message, server.redis)),
  )
  for (const message of messages) await dropParts(message, server.redis)
  return lists.flat()
}

describe('packed observations', () => {
  test('arrive as they were sent, bodies byte for byte', async () => {
    const sent = [
      buildObservation('a.example', 300),
      buildAbsence('b.example'),
      buildObservation('c.example', 0),
    ]
    expect(await deliver(sent)).toEqual(sent)
  })

  test('are split into messages within the bound', async () => {
    const sent = Array.from({ length: 20 }, (_, i) => buildObservation(`d${i}.example`, 10_000))
    expect(await packObservations(sent, MESSAGE_BYTES_MAX, server.redis)).not.toHaveLength(1)
    expect(await deliver(sent)).toEqual(sent)
  })

  test('that are too large for one message come in parts, which are deleted afterwards', async () => {
    const sent = [buildObservation('large.example', 500_000)]
    expect(await deliver(sent)).toEqual(sent)
    expect(await server.redis.keys(`${REDIS_PREFIX}:part:*`)).toEqual([])
  })

  test('with a missing part are an error, not half a message', async () => {
    const [message] = await packObservations(
      [buildObservation('x.example', 500_000)],
      MESSAGE_BYTES_MAX,
      server.redis,
    )
    await server.redis.del(message!.parts[0]!)
    await expect(unpackObservations(message!, server.redis)).rejects.toThrow('part')
  })
})
