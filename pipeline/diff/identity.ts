import type { Identifier, PropertyEntry } from '../model/documents.ts'
import type { PropertyRow } from '../model/rows.ts'

/** How two identifiers are compared: `domain` without one leading `www.` or `m.`, all in lower case. */
export function identifierKey({ type, value }: Identifier): string {
  const lower = value.trim().toLowerCase()
  if (type !== 'domain') return `${type}:${lower}`
  const host = lower
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.$/, '')
  const bare = host.replace(/^(www|m)\./, '')
  return `${type}:${bare.includes('.') ? bare : host}`
}

/**
 * Gives every entry of a publisher its property_rid: the one of a known property of the same
 * publisher that shares an identifier (most shared first, the same slug breaking ties), else of one
 * with the same slug and type, else a fresh one. A rid is given once; equal entries share it.
 */
export function identify(
  known: readonly PropertyRow[],
  entries: readonly PropertyEntry[],
  mint: () => string,
): string[] {
  const free = new Set(known)
  const keysOfRow = new Map(known.map(row => [row, new Set(row.identifiers.map(identifierKey))]))
  const given = new Map<string, string>()
  return entries.map(entry => {
    const facts = factsKey(entry)
    const rid = given.get(facts) ?? take(entry)
    given.set(facts, rid)
    return rid
  })

  function take(entry: PropertyEntry): string {
    const row = bestMatch(entry)
    if (row === undefined) return mint()
    free.delete(row)
    return row.property_rid
  }

  function bestMatch(entry: PropertyEntry): PropertyRow | undefined {
    const keys = entry.identifiers.map(identifierKey)
    let best: PropertyRow | undefined
    let bestScore = 0
    for (const row of free) {
      const shared = keys.filter(key => keysOfRow.get(row)!.has(key)).length
      const sameSlug = entry.property_id !== undefined && entry.property_id === row.property_id
      const sameThing = sameSlug && entry.property_type === row.property_type
      const score = shared > 0 ? shared + (sameSlug ? 0.5 : 0) : sameThing ? 0.25 : 0
      if (score > bestScore) [best, bestScore] = [row, score]
    }
    return best
  }
}

function factsKey(entry: PropertyEntry): string {
  const keys = entry.identifiers.map(identifierKey).sort()
  return [entry.property_type, entry.property_id ?? '', ...keys].join('\n')
}
