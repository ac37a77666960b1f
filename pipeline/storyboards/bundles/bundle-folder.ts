import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'

/** The package that carries the protocol’s own storyboards and schemas, each in folders by version. */
const PACKAGE = '@adcp/sdk/package.json'
const VERSION = /^([1-9]\d{0,2}\.\d{1,3})\.\d{1,5}(-[\w.]{1,40})?$/
const INDEX = 'index.json'
/** Status of what the protocol promises to keep. */
const STABLE = 'stable'
/** Folders below the one that is named in which a bundle may be. */
const DEPTH_MAX = 4
const FOLDERS_MAX = 2_000
/** Folders of schemas, seen from one above the storyboards. */
const schemaFolders = ['schemas', 'schemas/cache', 'dist/lib/schemas-data']

/** Index of a bundle, as far as it says what its files are. */
const Index = z.object({
  adcp_version: z.string().regex(VERSION),
  specialisms: z
    .array(z.object({ id: z.string(), protocol: z.string(), status: z.string().optional() }))
    .max(500),
})

/** A folder of storyboards for one version of the protocol. */
export interface BundleFolder {
  folder: string
  /** Version of the protocol, and the target that it belongs to: 3.0.6 and 3.0. */
  version: string
  target: string
  /** Folder of the JSON Schemas of the target; absent where none are known. */
  schemas?: string
  /** Protocols by the stable specialisms that are a part of them. */
  specialisms: ReadonlyMap<string, string>
}

/** Lists the bundles of the installed package, one a target. */
export function listInstalledBundles(): BundleFolder[] {
  const root = dirname(createRequire(import.meta.url).resolve(PACKAGE))
  const cache = join(root, 'compliance', 'cache')
  return readdirSync(cache)
    .filter(name => VERSION.test(name))
    .flatMap(name => readBundleFolder(join(cache, name), root) ?? [])
}

/** Finds the bundles in a folder and below it, the newest of each target. Links are not followed. */
export function findBundles(root: string): BundleFolder[] {
  const found = new Map<string, BundleFolder>()
  const folders = [root]
  for (let at = 0; at < Math.min(folders.length, FOLDERS_MAX); at++) {
    const folder = folders[at] ?? root
    const bundle = readBundleFolder(folder, root)
    if (bundle === undefined) folders.push(...listFoldersBelow(folder, root))
    else if (isNewer(bundle, found.get(bundle.target))) found.set(bundle.target, bundle)
  }
  return [...found.values()]
}

function listFoldersBelow(folder: string, root: string): string[] {
  const path = relative(root, folder)
  if (path !== '' && path.split(sep).length >= DEPTH_MAX) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => join(folder, name))
}

/** Tells whether a bundle is newer than another one of its target, or the only one. */
export function isNewer({ version }: BundleFolder, known: BundleFolder | undefined): boolean {
  return known === undefined || version.localeCompare(known.version, 'en', { numeric: true }) > 0
}

/** Reads the index of a bundle; undefined where the folder is none. */
function readBundleFolder(folder: string, root: string): BundleFolder | undefined {
  const index = readIndex(join(folder, INDEX))
  if (index === undefined || !existsSync(join(folder, 'universal'))) return undefined
  const { adcp_version: version, specialisms } = index
  const target = version.replace(VERSION, '$1')
  const schemas = findSchemas(folder, root, { version, target })
  return {
    folder,
    version,
    target,
    ...(schemas !== undefined && { schemas }),
    specialisms: new Map(
      specialisms
        .filter(({ status = STABLE }) => status === STABLE)
        .map(({ id, protocol }) => [id, protocol]),
    ),
  }
}

function readIndex(file: string): z.infer<typeof Index> | undefined {
  try {
    return Index.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Finds the schemas of a version beside its storyboards, or in the folders above up to `root`. */
function findSchemas(
  folder: string,
  root: string,
  { version, target }: Pick<BundleFolder, 'version' | 'target'>,
): string | undefined {
  const isOfTarget = (place: string) => {
    try {
      const { adcp_version } = JSON.parse(readFileSync(join(place, INDEX), 'utf8'))
      return String(adcp_version).startsWith(`${target}.`)
    } catch {
      return false
    }
  }
  for (let above = folder; ; above = dirname(above)) {
    const [found] = schemaFolders
      .flatMap(name => ['', version, target].map(part => join(above, name, part)))
      .filter(isOfTarget)
    if (found !== undefined || above === root) return found
  }
}
