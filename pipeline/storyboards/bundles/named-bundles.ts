import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../core/config.ts'
import { type BundleFolder, findBundles, isNewer, listInstalledBundles } from './bundle-folder.ts'
import { checkBundle } from './check-bundle.ts'

export type BundleSettings = Pick<Config, 'STORYBOARDS' | 'DATA_DIR'>

/** A bundle that was fetched: its place, and the folder of its files by their hash. */
const Stored = z.object({
  address: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Files that a process may still read which began before. */
  previous: z.string().optional(),
  fetched_at: z.iso.datetime(),
})
export type Stored = z.infer<typeof Stored>

const ADDRESS = /^https:\/\//i

export function isAddress(place: string): boolean {
  return ADDRESS.test(place)
}

/** Resolves the folder of everything that was fetched. */
export function resolveStore(dataDir: string): string {
  return join(resolve(dataDir), 'storyboards')
}

export function resolveRecord(dataDir: string, address: string): string {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 32)
  return join(resolveStore(dataDir), `${name}.json`)
}

/** Finds what was stored for an address. */
export function findStored(dataDir: string, address: string): Stored | undefined {
  try {
    const text = readFileSync(resolveRecord(dataDir, address), 'utf8')
    const { data } = Stored.safeParse(JSON.parse(text))
    const isThere = data !== undefined && existsSync(join(resolveStore(dataDir), data.hash))
    return isThere ? data : undefined
  } catch {
    return undefined
  }
}

/** Bundles in use, one a target, and sentences about places that cannot be used. */
export interface ChosenBundles {
  bundles: BundleFolder[]
  faults: string[]
}

/**
 * Chooses the newest bundle of each target, among those of the installed package and those that `STORYBOARDS` names.
 * Reaches no network: a bundle at an address is there once it has been fetched. With `checks` the files of folders are
 * read whole; those that were fetched were checked before they were stored.
 */
export function chooseBundles(
  { STORYBOARDS, DATA_DIR }: BundleSettings,
  { checks = false } = {},
): ChosenBundles {
  const chosen = new Map(listInstalledBundles().map(bundle => [bundle.target, bundle]))
  const faults: string[] = []
  for (const place of STORYBOARDS) {
    const stored = isAddress(place) ? findStored(DATA_DIR, place) : undefined
    if (isAddress(place) && stored === undefined) {
      faults.push(`STORYBOARDS: ${place} has not been fetched yet.`)
      continue
    }
    const root = stored ? join(resolveStore(DATA_DIR), stored.hash) : resolve(place)
    const found = existsSync(root) ? findBundles(root) : []
    const newer = found.filter(bundle => isNewer(bundle, chosen.get(bundle.target)))
    const fault =
      describeFault(root, found, checks && !stored ? newer : []) ??
      describeOlder(found, newer, chosen)
    if (fault !== undefined) faults.push(`STORYBOARDS: ${place} ${fault}.`)
    else for (const bundle of newer) chosen.set(bundle.target, addSchemas(bundle, chosen))
  }
  return { bundles: [...chosen.values()], faults }
}

/** Adds to a bundle without schemas those of the one that it replaces, which is of the same target. */
function addSchemas(bundle: BundleFolder, chosen: ReadonlyMap<string, BundleFolder>): BundleFolder {
  const { schemas } = chosen.get(bundle.target) ?? {}
  return { ...(schemas !== undefined && { schemas }), ...bundle }
}

/** Describes why no bundle of a place can be used; undefined where they can. */
export function describeFault(
  root: string,
  found: readonly BundleFolder[],
  toCheck: readonly BundleFolder[],
): string | undefined {
  if (!existsSync(root)) return 'does not exist'
  if (found.length === 0) return 'has no bundle: a folder with index.json and universal/'
  const faults = toCheck.flatMap(bundle => checkBundle(bundle))
  return faults.length > 0 ? `cannot be used: ${faults.join('; ')}` : undefined
}

function describeOlder(
  found: readonly BundleFolder[],
  newer: readonly BundleFolder[],
  chosen: ReadonlyMap<string, BundleFolder>,
): string | undefined {
  if (newer.length > 0) return undefined
  const there = found.map(({ target }) => chosen.get(target)?.version)
  return `has ${found.map(({ version }) => version).join(', ')} and nothing newer than ${there.join(', ')}, which is there already`
}
