import { toIso } from '../core/clock.ts'
import { parseDomain, toIdentifierHost } from '../core/domain.ts'
import type { Contributed } from '../model/contribution.ts'
import { hostTypes, type Identifier } from '../model/documents/index.ts'
import type { EventDraft } from '../model/event.ts'
import type { PropertyRow } from '../model/rows.ts'
import { diffProperty } from './events.ts'

export const CONTRIBUTION_ACTOR = 'registry:contribution'

/** Type of identifier → type of the property that it names; `website` for any other. */
const propertyTypeByIdentifier: Readonly<Record<string, string>> = {
  ios_bundle: 'mobile_app',
  android_package: 'mobile_app',
  bundle_id: 'mobile_app',
  apple_app_store_id: 'mobile_app',
  google_play_id: 'mobile_app',
  roku_store_id: 'ctv_app',
  fire_tv_asin: 'ctv_app',
  samsung_app_id: 'ctv_app',
  apple_tv_bundle: 'ctv_app',
  venue_id: 'dooh',
  screen_id: 'dooh',
  openooh_venue_type: 'dooh',
  rss_url: 'podcast',
  apple_podcast_id: 'podcast',
  spotify_collection_id: 'podcast',
  podcast_guid: 'podcast',
  station_id: 'radio',
}

/**
 * Returns the host that an identifier names, whose own file may declare the property; undefined if it names
 * none.
 */
export function getDeclaringHost({ type, value }: Identifier): string | undefined {
  return hostTypes.has(type) ? parseDomain(toIdentifierHost(value)) : undefined
}

/**
 * Builds the row of a contributed property that no publisher declares. `owner` is its host, so that the
 * host's own file can take over the record with its rid; empty if there is none.
 */
export function buildContributedRow(
  { property_rid, identifier }: Contributed,
  owner: string,
  { now, seq }: { now: number; seq: number },
): PropertyRow {
  const at = toIso(now)
  return {
    property_rid,
    publisher_domain: owner,
    property_id: null,
    property_type: propertyTypeByIdentifier[identifier.type] ?? 'website',
    name: identifier.value,
    identifiers: [identifier],
    tags: [],
    categories: null,
    category_taxonomy: null,
    supported_channels: [],
    channels: [],
    classification: 'property',
    source: 'contributed',
    status: 'active',
    stale_reason: null,
    inline_only: null,
    created_at: at,
    changed_at: at,
    seq,
  } as PropertyRow
}

/** Lists the events of contributed properties that are new. */
export function diffContribution(rows: readonly PropertyRow[]): EventDraft[] {
  return rows
    .flatMap(row => diffProperty({ kind: 'added', row }))
    .map(event => ({ ...event, actor: CONTRIBUTION_ACTOR }))
}
