import { parseDomain } from '../../pipeline/core/domain.ts'
import type { Identifier } from '../../pipeline/model/documents/index.ts'
import type { CheckedIdentifier, IdentifiersChecked } from '../../pipeline/model/property-check.ts'
import { findBlocked } from '../../pipeline/read/lookups/blocklist.ts'
import { getInventorySource } from '../../pipeline/read/lookups/inventory-source.ts'
import {
  type CatalogEntry,
  findCatalogEntries,
  toCatalogKey,
} from '../../pipeline/read/queries/catalog-entries.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { normalizeIdentifier } from '../../pipeline/resolve/identifiers.ts'
import { getSnapshot } from '../responses/lists.ts'
import { infrastructureClasses } from './check-domains.ts'
import { runInChunks } from './run-in-chunks.ts'

/** Identifier types by the store that a pasted line `STORE, id` names. */
const typesByStore: Record<string, (value: string) => string> = {
  GOOGLE_PLAY_STORE: () => 'android_package',
  APPLE_APP_STORE: value => (/^\d+$/.test(value) ? 'apple_app_store_id' : 'ios_bundle'),
  ROKU: () => 'roku_store_id',
  SAMSUNG: () => 'samsung_app_id',
  AMAZON: () => 'fire_tv_asin',
}
/** First labels of a package name (`com.acme.app`); a domain rarely begins with one. */
const PACKAGE_NAME = /^(?:com|net|org|io|co|tv|app|me|air|edu|gov|info|de|uk|fr|jp|br|in|ru|eu)\./i

/** Recommendations by verdict. */
const actions = { ready: 'use', known: 'verify', ad_infra: 'remove', unknown: 'assess' } as const

/** Checks each identifier of a pasted list, in order, including repeated ones. */
export async function checkIdentifiers(
  inputs: readonly string[],
  reader: Reader,
): Promise<IdentifiersChecked> {
  const parsed: { input: string; identifier: Identifier }[] = []
  await runInChunks(inputs, input => {
    const identifier = parseIdentifier(input)
    if (identifier !== undefined)
      parsed.push({ input, identifier: normalizeIdentifier(identifier) })
  })
  const identifiers = parsed.map(({ identifier }) => identifier)
  const snapshot = getSnapshot(reader)
  const catalog = snapshot && (await findCatalogEntries(snapshot, identifiers))
  const entries: CheckedIdentifier[] = []
  const counts = { ready: 0, known: 0, ad_infra: 0, unknown: 0 }
  await runInChunks(parsed, ({ input, identifier }) => {
    const found = classify(identifier, catalog?.get(toCatalogKey(identifier)), reader)
    counts[found.verdict] += 1
    entries.push({ input, identifier, ...found, action: actions[found.verdict] })
  })
  const summary = { total: inputs.length, ...counts, skipped: inputs.length - parsed.length }
  return { summary, entries }
}

type Classified = Omit<CheckedIdentifier, 'input' | 'identifier' | 'action'>

/** Classifies an identifier by its entry in the catalog and by the files and lists that name its domain. */
function classify(
  identifier: Identifier,
  entry: CatalogEntry | undefined,
  reader: Reader,
): Classified {
  const isHost = identifier.type === 'domain'
  const inventory = isHost ? getInventorySource(reader, identifier.value) : undefined
  const facts = {
    classification: entry?.classification ?? null,
    source: entry?.source ?? inventory ?? null,
    property_rid: entry?.property_rid ?? null,
  }
  if (
    entry &&
    (infrastructureClasses.has(entry.classification) || entry.classification === 'network')
  ) {
    return { verdict: 'ad_infra', ...facts }
  }
  if (inventory !== undefined) return { verdict: 'ready', ...facts }
  if (entry) return { verdict: 'known', ...facts }
  if (isHost && findBlocked(reader, identifier.value)) {
    return { verdict: 'ad_infra', ...facts, classification: 'ad_infra' }
  }
  return { verdict: 'unknown', ...facts }
}

/** Parses a line; undefined for an empty line, a comment, and text without an identifier. */
function parseIdentifier(line: string): Identifier | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return undefined
  const [, store = '', id = ''] = /^([A-Z_]+)\s*,\s*(\S+)$/i.exec(text) ?? []
  const type = Object.hasOwn(typesByStore, store.toUpperCase())
    ? typesByStore[store.toUpperCase()]
    : undefined
  if (type !== undefined) return { type: type(id), value: id }
  if (/^\d+$/.test(text)) return { type: 'apple_app_store_id', value: text }
  const host = text.replace(/^https?:\/\//i, '').replace(/[/?#].*$/s, '')
  if (host === text && PACKAGE_NAME.test(text)) return { type: 'android_package', value: text }
  const domain = parseDomain(host.replace(/\.$/, ''))
  return domain === undefined ? undefined : { type: 'domain', value: domain }
}
