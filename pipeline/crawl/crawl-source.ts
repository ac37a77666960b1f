import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzipSync, gzip as gzipWithCallback } from 'node:zlib'
import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { Ask, Fetched, FetchedOk, Fetcher } from '../fetch/http.ts'
import {
  type CrawlTarget,
  isUrl,
  type Observation,
  PARSER_VERSION,
  urlOf,
} from '../model/observation.ts'
import { parseDocument } from './parse-json.ts'

export interface CrawlDeps {
  fetcher: Pick<Fetcher, 'fetchDocument'>
  clock: Clock
  limits: Limits
}

const gzip = promisify(gzipWithCallback)
const SMALL_BODY = 64 * 1024

/**
 * Asks for one file and says what came of it: always an observation, whatever the world does. Where
 * the file points to is not followed here; that is a source of its own.
 */
export async function crawlSource(target: CrawlTarget, deps: CrawlDeps): Promise<Observation> {
  const url = urlOf(target)
  const fetched = await deps.fetcher.fetchDocument(url, askOf(target, deps.limits))
  const seen: Observation = {
    kind: target.kind,
    location: target.location,
    observed_at: deps.clock.now(),
    outcome: fetched.kind === 'failed' ? fetched.outcome : fetched.kind,
  }
  if (fetched.status !== undefined) seen.status = fetched.status
  if (fetched.url !== url) seen.resolved_url = fetched.url
  if (fetched.kind === 'ok') return readBody(seen, target, fetched, deps.limits)
  if (fetched.kind === 'unchanged') return Object.assign(seen, validatorsOf(fetched))
  if (fetched.retryAfterSeconds !== undefined) seen.retry_after_s = fetched.retryAfterSeconds
  return seen
}

/** A file by address was named by another one: it may be larger, and must be where it was said. */
function askOf(target: CrawlTarget, limits: Limits): Ask {
  const byUrl = isUrl(target.location)
  return {
    maxBytes: maxBytesOf(target, limits),
    redirects: byUrl ? 'none' : 'same-site',
    maxRedirects: byUrl ? 0 : limits.httpRedirects,
    deadlineMs: limits.fetchMs,
    accept: 'application/json',
    etag: target.etag,
    lastModified: target.last_modified,
  }
}

function maxBytesOf({ kind, location }: CrawlTarget, limits: Limits): number {
  if (kind === 'brand.json') return limits.brandBytes
  return isUrl(location) ? limits.adagentsPointerBytes : limits.adagentsBytes
}

/**
 * The validators of a file that was not understood are left out: a later `not modified` about it
 * must not read as a success.
 */
async function readBody(
  seen: Observation,
  target: CrawlTarget,
  fetched: FetchedOk,
  limits: Limits,
): Promise<Observation> {
  const { body } = fetched
  seen.bytes = body.byteLength
  seen.hash = contentHash(body)
  if (seen.hash === target.hash) {
    return Object.assign(seen, { outcome: 'unchanged' }, validatorsOf(fetched))
  }
  const { location } = target
  const domain = isUrl(location) ? undefined : location
  const parsed = parseDocument(target.kind, body, { domain, maxFaults: limits.faultsPerDocument })
  seen.outcome = parsed.outcome
  seen.faults = parsed.faults
  if (parsed.outcome !== 'ok') return seen
  seen.document = parsed.document
  seen.body = await packBody(body)
  return Object.assign(seen, validatorsOf(fetched))
}

function validatorsOf({ etag, lastModified }: Fetched & { kind: 'ok' | 'unchanged' }) {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { last_modified: lastModified }),
  }
}

/** Equal for the same bytes read by the same parser. */
export function contentHash(body: Uint8Array): string {
  return `${PARSER_VERSION}-${createHash('sha256').update(body).digest('hex')}`
}

/** Small bodies are packed at once, which costs less than a thread; large ones must not hold others up. */
async function packBody(body: Uint8Array): Promise<string> {
  const packed =
    body.byteLength <= SMALL_BODY ? gzipSync(body, { level: 1 }) : await gzip(body, { level: 1 })
  return packed.toString('base64')
}
