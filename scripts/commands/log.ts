import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { createFetcher, type Fetcher } from '../../pipeline/fetch/http.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { EventTail } from '../../pipeline/transparency/event-tail.ts'
import { KEY, TILE_NAME } from '../../pipeline/transparency/tile-names.ts'
import {
  EntryFinder,
  type PublishedLog,
  verifyLog,
} from '../../pipeline/transparency/verify-log.ts'
import { readSettings } from './environment.ts'

const FILE_BYTES_MAX = 256 * (65_535 + 2)
const FILE_MS = 60_000
const EVENTS_PER_PAGE = 50_000
const FAULTS_PRINTED_MAX = 20

type ReadFile = PublishedLog['read']

interface Verifying {
  key?: string
  remember?: string
}

/** Checks a log from outside and prints what was found; without a place, that of DATA_DIR and its event files. */
export async function verifyPublishedLog(
  place: string | undefined,
  { key: givenKey, remember }: Verifying,
): Promise<void> {
  const config = readSettings()
  const paths = resolvePaths(config.DATA_DIR)
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, silentLog))
  try {
    const read = openLog(place ?? paths.log, fetcher)
    const key = (givenKey ?? (await read(KEY))?.toString() ?? '').trim()
    const remembered =
      remember !== undefined && existsSync(remember) ? readFileSync(remember, 'utf8') : undefined
    const entries = new EntryFinder()
    const found = await verifyLog({ read, key, remembered }, entries.add)
    const faults = [...found.faults]
    if (place === undefined) faults.push(...findUnlogged(paths, entries))
    for (const fault of faults.slice(0, FAULTS_PRINTED_MAX)) process.stdout.write(`${fault}\n`)
    if (faults.length > FAULTS_PRINTED_MAX)
      process.stdout.write(`and ${faults.length - FAULTS_PRINTED_MAX} more\n`)
    process.exitCode = faults.length === 0 ? 0 : 1
    if (faults.length > 0) return
    const { size, erased, pruned } = found
    process.stdout.write(
      `${size} events are logged and signed by ${key}: ${erased} were taken down, ${pruned} are older than the feed\n`,
    )
    if (givenKey === undefined)
      process.stdout.write(
        'the key is the one that the log names: compare it with the one you know\n',
      )
    if (remember !== undefined) replaceFile(remember, found.note)
  } finally {
    await fetcher.close()
  }
}

/** Lists the events of the event files that the log does not have as they are. */
function findUnlogged(paths: ReturnType<typeof resolvePaths>, entries: EntryFinder): string[] {
  const tail = new EventTail(paths)
  const faults: string[] = []
  for (let last: string | undefined; ; ) {
    const events = tail.read(last, EVENTS_PER_PAGE)
    if (events.length === 0) return faults
    for (const { id, line } of events)
      if (!entries.has(line)) faults.push(`event ${id} is not logged as the event file has it`)
    last = events.at(-1)!.id
  }
}

function openLog(place: string, fetcher: Fetcher): ReadFile {
  if (!/^https?:/.test(place)) {
    const folder = existsSync(join(place, 'log')) ? join(place, 'log') : place
    return name => readFile(join(folder, name)).catch(() => undefined)
  }
  const base = place.replace(/\/+$/, '')
  const log = base.endsWith('/log') ? base : `${base}/log`
  const { protocol, hostname } = new URL(log)
  const operated = fetcher.for({ kind: 'operator' })
  return async name => {
    const fetched = await operated.fetchDocument(`${log}/${name}`, {
      redirects: 'none',
      maxRedirects: 0,
      accept: '*/*',
      allow: { http: protocol === 'http:', anyPort: true, privateHost: hostname },
      maxBytes: TILE_NAME.test(name) ? FILE_BYTES_MAX : 64 * 1024,
      deadlineMs: FILE_MS,
    })
    if (fetched.kind === 'ok') return fetched.body
    if (fetched.kind === 'failed' && fetched.status === 404) return undefined
    throw new Error(`${log}/${name}: ${fetched.kind === 'failed' ? fetched.detail : 'no body'}`)
  }
}
