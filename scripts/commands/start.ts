import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { serveOperator } from '../../api/operator/server.ts'
import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { hasDiskSpace } from '../../jobs/disk-space.ts'
import { OwnRedis } from '../../jobs/own-redis.ts'
import { type Environment, Supervisor } from '../../jobs/supervisor.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import { createLog, type Log } from '../../pipeline/core/log.ts'
import { chooseOperatorPort, chooseReceiverPort } from '../../pipeline/core/ports.ts'
import { isExposed } from '../../pipeline/core/settings/setting-contradictions.ts'
import { findSettingNotes } from '../../pipeline/core/settings/setting-notes.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { hasOldIndex } from '../../pipeline/store/record-file.ts'
import { fetchBundles } from '../../pipeline/storyboards/bundles/fetch-bundles.ts'
import { assertRecordBefore } from '../../pipeline/writer/healing/facts.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { demoAgents, toUrl } from '../world/demo-agents.ts'
import { REFERENCE_HOST } from '../world/forward.ts'
import { crawlInRunning, describeNotCrawled, listTakenDown } from './crawl.ts'
import {
  assertDemoIsMeant,
  assertNoDemo,
  chooseDemoFolder,
  isDemoStart,
  markDemo,
} from './demo-folder.ts'
import { enrolDemoMembers, hasDemoMembers } from './demo-members.ts'
import { type DomainsFile, describeRefused, readDomainsFile } from './domains-file.ts'
import {
  requireRedisUrl,
  warnOfProtocolName,
  warnOfRenamedProtocol,
  warnOfSettings,
} from './environment.ts'
import { readRecord } from './reading.ts'
import { ensureDemoCredentialsKey, ensureLogKey, ensureRegistryKey } from './registry-key.ts'
import { RoleWatch } from './role-watch.ts'
import { connectWriter } from './running.ts'
import {
  checkDiskSpace,
  checkPorts,
  checkRedis,
  findPlaceFaults,
  readServiceSettings,
} from './start-checks.ts'
import { takeStartLock } from './start-lock.ts'
import {
  printAddress,
  printAgentAddress,
  printDemo,
  printEnrolled,
  printExamples,
  printFound,
  printOperatorAddress,
  printOwnSite,
} from './start-output.ts'
import { readStatus } from './status.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { findUnreadableCredentials } from './stored-credentials.ts'
import { forgetOperatorUrl, noteOperatorUrl } from './supervisor-problems.ts'

const SCRIPT = fileURLToPath(new URL('../registry.js', import.meta.url))
/**
 * The demo internet is one process on this machine: with more hosts at once a slow machine runs
 * into timeouts.
 */
const DEMO_HOSTS_AT_ONCE = '16'

/** Limits of the demo, whose user waits for the first crawl, and looks at tests of agents right away. */
const DEMO_LIMITS: Partial<Limits> = { fetchMs: 5_000, probeMs: 5_000, complianceFirstMs: 10_000 }

/** Time that a process has to tell its metrics. */
const REPORT_MS = 2_000

/** The registry to run and its folder. */
interface StartPlan {
  config: Config
  paths: Paths
  isDemo: boolean
  domainsFile: DomainsFile | undefined
  log: Log
  untilRedisAnswers: () => Promise<void>
}

/**
 * Runs the whole registry under one process: that of the folder, or the demo (`demo-folder.ts`), which has a DATA_DIR
 * of its own.
 */
export async function start(options: { domains?: string }): Promise<void> {
  const isDemo = isDemoStart({ ...options, env: process.env })
  if (isDemo) assertDemoIsMeant(process.env)
  const own = isDemo ? chooseDemoFolder(process.env) : {}
  const ports = { chooseOperatorPort, withAgent: isDemo }
  const config = await readServiceSettings('start', { ...process.env, ...own }, values =>
    findPlaceFaults(values, ports),
  )
  const paths = resolvePaths(config.DATA_DIR)
  if (options.domains) assertNoDemo(paths)
  const domainsFile = options.domains ? await readDomainsFile(options.domains) : undefined
  if (domainsFile || !(isDemo || process.env.CRAWL_CONNECT_TO)) warnOfProtocolName(config)
  warnOfSettings(config)
  checkDiskSpace(paths, existsSync(paths.index))
  await takeStartLock(config)
  // A standby replaces its stores, and what is imported has its own checks.
  if (config.BACKUP_TO === undefined && !hasOldIndex(paths)) await assertRecordBefore(paths)
  await checkPorts(config, ports)
  const untilRedisAnswers = await checkRedis(config)
  if (isDemo) {
    markDemo(paths)
    printDemo()
  }
  warnOfRenamedProtocol(config)
  const log = createLog('supervisor', config.LOG_LEVEL)
  await storeBundles(config, log)
  await run({ config, paths, isDemo, domainsFile, log, untilRedisAnswers })
}

