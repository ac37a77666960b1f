import { toIso } from '../core/clock.ts'
import { buildHostedAddress, parseHostedDomain } from '../model/hosted.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { type Source, toSourceKey } from '../model/observation.ts'
import type { EntryRow } from '../model/rows.ts'
import type { KnownFile } from '../resolve/derivation.ts'
import { buildHostedAdagents } from '../resolve/hosted-adagents.ts'
import { buildHostedBrand } from '../resolve/hosted-brand.ts'
import type { Database } from '../store/database.ts'
import { type Entity, loadEntries, readProperties } from '../store/entries.ts'
import { inList } from '../store/in-list.ts'

const entityByFile = { 'adagents.json': 'property', 'brand.json': 'brand' } as const
const fileByEntity = { property: 'adagents.json', brand: 'brand.json' } as const

/** A hosted file that does not exist, so that earlier content of the domain stays in force. */
export const noFile: KnownFile = { validity: 'valid' }

/**
 * Loads hosted files by their key, as the rules see them: built from the entries, never fetched.
 * Without an entry there is no file; an empty entry revokes what was declared before.
 */
export async function loadHostedFiles(
  db: Database,
  base: string,
  sources: readonly Source[],
): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>()
  for (const kind of ['adagents.json', 'brand.json'] as const) {
    const requested = sources.filter(source => source.kind === kind)
    const domains = requested.flatMap(source => parseHostedDomain(base, source) ?? [])
    const entries = await loadEntries(db, entityByFile[kind], domains)
    for (const source of requested) {
      const domain = parseHostedDomain(base, source)
      if (domain === undefined) continue
      const document = toDocument(entries.get(domain))
      const file: KnownFile = document
        ? { validity: 'valid', document, location: buildHostedAddress(base, kind, domain) }
        : noFile
      files.set(toSourceKey(source), file)
    }
  }
  return files
}

function toDocument(entry: EntryRow | undefined): KnownFile['document'] {
  if (entry === undefined) return undefined
  if (entry.entity === 'property') return toAdagents(entry)
  return isShownEntry(entry) ? buildHostedBrand(normalizeEntryTime(entry)).document : undefined
}

/** Tells whether an entry is public and was saved by members; one of enrichment is not a hosted file. */
export function isShownEntry({ status, source }: EntryRow): boolean {
  return status === 'live' && source !== 'enriched'
}

/**
 * Builds the adagents.json of an entry. One that is not shown has no content, so nothing older comes
 * back.
 */
export function toAdagents(entry: EntryRow) {
  const properties = entry.status === 'live' ? readProperties(entry) : []
  return buildHostedAdagents({ ...normalizeEntryTime(entry), properties })
}

/** Normalizes the time of an entry to the format of documents. */
export function normalizeEntryTime(entry: EntryRow): EntryRow {
  const updated_at = toIso(Date.parse(entry.updated_at)).replace('.000Z', 'Z')
  return { ...entry, updated_at }
}

/** Lists entries whose domain points to its hosted file, since the file's answers are derived from them. */
export async function listInvalidatedHosted(
  db: Database,
  entries: readonly Pick<EntryRow, 'entity' | 'domain'>[],
  base: string | undefined,
): Promise<Invalidated[]> {
  const invalidated: Invalidated[] = []
  for (const entity of ['brand', 'property'] as const) {
    const domains = entries.filter(entry => entry.entity === entity).map(({ domain }) => domain)
    for (const location of await findPointingHere(db, entity, domains, base)) {
      invalidated.push({
        kind: fileByEntity[entity],
        location,
        is_new: false,
        is_own: true,
        known_until: null,
      })
    }
  }
  return invalidated
}

/** Finds domains whose own file is a pointer to their hosted one. */
export async function findPointingHere(
  db: Database,
  entity: Entity,
  domains: readonly string[],
  base: string | undefined,
): Promise<ReadonlySet<string>> {
  if (base === undefined || domains.length === 0) return new Set()
  const kind = fileByEntity[entity]
  const { condition, keys } = inList('location', domains)
  const rows = await db.all<{ location: string; leads_to: string }>(
    `select location, document ->> '$.authoritative_location' as leads_to
     from documents where kind = $kind and ${condition}
       and document ->> '$.authoritative_location' is not null`,
    { kind, ...keys },
  )
  const here = rows.filter(
    ({ location, leads_to }) => parseHostedDomain(base, { kind, location: leads_to }) === location,
  )
  return new Set(here.map(({ location }) => location))
}
