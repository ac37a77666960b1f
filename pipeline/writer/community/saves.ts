import type { ApprovedBrand } from '../../accounts/brand-submissions.ts'
import type { Domain } from '../../core/domain.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { EntryRow, EntryState, RevisionRow } from '../../model/rows.ts'
import { type Submission, selectOperations } from '../../model/submission.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import {
  brandRows,
  type Entity,
  findManaged,
  loadEntries,
  replaceEntries,
  toBrandRow,
} from '../../store/entries.ts'
import { allSettledOrThrow } from '../../store/transactions.ts'
import { addDomains } from '../crawl/frontier.ts'
import { addLookedUp, type LookedUpContext } from '../crawl/looked-up-names.ts'
import { loadPublishers } from '../entities/publisher-rows.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import { isOpenToFindings } from './enrichments.ts'
import {
  buildRevision,
  computeEntry,
  computeState,
  type Edit,
  getEntity,
  type Saved,
  toSaved,
  withdrawnState,
} from './entry-states.ts'
import { showProperties } from './shown-properties.ts'

/** Editing facts of saves, from the accounts. */
export interface EditContext {
  /** The public ids of those who save, by revision. */
  editors: ReadonlyMap<string, string>
  /** Revisions whose entry waits for a person to look at it. */
  waiting: ReadonlySet<string>
}

export const saveNames = ['brand.save', 'property.save', 'entry.rollback'] as const

/** Lists the saves and enrichments among submissions. */
export function listEdits(submissions: readonly Submission[]): Edit[] {
  return selectOperations(submissions, ...saveNames, 'brand.enrich')
}

/**
 * Carries out saves in their order, each as the next revision of its entry: the numbers are given
 * here, by the one who writes, so none is given twice or left out. Returns what each came to, by its
 * revision, and what that means for records.
 */
export async function applySaves(
  db: Database,
  submissions: readonly Submission[],
  { editors, waiting }: EditContext,
  stamp: RowStamp & LookedUpContext,
): Promise<{ saved: Map<string, Saved>; events: EventDraft[] }> {
  const saved = new Map<string, Saved>()
  const saves = listEdits(submissions)
  if (saves.length === 0) return { saved, events: [] }
  const { seq } = stamp
  const entries = {
    brand: await loadEntries(db, 'brand', listDomains(saves, 'brand')),
    property: await loadEntries(db, 'property', listDomains(saves, 'property')),
  }
  const propertyEntries = new Map(entries.property)
  const hosts = listDomains(saves, 'property') as Domain[]
  const records =
    hosts.length > 0 ? await loadPublishers(db, hosts) : new Map<string, PublisherRows>()
  const targets = await rollbackTargets(db, saves)
  const revisions: RevisionRow[] = []
  for (const save of saves) {
    const entity = getEntity(save)
    const before = entries[entity].get(save.domain)
    const target = targets.get(save.revision_id)
    if (save.op === 'entry.rollback' && (before === undefined || target === undefined)) continue
    if (save.op === 'brand.enrich' && !isOpenToFindings(before)) continue
    const status = waiting.has(save.revision_id) ? 'pending' : (target?.status ?? 'live')
    const known = records.get(save.domain)?.properties ?? []
    const state = { ...(target ?? computeState(save, before, known)), status } as const
    const entry = computeEntry(save, state, before, stamp)
    entries[entity].set(save.domain, entry)
    revisions.push(
      buildRevision(save, { entry, before }, editors.get(save.revision_id) ?? 'system'),
    )
    saved.set(save.revision_id, toSaved(entry))
  }
  const touched = (entity: Entity) =>
    [...entries[entity].values()].filter(entry => entry.seq === seq)
  const [brands, publishers] = [touched('brand'), touched('property')]
  await allSettledOrThrow(
    replaceEntries(db, [...brands, ...publishers]),
    db.insert('revisions', revisions),
    showBrands(db, brands, seq),
  )
  const withdrawn = publishers.filter(({ status }) => status === 'withdrawn')
  await recordChanges(db, seq, {
    publisher: publishers.map(({ domain }) => domain),
    'gone property': withdrawn.map(({ domain }) => domain),
  })
  const made = revisions.filter(({ revision_number }) => revision_number === 1)
  if (made.length > 0) await addNewcomers(db, made, saves, stamp)
  if (publishers.length === 0) return { saved, events: [] }
  const changedEntries = publishers.map(entry => ({
    before: propertyEntries.get(entry.domain),
    entry,
  }))
  return { saved, events: await showProperties(db, changedEntries, records, stamp) }
}

