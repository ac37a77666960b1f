import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadWriterState } from '../../jobs/fleet/writer-state.ts'
import { connectRedis, REDIS_PREFIX } from '../../jobs/redis.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { readReplicaState } from '../../pipeline/store/replica-state.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { FleetHost, startFleetStorage, startSharedRedis } from '../support/processes/fleet.ts'
import {
  DOMAINS,
  expectAllThere,
  makeClient,
  readHead,
  save,
  saveContinuously,
  saveProperty,
  TAKEN_OVER_MS,
  waitForLog,
  waitForWriter,
  watchDenials,
} from '../support/processes/fleet-client.ts'
import { findNetworkProblem, TestNetwork } from '../support/processes/network.ts'
import { startCluster } from '../support/processes/redis-group.ts'
import { listDifferences, readPublicEntries } from '../support/registry/publishing-registry.ts'
import { cleanUp } from '../support/registry/registry.ts'

const PROPERTIES = 12
const networkProblem = findNetworkProblem()

/** Reads what Redis knows of the writer. */
async function readState(url: string) {
  const redis = connectRedis(url, 'waitForever', silentLog)
  try {
    return await loadWriterState(redis)
  } finally {
    redis.disconnect()
  }
}

/** Starts a replica of what the hosts publish, and returns its paths once it has something. */
async function startReplica({ PUBLISH_TO, ...env }: Environment): Promise<Paths> {
  const folder = makeTemporaryFolder()
  const paths = resolvePaths(folder.path)
  const PORT = String(await findFreePort())
  const own = { DATA_DIR: paths.dir, PORT, REDIS_URL: undefined, BACKUP_TO: undefined }
  const command = new Command(['follow', PUBLISH_TO!], { ...env, ...own })
  cleanUp(async () => {
    await command.interrupt()
    folder.remove()
  })
  await waitUntil(async () => existsSync(paths.servingFile))
  return paths
}

test('a standby on another host loses nothing acknowledged, and forks no log, when a host is gone', async () => {
  const network = networkProblem === undefined ? new TestNetwork() : undefined
  cleanUp(() => network?.close())
  const env = await startFleetStorage(await startSharedRedis(network?.address), network?.address)
  const place = network?.addHost()
  const first = await FleetHost.start(env, place)
  const client = await makeClient(first, env)
  const standby = await FleetHost.start(env, network?.addHost())
  await waitForLog(standby.indexer, /backup copied/)
  const replica = await startReplica(env)

  const saving = new AbortController()
  const saved = saveContinuously(first, client, saving.signal)
  for (let n = 0; n < PROPERTIES; n++) await saveProperty(first, client, n)
  await waitUntil(async () => client.acknowledged.length > 100)
  const signed = await waitUntil(async () => {
    const head = await readHead(first)
    return head.size >= PROPERTIES && head
  })
  const goneAt = performance.now()
  place?.cut()
  await first.kill()
  const before = client.acknowledged.length
  rmSync(first.dataDir, { recursive: true, force: true })
  saving.abort()
  await saved

  const denied = watchDenials(standby, client)
  await waitForWriter(standby, client)
  expect(await denied()).toEqual([])
  expect(performance.now() - goneAt).toBeLessThan(TAKEN_OVER_MS)
  expect(client.acknowledged).toHaveLength(before + 1)
  const { servingFile } = resolvePaths(standby.dataDir)
  const compare = () => listDifferences(servingFile, replica.servingFile)
  await expect.poll(async () => (await compare()).slice(0, 9), { timeout: 60_000 }).toEqual([])
  expect((await readPublicEntries(replica.servingFile)).size).toBeGreaterThan(PROPERTIES)
  expect(readReplicaState(replica)?.problem).toBeUndefined()
  await expectAllThere(standby, client)
  expect(standby.indexer.stderr).not.toContain('another answer')
  const file = `${standby.dataDir}/remembered`
  writeFileSync(file, signed.head)
  const verified = await waitUntil(async () => {
    const place = `${standby.dataDir}/log`
    const args = ['log', 'verify', place, '--remember', file]
    const { status, stdout } = await runRegistry(args, { ...env, DATA_DIR: standby.dataDir })
    const size = Number(stdout.split(' ')[0])
    return (status !== 0 || size > signed.size) && { status, stdout }
  })
  expect(verified).toMatchObject({ status: 0 })
  const own = { ...env, DATA_DIR: standby.dataDir }
  expect((await runRegistry(['verify'], own)).stdout).toBe('All stores agree.\n')
  expect((await readState(env.REDIS_URL!)).fence).toBe(2)
})

test.skipIf(networkProblem)(
  'a writer that was cut off stops before another host writes, and commits nothing afterwards',
  async () => {
    const network = new TestNetwork()
    cleanUp(() => network.close())
    const env = await startFleetStorage(await startSharedRedis(network.address), network.address)
    const place = network.addHost()
    const first = await FleetHost.start(env, place)
    const client = await makeClient(first, env)
    const standby = await FleetHost.start(env, network.addHost())
    await waitForLog(standby.indexer, /backup copied/)
    for (const domain of DOMAINS) expect(await save(first, client, domain, 'Before')).toBe(200)

    place.cut()
    expect(await waitForWriter(standby, client)).toBeLessThan(TAKEN_OVER_MS)
    // It has stopped by its own clock, though nobody could tell it.
    expect(first.indexer.child.exitCode).toBe(1)
    place.heal()
    const returned = new Command(['indexer'], { ...env, DATA_DIR: first.dataDir }, place.through)
    await waitForLog(returned, /another host writes; standing by/)
    await pause(2_000)
    expect(await save(standby, client, DOMAINS[1]!, 'After')).toBe(200)
    await expectAllThere(standby, client)
    expect((await readState(env.REDIS_URL!)).fence).toBe(2)
    await returned.interrupt()
  },
)

test('nothing acknowledged is lost when a primary of a cluster dies, and then the host of the writer', async () => {
  const cluster = await startCluster(REDIS_PREFIX)
  cleanUp(() => cluster.close())
  const env = await startFleetStorage(cluster.url)
  const first = await FleetHost.start(env)
  const client = await makeClient(first, env)
  const standby = await FleetHost.start(env)
  await waitForLog(standby.indexer, /backup copied/)

  const saving = new AbortController()
  const saved = saveContinuously(first, client, saving.signal)
  await waitUntil(async () => client.acknowledged.length > 20)
  await cluster.killPrimary()
  const before = client.acknowledged.length
  await waitUntil(async () => client.acknowledged.length > before + 20)
  // Where the new primary lacks answers, the next backup has them.
  await waitUntil(async () => (await readState(cluster.url)).backup !== undefined)
  const goneAt = performance.now()
  await first.kill()
  saving.abort()
  await saved

  await waitForWriter(standby, client)
  expect(performance.now() - goneAt).toBeLessThan(TAKEN_OVER_MS)
  await expectAllThere(standby, client)
  expect(standby.indexer.stderr).not.toContain('another answer')
})
