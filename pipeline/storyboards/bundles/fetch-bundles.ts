import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, DAY, HOUR, toIso } from '../../core/clock.ts'
import type { Limits } from '../../core/limits.ts'
import type { Fetcher } from '../../fetch/http.ts'
import { findBundles } from './bundle-folder.ts'
import {
  type BundleSettings,
  describeFault,
  findStored,
  isAddress,
  resolveRecord,
  resolveStore,
  type Stored,
} from './named-bundles.ts'
import { readArchive } from './read-archive.ts'

/** Time for which a stored bundle counts as fresh: processes that start together fetch it once. */
const FRESH_MS = DAY
const REDIRECTS_MAX = 5
/** Prefix of folders that are being written: nothing reads them. */
const UNFINISHED = '.unfinished-'

export interface FetchDeps {
  fetcher: Pick<Fetcher, 'fetchDocument'>
  limits: Pick<Limits, 'storyboardBundleBytes' | 'storyboardBundleMs'>
  clock: Clock
}

/**
 * Fetches the bundles that `STORYBOARDS` names by their addresses, and stores those that pass every check, each
 * under its hash. One that was stored stays in use while its address answers with nothing usable. Returns
 * sentences about addresses that could not be used.
 */
export async function fetchBundles(
  { STORYBOARDS, DATA_DIR }: BundleSettings,
  deps: FetchDeps,
): Promise<string[]> {
  const addresses = STORYBOARDS.filter(isAddress)
  if (addresses.length === 0) return []
  removeUnfinished(DATA_DIR)
  const faults: string[] = []
  for (const address of addresses) {
    const known = findStored(DATA_DIR, address)
    if (known && deps.clock.now() - Date.parse(known.fetched_at) < FRESH_MS) continue
    const fault = await fetchBundle(DATA_DIR, address, known, deps)
    const use = known ? 'the one that was fetched before is used' : 'agents are tested without it'
    if (fault !== undefined) faults.push(`STORYBOARDS: ${address} ${fault}; ${use}.`)
  }
  return faults
}

async function fetchBundle(
  dataDir: string,
  address: string,
  known: Stored | undefined,
  { fetcher, limits, clock }: FetchDeps,
): Promise<string | undefined> {
  const answer = await fetcher.fetchDocument(address, {
    maxBytes: limits.storyboardBundleBytes,
    deadlineMs: limits.storyboardBundleMs,
    redirects: 'any',
    maxRedirects: REDIRECTS_MAX,
    accept: 'application/gzip, application/octet-stream',
  })
  if (answer.kind === 'failed') return `cannot be fetched: ${answer.detail}`
  if (answer.kind === 'unchanged') return undefined
  const hash = createHash('sha256').update(answer.body).digest('hex')
  const fault = hash === known?.hash ? undefined : await storeArchive(dataDir, answer.body, hash)
  if (fault !== undefined) return fault
  const previous = hash === known?.hash ? known.previous : known?.hash
  const fetched_at = toIso(clock.now())
  writeRecord(dataDir, { address, hash, fetched_at, ...(previous && { previous }) })
  if (known?.previous && known.previous !== hash) removeFolder(dataDir, known.previous)
  return undefined
}

/** Unpacks an archive into the folder of its hash. Until all of it is there and checked, the folder has another name. */
async function storeArchive(
  dataDir: string,
  body: Buffer,
  hash: string,
): Promise<string | undefined> {
  const archive = await readArchive(body)
  if ('fault' in archive) return `cannot be used: ${archive.fault}`
  const folder = join(resolveStore(dataDir), hash)
  if (existsSync(folder)) return undefined
  const unfinished = join(resolveStore(dataDir), `${UNFINISHED}${randomUUID()}`)
  try {
    for (const [name, content] of archive.files) {
      mkdirSync(dirname(join(unfinished, name)), { recursive: true })
      writeFileSync(join(unfinished, name), content, { flush: true })
    }
    const found = findBundles(unfinished)
    const fault = describeFault(unfinished, found, found)
    if (fault !== undefined) return fault
    renameSync(unfinished, folder)
    return undefined
  } catch (error) {
    return `cannot be stored: ${(error as NodeJS.ErrnoException).code ?? 'its files collide'}`
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function writeRecord(dataDir: string, stored: Stored): void {
  const file = resolveRecord(dataDir, stored.address)
  const unfinished = join(resolveStore(dataDir), `${UNFINISHED}${randomUUID()}`)
  writeFileSync(unfinished, JSON.stringify(stored))
  renameSync(unfinished, file)
}

function removeUnfinished(dataDir: string): void {
  const store = resolveStore(dataDir)
  mkdirSync(store, { recursive: true })
  for (const name of readdirSync(store).filter(name => name.startsWith(UNFINISHED))) {
    const place = join(store, name)
    const { mtimeMs = Date.now() } = statSync(place, { throwIfNoEntry: false }) ?? {}
    // A younger one may be another process’s, which is still writing it.
    if (Date.now() - mtimeMs > HOUR) rmSync(place, { recursive: true, force: true })
  }
}

function removeFolder(dataDir: string, hash: string): void {
  rmSync(join(resolveStore(dataDir), hash), { recursive: true, force: true })
}
