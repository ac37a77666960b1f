import { isoOf } from '../core/clock.ts'
import { hostedAddress, hostedDomain } from '../model/hosted.ts'
import { type Source, sourceKey } from '../model/observation.ts'
import type { EntryRow } from '../model/rows.ts'
import type { KnownFile } from '../resolve/derivation.ts'
import { hostedAdagents } from '../resolve/hosted-adagents.ts'
import { hostedBrand } from '../resolve/hosted-brand.ts'
import type { Stirred } from './crawl-state.ts'
import type { Database } from './duckdb.ts'
import { type Entity, loadEntries, propertiesOfEntry } from './entries.ts'
import { oneOf } from './one-of.ts'

/** Of so few domains what was found is kept until a document is written: a save asks twice. */
const FEW = 100

const entityOf = { 'adagents.json': 'property', 'brand.json': 'brand' } as const
const fileOf = { property: 'adagents.json', brand: 'brand.json' } as const

/** Nothing is there, so what a domain said before it pointed there stands on. */
export const noFile: KnownFile = { standing: 'stands' }

/**
 * Hosted files by their key, as the rules see them: made of the entries as they stand, never fetched.
 * One that nobody told anything for is a file that is not there; one that says nothing takes back what was said.
 */
export async function hostedFiles(
  db: Database,
  base: string,
  sources: readonly Source[],
): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>()
  for (const kind of ['adagents.json', 'brand.json'] as const) {
    const asked = sources.filter(source => source.kind === kind)
    const domainOf = (source: Source) => hostedDomain(base, source)!
    const entries = await loadEntries(db, entityOf[kind], asked.map(domainOf))
    for (const source of asked) {
      const domain = domainOf(source)
      const document = documentOf(entries.get(domain))
      const file: KnownFile = document
        ? { standing: 'stands', document, location: hostedAddress(base, kind, domain) }
        : noFile
      files.set(sourceKey(source), file)
    }
  }
  return files
}

function documentOf(entry: EntryRow | undefined): KnownFile['document'] {
  if (entry === undefined) return undefined
  if (entry.entity === 'property') return adagentsOf(entry)
  return entry.status === 'live' ? hostedBrand(toldOf(entry)).document : undefined
}

/** What is not shown says nothing, and so nothing comes back that stood before it. */
export function adagentsOf(entry: EntryRow) {
  const properties = entry.status === 'live' ? propertiesOfEntry(entry) : []
  return hostedAdagents({ ...toldOf(entry), properties })
}

/** An entry with its time spelled as documents spell times. */
export function toldOf(entry: EntryRow): EntryRow {
  const updated_at = isoOf(Date.parse(entry.updated_at)).replace('.000Z', 'Z')
  return { ...entry, updated_at }
}

/** Entries whose domain points to its hosted file: what that says is derived from them. */
export async function hostedStirred(
  db: Database,
  entries: readonly Pick<EntryRow, 'entity' | 'domain'>[],
  base: string | undefined,
): Promise<Stirred[]> {
  const stirred: Stirred[] = []
  for (const entity of ['brand', 'property'] as const) {
    const domains = entries.filter(one => one.entity === entity).map(({ domain }) => domain)
    for (const location of await pointingHere(db, entity, domains, base)) {
      stirred.push({
        ...{ kind: fileOf[entity], location, is_new: false, is_own: true, known_until: null },
      })
    }
  }
  return stirred
}

/** Domains whose own file is a pointer to their hosted one. */
export async function pointingHere(
  db: Database,
  entity: Entity,
  domains: readonly string[],
  base: string | undefined,
): Promise<ReadonlySet<string>> {
  if (base === undefined || domains.length === 0) return new Set()
  const asked = [...new Set(domains)].sort()
  const read = () => readPointing(db, entity, asked, base)
  if (asked.length > FEW) return read()
  return db.written.recall(`pointing ${entity}`, JSON.stringify(asked), ['documents'], read)
}

async function readPointing(
  db: Database,
  entity: Entity,
  domains: readonly string[],
  base: string,
): Promise<ReadonlySet<string>> {
  const kind = fileOf[entity]
  const { condition, keys } = oneOf('location', domains)
  const rows = await db.all<{ location: string; leads_to: string }>(
    `select location, json_extract_string(document, '$.authoritative_location') as leads_to
     from documents where kind = $kind and ${condition}
       and json_extract_string(document, '$.authoritative_location') is not null`,
    { kind, ...keys },
    'kept',
  )
  const here = rows.filter(
    ({ location, leads_to }) => hostedDomain(base, { kind, location: leads_to }) === location,
  )
  return new Set(here.map(({ location }) => location))
}
