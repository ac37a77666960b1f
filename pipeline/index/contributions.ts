import { contributedRowOf, contributionEvents, hostOf } from '../diff/contributions.ts'
import type { EventDraft } from '../model/event.ts'
import type { OperationOf, Submission } from '../model/submission.ts'
import { identifierKey } from '../resolve/identifiers.ts'
import { type Database, listOf } from './duckdb.ts'

type Contribution = OperationOf<'property.contribute'>

/** Takes identifiers into the catalog that nobody knew by now: each makes one property. */
export async function takeContributions(
  db: Database,
  submissions: readonly Submission[],
  stamp: { now: number; seq: number },
): Promise<EventDraft[]> {
  const drafts: EventDraft[] = []
  for (const contribution of contributionsIn(submissions)) {
    const known = await ridsOf(db, contribution, { disputed: true })
    const fresh = new Map(
      contribution.contributed
        .map(one => [identifierKey(one.identifier), one] as const)
        .filter(([key]) => !known.has(key))
        .reverse(),
    )
    const hosts = [...fresh.values()].flatMap(({ identifier }) => hostOf(identifier) ?? [])
    const publishers = await publishersAmong(db, hosts)
    const rows = [...fresh.values()].map(one => {
      const host = hostOf(one.identifier)
      const owner = host === undefined || publishers.has(host) ? '' : host
      return contributedRowOf(one, owner, stamp)
    })
    await db.insert('properties', rows)
    drafts.push(...contributionEvents(rows))
  }
  return drafts
}

export function contributionsIn(submissions: readonly Submission[]): Contribution[] {
  return submissions.flatMap(({ operation }) =>
    operation.op === 'property.contribute' ? [operation] : [],
  )
}

/** The property of each identifier, by its key, where one was made since they were looked for. */
export async function ridsOf(
  db: Database,
  { contributed, since }: Pick<Contribution, 'contributed' | 'since'>,
  { disputed = false } = {},
): Promise<Map<string, string>> {
  const keys = contributed.map(({ identifier }) => identifierKey(identifier))
  const rows = await db.all<{ key: string; property_rid: string }>(
    `with known as (
       select property_rid, source, unnest(identifiers) as i from properties
       where (source = 'contributed' or seq > $since) and status != 'removed'
         and ($disputed or stale_reason is distinct from 'disputed'))
     select i.type || ':' || lower(i.value) as key,
       arg_min(property_rid, (source != 'authoritative', property_rid)) as property_rid
     from known where i.type || ':' || lower(i.value) in (select unnest(${listOf('$keys')}))
     group by all`,
    { since, disputed, keys: JSON.stringify(keys) },
  )
  return new Map(rows.map(({ key, property_rid }) => [key, property_rid]))
}

/** A known publisher says itself what it has: nothing is added to its records. */
async function publishersAmong(db: Database, hosts: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ domain: string }>(
    `select domain from publishers where domain in (select unnest(${listOf('$hosts')}))`,
    { hosts: JSON.stringify(hosts) },
  )
  return new Set(rows.map(({ domain }) => domain))
}
