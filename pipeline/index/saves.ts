import { isoOf } from '../core/clock.ts'
import { together } from '../core/together.ts'
import { idOfFacts } from '../core/uuid-v7.ts'
import { hostedPropertiesOf } from '../diff/hosted.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EntryRow, EntryState, RevisionRow } from '../model/rows.ts'
import type { OperationOf, Submission } from '../model/submission.ts'
import type { ApprovedBrand } from './accounts/brand-submissions.ts'
import { recordChanges } from './changes.ts'
import { type Database, listOf } from './duckdb.ts'
import {
  brandOfEntry,
  brandRows,
  type Entity,
  loadEntries,
  managedAmong,
  propertiesOfEntry,
  replaceEntries,
} from './entries.ts'
import { addDomains } from './frontier.ts'
import { addRevisions } from './revisions.ts'
import type { TakenDown } from './taken-down.ts'

export type Save = OperationOf<'brand.save' | 'property.save' | 'entry.rollback'>

/** What the accounts tell of saves. */
export interface Editing {
  /** The public ids of those who save, by revision. */
  editors: ReadonlyMap<string, string>
  /** Revisions whose entry waits for a person to look at it. */
  waiting: ReadonlySet<string>
}

/** What a save came to: the entry and the revision that left it so. */
export type Saved = Pick<RevisionRow, 'domain' | 'revision_number' | 'created_at'> & {
  entity: Entity
  entry_id: string
  state: EntryState
}

export function savesIn(submissions: readonly Submission[]): Save[] {
  return submissions.flatMap(({ operation }) =>
    operation.op === 'brand.save' ||
    operation.op === 'property.save' ||
    operation.op === 'entry.rollback'
      ? [operation]
      : [],
  )
}

export function entityOf(save: Save): Entity {
  if (save.op === 'entry.rollback') return save.entity
  return save.op === 'brand.save' ? 'brand' : 'property'
}

/**
 * Carries out saves in their order, each as the next revision of its entry: the numbers are given
 * here, by the one who writes, so none is given twice or left out. Returns what each came to, by its
 * revision.
 */
export async function takeSaves(
  db: Database,
  submissions: readonly Submission[],
  { editors, waiting }: Editing,
  stamp: Stamp & { frontierMax: number },
): Promise<Map<string, Saved>> {
  const saved = new Map<string, Saved>()
  const saves = savesIn(submissions)
  if (saves.length === 0) return saved
  const { now, seq } = stamp
  const entries = {
    brand: await loadEntries(db, 'brand', domainsIn(saves, 'brand')),
    property: await loadEntries(db, 'property', domainsIn(saves, 'property')),
  }
  const targets = await rollbackTargets(db, saves)
  const revisions: RevisionRow[] = []
  for (const save of saves) {
    const entity = entityOf(save)
    const before = entries[entity].get(save.domain)
    const target = targets.get(save.revision_id)
    if (save.op === 'entry.rollback' && (before === undefined || target === undefined)) continue
    const status = waiting.has(save.revision_id) ? 'pending' : (target?.status ?? 'live')
    const state = { ...(target ?? stateAfter(save, before)), status } as const
    const entry = entryAfter(save, state, before, stamp)
    entries[entity].set(save.domain, entry)
    revisions.push(revisionOf(save, entry, editors.get(save.revision_id) ?? 'system'))
    saved.set(save.revision_id, savedOf(entry))
  }
  const touched = (entity: Entity) =>
    [...entries[entity].values()].filter(entry => entry.seq === seq)
  const [brands, publishers] = [touched('brand'), touched('property')]
  await together(
    replaceEntries(db, [...brands, ...publishers]),
    addRevisions(db, seq, revisions),
    showBrands(db, brands, seq),
  )
  const withdrawn = publishers.filter(({ status }) => status === 'withdrawn')
  await recordChanges(db, seq, {
    publisher: publishers.map(({ domain }) => domain),
    'gone property': withdrawn.map(({ domain }) => domain),
  })
  const made = revisions.filter(({ revision_number }) => revision_number === 1)
  const newcomers = made.map(({ domain }) => ({ domain, why: 'saved' as const }))
  await addDomains(db, newcomers, { now, seq, max: stamp.frontierMax + made.length })
  return saved
}

function savedOf(entry: EntryRow): Saved {
  const { entity, domain, entry_id, revision_number, updated_at: created_at } = entry
  return { entity, domain, revision_number, state: stateOf(entry), created_at, entry_id }
}

function stateOf({ source, status, brand_name, document, contact_id }: EntryRow): EntryState {
  return { source, status, brand_name, document, contact_id }
}

