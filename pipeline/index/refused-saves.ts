import type { Instant } from '../core/clock.ts'
import { registrableDomain } from '../core/domain.ts'
import type { ProtectedNames } from '../core/protected-names.ts'
import type { EntryRow } from '../model/rows.ts'
import type { Refusal, Submission } from '../model/submission.ts'
import { brandsWaiting } from './accounts/brand-submissions.ts'
import { originOwners } from './accounts/origins.ts'
import { hasProof } from './accounts/proofs.ts'
import type { Database } from './duckdb.ts'
import { type Entity, loadEntries, managedAmong } from './entries.ts'
import { pointingHere } from './hosted.ts'
import { nameFaults } from './name-faults.ts'
import { domainsIn, entityOf, type Save, savesIn } from './saves.ts'

interface Deciding {
  index: Database
  accounts: Database
  now: Instant
  /** Whether a domain must have been shown to be the organization's. */
  needsProof: boolean
  /** For how many days that counts. */
  proofDays: number
  protectedNames: ProtectedNames
  /** Public address of the registry, if files can be pointed to there. */
  base: string | undefined
}

/** Saves that are refused, and those whose name a person should look at first: why, by submission. */
export interface JudgedSaves {
  refused: Map<string, Refusal>
  doubts: Map<string, string>
}

/**
 * Judges saves: refused are first those of what a document of the domain itself speaks for, then what
 * waits for a person, then names that pass for others, then whoever has not shown that the domain is theirs.
 */
export async function judgeSaves(
  submissions: readonly Submission[],
  deciding: Deciding,
): Promise<JudgedSaves> {
  const judged: JudgedSaves = { refused: new Map(), doubts: new Map() }
  const saves = savesIn(submissions)
  if (saves.length === 0) return judged
  const judge = await judgeOf(saves, deciding)
  for (const { submission_id, operation } of submissions) {
    const [save] = savesIn([{ submission_id, operation }])
    const verdict = save && (await judge(save))
    if (verdict === undefined) continue
    if (typeof verdict === 'string') judged.doubts.set(submission_id, verdict)
    else judged.refused.set(submission_id, verdict)
  }
  return judged
}

async function judgeOf(saves: readonly Save[], deciding: Deciding) {
  const { index, accounts, base } = deciding
  const domains = { brand: domainsIn(saves, 'brand'), property: domainsIn(saves, 'property') }
  const standing = {
    brand: await standingOf(index, 'brand', domains.brand),
    property: await standingOf(index, 'property', domains.property),
  }
  const hosted = {
    brand: await pointingHere(index, 'brand', domains.brand, base),
    property: await pointingHere(index, 'property', domains.property, base),
  }
  const owners = await originOwners(accounts)
  const waiting = await brandsWaiting(accounts)
  const proven = provenIn(deciding)
  const isNew = (save: Save) =>
    save.op !== 'entry.rollback' &&
    isUnknown((standing[entityOf(save)].get(save.domain) ?? unknown).status)
  const newNames = saves.filter(isNew).map(({ domain }) => domain)
  const faults = await nameFaults(index, newNames, deciding.protectedNames)
  return async (save: Save): Promise<Refusal | string | undefined> => {
    const entity = entityOf(save)
    const { domain } = save
    const { is_managed, status } = standing[entity].get(domain) ?? unknown
    if (is_managed && !hosted[entity].has(domain)) return managed(entity, domain)
    if (save.op === 'entry.rollback' && save.to_revision > 0) {
      const nowhere = await unknownTarget(index, save, status)
      if (nowhere) return nowhere
    }
    if (status === 'pending' || (entity === 'brand' && waiting.has(domain))) {
      return { refused: `the entry of ${domain} waits to be reviewed`, error: 'conflict' }
    }
    const fault = isNew(save) ? faults.get(domain) : undefined
    if (fault?.verdict === 'refused') return { refused: `domain: ${fault.reason}` }
    if (save.op === 'entry.rollback' && save.moderates) return undefined
    const owner = entity === 'property' ? owners.get(domain) : undefined
    if (owner !== undefined && owner !== save.editor.org_id) return foreign(domain)
    if (!(await proven(save))) return unproven(domain)
    // Whoever saves it after this one, in the same commit, finds it waiting: a person decides one content.
    if (fault) standing[entity].set(domain, { is_managed, status: 'pending' })
    return fault?.reason
  }
}

/** One that a person has rejected or taken back counts as if nobody had saved it. */
function isUnknown(status: EntryRow['status'] | null): boolean {
  return status === null || status === 'rejected' || status === 'withdrawn'
}

function managed(entity: Entity, domain: string): Refusal {
  const file = entity === 'brand' ? 'brand.json' : 'adagents.json'
  return { refused: `${domain} speaks for itself: it is managed by its ${file}`, error: 'conflict' }
}

function foreign(domain: string): Refusal {
  return {
    refused: `${domain} points to its hosted file for another organization`,
    error: 'forbidden',
  }
}

function unproven(domain: string): Refusal {
  return {
    refused: `show first that ${domain}, or a domain above it, is your organization’s`,
    error: 'ownership_proof_required',
  }
}

/**
 * Asks once for each pair of organization and domain, the registrable domain first: whoever has shown
 * that one may save all below it.
 */
function provenIn({ accounts, now, needsProof, proofDays }: Deciding) {
  const known = new Map<string, Promise<boolean>>()
  const ask = (org_id: string, domain: string): Promise<boolean> => {
    const pair = `${org_id} ${domain}`
    const asked = known.get(pair) ?? hasProof(accounts, org_id, domain, now, proofDays)
    known.set(pair, asked)
    return asked
  }
  return async ({ editor: { org_id }, domain }: Save): Promise<boolean> => {
    if (!needsProof) return true
    if (org_id === null) return false
    return (await ask(org_id, registrableDomain(domain) ?? domain)) || ask(org_id, domain)
  }
}

async function unknownTarget(
  db: Database,
  { entity, domain, to_revision }: Extract<Save, { op: 'entry.rollback' }>,
  status: EntryRow['status'] | null,
): Promise<Refusal | undefined> {
  if (status === 'rejected') {
    return { refused: `what was saved of ${domain} was rejected`, error: 'not_found' }
  }
  const found = await db.one(
    `select 1 from revisions where entity = $entity and domain = $domain
       and revision_number = $to_revision`,
    { entity, domain, to_revision },
  )
  return found === undefined
    ? { refused: `${domain} has no revision ${to_revision}`, error: 'not_found' }
    : undefined
}

/** How an entry stands, and whether the domain speaks for itself instead. */
interface Standing {
  is_managed: boolean
  status: EntryRow['status'] | null
}

const unknown = { is_managed: false, status: null }

async function standingOf(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, Standing>> {
  const entries = await loadEntries(db, entity, domains)
  const managed = await managedAmong(db, entity, domains)
  return new Map(
    domains.map(domain => [
      domain,
      { is_managed: managed.has(domain), status: entries.get(domain)?.status ?? null },
    ]),
  )
}
