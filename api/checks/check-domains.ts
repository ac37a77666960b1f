import { parseDomain, stripHostPrefix, toIdentifierHost } from '../../pipeline/core/domain.ts'
import { getOrThrow } from '../../pipeline/core/present.ts'
import type { CheckedList, DomainsChecked } from '../../pipeline/model/property-check.ts'
import { findBlocked } from '../../pipeline/read/lookups/blocklist.ts'
import { getInventorySource } from '../../pipeline/read/lookups/inventory-source.ts'
import { findCatalogEntries, toCatalogKey } from '../../pipeline/read/queries/catalog-entries.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { getSnapshot } from '../responses/lists.ts'
import { runInChunks } from './run-in-chunks.ts'

/** Classifications in the catalog of domains that are no inventory of a publisher. */
export const infrastructureClasses: ReadonlySet<string> = new Set(['ad_infra', 'publisher_mask'])

/**
 * Checks each domain of a list and recommends what to do: remove, rename, review or nothing. A domain to
 * rename is checked under its new name as well.
 */
export async function checkDomains(
  inputs: readonly unknown[],
  reader: Reader,
): Promise<DomainsChecked> {
  const lists: CheckedList = { remove: [], modify: [], assess: [], ok: [] }
  const inputsByName = new Map<string, string>()
  const names = new Set<string>()
  await runInChunks(inputs, input => {
    if (typeof input !== 'string' || input.trim() === '') return
    const { name, reason } = toCanonicalHost(input)
    if (names.has(name)) {
      lists.remove.push({ input, canonical: name, reason: 'duplicate' })
      return
    }
    names.add(name)
    if (reason !== undefined) lists.modify.push({ input, canonical: name, reason })
    const blocked = findBlocked(reader, name)
    if (blocked) lists.remove.push({ input, canonical: name, reason: 'blocked', ...blocked })
    else inputsByName.set(name, input)
  })
  await classify(inputsByName, lists, reader)
  const { remove, modify, assess, ok } = lists
  const summary = {
    total: inputs.length,
    remove: remove.length,
    modify: modify.length,
    assess: assess.length,
    ok: ok.length,
  }
  return { summary, ...lists }
}

/** Sorts names that are not blocked into the lists, by what the catalog and the publishers' files say of each. */
async function classify(
  inputsByName: ReadonlyMap<string, string>,
  { remove, assess, ok }: CheckedList,
  reader: Reader,
): Promise<void> {
  const names = [...inputsByName.keys()]
  const identifiers = names.map(value => ({ type: 'domain', value }))
  const snapshot = getSnapshot(reader)
  const catalog = snapshot && (await findCatalogEntries(snapshot, identifiers))
  await runInChunks(names, name => {
    const entry = catalog?.get(toCatalogKey({ type: 'domain', value: name }))
    const source = getInventorySource(reader, name)
    if (entry && infrastructureClasses.has(entry.classification)) {
      const blocked_reason = `the catalog classifies it as ${entry.classification}`
      remove.push({
        input: getOrThrow(inputsByName, name),
        canonical: name,
        reason: 'blocked',
        blocked_reason,
      })
    } else if (source !== undefined) ok.push({ domain: name, source })
    else if (entry) ok.push({ domain: name, source: 'catalog' })
    else assess.push({ domain: name })
  })
}

interface Canonical {
  name: string
  reason?: 'www_stripped' | 'm_stripped'
}

/**
 * Converts a host to its canonical form, and returns the prefix that was stripped; a different spelling
 * alone is no change.
 */
function toCanonicalHost(input: string): Canonical {
  const host = toIdentifierHost(input).replace(/[./]+$/, '')
  const name = parseDomain(host) === undefined ? host : stripHostPrefix(host)
  if (name === host) return { name }
  return { name, reason: host.startsWith('www.') ? 'www_stripped' : 'm_stripped' }
}
