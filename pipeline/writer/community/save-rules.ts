import { listWaitingBrands } from '../../accounts/brand-submissions.ts'
import { loadOriginOwners } from '../../accounts/origins.ts'
import { hasProof } from '../../accounts/proofs.ts'
import type { Instant } from '../../core/clock.ts'
import type { EntryRow } from '../../model/rows.ts'
import type { Refusal, SaveVerdicts, Submission } from '../../model/submission.ts'
import { findPointingHere } from '../../serving/hosted-files.ts'
import type { Database } from '../../store/database.ts'
import { type Entity, findManaged, loadEntries } from '../../store/entries.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { getEntity, type Save } from './entry-states.ts'
import { findNameFaults } from './lookalike-lookup.ts'
import type { NameRules } from './protected-brands.ts'
import { listDomains } from './saves.ts'

interface SaveRuleContext extends NameRules {
  index: Database
  accounts: Sqlite
  now: Instant
  /** True where an organization must have proven the domain. */
  needsProof: boolean
  /** Days for which a proof counts. */
  proofDays: number
  /** Public address of the registry, if files can be pointed to there. */
  base: string | undefined
}

/**
 * Judges saves. Refuses, in this order: a domain with a file of its own, an entry under review, a name that
 * imitates another one, and an organization without a proof of the domain.
 */
export async function judgeSaves(
  submissions: readonly (Submission & { operation: Save })[],
  context: SaveRuleContext,
): Promise<SaveVerdicts> {
  const judged: SaveVerdicts = { refused: new Map(), doubts: new Map() }
  const judge = await createJudge(
    submissions.map(({ operation }) => operation),
    context,
  )
  for (const { submission_id, operation } of submissions) {
    const verdict = await judge(operation)
    if (verdict === undefined) continue
    if (typeof verdict === 'string') judged.doubts.set(submission_id, verdict)
    else judged.refused.set(submission_id, verdict)
  }
  return judged
}

async function createJudge(saves: readonly Save[], context: SaveRuleContext) {
  const { index, accounts, base } = context
  const domains = { brand: listDomains(saves, 'brand'), property: listDomains(saves, 'property') }
  const entryStates = {
    brand: await loadSavedStates(index, 'brand', domains.brand),
    property: await loadSavedStates(index, 'property', domains.property),
  }
  const hosted = {
    brand: await findPointingHere(index, 'brand', domains.brand, base),
    property: await findPointingHere(index, 'property', domains.property, base),
  }
  const owners =
    domains.property.length > 0 ? loadOriginOwners(accounts, domains.property) : unowned
  const waiting = listWaitingBrands(accounts, domains.brand)
  const isProven = createProofCheck(context)
  const isNew = (save: Save) => {
    const { status, is_enriched } = entryStates[getEntity(save)].get(save.domain) ?? unknownState
    return save.op !== 'entry.rollback' && (is_enriched || isUnknown(status))
  }
  const newNames = saves.filter(isNew).map(({ domain }) => domain)
  const faults = newNames.length > 0 && (await findNameFaults(index, newNames, context))
  return async (save: Save): Promise<Refusal | string | undefined> => {
    const entity = getEntity(save)
    const { domain } = save
    const { is_managed, status } = entryStates[entity].get(domain) ?? unknownState
    if (is_managed && !hosted[entity].has(domain)) return refuseManaged(entity, domain)
    if (save.op === 'entry.rollback') {
      const targetRefusal = await refuseUnknownTarget(index, save, status)
      if (targetRefusal) return targetRefusal
    }
    if (status === 'pending' || (entity === 'brand' && waiting.has(domain))) {
      return { refused: `the entry of ${domain} is waiting for review`, error: 'conflict' }
    }
    const fault = isNew(save) && faults ? faults.get(domain) : undefined
    if (fault?.verdict === 'reject') return { refused: `domain: ${fault.reason}` }
    if (save.op === 'entry.rollback' && save.moderates) return undefined
    const owner = entity === 'property' ? owners.get(domain) : undefined
    if (owner !== undefined && owner !== save.editor.org_id) return refuseForeign(domain)
    if (!isProven(save)) return refuseUnproven(domain)
    // Later saves in the same commit are refused, as the entry is now under review: a moderator decides about one.
    if (fault)
      entryStates[entity].set(domain, { is_managed, is_enriched: false, status: 'pending' })
    return fault?.reason
  }
}

/** Tells whether an entry counts as unknown: rejected and withdrawn ones do. */
function isUnknown(status: EntryRow['status'] | null): boolean {
  return status === null || status === 'rejected' || status === 'withdrawn'
}

function refuseManaged(entity: Entity, domain: string): Refusal {
  const file = entity === 'brand' ? 'brand.json' : 'adagents.json'
  const refused = `${domain} publishes its own ${file}, so you cannot edit it here`
  return { refused, error: 'conflict' }
}

function refuseForeign(domain: string): Refusal {
  return {
    refused: `${domain} points to its hosted file for another organization`,
    error: 'forbidden',
  }
}

function refuseUnproven(domain: string): Refusal {
  return {
    refused: `verify ${domain} or a parent domain for your organization first`,
    error: 'ownership_proof_required',
  }
}

/** Creates the check that the organization of a save has proven its domain, or one above it. */
function createProofCheck({ accounts, now, needsProof, proofDays }: SaveRuleContext) {
  return ({ editor: { org_id }, domain }: Save): boolean =>
    !needsProof || (org_id !== null && hasProof(accounts, org_id, domain, now, proofDays))
}

async function refuseUnknownTarget(
  db: Database,
  { entity, domain, to_revision }: Extract<Save, { op: 'entry.rollback' }>,
  status: EntryRow['status'] | null,
): Promise<Refusal | undefined> {
  if (to_revision === 0) {
    return isUnknown(status)
      ? { refused: `nothing is hosted for ${domain}`, error: 'not_found' }
      : undefined
  }
  if (status === 'rejected') {
    return { refused: `the entry of ${domain} was rejected`, error: 'not_found' }
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

/** State of an entry, and whether the domain's own file replaces it. */
interface SavedState {
  is_managed: boolean
  /**
   * True if the registry created the entry by enrichment: a member's first save is then judged like that of a
   * new name.
   */
  is_enriched: boolean
  status: EntryRow['status'] | null
}

const unowned: ReadonlyMap<string, string> = new Map()
const unknownState: SavedState = { is_managed: false, is_enriched: false, status: null }

async function loadSavedStates(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, SavedState>> {
  const entries = await loadEntries(db, entity, domains)
  const managed = await findManaged(db, entity, domains)
  return new Map(
    domains.map(domain => {
      const { status = null, source } = entries.get(domain) ?? {}
      const is_enriched = source === 'enriched'
      return [domain, { is_managed: managed.has(domain), is_enriched, status }]
    }),
  )
}
