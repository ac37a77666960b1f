import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSearchCheckpoint } from '../../pipeline/search/checkpoint.ts'
import { hashFile, readCheckpoint } from '../../pipeline/store/checkpoint.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { readReplicaState } from '../../pipeline/store/replica-state.ts'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  type Environment,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'
import { findNetworkProblem, type NetworkHost, TestNetwork } from '../support/processes/network.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { listDifferences, readPublicEntries } from '../support/registry/publishing-registry.ts'
import { cleanUp } from '../support/registry/registry.ts'

const DOMAINS = 80
const PORT = '3000'
const LOST_PERCENT = 10
/** Reads that are answered from the snapshot or from the search file. */
const LISTS = ['/api/registry/publishers', '/api/search?q=example', '/api/brands/find?q=example']
const problem = findNetworkProblem()
const nights = [1, 2, 3, 4].map(night =>
  createScaleWorld({ domains: DOMAINS, seed: 1, night, changing: 0.3 }),
)
const [first] = nights

/** Hashes the files from which a host answers lists and searches. */
async function hashListFiles(paths: Paths): Promise<Record<string, string>> {
  const { snapshot } = readCheckpoint(paths)!
  const { file } = readSearchCheckpoint(paths)!
  return {
    [snapshot]: await hashFile(join(paths.snapshots, snapshot)),
    [file]: await hashFile(join(paths.search, file)),
  }
}

/**
 * The registry and its replica are hosts of their own, on a wire that loses packets and is cut. What a crawl asks
 * for, and Redis, do not cross it.
 */
describe.skipIf(problem !== undefined)(`over a bad wire (${problem ?? 'possible'})`, () => {
  const folder = makeTemporaryFolder()
  const [origin, replica] = ['origin', 'replica'].map(name => resolvePaths(join(folder.path, name)))
  const roles: Command[] = []
  let network: TestNetwork
  let registryHost: NetworkHost
  let replicaHost: NetworkHost
  let world: ServedWorld
  let redis: TestRedis
  let env: Environment
  let night = 0

  const run = (args: string[], host?: NetworkHost, more: Environment = {}) => {
    const command = new Command(args, { ...env, ...more }, host?.through)
    roles.push(command)
    return command
  }

  beforeAll(async () => {
    network = new TestNetwork()
    registryHost = network.addHost()
    replicaHost = network.addHost()
    world = await serveWorld({ ...first!, sites: { get: host => nights[night]!.sites.get(host) } })
    redis = await startRedis()
    const domains = join(folder.path, 'domains.txt')
    writeFileSync(domains, first!.domains.join('\n'))
    mkdirSync(origin!.dir)
    env = {
      DATA_DIR: origin!.dir,
      REDIS_URL: redis.url,
      CRAWL_CONNECT_TO: world.url,
      PUBLISH_TO: join(folder.path, 'published'),
      HOST: registryHost.address,
      PORT,
      LOG_LEVEL: 'warn',
    }
    run(['crawler'])
    run(['indexer'], registryHost)
    run(['api'], registryHost)
  })

  afterAll(async () => {
    for (const role of roles.reverse()) await role.interrupt()
    await redis?.close()
    await world?.close()
    network?.close()
    folder.remove()
  })

  async function commitNight(): Promise<void> {
    const stdout = await runForOutput(['crawl', '--domains', `${folder.path}/domains.txt`], env)
    expect(stdout).toContain(`${DOMAINS} domains`)
  }

  const read = (path: string) => fetch(`http://${replicaHost.address}:${PORT}${path}`)

  const ask = (domain: string) => read(`/api/brands/resolve?domain=${domain}`)

  /** Reads lists and searches from the replica until it is told to stop; returns the statuses. */
  async function readContinuously(signal: AbortSignal): Promise<Set<number | Error>> {
    const statuses = new Set<number | Error>()
    const readOnce = async (path: string) => {
      const answer = await read(path)
      await answer.text()
      return answer.status
    }
    while (!signal.aborted) {
      for (const path of LISTS) statuses.add(await readOnce(path).catch((error: Error) => error))
      await pause(100)
    }
    return statuses
  }

  const compare = () => listDifferences(origin!.servingFile, replica!.servingFile)

  async function waitUntilEqual(): Promise<void> {
    // As long as it was cut off, a connection may wait before it sends again.
    const wait = { timeout: 240_000, interval: 1_000 }
    await expect.poll(() => existsSync(replica!.servingFile), wait).toBe(true)
    await expect.poll(async () => (await compare()).slice(0, 9), wait).toEqual([])
    expect((await readPublicEntries(replica!.servingFile)).size).toBeGreaterThan(DOMAINS)
    const { seq } = readReplicaState(replica!)!
    await expect.poll(() => readCheckpoint(origin!)?.seq, wait).toBeGreaterThanOrEqual(seq)
    const listOtherFiles = async () => {
      const found = await hashListFiles(replica!)
      const expected = Object.entries(await hashListFiles(origin!))
      return expected.filter(([name, hash]) => found[name] !== hash).map(([name]) => name)
    }
    await expect.poll(listOtherFiles, wait).toEqual([])
  }

  test('a replica has the entries and the files of its registry after any night, and always answers', async () => {
    registryHost.lose(LOST_PERCENT)
    await expect.poll(() => existsSync(origin!.record), { timeout: 60_000 }).toBe(true)
    await commitNight()
    const from = `http://${registryHost.address}:${PORT}`
    run(['follow', from], replicaHost, {
      DATA_DIR: replica!.dir,
      HOST: replicaHost.address,
      REDIS_URL: undefined,
      CRAWL_CONNECT_TO: undefined,
      PUBLISH_TO: undefined,
    })
    await waitUntilEqual()
    const reading = new AbortController()
    cleanUp(() => reading.abort())
    const statusesOfLists = readContinuously(reading.signal)
    const { snapshot } = readCheckpoint(replica!)!

    night = 1
    await commitNight()
    await waitUntilEqual()

    registryHost.cut()
    night = 2
    const before = readReplicaState(replica!)!.seq
    const crawled = commitNight()
    const statuses: number[] = []
    for (const domain of first!.domains) statuses.push((await ask(domain)).status)
    await crawled
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(readReplicaState(replica!)!.seq).toBe(before)
    expect(await compare()).not.toEqual([])
    await waitUntil(async () => readReplicaState(replica!)?.problem)
    const { headers } = await ask(first!.domains[0]!)
    expect(Number(headers.get('x-replica-lag'))).toBeGreaterThan(0)
    registryHost.heal()
    await waitUntilEqual()
    reading.abort()
    expect(await statusesOfLists).toEqual(new Set([200]))
    expect(readCheckpoint(replica!)!.snapshot).not.toBe(snapshot)
  })

  test('a take-down, after which all is copied again, is copied through cuts', async () => {
    const [gone] = first!.domains
    expect((await ask(gone!)).status).toBe(200)
    await runForOutput(['takedown', gone!, '--confirm', gone!, '--reason', 'asked'], env)
    for (let n = 0; n < 3; n++) {
      await pause(700)
      registryHost.cut()
      await pause(700)
      registryHost.heal()
    }
    night = 3
    await commitNight()
    await waitUntilEqual()
    expect((await ask(gone!)).status).toBe(404)
  })
})