/** Fetches storyboards before the roles start, which read what is stored. */
async function storeBundles(config: Config, log: Log): Promise<void> {
  if (config.STORYBOARDS.length === 0) return
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, log))
  const deps = { fetcher, limits: config.LIMITS, clock: systemClock }
  const faults = await fetchBundles(config, deps).finally(() => fetcher.close())
  for (const fault of faults) process.stderr.write(`${fault}\n`)
}

async function run(plan: StartPlan): Promise<void> {
  const { config, paths, log } = plan
  const supervisor = new Supervisor(SCRIPT, log, () => !hasDiskSpace(paths.dir))
  let redis: OwnRedis | undefined
  let isEnding = false
  const end = async (status: number, reason?: string) => {
    if (isEnding) return
    isEnding = true
    if (reason) process.stderr.write(`${toCommandSentence(reason)}\n`)
    await supervisor.close()
    await redis?.close()
    process.exit(status)
  }
  stopOnSignals(supervisor, () => end(0))
  try {
    forgetOperatorUrl(paths)
    if (!config.REDIS_URL) redis = await OwnRedis.start(paths, log)
    const operatorUrl = await serveOperatorPort(plan, supervisor, redis)
    noteOperatorUrl(paths, operatorUrl, log)
    await startRoles(plan, supervisor, operatorUrl)
  } catch (error) {
    await end(1, error instanceof Error ? error.message : String(error))
  }
}

/** Serves the operator's port, which shows all roles. */
async function serveOperatorPort(
  plan: StartPlan,
  supervisor: Supervisor,
  redis: OwnRedis | undefined,
): Promise<string> {
  const { config, log } = plan
  const served = await serveOperator({
    config,
    clock: systemClock,
    log,
    port: chooseOperatorPort(config),
    redisUrl: requireRedisUrl(config),
    findRedisPid: () => redis?.pid,
    showsQueues: true,
    readReports: () => supervisor.readReports(REPORT_MS),
    findNotes: () => findSettingNotes(config),
    readStatusProblems: async found => (await readStatus(config, found)).problems,
  })
  return served.url
}

/**
 * Starts the API first, so that existing data can be read while the other roles come up and crawl.
 */
async function startRoles(
  plan: StartPlan,
  supervisor: Supervisor,
  operatorUrl: string,
): Promise<void> {
  const { config, paths, isDemo, domainsFile: ownDomains, untilRedisAnswers } = plan
  const redisUrl = requireRedisUrl(config)
  const env = {
    ...process.env,
    DATA_DIR: paths.dir,
    REDIS_URL: redisUrl,
    LOG_LEVEL: chooseLogLevel(config),
    DEMO: isDemo ? 'true' : process.env.DEMO,
    LIMITS: isDemo ? buildDemoLimits() : process.env.LIMITS,
    // The supervisor serves it for all.
    OPERATOR_PORT: undefined,
    REGISTRY_SIGNING_KEYS:
      config.REGISTRY_SIGNING_KEYS ??
      ensureRegistryKey(paths, line => process.stderr.write(`${line}\n`)),
    CREDENTIALS_KEY:
      config.CREDENTIALS_KEY ?? (isDemo ? ensureDemoCredentialsKey(paths) : undefined),
  }
  const LOG_SIGNING_KEY = config.LOG_SIGNING_KEY ?? ensureLogKey(paths)
  const indexerEnv = { ...env, LOG_SIGNING_KEY }
  const indexing = supervisor.start({ name: 'indexer', args: ['indexer'], env: indexerEnv })
  // A failure is reported by the awaits below; until then it must not count as unhandled.
  indexing.catch(() => undefined)
  const url = await startApis(supervisor, config, env, indexing)
  printAddress(url)
  printOperatorAddress(operatorUrl)
  const agentUrl = isDemo ? await startAgent(supervisor, config, env) : undefined
  const worldEnv: Record<string, string> = agentUrl
    ? await startWorld(supervisor, config, agentUrl, env)
    : {}
  await indexing
  new RoleWatch(plan.log).start(() => supervisor.readReports(REPORT_MS), systemClock.now)
  const unreadable = findUnreadableCredentials(env.CREDENTIALS_KEY, paths)
  if (unreadable !== undefined) process.stderr.write(`${unreadable}.\n`)
  const outbound = { ...env, ...worldEnv }
  await supervisor.start({ name: 'crawler', args: ['crawler'], env: outbound })
  await supervisor.start({ name: 'push', args: ['push'], env: outbound })
  for (const line of describeRefused(ownDomains?.refused ?? [])) process.stderr.write(`${line}\n`)
  await untilRedisAnswers()
  // Where an earlier start was interrupted before the demo was complete, this one begins it again.
  const isNewDemo = isDemo && !(await hasDemoMembers(redisUrl))
  const demoDomains = isNewDemo ? await readDomainsFile(paths.demoDomains) : undefined
  const { domains } = ownDomains ?? demoDomains ?? { domains: [] }
  if (domains.length > 0)
    await crawlFirst(redisUrl, domains, { again: isNewDemo, isOwn: ownDomains !== undefined })
  if (isNewDemo) {
    const credentialsKey = env.CREDENTIALS_KEY ?? ensureDemoCredentialsKey(paths)
    const { TEST_AGENT_TOKEN: agentToken } = config
    await enrolDemoMembers(redisUrl, { credentialsKey, agentToken })
    printEnrolled()
  }
  const { CRAWL_CONNECT_TO: worldUrl } = worldEnv
  if (worldUrl) printOwnSite(worldUrl, config.PROTOCOL_NAME, findReceiver(config))
  printExamples(url, isDemo ? 'demo' : domains[0])
}

