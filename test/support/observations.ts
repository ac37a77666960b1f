import type { Instant } from '../../pipeline/core/clock.ts'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import { hashContent } from '../../pipeline/crawl/crawl-source.ts'
import { isUrl, type Observation, type Source } from '../../pipeline/model/observation.ts'
import { parseDocument } from '../../pipeline/parse/parse-document.ts'

/** Builds the observation of a file that was read with this text at that time. */
export function observeFile(
  kind: Source['kind'],
  location: string,
  content: object | string,
  at: Instant,
): Observation {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  const domain = isUrl(location) ? undefined : location
  const parsed = parseDocument(kind, body, { domain, maxFaults: 20 })
  return {
    kind,
    location,
    observed_at: at,
    status: 200,
    outcome: parsed.outcome,
    ...(parsed.document && { document: parsed.document, hash: hashContent(body) }),
    faults: parsed.faults,
    bytes: body.byteLength,
  }
}

const statuses: Partial<Record<Outcome, number>> = {
  unchanged: 304,
  absent: 404,
  denied: 403,
  throttled: 429,
  server_error: 500,
  unusable: 200,
  not_json: 200,
}

/** Builds the observation of an attempt that found no document. */
export function observeOutcome(
  outcome: Outcome,
  kind: Source['kind'],
  location: string,
  at: Instant,
  more: Partial<Observation> = {},
): Observation {
  const status = statuses[outcome]
  return { kind, location, observed_at: at, outcome, ...(status && { status }), ...more }
}
