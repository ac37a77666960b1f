import { DAY, type Instant, toIso } from '../../core/clock.ts'
import type { Outcome } from '../../core/outcomes.ts'
import type { EventType } from '../../model/event.ts'
import type { StoredWatch, WatchedFile } from '../../model/watch.ts'
import type { Database } from '../../store/database.ts'
import { EDITS_MAX, type HostedEdit, loadHostedEdits } from './hosted-edits.ts'

/** Events that are read at a time; what is left is read at the next look. */
const EVENTS_MAX = 20_000
/** Saved entries that are compared at a time with what is watched. */
const ENTRIES_MAX = 1_000
/** Age beyond which an agent's claim no longer counts. */
const CLAIM_HOLDS_MS = 7 * DAY

const TYPES = [
  'authorization.granted',
  'authorization.revoked',
  'agent.compliance_changed',
  'agent.verification_earned',
  'agent.verification_lost',
] as const satisfies EventType[]

/** An event that concerns something watched. */
export interface WatchedEvent {
  event_type: (typeof TYPES)[number]
  /** Domain of the publisher; null for an event of an agent alone. */
  domain: string | null
  agent: string
  at: string
  seq: number
  previous_status: string | null
  current_status: string | null
  role: string | null
}

export interface FileRow {
  kind: WatchedFile
  domain: string
  outcome: Outcome | null
  attempted_at: string | null
  succeeded_at: string | null
  is_stale: boolean
}

/** Rows that concern what is watched. */
export interface WatchedRows {
  events: WatchedEvent[]
  /** Commit up to which events and entries are complete; later ones are left out. */
  seq: number
  files: FileRow[]
  claims: { domain: string; agent: string }[]
  /** Saved entries that changed, whatever their names. */
  entries: { domain: string; is_brand: boolean; at: string; seq: number }[]
  /** Edits of hosted files after which the file is another, or gone. */
  hosted: HostedEdit[]
  /** Grants in force, by publisher and agent, of the pairs that events are about. */
  grants: Map<string, number>
}

export const toPair = (domain: string, agent: string) => `${domain} ${agent}`

/** Loads the rows from which the changes of these watches follow. `seq` is the last commit. */
export async function loadWatchedRows(
  index: Database,
  watches: readonly StoredWatch[],
  { seq, now }: { seq: number; now: Instant },
): Promise<WatchedRows> {
  const list = (select: (watch: StoredWatch) => boolean) =>
    JSON.stringify([...new Set(watches.filter(select).map(({ subject }) => subject))])
  const domains = list(({ kind }) => kind === 'domain')
  const named = list(({ kind }) => kind !== 'agent')
  const agents = list(({ kind }) => kind === 'agent')
  const from = watches.reduce((least, { reported_seq }) => Math.min(least, reported_seq), seq)
  const allEvents = await loadEvents(index, { from, seq, domains, agents })
  const allEntries = await loadEntries(index, { from, seq })
  const allEdits = await loadHostedEdits(index, { from, seq, domains: named })
  const upTo = Math.min(
    findEnd(allEvents, EVENTS_MAX, seq),
    findEnd(allEntries, ENTRIES_MAX, seq),
    findEnd(allEdits, EDITS_MAX, seq),
  )
  const events = allEvents.filter(event => event.seq <= upTo)
  return {
    events,
    seq: upTo,
    files: await loadFiles(index, named, now),
    claims: await loadClaims(index, domains, now),
    entries: allEntries.filter(entry => entry.seq <= upTo),
    hosted: allEdits.filter(edit => edit.seq <= upTo),
    grants: await countGrants(index, events),
  }
}

/**
 * Finds the commit up to which rows were read: the one before that in which the reading stopped. A single commit of
 * more rows than are read counts as read, or it would be read forever.
 */
function findEnd(rows: readonly { seq: number }[], most: number, seq: number): number {
  const [first, last] = [rows.at(0), rows.at(-1)]
  if (rows.length < most || first === undefined || last === undefined) return seq
  return first.seq === last.seq ? last.seq : last.seq - 1
}

function loadEvents(
  index: Database,
  parameters: { from: number; seq: number; domains: string; agents: string },
): Promise<WatchedEvent[]> {
  const field = (name: string) => `payload ->> '$.${name}'`
  return index.all(
    `with found as materialized (
       select event_type, ${field('publisher_domain')} as domain,
         coalesce(${field('agent_url')}, entity_id) as agent, created_at, seq, payload
       from events where seq > $from and seq <= $seq
         and event_type in (${TYPES.map(type => `'${type}'`).join(', ')}))
     select event_type, domain, agent, created_at as at, seq,
       ${field('previous_status')} as previous_status, ${field('current_status')} as current_status,
       ${field('role')} as role
     from found where domain in (select value from json_each($domains))
       or agent in (select value from json_each($agents))
     order by seq limit ${EVENTS_MAX}`,
    parameters,
  )
}

function loadFiles(index: Database, domains: string, now: Instant): Promise<FileRow[]> {
  return index.all(
    `select kind, location as domain, outcome, attempted_at, succeeded_at,
       coalesce(least(stale_at, ended_at) <= ms($now), 0) as "is_stale [boolean]"
     from crawl_state where kind in ('adagents.json', 'brand.json') and attempted_at is not null
       and location in (select value from json_each($domains))`,
    { domains, now: toIso(now) },
  )
}

function loadClaims(
  index: Database,
  domains: string,
  now: Instant,
): Promise<WatchedRows['claims']> {
  return index.all(
    `select c.publisher_domain as domain, c.agent_url as agent
     from agent_claims c join crawl_state s on s.kind = 'agent' and s.location = c.agent_url
     where c.publisher_domain in (select value from json_each($domains))
       and s.succeeded_at > ms($since) order by 1, 2`,
    { domains, since: toIso(now - CLAIM_HOLDS_MS) },
  )
}

/** Loads entries that members saved and everybody sees; those under review are not among them. */
function loadEntries(
  index: Database,
  parameters: { from: number; seq: number },
): Promise<WatchedRows['entries']> {
  return index.all(
    `select domain, max(entity = 'brand') as "is_brand [boolean]",
       max(updated_at) as "at [instant]", max(seq) as seq from entries
     where seq > $from and seq <= $seq and status = 'live' and source = 'community'
     group by domain order by seq, domain limit ${ENTRIES_MAX}`,
    parameters,
  )
}

async function countGrants(
  index: Database,
  events: readonly WatchedEvent[],
): Promise<Map<string, number>> {
  const distinct = (values: readonly (string | null)[]) =>
    JSON.stringify([...new Set(values.filter(value => value !== null))])
  const rows = await index.all<{ domain: string; agent: string; count: number }>(
    `select publisher_domain as domain, agent_url as agent, count(*) as count
     from authorizations where in_force
       and publisher_domain in (select value from json_each($domains))
       and agent_url in (select value from json_each($agents))
     group by 1, 2`,
    {
      domains: distinct(events.map(({ domain }) => domain)),
      agents: distinct(events.map(({ agent }) => agent)),
    },
  )
  return new Map(rows.map(({ domain, agent, count }) => [toPair(domain, agent), count]))
}
