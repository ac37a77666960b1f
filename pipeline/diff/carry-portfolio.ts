import { type Instant, isoOf } from '../core/clock.ts'
import type { BrandRef, DocumentOf } from '../model/documents.ts'

type Portfolio = Extract<DocumentOf<'brand.json'>, { variant: 'house_portfolio' }>

/** Remembers since when each reference stands. One that was gone for a while begins anew. */
export function carryPortfolio(
  old: DocumentOf | undefined,
  fresh: Portfolio,
  observedAt: Instant,
): Portfolio {
  const refs = old?.variant === 'house_portfolio' ? old.brand_refs : []
  const since = new Map(refs.map(ref => [keyOf(ref), ref.first_seen_at]))
  return {
    ...fresh,
    brand_refs: fresh.brand_refs.map(ref => ({
      ...ref,
      first_seen_at: since.get(keyOf(ref)) ?? isoOf(observedAt),
    })),
  }
}

function keyOf({ domain, brand_id }: BrandRef): string {
  return `${domain} ${brand_id}`
}
