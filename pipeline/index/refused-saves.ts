import type { Instant } from '../core/clock.ts'
import type { EntryRow } from '../model/rows.ts'
import type { Refusal, Submission } from '../model/submission.ts'
import { hasProof } from './accounts/proofs.ts'
import { type Database, listOf } from './duckdb.ts'
import { type Entity, loadEntries } from './entries.ts'
import { entityOf, type Save, savesIn } from './saves.ts'

interface Deciding {
  index: Database
  accounts: Database
  now: Instant
  /** Whether a domain must have been shown to be the organization's. */
  needsProof: boolean
}

/**
 * Which saves are refused, and why, by submission: first those of what a document of the domain
 * itself speaks for, then what waits for a person, then whoever has not shown that the domain is theirs.
 */
export async function refusedSaves(
  submissions: readonly Submission[],
  deciding: Deciding,
): Promise<Map<string, Refusal>> {
  const refused = new Map<string, Refusal>()
  const saves = savesIn(submissions)
  if (saves.length === 0) return refused
  const judge = await judgeOf(saves, deciding)
  for (const { submission_id, operation } of submissions) {
    const [save] = savesIn([{ submission_id, operation }])
    const refusal = save && (await judge(save))
    if (refusal) refused.set(submission_id, refusal)
  }
  return refused
}

async function judgeOf(saves: readonly Save[], deciding: Deciding) {
  const { index } = deciding
  const domains = [...new Set(saves.map(({ domain }) => domain))]
  const authoritative = {
    brand: await crawledBrands(index, domains),
    property: await crawledPublishers(index, domains),
  }
  const entries = {
    brand: await loadEntries(index, 'brand', domains),
    property: await loadEntries(index, 'property', domains),
  }
  const proven = provenIn(deciding)
  return async (save: Save): Promise<Refusal | undefined> => {
    const entity = entityOf(save)
    const { domain } = save
    const entry = entries[entity].get(domain)
    if (authoritative[entity].has(domain)) return managed(entity, domain)
    if (save.op === 'entry.rollback') {
      const unknown = await unknownTarget(index, save, entry)
      if (unknown) return unknown
    }
    if (entry?.status === 'pending') {
      return { refused: `the entry of ${domain} waits to be reviewed`, error: 'conflict' }
    }
    if (save.op === 'entry.rollback' && save.moderates) return undefined
    return (await proven(save)) ? undefined : unproven(domain)
  }
}

function managed(entity: Entity, domain: string): Refusal {
  const file = entity === 'brand' ? 'brand.json' : 'adagents.json'
  return { refused: `${domain} speaks for itself: it is managed by its ${file}`, error: 'conflict' }
}

function unproven(domain: string): Refusal {
  return {
    refused: `show first that ${domain}, or a domain above it, is your organization’s`,
    error: 'ownership_proof_required',
  }
}

/** Asks once for each pair of organization and domain. */
function provenIn({ accounts, now, needsProof }: Deciding) {
  const known = new Map<string, boolean>()
  return async ({ editor: { org_id }, domain }: Save): Promise<boolean> => {
    if (!needsProof) return true
    if (org_id === null) return false
    const pair = `${org_id} ${domain}`
    const proven = known.get(pair) ?? (await hasProof(accounts, org_id, domain, now))
    known.set(pair, proven)
    return proven
  }
}

async function unknownTarget(
  db: Database,
  { entity, domain, to_revision }: Extract<Save, { op: 'entry.rollback' }>,
  entry: EntryRow | undefined,
): Promise<Refusal | undefined> {
  if (entry === undefined) return { refused: `nobody saved ${domain} yet`, error: 'not_found' }
  const found = await db.one(
    `select 1 from revisions where entity = $entity and domain = $domain
       and revision_number = $to_revision`,
    { entity, domain, to_revision },
  )
  return found === undefined
    ? { refused: `${domain} has no revision ${to_revision}`, error: 'not_found' }
    : undefined
}

function crawledBrands(db: Database, domains: readonly string[]): Promise<Set<string>> {
  return domainsOf(
    db,
    `select domain from brands where source = 'brand_json'
       and domain in (select unnest(${listOf('$domains')}))`,
    domains,
  )
}

function crawledPublishers(db: Database, domains: readonly string[]): Promise<Set<string>> {
  return domainsOf(
    db,
    `select domain from publishers where valid
       and domain in (select unnest(${listOf('$domains')}))`,
    domains,
  )
}

async function domainsOf(
  db: Database,
  sql: string,
  domains: readonly string[],
): Promise<Set<string>> {
  const rows = await db.all<{ domain: string }>(sql, { domains: JSON.stringify(domains) })
  return new Set(rows.map(({ domain }) => domain))
}
