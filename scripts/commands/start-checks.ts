import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readSignerKeys } from '../../api/agent/signer-keys.ts'
import { hasDiskSpace } from '../../jobs/disk-space.ts'
import { type Config, ConfigError } from '../../pipeline/core/config.ts'
import { readCertificates } from '../../pipeline/core/keys/certificates.ts'
import { readRegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import { readSigningKey } from '../../pipeline/core/keys/signing-key.ts'
import { describeListenFault, type ListenPlace } from '../../pipeline/core/listen.ts'
import { readProtectedNames } from '../../pipeline/core/lookalikes/protected-names.ts'
import { chooseAgentPort } from '../../pipeline/core/ports.ts'
import { isBucketAddress, resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import { type Paths, PRIVATE_FOLDER_MODE, resolvePaths } from '../../pipeline/store/paths.ts'
import { chooseBundles, isAddress } from '../../pipeline/storyboards/bundles/named-bundles.ts'

const ENDING_MS = 2_000
const POLL_MS = 100

/** Reads the files that settings name. Throws a `ConfigError` for one that is missing or wrong. */
export function checkSettingFiles(config: Config): void {
  const { CRAWL_CA_FILE, CRAWL_SIGNING_KEY, LOG_SIGNING_KEY, AGENT_SIGNER_KEYS } = config
  if (CRAWL_CA_FILE !== undefined) readCertificates('CRAWL_CA_FILE', CRAWL_CA_FILE)
  if (CRAWL_SIGNING_KEY !== undefined) readSigningKey(CRAWL_SIGNING_KEY)
  if (LOG_SIGNING_KEY !== undefined) readSigningKey(LOG_SIGNING_KEY, 'LOG_SIGNING_KEY')
  if (AGENT_SIGNER_KEYS !== undefined) readSignerKeys(AGENT_SIGNER_KEYS)
  readRegistryKeys(config)
  readProtectedNames(config.PROTECTED_NAMES)
  checkBundleFolders(config)
}

/** Checks the folders of STORYBOARDS; what is at addresses is checked when it is fetched. */
function checkBundleFolders({ DATA_DIR, STORYBOARDS }: Config): void {
  const folders = { DATA_DIR, STORYBOARDS: STORYBOARDS.filter(place => !isAddress(place)) }
  const { faults } = chooseBundles(folders, { checks: true })
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
}

/** Makes the folders that settings name. Throws a `ConfigError` for one that cannot be written. */
export function prepareFolders(config: Config): void {
  const { DATA_DIR, PUBLISH_TO, BACKUP_TO } = config
  const published = resolvePublishFolder(PUBLISH_TO, DATA_DIR)
  assertWritable('DATA_DIR', resolvePaths(DATA_DIR).dir)
  if (published !== undefined) assertWritable('PUBLISH_TO', published)
  if (BACKUP_TO !== undefined && !isBucketAddress(BACKUP_TO))
    assertWritable('BACKUP_TO', resolve(BACKUP_TO), PRIVATE_FOLDER_MODE)
}

/**
 * Tells of a full disk. A registry that has begun goes on, as reads need no room; throws where it could not
 * even begin.
 */
export function checkDiskSpace({ dir }: Pick<Paths, 'dir'>, hasBegun: boolean): void {
  if (hasDiskSpace(dir)) return
  if (!hasBegun) throw new ConfigError(`The disk of ${dir} is full: a registry cannot begin there.`)
  process.stderr.write(
    `The disk of ${dir} is full: reads go on, and writes resume once there is room.\n`,
  )
}

/** Throws a `ConfigError` where a port of the registry cannot be listened on. */
export async function checkPorts(
  config: Config,
  { withAgent }: { withAgent: boolean },
): Promise<void> {
  const { HOST: host, PORT: port, OPERATOR_HOST, OPERATOR_PORT } = config
  await assertFree({ host, port, hostSetting: 'HOST', portSetting: 'PORT' })
  if (OPERATOR_PORT !== undefined) {
    const operator = { host: OPERATOR_HOST, port: OPERATOR_PORT }
    await assertFree({ ...operator, hostSetting: 'OPERATOR_HOST', portSetting: 'OPERATOR_PORT' })
  }
  if (!withAgent) return
  const agent = { host, port: chooseAgentPort(config) }
  await assertFree({ ...agent, hostSetting: 'HOST', portSetting: 'AGENT_PORT' })
}

/** Waits a little for a port in use, since processes of a `start` that was killed need a moment to end. */
async function assertFree(place: ListenPlace): Promise<void> {
  for (const end = performance.now() + ENDING_MS; ; await setTimeout(POLL_MS)) {
    const error = await findListenError(place)
    if (error === undefined) return
    const fault = describeListenFault(error, place)
    if (fault === undefined) throw error
    const mayEnd = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (!mayEnd || performance.now() > end) throw new ConfigError(fault)
  }
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

function assertWritable(setting: string, dir: string, mode?: number): void {
  const probe = join(dir, `.writable-${process.pid}`)
  try {
    makeFolder(dir, mode)
    closeSync(openSync(probe, 'w', 0o600))
    rmSync(probe)
  } catch (error) {
    const reason = describeWriteError(error)
    if (reason === undefined) return
    throw new ConfigError(`${setting} is ${dir}, where nothing can be written: ${reason}.`)
  }
}

/** Makes a folder and those above it. Node's own way never ends where a file system refuses it, as /proc does. */
function makeFolder(dir: string, mode?: number): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(dir) !== dir) makeFolder(dirname(dir), mode)
  mkdirSync(dir, { mode })
}

/** Describes why a file cannot be made; undefined for a full disk, which may have room later. */
function describeWriteError(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return undefined
    case 'EACCES':
    case 'EPERM':
      return 'this user may not'
    case 'EROFS':
      return 'its file system is read-only'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a part of the path is a file'
    case 'ENOENT':
      return 'its file system has no such folders'
    default:
      return message
  }
}
