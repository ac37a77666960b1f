import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { isMissing, type Outcome } from '../core/outcomes.ts'
import type { FetchedOk, Fetcher, FetchFailed, FetchOptions, FetchResult } from '../fetch/http.ts'
import type { AdsTxtDocument } from '../model/documents/index.ts'
import {
  type CrawlTarget,
  type Fault,
  isUrl,
  type Observation,
  PARSER_VERSION,
  type Source,
  toSourceKey,
  toUrl,
} from '../model/observation.ts'
import { readObservation } from '../parse/read-observation.ts'

export interface CrawlDeps {
  fetcher: Pick<Fetcher, 'fetchDocument'>
  clock: Clock
  limits: Limits
}

/**
 * Fetches one file and returns an observation, whatever happens. A pointer is not followed here; its target
 * is a source of its own.
 */
export async function crawlSource(target: CrawlTarget, deps: CrawlDeps): Promise<Observation> {
  const url = toUrl(target)
  const fetched = await deps.fetcher.fetchDocument(url, buildFetchOptions(target, deps.limits))
  const observation: Observation = {
    kind: target.kind,
    location: target.location,
    observed_at: deps.clock.now(),
    outcome: fetched.kind === 'failed' ? toOutcome(target, fetched) : fetched.kind,
  }
  if (target.after_seq !== undefined) observation.after_seq = target.after_seq
  if (fetched.status !== undefined) observation.status = fetched.status
  if (fetched.url !== url) observation.resolved_url = fetched.url
  if (fetched.kind === 'ok') return attachBody(observation, target, fetched)
  if (fetched.kind === 'unchanged') return Object.assign(observation, readValidators(fetched))
  if (fetched.retryAfterSeconds !== undefined) observation.retry_after_s = fetched.retryAfterSeconds
  const fault = explainFailure(fetched)
  if (fault) observation.faults = [fault]
  return observation
}

/**
 * Explains a failure of which the outcome says too little: which content coding it was, or what is wrong with
 * robots.txt. Undefined for any other.
 */
function explainFailure({ outcome, detail, file }: FetchFailed): Fault | undefined {
  const severity = 'error'
  if (outcome === 'undecodable') {
    const message = `${detail}: send it as gzip, or as it is`
    const field = file === undefined ? 'content_encoding' : 'robots'
    return { field, code: 'coding', message, severity }
  }
  if (file === undefined || !answeredOutcomes.has(outcome)) return undefined
  const message = `${detail}: serve it, or answer 404 if there is none`
  return { field: 'robots', code: 'robots', message, severity }
}

/** Outcomes with an answer: what is said about any other failure must not tell private networks apart. */
const answeredOutcomes: ReadonlySet<Outcome> = new Set([
  'throttled',
  'server_error',
  'long_headers',
  'not_http',
])

/** Answer of an object store for a missing file, to callers who may not list its files. */
const STORE_DENIED = /<Code>\s*AccessDenied\s*<\/Code>/

function toOutcome({ kind, location }: CrawlTarget, { outcome, status, body }: FetchFailed) {
  const mayBeMissing = kind === 'adagents.json' && !isUrl(location) && status === 403
  return mayBeMissing && body && STORE_DENIED.test(body.toString()) ? 'store_denied' : outcome
}

/**
 * Builds the options of a fetch. A file that another one points to may be larger, and must be at that very
 * address.
 */
function buildFetchOptions(target: CrawlTarget, limits: Limits): FetchOptions {
  return {
    maxBytes: getMaxBytes(target, limits),
    ...getRedirectRules(target, limits),
    deadlineMs: limits.fetchMs,
    obeysRobots: true,
    accept: target.kind === 'ads.txt' ? 'text/plain, */*;q=0.1' : 'application/json',
    etag: target.etag,
    lastModified: target.last_modified,
  }
}

/**
 * Returns the redirect rules. An ads.txt may redirect anywhere, since the manager that it names must name the
 * domain in turn.
 */
function getRedirectRules({ kind, location }: CrawlTarget, limits: Limits) {
  if (isUrl(location)) return { redirects: 'none', maxRedirects: 0 } as const
  return kind === 'ads.txt'
    ? ({ redirects: 'any', maxRedirects: limits.adsTxtRedirects } as const)
    : ({ redirects: 'same-site', maxRedirects: limits.httpRedirects } as const)
}

function getMaxBytes({ kind, location }: CrawlTarget, limits: Limits): number {
  if (kind === 'brand.json') return limits.brandBytes
  if (kind === 'ads.txt') return limits.adsTxtBytes
  return isUrl(location) ? limits.adagentsPointerBytes : limits.adagentsBytes
}

function attachBody(
  observation: Observation,
  target: CrawlTarget,
  fetched: FetchedOk,
): Observation {
  const { body } = fetched
  observation.bytes = body.byteLength
  observation.hash = hashContent(body)
  Object.assign(observation, readValidators(fetched))
  if (observation.hash === target.hash) return Object.assign(observation, { outcome: 'unchanged' })
  observation.body = body
  return observation
}

function readValidators({ etag, lastModified }: FetchResult & { kind: 'ok' | 'unchanged' }) {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { last_modified: lastModified }),
  }
}

/** Hashes a body together with the version of its parser. */
export function hashContent(body: Uint8Array): string {
  return `${PARSER_VERSION}-${hash('sha256', body)}`
}

/** Outcomes after which it is open whether an ads.txt names a manager. */
const openOutcomes: ReadonlySet<Outcome> = new Set([
  'throttled',
  'server_error',
  'timeout',
  'connection_failed',
  'not_http',
  'tls_failed',
  'dns_failed',
])

/**
 * Fetches the ads.txt of a domain without an adagents.json, at once, while the connection is open.
 * Undefined unless it names another domain, or could not be read now and has to be tried again: nothing is
 * stored about the many domains that have neither. A known ads.txt is a target of its own; `named` are the
 * targets of this batch.
 */
export async function crawlAdsTxt(
  missing: Observation,
  named: ReadonlySet<string>,
  deps: CrawlDeps,
): Promise<Observation | undefined> {
  const { kind, location, outcome, after_seq } = missing
  if (kind !== 'adagents.json' || isUrl(location) || !isMissing(outcome)) return undefined
  const adsTxt: Source = { kind: 'ads.txt', location }
  if (named.has(toSourceKey(adsTxt))) return undefined
  const target = after_seq === undefined ? adsTxt : { ...adsTxt, after_seq }
  const observation = readObservation(await crawlSource(target, deps), deps.limits)
  const manager = (observation.document as AdsTxtDocument | undefined)?.manager_domain
  const namesAnother = manager !== undefined && manager !== location
  return namesAnother || openOutcomes.has(observation.outcome) ? observation : undefined
}