/** Builds the limits of the demo: those that are set stay as they are. */
function buildDemoLimits(): string {
  const set = JSON.parse(process.env.LIMITS || '{}')
  return JSON.stringify({ ...DEMO_LIMITS, ...set })
}

/**
 * Logs warnings only: a person at a terminal wants to see what goes wrong. LOG_LEVEL overrides it.
 */
function chooseLogLevel(config: Config): string {
  return process.env.LOG_LEVEL ?? (config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL)
}

/**
 * Starts the API processes. One that cannot start before the indexer has repaired the stores is
 * started again after that.
 */
async function startApis(
  supervisor: Supervisor,
  config: Config,
  env: Environment,
  indexing: Promise<unknown>,
): Promise<string> {
  const start = async (number: number) => {
    const name = number === 1 ? 'api' : `api ${number}`
    const role = { name, args: ['api'], env, sharesPort: true }
    return supervisor.start(role).catch(async () => {
      await indexing
      return supervisor.start(role)
    })
  }
  const numbers = Array.from({ length: config.API_PROCESSES }, (_, at) => at + 1)
  const [first] = await Promise.all(numbers.map(start))
  return first?.url ?? ''
}

/**
 * Starts the agent. Its tenants have the addresses of agents of the demo internet, whose requests are
 * forwarded to it.
 */
async function startAgent(
  supervisor: Supervisor,
  config: Config,
  env: Environment,
): Promise<string> {
  const urls = demoAgents.flatMap(agent => (agent.tenant ? [[agent.tenant, toUrl(agent)]] : []))
  const agentEnv = {
    AGENT_URLS: JSON.stringify(Object.fromEntries(urls)),
    // Its tests post webhooks to the registry, which is on this machine too.
    ...(!isExposed(config, process.env) && { AGENT_LOOPBACK_WEBHOOKS: 'true' }),
    ...env,
  }
  const { url = '' } = await supervisor.start({ name: 'agent', args: ['agent'], env: agentEnv })
  printAgentAddress(url, config.TEST_AGENT_TOKEN)
  return url
}

async function startWorld(
  supervisor: Supervisor,
  config: Config,
  agentUrl: string,
  env: Environment,
): Promise<Record<string, string>> {
  const paths = resolvePaths(config.DATA_DIR)
  const caFile = `${paths.dir}/demo-ca.pem`
  const args = [
    'world',
    '--tls',
    '--ca-file',
    caFile,
    '--list',
    paths.demoDomains,
    '--agent',
    agentUrl,
  ]
  const receiver = findReceiver(config)
  if (receiver !== undefined) args.push('--receiver', receiver)
  const { url } = await supervisor.start({ name: 'world', args, env, isMeasured: false })
  const { CRAWL_CONCURRENCY = DEMO_HOSTS_AT_ONCE } = env
  return {
    // Every connection of the demo goes to the world, also the one to the reference agent.
    REFERENCE_AGENT_URL: `https://${REFERENCE_HOST}`,
    CRAWL_CONNECT_TO: url ?? '',
    CRAWL_CA_FILE: caFile,
    CRAWL_CONCURRENCY,
  }
}

/** Finds the address on this machine to which the demo internet passes webhooks on. */
function findReceiver(config: Config): string | undefined {
  const port = chooseReceiverPort(config)
  return port === 0 ? undefined : `http://127.0.0.1:${port}`
}

async function crawlFirst(
  redisUrl: string,
  domains: Domain[],
  { again, isOwn }: { again: boolean; isOwn: boolean },
): Promise<void> {
  const summary = await crawlInRunning(await connectWriter(redisUrl, 'start', 'warn'), domains, {
    again,
    patienceMs: Number.POSITIVE_INFINITY,
  })
  // Nothing of the demo is taken down before its first crawl.
  const takenDown = isOwn ? readRecord(({ record }) => listTakenDown(record, domains)) : []
  for (const domain of takenDown) process.stderr.write(`${describeNotCrawled(domain)}\n`)
  const crawled = domains.length - takenDown.length
  if (crawled > 0) printFound(crawled, summary)
}
