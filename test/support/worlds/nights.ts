import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import type { EventType, FeedEvent } from '../../../pipeline/model/event.ts'
import type { Database as Columnar } from '../../../pipeline/store/columnar/duckdb.ts'
import type { Database } from '../../../pipeline/store/database.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'
import { withIndex } from '../registry/memory-index.ts'
import { type TestClock, testClock } from './clock.ts'

type Later = Parameters<TestClock['tick']>[0]

/** An index over the adagents.json of some domains, one night after the other. */
export interface Nights {
  db: Database
  clock: TestClock
  /** Commits a night; a text is the outcome of an attempt without a document. */
  night(files: Record<string, object | Outcome>, later?: Later): Promise<FeedEvent[]>
  /** Commits what was read in an hour, and an hour later, as one batch. */
  commitTogether(...hours: Record<string, object | Outcome>[]): Promise<FeedEvent[]>
  /** Advances the clock and commits nothing but what time changes. */
  wait(later: Later): Promise<FeedEvent[]>
  /** Makes the columnar index as analysts read it. */
  publish(): Promise<Columnar>
}

export function runNights<Result>(work: (nights: Nights) => Promise<Result>): Promise<Result> {
  const clock = testClock('2026-11-20T03:00Z')
  const observeAfter = (files: Record<string, object | Outcome>, later: Later) => {
    const at = clock.tick(later)
    return Object.entries(files).map(([location, found]) =>
      typeof found === 'string'
        ? observeOutcome(found, 'adagents.json', location, at)
        : observeFile('adagents.json', location, found, at),
    )
  }
  return withIndex(clock, index =>
    work({
      db: index.db,
      clock,
      night: (files, later = { days: 1 }) => index.commit(observeAfter(files, later)),
      commitTogether: (...all) =>
        index.commit(all.flatMap(files => observeAfter(files, { hours: 1 }))),
      wait: later => index.commit(observeAfter({}, later)),
      publish: () => index.publish(),
    }),
  )
}

/** Lists the types of events in their order; with `of`, only those with this prefix. */
export function listEventTypes(events: readonly FeedEvent[], of = ''): EventType[] {
  return events.map(({ event_type }) => event_type).filter(type => type.startsWith(of))
}

/** Builds a website of the domain. */
export function buildWebsite(domain: string, more: object = {}): object {
  return {
    property_type: 'website',
    name: domain,
    publisher_domain: domain,
    property_id: 'site',
    identifiers: [{ type: 'domain', value: domain }],
    tags: ['all'],
    ...more,
  }
}

/** Builds an entry that grants what its property_ids name. */
export function grantByIds(url: string, more: object = {}): object {
  return {
    url,
    authorized_for: 'All',
    authorization_type: 'property_ids',
    property_ids: ['site'],
    ...more,
  }
}

/** Builds an entry that names properties of publishers. */
export function grantBySelectors(url: string, ...publisher_properties: object[]): object {
  const authorization_type = 'publisher_properties'
  return { url, authorized_for: 'All', authorization_type, publisher_properties }
}

/** Builds a file of one website that one agent can sell. */
export function buildShop(domain: string, more: object = {}): object {
  return {
    properties: [buildWebsite(domain)],
    authorized_agents: [grantByIds('https://sales.example/mcp')],
    ...more,
  }
}

export function buildPointer(domain: string): object {
  return { authoritative_location: `https://${domain}/.well-known/adagents.json` }
}
