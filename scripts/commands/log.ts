import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { openOrigin } from '../../jobs/replica/open-origin.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { getLast } from '../../pipeline/core/present.ts'
import { createFetcher, type Fetcher } from '../../pipeline/fetch/http.ts'
import {
  type CheckedGrants,
  LoggedGrants,
} from '../../pipeline/maintenance/verify/check-logged-grants.ts'
import { readFollowedHead } from '../../pipeline/replica/log-watch.ts'
import { readCheckpoint } from '../../pipeline/store/checkpoint.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { readReplicaState } from '../../pipeline/store/replica-state.ts'
import { FORK_ADVICE, LOG_ADVICE } from '../../pipeline/transparency/check-log-files.ts'
import { toEntry } from '../../pipeline/transparency/entries.ts'
import { EventTail } from '../../pipeline/transparency/event-tail.ts'
import { HEAD, KEY } from '../../pipeline/transparency/tile-names.ts'
import {
  EntryFinder,
  type PublishedLog,
  type VerifiedLog,
  verifyLog,
} from '../../pipeline/transparency/verify-log.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, isHeld } from './open-registry.ts'

const FILE_BYTES_MAX = 256 * (65_535 + 2)
const EVENTS_PER_PAGE = 50_000
const FAULTS_PRINTED_MAX = 20

type ReadFile = PublishedLog['read']

interface Verifying {
  key?: string
  remember?: string
}

/** Events of the event files that the log lacks: as sentences, or as lines where it has yet to append them. */
interface Unlogged {
  unlogged: string[]
  pending: Buffer[]
}

const NONE: Unlogged = { unlogged: [], pending: [] }

/**
 * Checks a log and prints what was found. Without a place it is that of DATA_DIR, with its event files; in a
 * replica, that of its registry. Then the current snapshot of DATA_DIR is compared with it too.
 */
export async function verifyPublishedLog(
  place: string | undefined,
  { key: givenKey, remember }: Verifying,
): Promise<void> {
  const config = readSettings()
  const paths = resolvePaths(config.DATA_DIR)
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, silentLog))
  const isOwn = place === undefined
  const replica = isOwn && !existsSync(paths.index) ? readReplicaState(paths) : undefined
  if (isOwn && replica === undefined) assertRegistry(config)
  const trustedKey = givenKey ?? replica?.log_key
  const snapshotFile = isOwn ? findSnapshotFile(paths) : undefined
  const grants = snapshotFile === undefined ? undefined : await LoggedGrants.open(snapshotFile)
  try {
    const from = place ?? replica?.origin ?? paths.log
    const read = await openLog(from, fetcher)
    if ((await read(HEAD)) === undefined) {
      if (place !== undefined || replica !== undefined || hasEvents(paths))
        throw new Error(`there is no log at ${from}`)
      process.stdout.write('No event is logged yet.\n')
      return
    }
    const key = (trustedKey ?? (await read(KEY))?.toString() ?? '').trim()
    const saved =
      remember !== undefined && existsSync(remember) ? readFileSync(remember, 'utf8') : undefined
    const remembered = saved ?? (replica === undefined ? undefined : readFollowedHead(paths))
    const entries = new EntryFinder()
    const found = await verifyLog({ read, key, remembered }, (entry, index, leafHash) => {
      entries.add(entry, index, leafHash)
      grants?.add(entry, index)
    })
    const isRegistry = isOwn && replica === undefined
    // What differs from a damaged log follows from that.
    const isIntact = found.faults.length === 0 || found.isForked
    const { unlogged, pending } = isRegistry && isIntact ? findUnlogged(paths, entries) : NONE
    const isStopped = !(await isHeld(paths.lease))
    for (const [at, line] of pending.entries()) grants?.add(toEntry(line), found.size + at)
    const checked = isIntact ? await grants?.check() : undefined
    const faults = [...found.faults, ...(checked?.faults ?? []), ...unlogged]
    process.exitCode = faults.length === 0 ? 0 : 1
    if (faults.length > 0) printFaults(faults)
    if (isRegistry && found.faults.length > 0)
      process.stderr.write(`${found.isForked ? FORK_ADVICE : LOG_ADVICE}.\n`)
    if (faults.length > 0) return
    printFound(found, key, trustedKey === undefined)
    if (checked !== undefined) printChecked(checked)
    if (pending.length > 0) process.stdout.write(describePending(pending.length, isStopped))
    if (remember === undefined) return
    replaceFile(remember, found.note)
    process.stdout.write(describeRemembered(remember, saved !== undefined))
  } finally {
    grants?.close()
    await fetcher.close()
  }
}

