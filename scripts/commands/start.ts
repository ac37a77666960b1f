import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type OwnRedis, startRedis } from '../../jobs/own-redis.ts'
import { Supervisor } from '../../jobs/supervisor.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { pathsOf } from '../../pipeline/index/paths.ts'
import { readCheckpoint } from '../../pipeline/index/snapshot.ts'
import { crawlThere } from './crawl.ts'
import { enrolDemoMembers } from './demo-members.ts'
import { readDomainsFile } from './domains-file.ts'
import { asTyped, readSettings, redisUrlOf } from './environment.ts'
import { deskAt, runningRegistry } from './running.ts'

const SCRIPT = fileURLToPath(new URL('../registry.js', import.meta.url))
const DEMO_DATA_DIR = 'data/var/demo'
/** The demo internet is one process on this machine: asked for more, a slow one answers too late. */
const DEMO_HOSTS_AT_ONCE = '16'

/**
 * Runs the whole registry below one process. Without domains and without a world of somebody
 * else's (CRAWL_CONNECT_TO) it crawls the demo internet, into a DATA_DIR of its own.
 */
export async function start(options: { domains?: string }): Promise<void> {
  const isDemo = options.domains === undefined && !process.env.CRAWL_CONNECT_TO
  const config = readSettings(isDemo && !process.env.DATA_DIR ? { DATA_DIR: DEMO_DATA_DIR } : {})
  const paths = pathsOf(config.DATA_DIR)
  const running = await runningRegistry(config)
  if (running) throw new Error(`already running at ${running.base_url}, process ${running.pid}`)
  const isFirst = readCheckpoint(paths) === undefined
  const given = options.domains ? await readDomainsFile(asTyped(options.domains)) : undefined
  mkdirSync(paths.dir, { recursive: true })
  const log = createLog('supervisor', config.LOG_LEVEL)
  let redis: OwnRedis | undefined
  const supervisor = new Supervisor(SCRIPT, log, reason => void end(1, reason))
  let isEnding = false
  const end = async (status: number, reason?: string) => {
    if (isEnding) return
    isEnding = true
    if (reason) process.stderr.write(`${reason}\n`)
    await supervisor.close()
    await redis?.close()
    process.exit(status)
  }
  // A terminal that was closed can be written to no more; everything must still be ended in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void end(0))
  process.on('disconnect', () => void end(0))
  try {
    if (!config.REDIS_URL) redis = await startRedis(paths, log)
    redis?.onExit(() => void end(1, 'redis-server ended'))
    const redisUrl = redisUrlOf(config)
    const env = {
      ...process.env,
      DATA_DIR: paths.dir,
      REDIS_URL: redisUrl,
      LOG_LEVEL: quieter(config),
    }
    const domainsFile = `${paths.dir}/demo-domains.txt`
    const worldEnv = isDemo ? await startWorld(supervisor, paths.dir, domainsFile, env) : {}
    await supervisor.start('indexer', ['indexer'], env)
    const { url } = await supervisor.start('api', ['api'], env)
    await supervisor.start('crawler', ['crawler'], { ...env, ...worldEnv })
    const domains = given?.domains ?? (isDemo ? (await readDomainsFile(domainsFile)).domains : [])
    for (const line of given?.refused ?? []) process.stderr.write(`not a domain, line ${line}\n`)
    if (domains.length > 0 && (isFirst || given)) await firstCrawl(redisUrl, domains)
    if (isDemo && isFirst) await enrolDemoMembers(redisUrl)
    printUrls(url ?? '', isDemo ? exampleDomains : domains, isDemo ? homePageOnly : undefined)
  } catch (error) {
    await end(1, error instanceof Error ? error.message : String(error))
  }
}

/** A person at a terminal wants to see what goes wrong; the rest is for LOG_LEVEL. */
function quieter(config: Config): string {
  return process.env.LOG_LEVEL ?? (config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL)
}

async function startWorld(
  supervisor: Supervisor,
  dir: string,
  list: string,
  env: Record<string, string | undefined>,
): Promise<Record<string, string>> {
  const caFile = `${dir}/demo-ca.pem`
  const args = ['world', '--tls', '--ca-file', caFile, '--list', list]
  const { url } = await supervisor.start('world', args, env)
  const { CRAWL_CONCURRENCY = DEMO_HOSTS_AT_ONCE } = env
  return { CRAWL_CONNECT_TO: url ?? '', CRAWL_CA_FILE: caFile, CRAWL_CONCURRENCY }
}

async function firstCrawl(redisUrl: string, domains: Domain[]): Promise<void> {
  const summary = await crawlThere(deskAt(redisUrl, 'start', 'warn'), domains, false)
  const files = summary.outcomes.reduce((sum, outcome) => sum + outcome.files, 0)
  process.stdout.write(
    `crawled ${domains.length} domains (${files} files): ${summary.brands} brands, ` +
      `${summary.publishers} publishers, ${summary.properties} properties, ${summary.agents} agents\n`,
  )
}

const exampleDomains = ['pinnacle-network.example']
/** In the demo: a brand of which only its home page tells. */
const homePageOnly = 'only-a-home-page.example'

function printUrls(url: string, domains: readonly string[], unlisted?: string): void {
  const [domain = 'acme.example'] = domains
  const lines = [
    `Agentic Ad Registry at ${url}`,
    `  ${url}/api`,
    `  ${url}/api/brands/resolve?domain=${domain}`,
    `  ${url}/api/brands/enrich?domain=${unlisted ?? domain}`,
    `  ${url}/api/properties/resolve?domain=${domain}`,
    `  ${url}/api/registry/lookup/domain/${domain}`,
    `  ${url}/api/brands/registry?limit=5`,
    `  ${url}/api/registry/agents?health=true`,
    `  ${url}/api/registry/operator?domain=${domain}`,
    `  ${url}/api/registry/stats`,
    `  ${url}/openapi/registry.yaml`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
