import type { CrawlRequestRow } from '../model/crawl-request.ts'
import type { EventType, FeedEvent } from '../model/event.ts'
import type { AuthorizationRow, BrandRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import type { Accounts } from './accounts.ts'
import {
  brandResolutionOf,
  domainLookupOf,
  propertyResolutionOf,
  publisherLookupOf,
} from './answers.ts'
import type { Database, Parameters } from './duckdb.ts'
import { blocksOf, typeByte } from './event-block.ts'
import type { Entry } from './serving.ts'
import { type CrawlFacts, documentValue, freshnessValue } from './serving-value.ts'

/** Which part of the index is projected: SQL that selects keys and rows. */
export interface Scope {
  /** Subquery of the domains whose brand, or whose inventory, is projected. */
  brands: string
  publishers: string
  /** Conditions on rows of crawl_state, events, crawl_requests, api_keys and aliases. */
  files: string
  events: string
  requests: string
  keys: string
  aliases: string
  parameters: Parameters
}

/** What the commits after `seq` touched. */
export function scopeAfter(seq: number): Scope {
  const touched = (space: string) =>
    `(select distinct key from changes where seq > $seq and space = '${space}')`
  return {
    brands: touched('brand'),
    publishers: touched('publisher'),
    files: 'seq > $seq',
    events: 'seq > $seq',
    requests: 'seq > $seq',
    keys: 'k.seq > $seq',
    aliases: 'seq > $seq',
    parameters: { seq },
  }
}

/** One of `count` slices of the whole index. */
export function scopeOfSlice(slice: number, count: number): Scope {
  const inSlice = (column: string) => `hash(${column}::varchar) % $count = $slice`
  return {
    brands: `(select domain as key from brands where ${inSlice('domain')})`,
    publishers: `(select domain as key from publishers where ${inSlice('domain')})`,
    files: inSlice('location'),
    events: 'seq % $count = $slice',
    requests: inSlice('crawl_request_id'),
    keys: inSlice('hash'),
    aliases: inSlice('alias_rid'),
    parameters: { slice, count },
  }
}

/**
 * What the serving store must hold for a part of the index: read from the index alone, so that a
 * commit, a recovery, a rebuild and a check project with the same code.
 */
export async function entriesOf(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<{ entries: Entry[]; events: FeedEvent[] }> {
  const commits = bySeq(await eventsWhere(index, scope.events, scope.parameters))
  const entries = [
    ...(await brandEntries(index, scope)),
    ...(await publisherEntries(index, scope)),
    ...(await freshnessEntries(index, scope)),
    ...commits.flatMap(eventEntries),
    ...(await principalEntries(accounts, scope)),
    ...(await aliasEntries(index, scope)),
    ...(await crawlRequestEntries(index, accounts, scope)),
  ]
  return { entries, events: commits.flat() }
}

async function brandEntries(index: Database, { brands, parameters }: Scope): Promise<Entry[]> {
  const keys = await index.all<{ key: string }>(brands, parameters)
  if (keys.length === 0) return []
  const rows = await index.all<BrandRow>(
    `select * from brands where domain in ${brands}`,
    parameters,
  )
  const known = new Map(rows.map(row => [row.domain, documentValue(brandResolutionOf(row))]))
  return keys.map(({ key }) => ({ space: 'brand', key, value: known.get(key) }))
}

async function publisherEntries(index: Database, scope: Scope): Promise<Entry[]> {
  const { parameters } = scope
  const publishers = await index.all<PublisherRow>(
    `select * from publishers where domain in ${scope.publishers}`,
    parameters,
  )
  if (publishers.length === 0) return []
  const owned = `where publisher_domain in ${scope.publishers}`
  const properties = grouped(
    await index.all<PropertyRow>(
      `select * from properties ${owned} and status != 'removed' order by status, created_at, property_rid`,
      parameters,
    ),
  )
  const authorizations = grouped(
    await index.all<AuthorizationRow>(
      `select * from authorizations ${owned} and in_force order by entry, id`,
      parameters,
    ),
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

async function freshnessEntries(index: Database, { files, parameters }: Scope): Promise<Entry[]> {
  const rows = await index.all<CrawlFacts & { kind: string; location: string }>(
    `select kind, location, outcome, status, epoch_ms(attempted_at)::double as attempted_at,
       epoch_ms(succeeded_at)::double as succeeded_at from crawl_state
     where ${files} and attempted_at is not null and not contains(location, '://')`,
    parameters,
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

/** The events of a commit as the serving store keeps them: in order, and again by type. */
export function eventEntries(events: readonly FeedEvent[]): Entry[] {
  const byType = new Map<EventType, FeedEvent[]>()
  for (const event of events) {
    const same = byType.get(event.event_type)
    if (same) same.push(event)
    else byType.set(event.event_type, [event])
  }
  const log = blocksOf(events).map(({ id, value }) => ({ space: 'event' as const, key: id, value }))
  const lanes = [...byType].flatMap(([type, same]) => {
    const prefix = Buffer.from([typeByte(type)])
    return blocksOf(same).map(({ id, value }) => ({
      space: 'event_by_type' as const,
      key: Buffer.concat([prefix, id]),
      value,
    }))
  })
  return [...log, ...lanes]
}

function bySeq(rows: readonly StoredEvent[]): FeedEvent[][] {
  const commits = new Map<number, FeedEvent[]>()
  for (const { seq, ...event } of rows) {
    const commit = commits.get(seq)
    if (commit) commit.push(event)
    else commits.set(seq, [event])
  }
  return [...commits.values()]
}

async function principalEntries(accounts: Accounts, { keys, parameters }: Scope): Promise<Entry[]> {
  const rows = await accounts.principals(keys, parameters)
  return rows.map(({ hash, revoked, ...principal }) => ({
    space: 'principal',
    key: hash,
    value: revoked ? undefined : Buffer.from(JSON.stringify(principal)),
  }))
}

async function aliasEntries(index: Database, { aliases, parameters }: Scope): Promise<Entry[]> {
  const rows = await index.all<{ alias_rid: string; canonical_rid: string }>(
    `select alias_rid, canonical_rid from aliases where ${aliases}`,
    parameters,
  )
  return rows.map(({ alias_rid, canonical_rid }) => ({
    space: 'alias',
    key: alias_rid,
    value: Buffer.from(canonical_rid),
  }))
}

/** Who asked is kept with what is told, so that nobody else is told. */
async function crawlRequestEntries(
  index: Database,
  accounts: Accounts,
  { requests, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<CrawlRequestRow>(
    `select * from crawl_requests where ${requests}`,
    parameters,
  )
  if (rows.length === 0) return []
  const ids = rows.map(({ crawl_request_id }) => crawl_request_id)
  const requesters = new Map(
    (await accounts.requesters(ids)).map(row => [row.crawl_request_id, row]),
  )
  return rows.map(({ seq: _, ...row }) => ({
    space: 'crawl_request',
    key: row.crawl_request_id,
    value: Buffer.from(JSON.stringify({ ...row, ...requesters.get(row.crawl_request_id) })),
  }))
}

type StoredEvent = FeedEvent & { seq: number }

function eventsWhere(
  index: Database,
  where: string,
  parameters: Parameters,
): Promise<StoredEvent[]> {
  return index.all(
    `select event_id, event_type, entity_type, entity_id, payload, actor, created_at, seq
     from events where ${where} order by event_id`,
    parameters,
  )
}

/** Events after one that is known, or all, in the order of the feed. */
export async function eventsFollowing(
  index: Database,
  last: string | undefined,
): Promise<FeedEvent[]> {
  const rows =
    last === undefined
      ? await eventsWhere(index, 'true', {})
      : await eventsWhere(index, 'event_id > $last::uuid', { last })
  return rows.map(({ seq: _, ...event }) => event)
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
