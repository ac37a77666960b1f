import type { Failure } from './failures.ts'
import { guardTexts } from './ssrf-guard.ts'

/** Why the guard refused a request; `resolved` where a name leads into a private network. */
export const refusalReasons = [
  ...(Object.keys(guardTexts) as (keyof typeof guardTexts)[]),
  'resolved',
  'invalid',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

/** Rates that a request may exceed, by what is counted. */
export const rateNames = ['site', 'address', 'caller', 'callers'] as const
export type RateName = (typeof rateNames)[number]

/** Receives what a fetcher measures, in milliseconds. Called for every request, so it must be cheap. */
export interface FetchMeter {
  countExchange(result: 'answered' | 'broken', ms: number): void
  countNameLookup(result: 'found' | 'refused' | 'failed', ms: number): void
  countRefusal(reason: RefusalReason): void
  countLimit(limit: RateName): void
}

const nothing = () => undefined

export const silentMeter: FetchMeter = {
  countExchange: nothing,
  countNameLookup: nothing,
  countRefusal: nothing,
  countLimit: nothing,
}

const reasons = new Map<string, RefusalReason>(
  Object.entries(guardTexts).map(([reason, text]) => [text, reason as RefusalReason]),
)

/** Finds why the guard refused, by the text that callers see; undefined where it was not the guard. */
export function findRefusalReason(detail: string): RefusalReason | undefined {
  return reasons.get(detail.replace(/^redirects, but /, ''))
}

/** Counts a refusal and returns it as a failure. */
export function refuseRequest(meter: FetchMeter, detail: string): Failure {
  meter.countRefusal(findRefusalReason(detail) ?? 'invalid')
  return { outcome: 'refused', detail }
}
