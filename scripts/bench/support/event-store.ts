import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import { parseIdBytes } from '../../../pipeline/core/uuid-v7.ts'
import {
  type EventType,
  eventTypeNames,
  eventTypes,
  type FeedEvent,
} from '../../../pipeline/model/event.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { projectEvents } from '../../../pipeline/serving/projections/events.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecord } from '../../../pipeline/store/record.ts'
import { createRandom } from '../../world/random.ts'
import { toDomain } from './brand-store.ts'

/** Key of the bench's caller; its hash is in the store. */
export const secret = 'sk_bench_0123456789abcdef'
/** Type of one event in RARE_EVERY. */
export const rareType: EventType = 'property.merged'
const RARE_EVERY = 10_000

const EVENTS_PER_INSERT = 50_000
const SPREAD_MS = 30 * DAY

/** Number of events of each type among a hundred. */
const shares: [EventType, number][] = [
  ['property.created', 40],
  ['property.updated', 15],
  ['authorization.granted', 20],
  ['authorization.revoked', 5],
  ['publisher.adagents_discovered', 8],
  ['publisher.adagents_changed', 7],
  ['agent.discovered', 1],
  ['agent.profile_updated', 4],
]
const cycle = shares.flatMap(([type, share]) => Array<EventType>(share).fill(type))

/** Writes a month of events to the serving store only: the feed reads nothing else. */
export async function fillEvents(folder: string, events: number): Promise<void> {
  const marker = nameMarker(folder, events)
  if (existsSync(marker)) return
  const store = ServingStore.open(resolvePaths(folder).servingFile)
  await writeCaller(folder)
  const from = Date.now() - SPREAD_MS - DAY
  for (let first = 0; first < events; first += EVENTS_PER_INSERT) {
    const batch: FeedEvent[] = []
    for (let n = first; n < Math.min(events, first + EVENTS_PER_INSERT); n++) {
      batch.push(buildEvent(n, computeCreatedAt(n, from, events)))
    }
    store.write(projectEvents(batch), 1)
  }
  await store.close()
  writeFileSync(marker, String(from))
}

/** Writes the organization and the key of the bench's caller. */
async function writeCaller(folder: string): Promise<void> {
  const paths = resolvePaths(folder)
  makeFolders(paths)
  const record = openRecord(paths.record)
  const created_at = toIso(Date.now())
  const organization = {
    org_id: 'bench',
    name: 'bench',
    is_personal: false,
    marketing_opt_in: false,
  }
  record.insert('organizations', [{ ...organization, created_at, seq: 1 }])
  const hash = createHash('sha256').update(secret).digest('hex')
  const key = { key_id: 'bench', org_id: 'bench', label: '', permissions: [], hash }
  record.insert('api_keys', [{ ...key, created_at, seq: 1 }])
  record.close()
}

function pickType(number: number): EventType {
  return number % RARE_EVERY === RARE_EVERY >> 1
    ? rareType
    : getAt(cycle, (number * 37) % cycle.length)
}

/** Builds an event that follows from its number. */
export function buildEvent(number: number, created: number): FeedEvent {
  const id = toKey(number, created)
  const type = pickType(number)
  const domain = toDomain(number % 100_000)
  return {
    event_id: parseIdBytes(id),
    event_type: type,
    entity_type: eventTypes[type].entity,
    entity_id: parseIdBytes(id),
    payload: {
      property_rid: parseIdBytes(id),
      publisher_domain: domain,
      classification: 'property',
      source: 'authoritative',
      identifiers: [{ type: 'domain', value: domain }],
      property: { property_type: 'website', name: `Site ${number}`, tags: ['all', 'news'] },
    },
    actor: 'pipeline:crawler',
    created_at: toIso(created),
  }
}

/** Builds a UUID v7 that rises with the number of its event. */
function toKey(number: number, created: number): Buffer {
  const id = Buffer.alloc(16)
  id.writeUIntBE(created, 0, 6)
  id.writeUInt16BE(0x7000 | (number % 4096), 6)
  id.writeUInt32BE(0x80000000 + number, 8)
  return id
}

/** Lists ids of random events of these types in a filled store, to be used as cursors. */
export function listCursors(
  folder: string,
  events: number,
  count: number,
  types: readonly EventType[] = eventTypeNames,
): string[] {
  const from = Number(readFileSync(nameMarker(folder, events), 'utf8'))
  const random = createRandom('cursors')
  const numbers: number[] = []
  for (let n = 0; n < events; n++) if (types.includes(pickType(n))) numbers.push(n)
  return Array.from({ length: count }, () => {
    const number = getAt(numbers, random.below(numbers.length))
    return parseIdBytes(toKey(number, computeCreatedAt(number, from, events)))
  })
}

function nameMarker(folder: string, events: number): string {
  return `${folder}/events-${events}`
}

function computeCreatedAt(number: number, from: number, events: number): number {
  return Math.floor(from + (number * SPREAD_MS) / events)
}
