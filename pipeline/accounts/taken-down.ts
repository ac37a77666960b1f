import { type Instant, toIso } from '../core/clock.ts'
import { type Domain, listSelfAndParents } from '../core/domain.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'
import { deletePrivateRows } from './taken-down-rows.ts'

export interface TakenDownRow {
  domain: Domain
  reason: string | null
  taken_down_at: string
  /** Null until the last copy of its data is deleted. */
  cleared_at: string | null
}

/**
 * Adds a domain to the takedown list. One that is on it already is cleared again; it keeps its date, and its reason unless
 * another one is given.
 */
export function takeDown(
  db: Sqlite,
  { domain, reason }: OperationOf<'domain.takedown'>,
  stamp: AccountStamp,
): Answer {
  const { now, seq } = stamp
  db.run(
    `insert into taken_down (domain, reason, taken_down_at, cleared_at, seq)
     values ($domain, $reason, $now, null, $seq)
     on conflict (domain) do update
     set reason = coalesce(excluded.reason, reason), cleared_at = null, seq = excluded.seq`,
    { domain, reason: reason ?? null, now: toIso(now), seq },
  )
  deletePrivateRows(db, [domain], stamp)
  return { done: { domain } }
}

export function readmit(db: Sqlite, { domain }: OperationOf<'domain.readmit'>): Answer {
  const gone = db.run('delete from taken_down where domain = $domain', { domain })
  if (gone === 0) return { refused: `${domain} is not taken down`, error: 'not_found' }
  return { done: { domain } }
}

/** Finds the time since which a domain is on the list; undefined where it is not. */
export function findTakedownTime(db: Sqlite, domain: Domain): string | undefined {
  const query = 'select taken_down_at from taken_down where domain = $domain'
  return db.one<TakenDownRow>(query, { domain })?.taken_down_at
}

/** Finds the domain on the list that a domain is, or is nearest below; undefined where there is none. */
export function findTakenDown(db: Sqlite, domain: Domain): Domain | undefined {
  return db.one<TakenDownRow>(
    `select domain from taken_down where domain in (select value from json_each($names))
     order by length(domain) desc limit 1`,
    { names: listSelfAndParents(domain) },
  )?.domain
}

export function loadTakenDownRows(db: Sqlite): TakenDownRow[] {
  return db.all('select domain, reason, taken_down_at, cleared_at from taken_down order by domain')
}

/** Lists the domains that are taken down with who did so, as far as the audit still knows: repeating one changes nobody. */
export function listTakedowns(db: Sqlite): (TakenDownRow & { by: string | null })[] {
  return db.all(
    `select domain, reason, taken_down_at, cleared_at,
       (select by_id from submissions
        where operation = 'domain.takedown' and content ->> '$.domain' = domain
          and submitted_at <= taken_down_at order by submitted_at desc limit 1) as by
     from taken_down order by domain`,
  )
}

/** Marks domains of which no data is left. */
export function markCleared(db: Sqlite, domains: readonly Domain[], now: Instant): void {
  db.run(
    `update taken_down set cleared_at = $now
     where domain in (select value from json_each($domains))`,
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
    irreversible:
      'that would delete data: to take the domain down again, run `registry takedown DOMAIN`',
  },
}
