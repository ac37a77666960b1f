import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** The package that carries the protocol’s own storyboards and schemas, each in folders by version. */
const PACKAGE = '@adcp/sdk/package.json'
const VERSION = /^(\d+\.\d+)\.\d+$/

/** Index of a bundle, as far as it says what its files are. */
const Index = z.object({
  adcp_version: z.string().regex(VERSION),
  specialisms: z.array(
    z.object({
      id: z.string(),
      protocol: z.string(),
      status: z.string().optional(),
    }),
  ),
})

/** A folder of storyboards for one version of the protocol. */
export interface BundleFolder {
  folder: string
  /** Version of the protocol, and the target that it belongs to: 3.0.6 and 3.0. */
  version: string
  target: string
  /** Folder of the JSON Schemas of the target; absent where none are known. */
  schemas?: string
  /** Protocols by the specialisms that are a part of them. */
  specialisms: ReadonlyMap<string, string>
}

/** Lists the bundles of the installed package, one a target. */
export function listInstalledBundles(): BundleFolder[] {
  const root = dirname(createRequire(import.meta.url).resolve(PACKAGE))
  const cache = join(root, 'compliance', 'cache')
  return readdirSync(cache)
    .filter(name => VERSION.test(name))
    .map(name => readBundleFolder(join(cache, name), join(root, 'dist', 'lib', 'schemas-data')))
}

/** Reads the index of a bundle. Throws where the folder has none. */
function readBundleFolder(folder: string, schemasRoot: string): BundleFolder {
  const index = Index.parse(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')))
  const target = index.adcp_version.replace(VERSION, '$1')
  return {
    folder,
    version: index.adcp_version,
    target,
    schemas: join(schemasRoot, target),
    specialisms: new Map(index.specialisms.map(({ id, protocol }) => [id, protocol])),
  }
}