/**
 * Adds the domains of new entries to the frontier: saved ones may exceed its maximum, enriched ones fill
 * only the share that is open to strangers.
 */
async function addNewcomers(
  db: Database,
  made: readonly RevisionRow[],
  saves: readonly Edit[],
  context: LookedUpContext,
): Promise<void> {
  const submitted = made.filter(({ source }) => source !== 'enriched')
  const newcomers = submitted.map(({ domain }) => ({ domain, why: 'saved' as const }))
  const max = context.frontierMax + submitted.length
  await addDomains(db, newcomers, { now: context.now, seq: context.seq, max })
  const found = new Set(made.map(({ revision_id }) => revision_id))
  const enriched = saves.flatMap(save =>
    save.op === 'brand.enrich' && found.has(save.revision_id)
      ? [[save.domain, save.caller_hash ?? ''] as const]
      : [],
  )
  if (enriched.length > 0) await addLookedUp(db, new Map(enriched), context)
}

/** Builds saves from approved brands that are no revision yet, with their authors. */
export async function buildApprovedSaves(
  db: Database,
  brands: readonly ApprovedBrand[],
  takenDown: TakenDown,
): Promise<{ submissions: Submission[]; editors: Map<string, string> }> {
  const made = await findSaved(
    db,
    brands.map(({ save }) => save.revision_id),
  )
  const fresh = brands.filter(
    ({ save }) => !made.has(save.revision_id) && !takenDown.covers(save.domain),
  )
  return {
    submissions: fresh.map(({ save }) => ({ submission_id: save.revision_id, operation: save })),
    editors: new Map(fresh.map(({ save, editor_id }) => [save.revision_id, editor_id])),
  }
}

/** Lists the domains whose entries of a kind are saved. */
export function listDomains(saves: readonly Edit[], entity: Entity): string[] {
  const ofKind = saves.filter(save => getEntity(save) === entity)
  return [...new Set(ofKind.map(({ domain }) => domain))]
}

/** Returns the states that rollbacks restore, by the revision that restores them. */
async function rollbackTargets(
  db: Database,
  saves: readonly Edit[],
): Promise<Map<string, EntryState>> {
  const targets = new Map<string, EntryState>()
  for (const save of saves) {
    if (save.op !== 'entry.rollback') continue
    const { entity, domain, to_revision } = save
    if (to_revision === 0) {
      targets.set(save.revision_id, withdrawnState)
      continue
    }
    const row = await db.one<{ state: EntryState }>(
      `select state from revisions where entity = $entity and domain = $domain
         and revision_number = $to_revision`,
      { entity, domain, to_revision },
    )
    if (row === undefined) continue
    const isWithdrawn = row.state.status === 'withdrawn'
    targets.set(save.revision_id, isWithdrawn ? withdrawnState : { ...row.state, status: 'live' })
  }
  return targets
}

/** Puts entries into the place of brands that no document speaks of. */
export async function showBrands(
  db: Database,
  entries: readonly EntryRow[],
  seq: number,
): Promise<void> {
  if (entries.length === 0) return
  const domains = entries.map(({ domain }) => domain)
  const managed = await findManaged(db, 'brand', domains)
  const shown = entries.flatMap(entry => {
    if (managed.has(entry.domain)) return []
    const row = entry.status === 'live' ? toBrandRow(entry, seq) : undefined
    return [[entry.domain, row] as const]
  })
  const written = new Set(shown.flatMap(([domain, row]) => (row ? [domain] : [])))
  // A brand that is written needs no row in `changes`: `brand_versions` names it.
  await allSettledOrThrow(
    brandRows.replace(db, new Map(shown)),
    recordChanges(db, seq, { brand: domains.filter(domain => !written.has(domain)) }),
  )
}

/** Loads these revisions by id, whichever commit made them. */
export async function findSaved(
  db: Database,
  revisionIds: readonly string[],
): Promise<Map<string, Saved>> {
  if (revisionIds.length === 0) return new Map()
  const rows = await db.all<Saved & { revision_id: string }>(
    `select r.revision_id, r.entity, r.domain, r.revision_number as revision_number, r.state,
       r.created_at, e.entry_id
     from revisions r join entries e using (entity, domain)
     where r.revision_id in (select value from json_each($ids))`,
    { ids: JSON.stringify(revisionIds) },
  )
  return new Map(rows.map(({ revision_id, ...saved }) => [revision_id, saved]))
}
