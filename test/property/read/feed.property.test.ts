import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { NIL_UUID, parseIdBytes } from '../../../pipeline/core/uuid-v7.ts'
import {
  type EventType,
  eventTypeNames,
  eventTypes,
  type FeedEvent,
} from '../../../pipeline/model/event.ts'
import { readPageAfter } from '../../../pipeline/read/lookups/feed.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { projectEvents } from '../../../pipeline/serving/projections/events.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { createDataDir } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const NOW = Date.UTC(2026, 5, 1)
const types: EventType[] = [
  'property.created',
  'property.merged',
  'agent.discovered',
  'agent.removed',
  'authorization.granted',
]
/** A night: commits of events, each a type. Some are larger than a block. */
const commits = fc.array(
  fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 150, size: 'max' }),
  { minLength: 1, maxLength: 6 },
)

/** Publishers of events: the rare ones are in few blocks. */
const domains = Array.from({ length: 37 }, (_, i) => (i < 30 ? 'a.example' : `${i}.example`))

function buildEvent(type: EventType, number: number): FeedEvent {
  const id = Buffer.alloc(16, number % 251)
  id.writeUIntBE(NOW - 1_000 + Math.floor(number / 7), 0, 6)
  id.writeUInt16BE(0x7000 | (number % 4096), 6)
  id.writeUInt32BE(0x80000000 + number, 8)
  return {
    event_id: parseIdBytes(id),
    event_type: type,
    entity_type: eventTypes[type].entity,
    entity_id: String(number),
    payload: { text: 'x'.repeat(number % 90), publisher_domain: domains[number % 37] },
    actor: 'pipeline:crawler',
    created_at: toIso(NOW),
  }
}

async function openReader(log: readonly (readonly FeedEvent[])[]): Promise<Reader> {
  const dataDir = createDataDir()
  const store = ServingStore.open(resolvePaths(dataDir).servingFile)
  for (const [index, commit] of log.entries()) store.write(projectEvents(commit), index + 1)
  await store.close()
  const reader = new Reader(dataDir, testClock(NOW))
  await reader.refresh()
  return reader
}

interface Page {
  events: FeedEvent[]
  cursor: string
  has_more: boolean
}

describe('the feed', () => {
  it('in pages of any size gives every event of the requested types and publisher, in order, once', async () => {
    const asked = fc.record({
      commits,
      domain: fc.constantFrom(undefined, undefined, 'a.example', '31.example', 'x'),
      wanted: fc.oneof(fc.constant(eventTypeNames), fc.subarray(types)),
      limit: fc.integer({ min: 1, max: 120 }),
      maxBytes: fc.integer({ min: 1, max: 40_000 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ commits, domain, wanted, limit, maxBytes }) => {
        let number = 0
        const log = commits.map(commit => commit.map(type => buildEvent(type, number++)))
        const reader = await openReader(log)
        const expected = log
          .flat()
          .filter(event => wanted.includes(event.event_type))
          .filter(({ payload }) => domain === undefined || payload.publisher_domain === domain)
        const found: FeedEvent[] = []
        let cursor = NIL_UUID
        let hasMore = true
        while (hasMore) {
          const page = readPageAfter(reader, {
            cursor,
            types: wanted,
            domain,
            limit,
            maxBytes,
            retentionDays: 90,
          })
          const read = JSON.parse(String(page!.body)) as Page
          expect(read.events.length).toBeLessThanOrEqual(limit)
          if (read.has_more) expect(read.events.length).toBeGreaterThan(0)
          found.push(...read.events)
          cursor = read.cursor
          hasMore = read.has_more
        }
        await reader.close()
        expect(found).toEqual(expected)
        expect(cursor).toBe(log.at(-1)!.at(-1)!.event_id)
      }),
      { numRuns: 60 },
    )
  })

  it('backward, in pages of any size, gives every event of the requested types once', async () => {
    const asked = fc.record({
      commits,
      wanted: fc.oneof(fc.constant(eventTypeNames), fc.subarray(types)),
      limit: fc.integer({ min: 1, max: 120 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ commits, wanted, limit }) => {
        let number = 0
        const log = commits.map(commit => commit.map(type => buildEvent(type, number++)))
        const reader = await openReader(log)
        const found: FeedEvent[] = []
        for (let before: string | undefined; ; before = found.at(-1)!.event_id) {
          const page = listNewestEvents(reader, { types: wanted, limit, before, retentionDays: 90 })
          expect(page.length).toBeLessThanOrEqual(limit)
          if (page.length === 0) break
          found.push(...page)
        }
        await reader.close()
        const expected = log.flat().filter(event => wanted.includes(event.event_type))
        expect(found.reverse()).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
