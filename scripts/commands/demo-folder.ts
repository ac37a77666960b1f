import { existsSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../pipeline/core/config.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { hasContent, hasOldIndex, hasTraces } from '../../pipeline/store/record-file.ts'

const DEMO_DATA_DIR = 'data/var/demo'
/** Names that nobody can own. */
const RESERVED = /\.(?:example|test)$/

/** Options and settings that decide whether a start is one of the demo. */
interface StartFacts {
  /** File of real domains to crawl. */
  domains?: string | undefined
  env: NodeJS.ProcessEnv
}

/**
 * Tells whether a start runs the demo internet: it has neither domains nor another world to connect to, and its folder
 * does not hold a registry of the web.
 */
export function isDemoStart({ domains, env }: StartFacts): boolean {
  if (domains !== undefined || env.CRAWL_CONNECT_TO) return false
  const paths = resolvePaths(env.DATA_DIR || DEMO_DATA_DIR)
  return hasDemo(paths) || !hasRegistry(paths)
}

/** Throws a `ConfigError` where a demo would begin at a public address: then DATA_DIR is mistyped, or not mounted. */
export function assertDemoIsMeant({ DATA_DIR, BASE_URL = '' }: StartFacts['env']): void {
  const paths = resolvePaths(DATA_DIR || DEMO_DATA_DIR)
  const { hostname = '' } = URL.parse(BASE_URL) ?? {}
  if (hasDemo(paths) || !canBePublic(hostname) || RESERVED.test(hostname)) return
  throw new ConfigError(
    `${paths.dir} holds no registry, and no demo begins at ${BASE_URL}, which is a public address: set DATA_DIR to the folder of your ` +
      'registry, or begin one with `registry start --domains FILE`.',
  )
}

/** Chooses the folder of a demo whose DATA_DIR is not set, so that invented domains never mix with real ones. */
export function chooseDemoFolder({ DATA_DIR }: StartFacts['env']): { DATA_DIR: string } {
  return { DATA_DIR: DATA_DIR || DEMO_DATA_DIR }
}

/** Throws a `ConfigError` where real domains would be crawled into a demo. */
export function assertNoDemo(paths: Paths): void {
  if (hasDemo(paths))
    throw new ConfigError(`${paths.dir} holds the demo: choose another DATA_DIR for real domains.`)
}

/** Makes a folder one of the demo from its first start on, even if that is interrupted. */
export function markDemo(paths: Paths): void {
  if (!hasDemo(paths)) writeFileSync(paths.demoDomains, '')
}

/** Tells whether a folder holds the demo. */
export function hasDemo(paths: Paths): boolean {
  return existsSync(paths.demoDomains)
}

function hasRegistry(paths: Paths): boolean {
  return hasContent(paths.record) || hasOldIndex(paths) || hasTraces(paths)
}
