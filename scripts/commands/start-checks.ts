import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readSignerKeys } from '../../api/agent/signer-keys.ts'
import { hasSupervisor } from '../../jobs/child-process.ts'
import { hasDiskSpace } from '../../jobs/disk-space.ts'
import {
  assertNoFaults,
  type Config,
  ConfigError,
  parseSettings,
} from '../../pipeline/core/config.ts'
import { describeFullDisk } from '../../pipeline/core/disk-full.ts'
import { readCertificates } from '../../pipeline/core/keys/certificates.ts'
import { readRegistrySecrets } from '../../pipeline/core/keys/registry-keys.ts'
import { readSigningKey } from '../../pipeline/core/keys/signing-key.ts'
import { describeListenFault, type ListenPlace } from '../../pipeline/core/listen.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { readProtectedNames } from '../../pipeline/core/lookalikes/protected-names.ts'
import { chooseAgentPort, DEMO_PORTS } from '../../pipeline/core/ports.ts'
import { isBucketAddress, resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import { type Paths, PRIVATE_FOLDER_MODE, resolvePaths } from '../../pipeline/store/paths.ts'
import { chooseBundles, isAddress } from '../../pipeline/storyboards/bundles/named-bundles.ts'
import { assertNotForeign, isDefaultFolder } from './empty-folder.ts'
import { assertNoFile, describeNoRegistry } from './environment.ts'
import { assertLogKey, assertLogOrigin } from './registry-key.ts'
import { assertWritable } from './writable.ts'

const ENDING_MS = 2_000
const POLL_MS = 100
/** Time that Redis has to answer. */
const REDIS_MS = 1_000

/** Finds what is wrong with the file, the folder or the address that a setting names. */
type Check = (settings: Partial<Config>) => string[] | Promise<string[]>

/** Checks of settings whose values are right. A folder is made to see whether it can be written. */
const checks = {
  CRAWL_CA_FILE: ({ CRAWL_CA_FILE: file }) =>
    findFaults(file, path => readCertificates('CRAWL_CA_FILE', path)),
  CRAWL_SIGNING_KEY: ({ CRAWL_SIGNING_KEY: file }) =>
    findFaults(file, path => readSigningKey(path)),
  LOG_SIGNING_KEY: ({ LOG_SIGNING_KEY: file, DATA_DIR }) => [
    ...findFaults(file, path => readSigningKey(path, 'LOG_SIGNING_KEY')),
    ...findFaults(DATA_DIR, path => assertLogKey({ LOG_SIGNING_KEY: file }, resolvePaths(path))),
  ],
  LOG_ORIGIN: ({ LOG_ORIGIN: origin, DATA_DIR }) =>
    origin === undefined
      ? []
      : findFaults(DATA_DIR, path => assertLogOrigin(origin, resolvePaths(path))),
  AGENT_SIGNER_KEYS: ({ AGENT_SIGNER_KEYS: file }) => findFaults(file, readSignerKeys),
  REGISTRY_SIGNING_KEYS: ({ REGISTRY_SIGNING_KEYS: file }) => findFaults(file, readRegistrySecrets),
  PROTECTED_NAMES: ({ PROTECTED_NAMES: file }) => findFaults(file, readProtectedNames),
  STORYBOARDS: ({ DATA_DIR, STORYBOARDS }) =>
    DATA_DIR && STORYBOARDS ? findBundleFaults({ DATA_DIR, STORYBOARDS }) : [],
  HOST: ({ HOST }) => findHostFaults('HOST', HOST),
  OPERATOR_HOST: ({ OPERATOR_HOST }) => findHostFaults('OPERATOR_HOST', OPERATOR_HOST),
  DATA_DIR: ({ DATA_DIR }) =>
    findFaults(DATA_DIR, path => {
      const paths = resolvePaths(path)
      assertWritable('DATA_DIR', paths.dir)
      assertNotForeign(paths)
    }),
  PUBLISH_TO: ({ PUBLISH_TO, DATA_DIR }) =>
    findFaults(DATA_DIR && resolvePublishFolder(PUBLISH_TO, DATA_DIR), path =>
      assertWritable('PUBLISH_TO', path),
    ),
  BACKUP_TO: ({ BACKUP_TO: to }) =>
    findFaults(to && !isBucketAddress(to) ? resolve(to) : undefined, path =>
      assertWritable('BACKUP_TO', path, PRIVATE_FOLDER_MODE),
    ),
  REPLICA_OF: ({ REPLICA_OF: origin }) =>
    origin === undefined
      ? []
      : [
          `REPLICA_OF is set, but \`start\` runs a registry of its own: unset it, or run \`registry follow ${origin}\`.`,
        ],
} satisfies Partial<Record<keyof Config, Check>>

type Checked = keyof typeof checks

/** Files, folders and addresses that each kind of process uses, which may have the settings of another host. */
const used = {
  start: Object.keys(checks) as Checked[],
  api: ['CRAWL_SIGNING_KEY', 'REGISTRY_SIGNING_KEYS', 'STORYBOARDS', 'HOST'],
  crawler: ['CRAWL_CA_FILE', 'CRAWL_SIGNING_KEY', 'REGISTRY_SIGNING_KEYS', 'STORYBOARDS'],
  indexer: [
    'LOG_SIGNING_KEY',
    'LOG_ORIGIN',
    'PROTECTED_NAMES',
    'DATA_DIR',
    'PUBLISH_TO',
    'BACKUP_TO',
  ],
  push: ['CRAWL_CA_FILE', 'CRAWL_SIGNING_KEY', 'REGISTRY_SIGNING_KEYS', 'DATA_DIR'],
  agent: ['CRAWL_CA_FILE', 'CRAWL_SIGNING_KEY', 'AGENT_SIGNER_KEYS', 'HOST', 'DATA_DIR'],
  follow: ['CRAWL_CA_FILE', 'CRAWL_SIGNING_KEY', 'HOST', 'DATA_DIR'],
  replica: ['CRAWL_CA_FILE', 'CRAWL_SIGNING_KEY', 'DATA_DIR'],
  world: [],
} satisfies Record<string, readonly Checked[]>

/** Roles that never begin a registry where there is no folder: they serve, or follow, what is there. */
const needsFolder: ReadonlySet<string> = new Set(['api', 'indexer', 'push'])

/** A process that runs until it is ended: `start`, `follow`, or a role. */
export type ServiceName = keyof typeof used

/**
 * Reads the settings of a process that runs until it is ended. Throws a `ConfigError` with everything that is wrong about them:
 * about their values, and about the files, folders and addresses that it uses; where anything is, with what `findMore`
 * finds. The folders are made.
 */
export async function readServiceSettings(
  service: ServiceName,
  env: NodeJS.ProcessEnv,
  findMore: Check = () => [],
): Promise<Config> {
  const { values, faults } = parseSettings(env)
  const names = new Set<Checked>(used[service])
  if (values.OPERATOR_PORT !== undefined) names.add('OPERATOR_HOST')
  const fileFaults = findFaults(values.DATA_DIR, path => {
    assertNoFile(path)
    if (needsFolder.has(service) && !hasSupervisor()) assertFolder(path)
  })
  if (fileFaults.length > 0) names.delete('DATA_DIR')
  // No folder is made for a setting that is refused anyway.
  for (const { about } of faults) for (const name of about) names.delete(name as Checked)
  const found = await Promise.all([...names].map((name): ReturnType<Check> => checks[name](values)))
  const all = [...faults.map(({ text }) => text), ...fileFaults, ...found.flat()]
  if (all.length > 0) assertNoFaults([...new Set([...all, ...(await findMore(values))])])
  return Object.freeze(values) as Config
}

/**
 * Throws a `ConfigError` where there is no folder at all, as where somebody mistyped it. An empty one is right, as that of
 * a new volume or of a standby, and so is the default, which nobody typed.
 */
function assertFolder(dataDir: string): void {
  const { dir } = resolvePaths(dataDir)
  if (!existsSync(dir) && !isDefaultFolder(dir)) throw new ConfigError(describeNoRegistry(dir))
}

/** Finds faults of the folders of STORYBOARDS; what is at addresses is checked when it is fetched. */
function findBundleFaults({ DATA_DIR, STORYBOARDS }: Pick<Config, 'DATA_DIR' | 'STORYBOARDS'>) {
  const folders = { DATA_DIR, STORYBOARDS: STORYBOARDS.filter(place => !isAddress(place)) }
  return chooseBundles(folders, { checks: true }).faults
}

/** Finds an address to listen on that is none of this machine. */
async function findHostFaults(hostSetting: string, host: string | undefined): Promise<string[]> {
  if (host === undefined) return []
  const place = { host, port: 0, hostSetting, portSetting: '' }
  const error = await findListenError(place)
  const fault = error === undefined ? undefined : describeListenFault(error, place)
  return fault === undefined ? [] : [fault]
}

/** Finds what `check` says against a value; nothing where there is none. */
function findFaults<Value>(value: Value | undefined, check: (value: Value) => unknown): string[] {
  try {
    if (value !== undefined) check(value)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [error.message]
    throw error
  }
}

/**
 * Tells of a full disk. A registry that has begun goes on, as reads need no room; throws where it could not
 * even begin.
 */
export function checkDiskSpace({ dir }: Pick<Paths, 'dir'>, hasBegun: boolean): void {
  if (hasDiskSpace(dir)) return
  if (!hasBegun) throw new ConfigError(`The disk of ${dir} is full: a registry cannot start there.`)
  process.stderr.write(`${describeFullDisk(dir)}\n`)
}

/** Ports that a `start` or a `follow` takes. */
export interface PortUse {
  chooseOperatorPort: (settings: Pick<Config, 'PORT' | 'OPERATOR_PORT'>) => number | undefined
  withAgent: boolean
}

/**
 * Throws a `ConfigError` with every port of the registry that cannot be listened on, and with a Redis that is away:
 * where both are wrong, one of them should not hide the other.
 */
export async function checkPorts(config: Config, use: PortUse): Promise<void> {
  const faults = await findPortFaults(config, use)
  if (faults.length > 0) assertNoFaults([...faults, ...(await findRedisFaults(config))])
}

/** Finds ports that cannot be listened on, and a Redis that is away, where the settings of either are right. */
export async function findPlaceFaults(values: Partial<Config>, use: PortUse): Promise<string[]> {
  return [...(await findPortFaults(values, use)), ...(await findRedisFaults(values))]
}

async function findPortFaults(values: Partial<Config>, use: PortUse): Promise<string[]> {
  const listed = listPlaces(values, use)
  const places = listed.filter(place => !isBeyond(place, values))
  const beyond = listed.filter(place => !places.includes(place))
  const shared = places.filter((place, i) => findTaker(places.slice(0, i), place))
  const listening = places.filter(place => !shared.includes(place)).map(findListenFaults)
  const faults = [
    ...beyond.map(describeBeyond),
    ...shared.map(place => describeShared(findTaker(places, place) ?? place, place)),
    ...(await Promise.all(listening)).flat(),
  ]
  return faults.length > 0 && use.withAgent ? [...faults, DEMO_PORTS] : faults
}

/** Lists the places to listen on, of which all follow from that of the API. */
function listPlaces(
  { HOST: host, PORT, OPERATOR_HOST, OPERATOR_PORT, AGENT_PORT }: Partial<Config>,
  { chooseOperatorPort, withAgent }: PortUse,
): ListenPlace[] {
  if (host === undefined || PORT === undefined) return []
  const places: ListenPlace[] = [{ host, port: PORT, hostSetting: 'HOST', portSetting: 'PORT' }]
  const port = chooseOperatorPort({ PORT, OPERATOR_PORT })
  if (OPERATOR_HOST !== undefined && port !== undefined) {
    const operator = { host: OPERATOR_HOST, port }
    places.push({ ...operator, hostSetting: 'OPERATOR_HOST', portSetting: 'OPERATOR_PORT' })
  }
  if (withAgent) {
    const agent = { host, port: chooseAgentPort({ PORT, AGENT_PORT }) }
    places.push({ ...agent, hostSetting: 'HOST', portSetting: 'AGENT_PORT' })
  }
  return places
}

/** Tells whether a port follows from PORT and is higher than any can be: 0 would be a random one. */
function isBeyond({ port, portSetting }: ListenPlace, values: Partial<Config>): boolean {
  return port === 0 && values.PORT !== 0 && values[portSetting as keyof Config] === undefined
}

function describeBeyond({ portSetting }: ListenPlace): string {
  return `${portSetting} would be above 65535, since it follows PORT: set it, or choose a lower PORT.`
}

/** Addresses that stand for every one of this machine. */
const everywhere = ['0.0.0.0', '::']

/** Finds the first place whose port another one would take as well. */
function findTaker(places: readonly ListenPlace[], { host, port }: ListenPlace) {
  return places.find(
    place =>
      port !== 0 &&
      place.port === port &&
      (place.host === host || [place.host, host].some(name => everywhere.includes(name))),
  )
}

function describeShared(taker: ListenPlace, { port, portSetting }: ListenPlace): string {
  return `${taker.portSetting} and ${portSetting} are both ${port}: set ${portSetting} to another port.`
}

/** Waits a little for a port in use, since processes of a `start` that was killed need a moment to end. */
async function findListenFaults(place: ListenPlace): Promise<string[]> {
  for (const end = performance.now() + ENDING_MS; ; await setTimeout(POLL_MS)) {
    const error = await findListenError(place)
    if (error === undefined) return []
    const fault = describeListenFault(error, place)
    if (fault === undefined) throw error
    const mayEnd = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (!mayEnd || performance.now() > end) return [fault]
  }
}

async function findRedisFaults({ REDIS_URL: url }: Partial<Config>): Promise<string[]> {
  if (url === undefined) return []
  const { assertRedisAnswers } = await import('../../jobs/redis.ts')
  return assertRedisAnswers(url, REDIS_MS).then(
    () => [],
    (error: Error) => [`REDIS_URL: ${error.message}.`],
  )
}

/**
 * Tells of a Redis of REDIS_URL that is away: what is stored is served without it. Returns a wait for the moment at
 * which it answers.
 */
export async function checkRedis({
  REDIS_URL: url,
}: Pick<Config, 'REDIS_URL'>): Promise<() => Promise<void>> {
  if (url === undefined) return async () => undefined
  const { tellRedisAway, waitForRedis } = await import('../../jobs/redis.ts')
  const meanwhile = 'Until then reads continue, crawls wait, and saves and sign-in are rejected.'
  await tellRedisAway(url, REDIS_MS, problem => process.stderr.write(`${problem}. ${meanwhile}\n`))
  return () => waitForRedis(url)
}

/**
 * Logs that the Redis of a role that runs alone is away, before the role comes up and waits for it. Whoever started the
 * role with others tells of it.
 */
export async function checkRoleRedis(
  { REDIS_URL: url }: Pick<Config, 'REDIS_URL'>,
  log: Log,
): Promise<void> {
  if (url === undefined || hasSupervisor()) return
  const { tellRedisAway } = await import('../../jobs/redis.ts')
  await tellRedisAway(url, REDIS_MS, problem => log.warn(problem))
}

async function findListenError({ host, port }: ListenPlace): Promise<unknown> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    return error
  }
  server.close()
  await once(server, 'close')
  return undefined
}
