import { bareHost, identifierHost, parseDomain } from '../../pipeline/core/domain.ts'
import { blockedBy } from '../../pipeline/index/points/blocklist.ts'
import { inventorySource } from '../../pipeline/index/points/inventory-source.ts'
import { catalogEntries, catalogKey } from '../../pipeline/index/queries/catalog-entries.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import type { CheckedList, DomainsChecked } from '../../pipeline/model/property-check.ts'
import { inTurns } from './turns.ts'

/** Classifications of the catalog that are no inventory of anybody's. */
export const notInventory: ReadonlySet<string> = new Set(['ad_infra', 'publisher_mask'])

/**
 * What is to be done about each domain of a list: taken off, written otherwise, looked at, or nothing.
 * One that is to be written otherwise is judged under its new name as well.
 */
export async function checkDomains(
  given: readonly unknown[],
  reader: Reader,
): Promise<DomainsChecked> {
  const lists: CheckedList = { remove: [], modify: [], assess: [], ok: [] }
  const open = new Map<string, string>()
  const seen = new Set<string>()
  await inTurns(given, input => {
    if (typeof input !== 'string' || input.trim() === '') return
    const canonical = canonicalOf(input)
    if (seen.has(canonical.name)) {
      lists.remove.push({ input, canonical: canonical.name, reason: 'duplicate' })
      return
    }
    seen.add(canonical.name)
    const { name, reason } = canonical
    if (reason !== undefined) lists.modify.push({ input, canonical: name, reason })
    const blocked = blockedBy(name)
    if (blocked) lists.remove.push({ input, canonical: name, reason: 'blocked', ...blocked })
    else open.set(name, input)
  })
  await judge(open, lists, reader)
  const { remove, modify, assess, ok } = lists
  const summary = {
    ...{ total: given.length, remove: remove.length, modify: modify.length },
    ...{ assess: assess.length, ok: ok.length },
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
  const catalog = reader.snapshot && (await catalogEntries(reader.snapshot, asked))
  await inTurns(names, name => {
    const entry = catalog?.get(catalogKey({ type: 'domain', value: name }))
    const source = inventorySource(reader, name)
    if (entry && notInventory.has(entry.classification)) {
      const blocked_reason = `the catalog knows it as ${entry.classification}`
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

/** The host, and what was taken from its beginning; another spelling alone is no change. */
function canonicalOf(input: string): Canonical {
  const host = identifierHost(input).replace(/[./]+$/, '')
  const name = parseDomain(host) === undefined ? host : bareHost(host)
  if (name === host) return { name }
  return { name, reason: host.startsWith('www.') ? 'www_stripped' : 'm_stripped' }
}
