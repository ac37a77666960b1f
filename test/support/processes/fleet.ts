import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, waitUntilReady } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { generousTimeouts } from '../registry/generous-limits.ts'
import { cleanUp } from '../registry/registry.ts'
import { writeRegistryKey } from '../registry/registry-keys.ts'
import { startObjectStorage } from '../servers/s3-server.ts'
import { Command, type Environment, findFreePort, makeTemporaryFolder } from './command.ts'
import type { NetworkHost } from './network.ts'

/** Starts a Redis that hosts reach at this address, whose disk has what it acknowledged; returns where it is. */
export async function startSharedRedis(address = '127.0.0.1'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-redis-'))
  const port = await findFreePort()
  const options = ['--bind', address, '--port', String(port), '--protected-mode', 'no']
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]
  const server: ChildProcess = spawn('redis-server', [...options, ...durable], { stdio: 'ignore' })
  const url = `redis://${address}:${port}`
  const redis = connectRedis(url, 'waitForever', silentLog, generousTimeouts)
  await waitUntilReady(redis)
  redis.disconnect()
  cleanUp(async () => {
    server.kill('SIGKILL')
    await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  return url
}

/** One host of a fleet, with a DATA_DIR of its own. */
export class FleetHost {
  readonly dataDir: string
  readonly base: string
  readonly indexer: Command
  readonly api: Command

  private constructor(env: Environment, dataDir: string, address: string, network?: NetworkHost) {
    this.dataDir = dataDir
    this.base = `http://${address}:${env.PORT}`
    this.indexer = new Command(['indexer'], env, network?.through)
    this.api = new Command(['api'], env, network?.through)
  }

  static async start(shared: Environment, network?: NetworkHost): Promise<FleetHost> {
    const folder = makeTemporaryFolder()
    const address = network?.address ?? '127.0.0.1'
    const port = await findFreePort()
    const env = { ...shared, DATA_DIR: folder.path, HOST: address, PORT: String(port) }
    const host = new FleetHost(env, folder.path, address, network)
    cleanUp(async () => {
      await host.kill()
      folder.remove()
    })
    return host
  }

  /** Kills its processes at once. */
  async kill(): Promise<void> {
    for (const { child } of [this.indexer, this.api]) child.kill('SIGKILL')
    await Promise.all([this.indexer.finish(), this.api.finish()])
  }
}

/** Starts the object storage that the hosts of a fleet share, and returns their settings; the lease is the default. */
export async function startFleetStorage(
  REDIS_URL: string,
  address = '127.0.0.1',
): Promise<Environment> {
  const { environment } = await startObjectStorage(address)
  const limits = { savesPerHour: 100_000, savesPerOrganizationHour: 100_000 }
  return {
    ...environment,
    REDIS_URL,
    BACKUP_TO: 's3://registry/private',
    PUBLISH_TO: 's3://registry/public',
    BASE_URL: 'https://registry.example',
    LOG_SIGNING_KEY: writeRegistryKey().path,
    REGISTRY_SIGNING_KEYS: writeRegistryKey().path,
    PUBLISH_EVERY: '1',
    LOG_LEVEL: 'info',
    LIMITS: JSON.stringify({ ...limits, savesPerOrganizationDay: 100_000, answerMs: 8_000 }),
  }
}
