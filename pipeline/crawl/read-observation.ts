import type { Limits } from '../core/limits.ts'
import { isUrl, type Observation } from '../model/observation.ts'
import { parseDocument } from './parse-json.ts'

/**
 * What a fetched file says: its document and faults, or the outcome of one that says nothing. The
 * validators of a file that was not understood are left out: a later `not modified` about it must
 * not read as a success. An observation without bytes, or one that was read already, stays as it is.
 */
export function readObservation(seen: Observation, limits: Limits): Observation {
  const { kind, location, body, etag, last_modified, ...rest } = seen
  if (body === undefined || seen.document !== undefined) return seen
  const domain = isUrl(location) ? undefined : location
  const read = parseDocument(kind, body, { domain, maxFaults: limits.faultsPerDocument })
  return read.outcome === 'ok'
    ? { ...seen, document: read.document, faults: read.faults }
    : { kind, location, ...rest, outcome: read.outcome, faults: read.faults }
}
