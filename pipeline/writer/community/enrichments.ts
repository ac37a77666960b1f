import { isSameValue } from '../../diff/diff.ts'
import type { EnrichmentOrigin, enrichers } from '../../model/enrichment.ts'
import type { EntryRow, EntryState } from '../../model/rows.ts'
import type { OperationOf } from '../../model/submission.ts'

type Provider = (typeof enrichers)[number]

/** Origin of each provider's data, in the words of a revision's summary. */
const places: Readonly<Record<Provider, string>> = {
  enrichment_service: 'by a service of brand data',
  brandfetch: 'by a provider of brand data',
  home_page: 'on its home page',
}

/**
 * Tells whether an enrichment of a brand may be stored: only where there is no member's entry, and
 * none was withdrawn or rejected.
 */
export function isOpenToFindings(entry: EntryRow | undefined): boolean {
  return entry === undefined || (entry.source === 'enriched' && entry.status === 'live')
}

/** Builds the state of an entry from a new enrichment of its brand and the previous one. */
export function buildFoundState(
  { enrichment, found_at }: OperationOf<'brand.enrich'>,
  before: EntryRow | undefined,
): EntryState {
  const { provider, manifest, company } = enrichment
  const brand_manifest = { ...manifest, ...(company && { company }) }
  const known = before?.document as Found | undefined
  const isSame = known !== undefined && isSameValue(known.brand_manifest, brand_manifest)
  const unchanged_since = isSame ? known.enrichment.unchanged_since : found_at
  const origin: EnrichmentOrigin = { provider, found_at, unchanged_since }
  return {
    source: 'enriched',
    status: 'live',
    brand_name: manifest.name,
    document: { brand_manifest, enrichment: origin },
    contact_id: null,
  }
}

/** Says in words what a revision with such a document is. */
export function summarizeFound(document: EntryRow['document']): string {
  const { provider, found_at, unchanged_since } = (document as unknown as Found).enrichment
  return `Found ${found_at === unchanged_since ? '' : 'unchanged '}${places[provider]}`
}

interface Found {
  brand_manifest: Record<string, unknown>
  enrichment: EnrichmentOrigin
}
