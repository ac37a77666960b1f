import { countThings } from '../../core/counts.ts'
import type { Sqlite } from '../sqlite.ts'

/**
 * Things that an organization has to end itself before it is deleted, since others see them or receive something: each kind
 * by its name, and the query that lists them. A mailbox at a domain is no proof, and hosted files belong to a domain.
 */
const QUERIES_BY_KIND = [
  [
    'domain',
    `select domain as name from verified_domains where org_id = $org_id and proof <> 'email'
     union select domain from ownership_proofs
     where org_id = $org_id and withdrawn_at is null and method <> 'email' order by name`,
  ],
  ['agent', 'select agent_url as name from member_agents where org_id = $org_id order by position'],
  [
    'webhook',
    'select url as name from subscriptions where org_id = $org_id and deleted_at is null order by created_at, url',
  ],
] as const

/** Things of a kind that are named. */
const NAMED_MAX = 3

/** Things of a kind that an organization has. */
export interface Belongings {
  kind: (typeof QUERIES_BY_KIND)[number][0]
  /** Their number and first names. */
  text: string
}

/** Lists what keeps an organization from being deleted, by kind. */
export function listBelongings(db: Sqlite, org_id: string): Belongings[] {
  return QUERIES_BY_KIND.flatMap(([kind, query]) =>
    describeKind(kind, db.all<{ name: string }>(query, { org_id })),
  )
}

/** Describes the things of a kind, with the first names; nothing where there are none. */
function describeKind(kind: Belongings['kind'], rows: readonly { name: string }[]): Belongings[] {
  if (rows.length === 0) return []
  const names = rows.slice(0, NAMED_MAX).map(({ name }) => name)
  const more = rows.length > NAMED_MAX ? ' and others' : ''
  return [{ kind, text: `${countThings(rows.length, kind)} (${names.join(', ')}${more})` }]
}
