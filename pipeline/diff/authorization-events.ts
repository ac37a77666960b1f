import { isoOf } from '../core/clock.ts'
import type { EventDraft } from '../model/event.ts'
import type { AuthorizationRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import { withoutNulls } from './events.ts'
import type { Stamp } from './rows.ts'

/** What a publisher says of a grant besides whose it is. */
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

/** Columns whose change means something to a reader. */
export const authorizationFacts = [
  ...grantTerms,
  'publisher_wide',
  'discovery_method',
  'manager_domain',
] as const satisfies (keyof AuthorizationRow)[]

const isFact = new Set<string>(authorizationFacts)

/** Items of a list that an event shows; it says when there are more. */
const SHOWN = 200

/**
 * What the feed tells of a grant. It knows only grants in force: one is granted when its window
 * opens and revoked when that closes, and what happens to it outside is nobody's news.
 */
export function authorizationEvents(
  change: Change<AuthorizationRow>,
  { now }: Pick<Stamp, 'now'>,
): EventDraft[] {
  const was = change.kind !== 'added' && change.old.in_force ? change.old : undefined
  const is = change.kind !== 'removed' && change.row.in_force ? change.row : undefined
  if (was === undefined) return is === undefined ? [] : [event('authorization.granted', is)]
  if (is === undefined) {
    const row = change.kind === 'removed' ? was : (change.row as AuthorizationRow)
    return [event('authorization.revoked', { ...row, changed_at: isoOf(now) })]
  }
  const changed_fields = change.kind === 'changed' ? toldFields(change.fields) : []
  if (changed_fields.length === 0) return []
  return [event('authorization.modified', is, { changed_fields })]
}

/** `properties`: the grant reaches others than before, though its words are the same. */
function toldFields(fields: readonly string[]): string[] {
  const told = fields.filter(name => isFact.has(name))
  return fields.includes('property_rids') ? [...told, 'properties'] : told
}

function event(
  event_type: EventDraft['event_type'],
  row: AuthorizationRow,
  more: object = {},
): EventDraft {
  const payload = authorizationPayload(row, row.property_rids.length)
  return { event_type, entity_id: row.id, payload: { ...payload, ...more } }
}

/** A grant as readers see it, in the feed and in what a replica begins with. */
export function authorizationPayload(
  row: Omit<AuthorizationRow, 'property_rids'>,
  properties: number,
): Record<string, unknown> {
  return withoutNulls({
    id: row.id,
    agent_url: row.agent_url,
    agent_url_canonical: row.agent_url,
    publisher_domain: row.publisher_domain,
    authorization_type: row.authorization_type,
    ...cut(Object.fromEntries(grantTerms.map(name => [name, row[name]]))),
    properties_authorized: properties,
    publisher_wide: row.publisher_wide,
    evidence: 'adagents_json',
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    created_at: row.granted_at,
    updated_at: row.changed_at,
  })
}

/** Lists of thousands are cut, those inside of lists too: the index has them whole. */
function cut(record: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return [[name, value]]
    const shown = value.slice(0, SHOWN).map(item => (isRecord(item) ? cut(item) : item))
    return value.length <= SHOWN
      ? [[name, shown]]
      : [
          [name, shown],
          [`${name}_total`, value.length],
          [`${name}_truncated`, true],
        ]
  })
  return Object.fromEntries(entries)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
