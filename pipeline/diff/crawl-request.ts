import { HOUR, type Instant, MINUTE, toIso } from '../core/clock.ts'
import { getEffect, isMissing } from '../core/outcomes.ts'
import {
  type Attempt,
  type CrawlRequestRow,
  type CrawlStatus,
  ownFiles,
  type RequestedFile,
  type RequestOutcome,
} from '../model/crawl-request.ts'
import { type Source, toSourceKey } from '../model/observation.ts'

/** Delays after the first, second … attempt without an answer; none after the last. */
const PAUSES = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]
export const ATTEMPTS_MAX = PAUSES.length + 1

/** A file that must be fetched for a request, and when. */
export interface DueSource extends Source {
  due_at: Instant
  /** True for the domain's own file, which the caller requested. */
  is_own: boolean
}

/**
 * Advances a request after some attempts and returns the files to fetch now. `needed` are the files from
 * which its domain is read; one that is added later is fetched at once. An attempt that began before the
 * request is out of date and does not count.
 */
export function advance(
  request: CrawlRequestRow,
  needed: readonly Source[],
  attempts: ReadonlyMap<string, Attempt>,
  now: Instant,
): { request: CrawlRequestRow; dueSources: DueSource[] } {
  const before = new Map(request.files.map(file => [toSourceKey(file), file]))
  const dueSources: DueSource[] = []
  const addDue = ({ kind, location }: Source, due_at: Instant) =>
    dueSources.push({ kind, location, due_at, is_own: isOwn(request, { kind, location }) })
  const files = needed.map((source): RequestedFile => {
    const known = before.get(toSourceKey(source))
    const attempt = attempts.get(toSourceKey(source))
    if (known && isSettled(known)) return known
    if (attempt === undefined || attempt.after_seq < request.requested_seq) {
      if (known === undefined || attempt) addDue(source, now)
      return known ?? toPendingFile(source)
    }
    const { file, again } = countTried(known ?? toPendingFile(source), attempt)
    if (again !== undefined) addDue(source, again)
    return file
  })
  return { request: { ...request, ...describeRequest(request, files, now) }, dueSources }
}

function isOwn({ scope, domain }: CrawlRequestRow, { kind, location }: Source): boolean {
  return location === domain && ownFiles[scope].some(own => own === kind)
}

function toPendingFile({ kind, location }: Source): RequestedFile {
  return {
    kind,
    location,
    attempts: 0,
    outcome: null,
    http_status: null,
    attempted_at: null,
    next_attempt_at: null,
    deferred: false,
  }
}

function countTried(file: RequestedFile, { at, outcome, status, not_before }: Attempt) {
  const attempts = file.attempts + 1
  const pause = isRetried(outcome) ? PAUSES[attempts - 1] : undefined
  const next = pause === undefined ? undefined : at + pause
  const again = next === undefined ? undefined : Math.max(next, not_before ?? next)
  return {
    again,
    file: {
      ...file,
      attempts,
      outcome,
      http_status: status,
      attempted_at: toIso(at),
      next_attempt_at: again === undefined ? null : toIso(again),
      deferred: again !== next,
    },
  }
}

function describeRequest(request: CrawlRequestRow, files: RequestedFile[], now: Instant) {
  const open = files.filter(file => !isSettled(file))
  const times = files.flatMap(({ attempted_at }) => attempted_at ?? []).sort()
  const [next] = open
    .filter(({ next_attempt_at }) => next_attempt_at !== null)
    .sort((a, b) => ((a.next_attempt_at ?? '') < (b.next_attempt_at ?? '') ? -1 : 1))
  const status = deriveStatus(files, open, next)
  const waits = status === 'retrying' || status === 'deferred'
  return {
    status,
    attempts: Math.max(request.attempts, ...files.map(file => file.attempts)),
    started_at: request.started_at ?? times[0] ?? null,
    last_attempted_at: times.at(-1) ?? request.last_attempted_at,
    completed_at: open.length === 0 ? toIso(now) : null,
    next_attempt_at: waits ? (next?.next_attempt_at ?? null) : null,
    last_error_code: describeError(files),
    files,
  }
}

/**
 * Derives the status of a request; `open` are the files still to be read, `next` the first of them that
 * waits for its time.
 */
function deriveStatus(
  files: readonly RequestedFile[],
  open: readonly RequestedFile[],
  next: RequestedFile | undefined,
): CrawlStatus {
  if (open.length > 0) {
    if (files.every(({ attempts }) => attempts === 0)) return 'queued'
    if (next === undefined || open.some(({ attempts }) => attempts === 0)) return 'running'
    return next.deferred ? 'deferred' : 'retrying'
  }
  if (files.some(({ outcome }) => isNoAnswer(outcome))) return 'failed'
  return files.some(isInvalid) ? 'invalid' : 'completed'
}

/** Tells whether a file was read, or given up. */
function isSettled({ attempts, next_attempt_at }: RequestedFile): boolean {
  return attempts > 0 && next_attempt_at === null
}

/** Tells whether an outcome brought no answer about the file. */
function isNoAnswer(outcome: RequestOutcome | null): boolean {
  if (outcome === null) return false
  if (outcome === 'quarantined') return true
  return getEffect(outcome) === 'unreachable' && !isMissing(outcome)
}

/**
 * Tells whether an outcome is worth another attempt; a change that is not believed yet will not be in an
 * hour either.
 */
function isRetried(outcome: RequestOutcome): boolean {
  return isNoAnswer(outcome) && outcome !== 'held'
}

const manifestErrors: Partial<Record<Source['kind'], string>> = {
  'adagents.json': 'publisher_manifest_invalid',
  'brand.json': 'brand_manifest_invalid',
}

function isInvalid({ kind, outcome }: RequestedFile): boolean {
  if (outcome === null || outcome === 'quarantined' || !(kind in manifestErrors)) return false
  return ['unusable', 'garbled'].includes(getEffect(outcome))
}

function describeError(files: readonly RequestedFile[]): string | null {
  const unanswered = files.find(({ outcome }) => isNoAnswer(outcome))
  const invalid = files.find(isInvalid)
  return unanswered?.outcome ?? (invalid && manifestErrors[invalid.kind]) ?? null
}