/** Tells whether a log has been signed here, or there are events that belong in one. */
function hasEvents(paths: Paths): boolean {
  return existsSync(paths.logHead) || new EventTail(paths).read(undefined, 1).length > 0
}

function findSnapshotFile(paths: Paths): string | undefined {
  const checkpoint = readCheckpoint(paths)
  return checkpoint && join(paths.snapshots, checkpoint.snapshot)
}

function printFaults(faults: readonly string[]): void {
  for (const fault of faults.slice(0, FAULTS_PRINTED_MAX)) process.stdout.write(`${fault}\n`)
  if (faults.length > FAULTS_PRINTED_MAX)
    process.stdout.write(`and ${faults.length - FAULTS_PRINTED_MAX} more\n`)
}

function printFound({ size, erased, pruned }: VerifiedLog, key: string, isNew: boolean): void {
  process.stdout.write(
    `${countThings(size, 'event is', 'events are')} logged and signed by ${key}: ` +
      `${erased} taken down, ${pruned} older than the feed.\n`,
  )
  if (isNew)
    process.stdout.write(
      'This key comes from the log itself: compare it with a key that you trust.\n',
    )
}

function printChecked({ agreed, unknown, lost }: CheckedGrants): void {
  process.stdout.write(
    `${countThings(agreed, 'authorization matches', 'authorizations match')} the log.\n`,
  )
  if (unknown > 0)
    process.stdout.write(
      `For ${unknown} more, the last event cannot be read: it was taken down, is too long for the log, or is older than the feed.\n`,
    )
  if (lost > 0)
    process.stdout.write(
      `${countThings(lost, 'event was', 'events were')} lost by a restore and not compared. The log still has them.\n`,
    )
}

function describePending(count: number, isStopped: boolean): string {
  if (isStopped)
    return `The log continues with the next start, which adds ${countThings(count, 'event')}.\n`
  const are = countThings(count, 'new event is', 'new events are')
  return `${are} not logged yet. If this lasts, \`registry status\` says why.\n`
}

function describeRemembered(file: string, isContinued: boolean): string {
  if (isContinued) return `The log continues the head in ${file}, which now holds the newest one.\n`
  return `The head is now in ${file}: the next check with that file tells whether the log continues it.\n`
}

/** Finds the events of the event files that the log does not have as they are. Those that it has yet to append are no fault. */
function findUnlogged(paths: Paths, entries: EntryFinder): Unlogged {
  const tail = new EventTail(paths)
  const found: Unlogged = { unlogged: [], pending: [] }
  for (let last: string | undefined; ; ) {
    const events = tail.read(last, EVENTS_PER_PAGE)
    if (events.length === 0) return found
    for (const { id, line } of events)
      if (entries.has(line)) continue
      else if (entries.isNext(id)) found.pending.push(line)
      else found.unlogged.push(`event ${id} differs between the log and the event file`)
    last = getLast(events).id
  }
}

async function openLog(place: string, fetcher: Fetcher): Promise<ReadFile> {
  if (/^(https?|s3):/.test(place)) {
    const published = place.replace(/\/+$/, '').replace(/\/log$/, '')
    const origin = await openOrigin(published, fetcher, new AbortController().signal)
    return name => origin.readLogFile(name, FILE_BYTES_MAX)
  }
  const folder = existsSync(join(place, 'log')) ? join(place, 'log') : place
  return name => readFile(join(folder, name)).catch(() => undefined)
}
