import { digestOf } from '../core/digest.ts'
import type { Domain } from '../core/domain.ts'
import { groupBy } from '../core/group.ts'
import { idOfFacts } from '../core/uuid-v7.ts'
import type { AuthorizationRow } from '../model/rows.ts'
import { grantTerms } from './authorization-events.ts'

/** A grant that has no id yet. */
type Grant = Omit<AuthorizationRow, 'id' | 'granted_at'>

/** What a grant is recognised from among others of its agent and type: best first. */
const marks = [
  (grant: Grant) => digestOf([termsIn(grant), grant.property_rids]),
  (grant: Grant) => digestOf(termsIn(grant)),
  () => '',
]
const anyMark = marks.slice(-1)

/**
 * Gives every grant of a publisher its id: that of a known one of the same agent and type that says and
 * reaches the same, else of one that says the same, else of the first that is left, else a fresh one.
 * So of several entries that differ in their terms alone each keeps its id, wherever it stands and
 * whichever of the others goes.
 */
export function grantIds(
  domain: Domain,
  known: readonly AuthorizationRow[],
  grants: readonly Grant[],
): Map<Grant, string> {
  const before = groupBy(known, nameOf)
  const ids = new Map<Grant, string>()
  for (const [name, alike] of groupBy(grants, nameOf)) {
    const given = recognised(before.get(name) ?? [], alike)
    const taken = new Set(given.values())
    const free = alike
      .map((_, number) => idOfFacts('authorization', domain, name, String(number)))
      .filter(id => !taken.has(id))
    for (const grant of alike) ids.set(grant, given.get(grant) ?? free.shift()!)
  }
  return ids
}

function nameOf({ agent_url, authorization_type }: Grant): string {
  return `${agent_url}\n${authorization_type}`
}

function recognised(
  known: readonly AuthorizationRow[],
  grants: readonly Grant[],
): Map<Grant, string> {
  const given = new Map<Grant, string>()
  let left = known
  for (const markOf of known.length + grants.length > 2 ? marks : anyMark) {
    if (left.length === 0) break
    const open = groupBy(left, markOf)
    for (const grant of grants) {
      const row = given.has(grant) ? undefined : open.get(markOf(grant))?.shift()
      if (row !== undefined) given.set(grant, row.id)
    }
    left = [...open.values()].flat()
  }
  return given
}

function termsIn(grant: Grant): unknown[] {
  return grantTerms.map(name => grant[name])
}
