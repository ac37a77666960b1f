import { toIso } from '../core/clock.ts'
import type { EventDraft } from '../model/event.ts'
import type { AuthorizationRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import { stripNulls } from './events.ts'
import type { RowStamp } from './stamp.ts'
import { LIST_ITEMS_MAX, truncateLists } from './truncate-lists.ts'

/** Columns of a grant that hold the publisher's terms. */
const grantTerms = [
  'authorized_for',
  'property_ids',
  'property_tags',
  'publisher_properties',
  'signal_ids',
  'signal_tags',
  'placement_ids',
  'placement_tags',
  'collections',
  'delegation_type',
  'exclusive',
  'countries',
  'effective_from',
  'effective_until',
  'signing_keys',
] as const satisfies (keyof AuthorizationRow)[]

/** Columns whose change is reported. */
export const authorizationFacts = [
  ...grantTerms,
  'publisher_wide',
  'discovery_method',
  'manager_domain',
] as const satisfies (keyof AuthorizationRow)[]

const isFact = new Set<string>(authorizationFacts)

/**
 * Creates the events of a changed grant. The feed contains only grants in force: one is granted
 * when its window opens and revoked when it closes; changes outside the window have no event.
 */
export function diffAuthorization(
  change: Change<AuthorizationRow>,
  { now }: Pick<RowStamp, 'now'>,
): EventDraft[] {
  const was = change.kind !== 'added' && change.old.in_force ? change.old : undefined
  const is = change.kind !== 'removed' && change.row.in_force ? change.row : undefined
  if (was === undefined) return is === undefined ? [] : [draftEvent('authorization.granted', is)]
  if (is === undefined) {
    const row = change.kind === 'removed' ? was : (change.row as AuthorizationRow)
    return [draftEvent('authorization.revoked', { ...row, changed_at: toIso(now) })]
  }
  const changed_fields = change.kind === 'changed' ? listReportedFields(change.fields) : []
  if (changed_fields.length === 0) return []
  return [draftEvent('authorization.modified', is, { changed_fields })]
}

/**
 * Lists the changed fields to report; `properties` when the grant reaches different properties with the
 * same terms.
 */
function listReportedFields(fields: readonly string[]): string[] {
  const reported = fields.filter(name => isFact.has(name))
  return fields.includes('property_set') ? [...reported, 'properties'] : reported
}

function draftEvent(
  event_type: EventDraft['event_type'],
  row: AuthorizationRow,
  more: object = {},
): EventDraft {
  const payload = toAuthorizationPayload(row, row.property_count, row.property_rids)
  return { event_type, entity_id: row.id, payload: { ...payload, ...more } }
}

/** A stored grant, or a claim in the same shape. */
type GrantState = Omit<AuthorizationRow, 'property_set' | 'property_count' | 'property_rids'>

/**
 * Converts a grant to its public form, in the feed and in the lists of a replica. Its properties are listed
 * by rid; if a complete selector describes the same, only the first are listed.
 */
export function toAuthorizationPayload(
  row: GrantState,
  properties: number,
  property_rids?: readonly string[],
): Record<string, unknown> {
  const terms = truncateLists(Object.fromEntries(grantTerms.map(name => [name, row[name]])))
  return stripNulls({
    id: row.id,
    agent_url: row.agent_url,
    agent_url_canonical: row.agent_url,
    publisher_domain: row.publisher_domain,
    authorization_type: row.authorization_type,
    ...terms,
    ...(property_rids && listReached(row, properties, property_rids)),
    properties_authorized: properties,
    publisher_wide: row.publisher_wide,
    evidence: 'adagents_json',
    disputed: false,
    expires_at: row.effective_until,
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    created_at: row.granted_at,
    updated_at: row.changed_at,
  })
}

function listReached(row: GrantState, properties: number, rids: readonly string[]) {
  if (properties <= LIST_ITEMS_MAX || isListedInFull(row)) return { property_rids: rids }
  return {
    property_rids: rids.slice(0, LIST_ITEMS_MAX),
    property_rids_total: properties,
    property_rids_truncated: true,
  }
}

/** Tells whether only the rids say which properties a grant reaches: it has no selector, or a cut one. */
export function isListedInFull(
  row: Pick<
    AuthorizationRow,
    'authorization_type' | 'property_ids' | 'property_tags' | 'publisher_properties'
  >,
): boolean {
  const { authorization_type, property_ids, property_tags, publisher_properties } = row
  const isTruncated = (list: readonly unknown[] | null | undefined) =>
    (list?.length ?? 0) > LIST_ITEMS_MAX
  return (
    authorization_type === 'inline_properties' ||
    [property_ids, property_tags, publisher_properties].some(isTruncated) ||
    (publisher_properties ?? []).some(
      selector => isTruncated(selector.property_ids) || isTruncated(selector.property_tags),
    )
  )
}
