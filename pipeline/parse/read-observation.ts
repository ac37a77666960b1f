import type { Limits } from '../core/limits.ts'
import { type Observation, toDomain } from '../model/observation.ts'
import { parseDocument } from './parse-document.ts'

/**
 * Parses the body of an observation: it gets a document and faults, or the outcome of a file without usable
 * content. `etag` and `last_modified` of such a file are dropped, so that a later 304 cannot count as a
 * success. An observation without a body, or with a document already, is returned as it is.
 */
export function readObservation(observation: Observation, limits: Limits): Observation {
  const { kind, location, body, etag, last_modified, ...rest } = observation
  if (body === undefined || observation.document !== undefined) return observation
  const domain = toDomain(observation)
  const read = parseDocument(kind, body, { domain, maxFaults: limits.faultsPerDocument })
  return read.outcome === 'ok'
    ? { ...observation, document: read.document, faults: read.faults }
    : { kind, location, ...rest, outcome: read.outcome, faults: read.faults }
}