/** Brands that were approved and are no revision yet, as saves, and who made them. */
export async function approvedSaves(
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

/** The domains whose entries of a kind are saved. */
export function domainsIn(saves: readonly Save[], entity: Entity): string[] {
  const ofKind = saves.filter(save => entityOf(save) === entity)
  return [...new Set(ofKind.map(({ domain }) => domain))]
}

/** What an entry says after a save; a rollback says what an earlier revision left. */
function stateAfter(save: Save, before: EntryRow | undefined): EntryState {
  const live = { source: 'community', status: 'live' } as const
  if (save.op === 'property.save') {
    const known = before === undefined ? [] : propertiesOfEntry(before)
    let minted = 0
    // A save that is carried out again, in a restored index, gives the same rids.
    const mint = () => idOfFacts('hosted property', save.revision_id, String(minted++))
    const properties = hostedPropertiesOf(save.properties, known, mint)
    const contact_id = save.contact === undefined ? null : save.revision_id
    const document = { authorized_agents: [], properties }
    return { ...live, brand_name: null, document, contact_id }
  }
  const brand = save as OperationOf<'brand.save'>
  const { brand_name } = brand
  return { ...live, brand_name, document: brandAfter(brand, before), contact_id: null }
}

/** What a save does not speak of stays, but a file that was handed in stays only beside the manifest that it came with. */
function brandAfter(
  save: OperationOf<'brand.save'>,
  before: EntryRow | undefined,
): EntryRow['document'] {
  const { brand_manifest: kept, brand_json: handed, ...others } = before?.document ?? {}
  const isEdited = save.brand_manifest !== undefined
  const manifest = isEdited ? save.brand_manifest : kept
  const brand_json = save.brand_json ?? (isEdited ? undefined : handed)
  const { house_domain, keller_type, parent_brand } = save
  return {
    ...others,
    ...(house_domain !== undefined && { house_domain }),
    ...(keller_type !== undefined && { keller_type }),
    ...(parent_brand !== undefined && { parent_brand }),
    ...(manifest ? { brand_manifest: manifest } : {}),
    ...(brand_json ? { brand_json } : {}),
  }
}

function entryAfter(
  save: Save,
  state: EntryState,
  before: EntryRow | undefined,
  { now, seq }: Stamp,
): EntryRow {
  return {
    entity: entityOf(save),
    domain: save.domain,
    entry_id: before?.entry_id ?? save.revision_id,
    ...state,
    revision_number: (before?.revision_number ?? 0) + 1,
    created_at: before?.created_at ?? isoOf(now),
    updated_at: isoOf(now),
    seq,
  }
}

function revisionOf(save: Save, entry: EntryRow, editor_id: string): RevisionRow {
  const { entity, domain, revision_number, updated_at: created_at, seq } = entry
  const back = save.op === 'entry.rollback' ? save.to_revision : null
  return {
    ...{ entity, domain, revision_number, revision_id: save.revision_id, editor_id },
    edit_summary: back === null ? summaries[save.op as 'brand.save'] : rolledBackTo(back),
    source: entry.source,
    is_rollback: back !== null,
    rolled_back_to: back,
    state: { ...stateOf(entry) },
    ...{ created_at, seq },
  }
}

function rolledBackTo(revision: number): string {
  return revision === 0 ? 'Withdrawn' : `Rolled back to revision ${revision}`
}

const summaries = { 'brand.save': 'Saved the brand', 'property.save': 'Saved the properties' }

/** The states that rollbacks restore, by the revision that restores them. */
async function rollbackTargets(
  db: Database,
  saves: readonly Save[],
): Promise<Map<string, EntryState>> {
  const targets = new Map<string, EntryState>()
  for (const save of saves) {
    if (save.op !== 'entry.rollback') continue
    const { entity, domain, to_revision } = save
    if (to_revision === 0) {
      targets.set(save.revision_id, nothing)
      continue
    }
    const row = await db.one<{ state: EntryState }>(
      `select state from revisions where entity = $entity and domain = $domain
         and revision_number = $to_revision`,
      { entity, domain, to_revision },
    )
    if (row !== undefined) targets.set(save.revision_id, { ...row.state, status: 'live' })
  }
  return targets
}

/** What stood before the first revision. */
const nothing: EntryState = {
  ...{ source: 'community', status: 'withdrawn', brand_name: null, document: {}, contact_id: null },
}

/** Puts entries into the place of brands that no document speaks of. */
export async function showBrands(
  db: Database,
  entries: readonly EntryRow[],
  seq: number,
): Promise<void> {
  if (entries.length === 0) return
  const brand = entries.map(({ domain }) => domain)
  const managed = await managedAmong(db, 'brand', brand)
  const shown = entries.flatMap(entry => {
    if (managed.has(entry.domain)) return []
    const row = entry.status === 'live' ? brandOfEntry(entry, seq) : undefined
    return [[entry.domain, row] as const]
  })
  await together(brandRows.replace(db, new Map(shown)), recordChanges(db, seq, { brand }))
}

/** What these revisions are, by their id: whatever commit made them. */
export async function findSaved(
  db: Database,
  revisionIds: readonly string[],
): Promise<Map<string, Saved>> {
  if (revisionIds.length === 0) return new Map()
  const rows = await db.all<Saved & { revision_id: string }>(
    `select r.revision_id, r.entity, r.domain, r.revision_number::double as revision_number, r.state,
       r.created_at, e.entry_id
     from revisions r join entries e using (entity, domain)
     where r.revision_id in (select unnest(${listOf('$ids')})::uuid)`,
    { ids: JSON.stringify(revisionIds) },
  )
  return new Map(rows.map(({ revision_id, ...saved }) => [revision_id, saved]))
}
