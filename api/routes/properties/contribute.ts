import { randomUUID } from 'node:crypto'
import { parseDomain, stripHostPrefix, toIdentifierHost } from '../../../pipeline/core/domain.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { RisingIds } from '../../../pipeline/core/uuid-v7.ts'
import type { Contributed, provenances } from '../../../pipeline/model/contribution.ts'
import { hostTypes, identifierTypes } from '../../../pipeline/model/documents/vocabulary.ts'
import type { ResolvedIdentifier } from '../../../pipeline/model/responses/catalog.ts'
import { isStorable } from '../../../pipeline/model/save.ts'
import { findBlocked } from '../../../pipeline/read/lookups/blocklist.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { toIdentifierKey } from '../../../pipeline/resolve/identifiers.ts'
import { toEditor } from '../../auth/editor.ts'
import type { Principal } from '../../auth/principal.ts'
import type { LimitHeaders } from '../../limits/limit-headers.ts'
import type { Services } from '../../operation/services.ts'

type Identifier = ResolvedIdentifier['identifier']

interface Contribution {
  principal: Principal
  provenance: (typeof provenances)[number]
  /** The commit in which the lookup was made. */
  since: number
}

/**
 * Adds unknown identifiers to the catalog and returns what became of each, with the state of the caller's quota. Hosts of
 * advertising systems and invalid identifiers are left out. A repeated identifier makes one property.
 */
export async function contribute(
  resolved: readonly ResolvedIdentifier[],
  { principal, provenance, since }: Contribution,
  services: Services,
): Promise<{ resolved: ResolvedIdentifier[]; headers: LimitHeaders }> {
  const { clock, reader } = services
  const ids = new RisingIds(clock)
  const candidates = new Map<string, Contributed>()
  for (const { identifier, status } of resolved) {
    const key = toIdentifierKey(identifier)
    if (status !== 'excluded' || candidates.has(key) || !isContributable(reader, identifier))
      continue
    candidates.set(key, { property_rid: ids.next(), identifier })
  }
  const { made, headers } = await submit(
    [...candidates.values()],
    { principal, provenance, since },
    services,
  )
  const reported = new Set<string>()
  const answered = resolved.map((resolution): ResolvedIdentifier => {
    const key = toIdentifierKey(resolution.identifier)
    const property_rid = made[key]
    if (resolution.status !== 'excluded') return resolution
    if (property_rid === undefined)
      return { ...resolution, ...classifyExcluded(reader, resolution.identifier) }
    const isFirst = candidates.get(key)?.property_rid === property_rid && !reported.has(key)
    reported.add(key)
    const status = isFirst ? 'created' : 'existing'
    return {
      ...resolution,
      property_rid,
      classification: 'property',
      source: 'contributed',
      status,
    }
  })
  return { resolved: answered, headers }
}

/** Submits the identifiers and returns the property of each, by its key. */
async function submit(
  contributed: readonly Contributed[],
  { principal, provenance, since }: Contribution,
  { writer, saves, clock }: Services,
): Promise<{ made: Record<string, string>; headers: LimitHeaders }> {
  if (contributed.length === 0) return { made: {}, headers: {} }
  const contributor = toEditor(principal)
  const contribution_id = randomUUID()
  const place = { id: contribution_id, user: principal.id, organization: principal.org_id }
  const headers = await saves.reserve(place, clock.now())
  const answer = await writer.submit({
    op: 'property.contribute',
    contribution_id,
    contributor,
    provenance,
    since,
    contributed: [...contributed],
  })
  if ('refused' in answer) return refuse(answer.error ?? 'invalid_request', answer.refused)
  return { made: answer.done.rids as Record<string, string>, headers }
}

function isContributable(reader: Reader, { type, value }: Identifier): boolean {
  if (!(identifierTypes as readonly string[]).includes(type) || !isStorable(value)) return false
  if (!hostTypes.has(type)) return true
  const host = parseDomain(toIdentifierHost(value))
  return host !== undefined && findBlocked(reader, stripHostPrefix(host)) === undefined
}

/** Classifies an identifier that is not added: a host of an advertising system, or nothing known. */
function classifyExcluded(reader: Reader, { type, value }: Identifier) {
  const isBlocked =
    hostTypes.has(type) && findBlocked(reader, toIdentifierHost(value)) !== undefined
  return isBlocked ? { classification: 'ad_infra' as const } : {}
}
