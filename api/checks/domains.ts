import { parseDomain, stripHostPrefix, toIdentifierHost } from '../../pipeline/core/domain.ts'
import type { CheckedList, DomainsChecked } from '../../pipeline/model/property-check.ts'
import { findBlocked } from '../../pipeline/read/lookups/blocklist.ts'
import { getInventorySource } from '../../pipeline/read/lookups/inventory-source.ts'
import { findCatalogEntries, toCatalogKey } from '../../pipeline/read/queries/catalog-entries.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { getSnapshot } from '../responses/lists.ts'
import { runInTurns } from './turns.ts'

/** Classifications in the catalog that are not inventory of a publisher. */
export const notInventory: ReadonlySet<string> = new Set(['ad_infra', 'publisher_mask'])

/**
 * Checks each domain of a list and recommends what to do: remove, rename, review or nothing. A domain to
 * rename is checked under its new name as well.
 */
export async function checkDomains(
  inputs: readonly unknown[],
  reader: Reader,
): Promise<DomainsChecked> {
  const lists: CheckedList = { remove: [], modify: [], assess: [], ok: [] }
  const open = new Map<string, string>()
  const names = new Set<string>()
  await runInTurns(inputs, input => {
    if (typeof input !== 'string' || input.trim() === '') return
    const canonical = toCanonicalHost(input)
    if (names.has(canonical.name)) {
      lists.remove.push({ input, canonical: canonical.name, reason: 'duplicate' })
      return
    }
    names.add(canonical.name)
    const { name, reason } = canonical
    if (reason !== undefined) lists.modify.push({ input, canonical: name, reason })
    const blocked = findBlocked(reader, name)
    if (blocked) lists.remove.push({ input, canonical: name, reason: 'blocked', ...blocked })
    else open.set(name, input)
  })
  await judge(open, lists, reader)
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

async function judge(
  open: ReadonlyMap<string, string>,
  { remove, assess, ok }: CheckedList,
  reader: Reader,
): Promise<void> {
  const names = [...open.keys()]
  const asked = names.map(value => ({ type: 'domain', value }))
  const snapshot = getSnapshot(reader)
  const catalog = snapshot && (await findCatalogEntries(snapshot, asked))
  await runInTurns(names, name => {
    const entry = catalog?.get(toCatalogKey({ type: 'domain', value: name }))
    const source = getInventorySource(reader, name)
    if (entry && notInventory.has(entry.classification)) {
      const blocked_reason = `the catalog classifies it as ${entry.classification}`
      remove.push({ input: open.get(name)!, canonical: name, reason: 'blocked', blocked_reason })
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
