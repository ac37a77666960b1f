import { bytesOfId } from '../core/uuid-v7.ts'
import { type EventType, eventTypeNames, type FeedEvent } from '../model/event.ts'
import type { AuthorizationRow, BrandRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import type { Accounts } from './accounts.ts'
import {
  brandResolutionOf,
  domainLookupOf,
  propertyResolutionOf,
  publisherLookupOf,
} from './answers.ts'
import type { Database } from './duckdb.ts'
import type { Entry } from './serving.ts'
import { type CrawlFacts, documentValue, freshnessValue } from './serving-value.ts'

/** One byte a type, so that the events of a type are one key range. */
export function typeByte(type: EventType): number {
  return eventTypeNames.indexOf(type)
}

export function eventByTypeKey(type: EventType, id: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([typeByte(type)]), id])
}

/**
 * What the serving store must hold after the commits that follow `seq`: read from the index alone,
 * so that a commit, a recovery and a rebuild project with the same code.
 */
export async function entriesAfter(
  index: Database,
  accounts: Accounts,
  seq: number,
): Promise<{ entries: Entry[]; events: FeedEvent[] }> {
  const events = await eventsAfter(index, seq)
  const entries = [
    ...(await brandEntries(index, seq)),
    ...(await publisherEntries(index, seq)),
    ...(await freshnessEntries(index, seq)),
    ...events.flatMap(eventEntries),
    ...(await principalEntries(accounts, seq)),
  ]
  return { entries, events }
}

function touched(space: string): string {
  return `(select distinct key from changes where seq > $seq and space = '${space}')`
}

async function brandEntries(index: Database, seq: number): Promise<Entry[]> {
  const keys = await index.all<{ key: string }>(touched('brand'), { seq })
  if (keys.length === 0) return []
  const rows = await index.all<BrandRow>(
    `select * from brands where domain in ${touched('brand')}`,
    { seq },
  )
  const known = new Map(rows.map(row => [row.domain, documentValue(brandResolutionOf(row))]))
  return keys.map(({ key }) => ({ space: 'brand', key, value: known.get(key) }))
}

async function publisherEntries(index: Database, seq: number): Promise<Entry[]> {
  const publishers = await index.all<PublisherRow>(
    `select * from publishers where domain in ${touched('publisher')}`,
    { seq },
  )
  if (publishers.length === 0) return []
  const owned = `where publisher_domain in ${touched('publisher')}`
  const properties = grouped(
    await index.all<PropertyRow>(
      `select * from properties ${owned} order by status, created_at, property_rid`,
      { seq },
    ),
  )
  const authorizations = grouped(
    await index.all<AuthorizationRow>(`select * from authorizations ${owned} order by entry, id`, {
      seq,
    }),
  )
  return publishers.flatMap(publisher => {
    const key = publisher.domain
    const state = {
      publisher,
      properties: properties.get(key) ?? [],
      authorizations: authorizations.get(key) ?? [],
    }
    return [
      { space: 'property' as const, key, value: documentValue(propertyResolutionOf(state)) },
      { space: 'publisher' as const, key, value: documentValue(publisherLookupOf(state)) },
      { space: 'lookup' as const, key, value: documentValue(domainLookupOf(state)) },
    ]
  })
}

async function freshnessEntries(index: Database, seq: number): Promise<Entry[]> {
  const rows = await index.all<CrawlFacts & { kind: string; location: string }>(
    `select kind, location, outcome, status, attempted_at, succeeded_at from crawl_state
     where seq > $seq and attempted_at is not null and not contains(location, '://')`,
    { seq },
  )
  return rows.map(row => ({
    space: 'freshness',
    key: freshnessKey(row.kind, row.location),
    value: freshnessValue(row),
  }))
}

export function freshnessKey(kind: string, domain: string): string {
  return `${kind} ${domain}`
}

function eventEntries(event: FeedEvent): Entry[] {
  const id = bytesOfId(event.event_id)
  return [
    { space: 'event', key: id, value: Buffer.from(JSON.stringify(event)) },
    { space: 'event_by_type', key: eventByTypeKey(event.event_type, id), value: Buffer.alloc(0) },
  ]
}

async function principalEntries(accounts: Accounts, seq: number): Promise<Entry[]> {
  const rows = await accounts.principalsAfter(seq)
  return rows.map(({ hash, revoked, ...principal }) => ({
    space: 'principal',
    key: hash,
    value: revoked ? undefined : Buffer.from(JSON.stringify(principal)),
  }))
}

export function eventsAfter(index: Database, seq: number): Promise<FeedEvent[]> {
  return index.all<FeedEvent>(
    `select event_id, event_type, entity_type, entity_id, payload, actor, created_at
     from events where seq > $seq order by event_id`,
    { seq },
  )
}

function grouped<Row extends { publisher_domain: string }>(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.publisher_domain)
    if (group) group.push(row)
    else groups.set(row.publisher_domain, [row])
  }
  return groups
}
