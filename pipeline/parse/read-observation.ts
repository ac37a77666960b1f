import type { Limits } from '../core/limits.ts'
import { isUrl, type Observation } from '../model/observation.ts'
import { parseDocument } from './parse-json.ts'

/**
 * Parses a fetched file to a document and faults, or to the outcome of a file without usable content. The
 * validators of such a file are dropped: a later `not modified` must not count as a success. An observation
 * without bytes, or one that was parsed already, stays as it is.
 */
export function readObservation(observation: Observation, limits: Limits): Observation {
  const { kind, location, body, etag, last_modified, ...rest } = observation
  if (body === undefined || observation.document !== undefined) return observation
  const domain = isUrl(location) ? undefined : location
  const read = parseDocument(kind, body, { domain, maxFaults: limits.faultsPerDocument })
  return read.outcome === 'ok'
    ? { ...observation, document: read.document, faults: read.faults }
    : { kind, location, ...rest, outcome: read.outcome, faults: read.faults }
}
