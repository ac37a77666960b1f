import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { PropertyEntry } from '../model/documents/index.ts'
import type { PropertyRow } from '../model/rows.ts'
import type { PublisherFacts } from '../resolve/publisher.ts'
import { compareTypeAndValue, sortDistinct } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/** Channel that a type of property implies if the publisher names none. */
const channelOfType: Readonly<Record<string, string>> = {
  website: 'display',
  mobile_app: 'display',
  desktop_app: 'display',
  ctv_app: 'ctv',
  dooh: 'dooh',
  podcast: 'podcast',
  radio: 'radio',
  linear_tv: 'linear_tv',
  streaming_audio: 'streaming_audio',
  ai_assistant: 'sponsored_intelligence',
}

/** Chooses the channels of a property: those it declares, else those implied by its type. */
export function chooseChannels(type: string, declared: string[]): string[] {
  const implied = channelOfType[type]
  return declared.length > 0 || implied === undefined ? declared : [implied]
}

/** Marks an active property as stale; any other stays as it is. */
export function toStaleRow(
  row: PropertyRow,
  reason: string,
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): PropertyRow {
  if (row.status !== 'active') return row
  return { ...row, status: 'stale', stale_reason: reason, changed_at: toIso(now), seq }
}

/** Builds the row of a property that a file lists; `old` is its row until now. */
export function buildPropertyRow(
  domain: Domain,
  entry: PropertyEntry,
  rid: string,
  { validity }: PublisherFacts,
  old: PropertyRow | undefined,
  { now, seq }: RowStamp,
): Omit<PropertyRow, 'inline_only'> {
  const declared = sortDistinct(entry.supported_channels)
  const isValid = validity === 'valid'
  return {
    property_rid: rid,
    publisher_domain: domain,
    property_id: entry.property_id ?? null,
    property_type: entry.property_type,
    name: entry.name,
    identifiers: [...entry.identifiers].sort(compareTypeAndValue),
    tags: sortDistinct(entry.tags),
    supported_channels: declared,
    channels: chooseChannels(entry.property_type, declared),
    categories: entry.categories ? sortDistinct(entry.categories) : null,
    category_taxonomy: entry.category_taxonomy ?? null,
    classification: 'property',
    source: 'authoritative',
    status: isValid ? 'active' : 'stale',
    stale_reason: isValid ? null : 'validation_failed',
    created_at: old?.created_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}
