import { type Instant, toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { requireValue } from '../core/present.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import { buildDomainCondition } from '../store/domain-match.ts'
import type { Database } from '../store/duckdb.ts'
import { rejectLogos } from './logos.ts'
import { getRowBefore, type OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

export interface TakenDownRow {
  domain: Domain
  reason: string | null
  taken_down_at: string
  /** Null until the last copy of its data is deleted. */
  cleared_at: string | null
}

/** Private rows about a domain that are deleted with it; proofs of ownership and the audit stay. */
const FORGOTTEN = ['property_contacts', 'crawl_requests'] as const

/** Adds a domain to the takedown list; one that is on it already is cleared again. */
export async function takeDown(
  db: Database,
  { domain, reason }: OperationOf<'domain.takedown'>,
  stamp: AccountStamp,
): Promise<Answer> {
  const { now, seq } = stamp
  await db.write('delete from', 'taken_down', 'where domain = $domain', { domain })
  const row = { domain, reason: reason ?? null, taken_down_at: toIso(now), cleared_at: null, seq }
  await db.insert('taken_down', [row])
  for (const table of FORGOTTEN) {
    await db.write('delete from', table, `where ${buildDomainCondition('domain')}`, {
      domains: JSON.stringify([domain]),
    })
  }
  await rejectLogos(db, domain, stamp)
  return { done: { domain } }
}

export async function readmit(
  db: Database,
  { domain }: OperationOf<'domain.readmit'>,
): Promise<Answer> {
  const gone = await db.write('delete from', 'taken_down', 'where domain = $domain', { domain })
  if (gone === 0) return { refused: `${domain} is not taken down`, error: 'not_found' }
  return { done: { domain } }
}

export function loadTakenDownRows(db: Database): Promise<TakenDownRow[]> {
  return db.all('select domain, reason, taken_down_at, cleared_at from taken_down order by domain')
}

/** Marks domains of which no data is left. */
export async function markCleared(
  db: Database,
  domains: readonly Domain[],
  now: Instant,
): Promise<void> {
  await db.write(
    'update',
    'taken_down',
    `set cleared_at = $now::timestamptz
     where domain in (select unnest(from_json($domains::json, '["VARCHAR"]')))`,
    { now: toIso(now), domains: JSON.stringify(domains) },
  )
}

const taken = { table: 'taken_down', where: 'domain = $domain' }

export const takedownDefinitions: OperationDefinitions<'domain.takedown' | 'domain.readmit'> = {
  'domain.takedown': {
    perform: takeDown,
    watches: [taken],
    invert: ({ domain }) => ({ op: 'domain.readmit', domain }),
  },
  'domain.readmit': {
    perform: readmit,
    watches: [taken],
    invert({ domain }, known) {
      const { reason } = requireValue(getRowBefore(known, 'taken_down'), 'row before')
      return { op: 'domain.takedown', domain, ...(reason !== null && { reason }) }
    },
  },
}
