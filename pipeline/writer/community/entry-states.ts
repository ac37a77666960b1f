import { isDeepStrictEqual } from 'node:util'
import { toIso } from '../../core/clock.ts'
import { deriveId } from '../../core/uuid-v7.ts'
import { buildHostedProperties } from '../../diff/hosted.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EntryRow, EntryState, PropertyRow, RevisionRow } from '../../model/rows.ts'
import type { HostedProperty } from '../../model/save.ts'
import type { OperationOf } from '../../model/submission.ts'
import { listBrandFields } from '../../resolve/hosted-brand.ts'
import { type Entity, readProperties } from '../../store/entries.ts'
import { buildFoundState, summarizeFound } from './enrichments.ts'

export type Save = OperationOf<'brand.save' | 'property.save' | 'entry.rollback'>

/** An operation that makes a revision: a save or an enrichment. */
export type Edit = Save | OperationOf<'brand.enrich'>

/** Result of a save: the entry and the revision that left it so. */
export type Saved = Pick<RevisionRow, 'domain' | 'revision_number' | 'created_at'> & {
  entity: Entity
  entry_id: string
  state: EntryState
}

export function getEntity(edit: Edit): Entity {
  if (edit.op === 'entry.rollback') return edit.entity
  return edit.op === 'property.save' ? 'property' : 'brand'
}

/** State before the first revision. */
export const withdrawnState: EntryState = {
  source: 'community',
  status: 'withdrawn',
  brand_name: null,
  document: {},
  contact_id: null,
}

/** Computes the state of an entry after a save or an enrichment. Rollbacks restore an earlier state instead. */
export function computeState(
  save: Edit,
  before: EntryRow | undefined,
  records: readonly PropertyRow[],
): EntryState {
  if (save.op === 'brand.enrich') return buildFoundState(save, before)
  const live = { source: 'community', status: 'live' } as const
  if (save.op === 'property.save') {
    const known = before === undefined ? [] : readProperties(before)
    let minted = 0
    // A save that is carried out again, in a restored index, gives the same rids.
    const mint = () => deriveId('hosted property', save.revision_id, String(minted++))
    const { domain } = save
    const properties = buildHostedProperties(
      save.properties,
      { domain, before: known, records },
      mint,
    )
    const contact_id = save.contact === undefined ? null : save.revision_id
    const document = { authorized_agents: [], properties }
    return { ...live, brand_name: null, document, contact_id }
  }
  const brand = save as OperationOf<'brand.save'>
  const { brand_name } = brand
  return { ...live, brand_name, document: computeBrand(brand, before), contact_id: null }
}

/**
 * Computes a brand after a save. Fields that are left out stay, but a submitted file stays only beside
 * the manifest that it came with.
 */
function computeBrand(
  save: OperationOf<'brand.save'>,
  before: EntryRow | undefined,
): EntryRow['document'] {
  const {
    brand_manifest: previousManifest,
    brand_json: handed,
    enrichment: _,
    ...others
  } = before?.document ?? {}
  const isEdited = save.brand_manifest !== undefined
  const manifest = isEdited ? save.brand_manifest : previousManifest
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

export function computeEntry(
  save: Edit,
  state: EntryState,
  before: EntryRow | undefined,
  { now, seq }: RowStamp,
): EntryRow {
  return {
    entity: getEntity(save),
    domain: save.domain,
    entry_id: before?.entry_id ?? save.revision_id,
    ...state,
    revision_number: (before?.revision_number ?? 0) + 1,
    created_at: before?.created_at ?? toIso(now),
    updated_at: toIso(now),
    seq,
  }
}

export function buildRevision(
  save: Edit,
  { entry, before }: { entry: EntryRow; before: EntryRow | undefined },
  editor_id: string,
): RevisionRow {
  const { entity, domain, revision_number, updated_at: created_at, seq } = entry
  const back = save.op === 'entry.rollback' ? save.to_revision : null
  return {
    entity,
    domain,
    revision_number,
    revision_id: save.revision_id,
    editor_id,
    edit_summary: summarizeEdit(save, entry, before),
    source: entry.source,
    is_rollback: back !== null,
    rolled_back_to: back,
    state: { ...toEntryState(entry) },
    created_at,
    seq,
  }
}

function summarizeEdit(save: Edit, entry: EntryRow, before: EntryRow | undefined): string {
  switch (save.op) {
    case 'brand.enrich':
      return summarizeFound(entry.document)
    case 'entry.rollback':
      return save.to_revision === 0 ? 'Stopped hosting' : `Restored version ${save.to_revision}`
    case 'brand.save':
      return summarizeBrand(entry, before)
    case 'property.save':
      return summarizeProperties(readProperties(entry), before ? readProperties(before) : [])
  }
}

/** Fields of a brand that a summary names; whoever wants all of them compares the versions. */
const NAMED_MAX = 5
/** Names in a file may be any text. */
const NAME = /^[a-z]\w{0,39}$/i
/** Fields that change with each save, or that nobody reads. */
const omitted: ReadonlySet<string> = new Set(['last_updated', '$schema'])

/** Says which fields of a brand a save changed. */
function summarizeBrand(saved: EntryRow, before: EntryRow | undefined): string {
  if (before?.status !== 'live' || before.source !== 'community') return 'Saved the brand'
  const [now, old] = listBrandFields([saved, before])
  const changed = [...new Set([...Object.keys(now ?? {}), ...Object.keys(old ?? {})])].filter(
    name => !omitted.has(name) && !isDeepStrictEqual(now?.[name], old?.[name]),
  )
  if (changed.length === 0) return 'Saved with the same content'
  const named = changed.filter(name => NAME.test(name)).slice(0, NAMED_MAX)
  const more = changed.length - named.length
  return `Fields changed: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
}

/** Says how many properties a save added, changed and removed; the rid tells which are the same. */
function summarizeProperties(
  saved: readonly HostedProperty[],
  before: readonly HostedProperty[],
): string {
  const known = new Map(before.map(property => [property.property_rid, property]))
  const stayed = saved.filter(({ property_rid }) => known.has(property_rid))
  const changed = stayed.filter(
    property => !isDeepStrictEqual(property, known.get(property.property_rid)),
  )
  const counts = [
    ['added', saved.length - stayed.length],
    ['changed', changed.length],
    ['removed', before.length - stayed.length],
  ] as const
  const parts = counts.flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  return parts.length === 0 ? 'Saved with the same properties' : `Properties: ${parts.join(', ')}`
}

export function toSaved(entry: EntryRow): Saved {
  const { entity, domain, entry_id, revision_number, updated_at: created_at } = entry
  return { entity, domain, revision_number, state: toEntryState(entry), created_at, entry_id }
}

function toEntryState({ source, status, brand_name, document, contact_id }: EntryRow): EntryState {
  return { source, status, brand_name, document, contact_id }
}
