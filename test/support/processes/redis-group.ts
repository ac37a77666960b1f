import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, waitUntil } from './command.ts'

/** Several Redis servers that replace a primary which dies. */
export interface RedisGroup {
  /** Address as REDIS_URL takes it. */
  url: string
  /** Kills the primary that holds the keys of the registry; resolves once another one has taken over. */
  killPrimary(): Promise<void>
  close(): Promise<void>
}

const PRIMARY = 'registry'

class Servers {
  readonly #folder = mkdtempSync(join(tmpdir(), 'registry-redis-'))
  readonly #children = new Map<number, ChildProcess>()

  /** Starts a server on a port; resolves once it answers. */
  async start(port: number, settings: readonly string[], ...args: string[]): Promise<void> {
    const folder = join(this.#folder, String(port))
    mkdirSync(folder)
    const file = join(folder, 'redis.conf')
    const own = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, 'save ""', ...settings]
    writeFileSync(file, own.join('\n'))
    this.#children.set(port, spawn('redis-server', [file, ...args], { stdio: 'ignore' }))
    await waitUntil(async () => ask(port, 'PING') === 'PONG')
  }

  async kill(port: number): Promise<void> {
    const child = this.#children.get(port)!
    this.#children.delete(port)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async close(): Promise<void> {
    for (const port of this.#children.keys()) await this.kill(port)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Asks a server and returns its answer as text; an empty text while it does not answer. */
function ask(port: number, ...command: string[]): string {
  try {
    return execFileSync('redis-cli', ['-p', String(port), ...command], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/** Starts a primary, its replica and three sentinels, two of which must agree. */
export async function startSentinels(): Promise<RedisGroup> {
  const servers = new Servers()
  const [primary, replica] = [await findFreePort(), await findFreePort()]
  await servers.start(primary, [])
  await servers.start(replica, [`replicaof 127.0.0.1 ${primary}`])
  await waitUntil(async () => ask(replica, 'INFO', 'replication').includes('master_link_status:up'))
  const sentinels: number[] = []
  for (let i = 0; i < 3; i++) {
    const port = await findFreePort()
    sentinels.push(port)
    const settings = [
      `sentinel monitor ${PRIMARY} 127.0.0.1 ${primary} 2`,
      `sentinel down-after-milliseconds ${PRIMARY} 500`,
      `sentinel failover-timeout ${PRIMARY} 3000`,
    ]
    await servers.start(port, settings, '--sentinel')
  }
  const askSentinel = (...command: string[]) => ask(sentinels[0]!, 'SENTINEL', ...command)
  const findPrimary = () => Number(askSentinel('GET-MASTER-ADDR-BY-NAME', PRIMARY).split('\n')[1])
  await waitUntil(async () => askSentinel('CKQUORUM', PRIMARY).startsWith('OK 3'))
  await waitUntil(async () => askSentinel('REPLICAS', PRIMARY).includes(String(replica)))
  return {
    url: `redis+sentinel://${sentinels.map(port => `127.0.0.1:${port}`).join(',')}/${PRIMARY}`,
    async killPrimary() {
      const killed = findPrimary()
      await servers.kill(killed)
      await waitUntil(async () => {
        const next = findPrimary()
        return next !== killed && ask(next, 'ROLE').startsWith('master')
      })
    },
    close: () => servers.close(),
  }
}

/** Starts a cluster of three primaries with a replica each. */
export async function startCluster(key: string): Promise<RedisGroup> {
  const servers = new Servers()
  const ports: number[] = []
  for (let i = 0; i < 6; i++) {
    const port = await findFreePort()
    ports.push(port)
    // The bus of a cluster listens 10,000 higher by default, which not every port leaves room for.
    const settings = [
      'cluster-enabled yes',
      'cluster-node-timeout 1000',
      `cluster-port ${await findFreePort()}`,
      'repl-diskless-sync-delay 0',
    ]
    await servers.start(port, settings)
  }
  const nodes = ports.map(port => `127.0.0.1:${port}`)
  execFileSync('redis-cli', [
    '--cluster',
    'create',
    ...nodes,
    '--cluster-replicas',
    '1',
    '--cluster-yes',
  ])
  const isOk = (port: number) => ask(port, 'CLUSTER', 'INFO').includes('cluster_state:ok')
  await waitUntil(async () => ports.every(isOk))
  const slot = () => Number(ask(ports[0]!, 'CLUSTER', 'KEYSLOT', key))
  const held = slot()
  let alive = [...ports]
  const findHolder = () => {
    const lines = ask(alive[0]!, 'CLUSTER', 'NODES')
      .split('\n')
      .map(line => line.split(' '))
    const holder = lines.find(
      ([, , flags, , , , , , ...slots]) =>
        flags!.includes('master') &&
        !flags!.includes('fail') &&
        slots.some(range => {
          const [from, to = from] = range.split('-').map(Number)
          return from! <= held && held <= to!
        }),
    )
    return Number(holder?.[1]?.split('@')[0]?.split(':')[1])
  }
  await waitUntil(
    async () =>
      ports.filter(port => ask(port, 'INFO', 'replication').includes('master_link_status:up'))
        .length === 3,
  )
  return {
    url: `redis+cluster://${nodes.join(',')}`,
    async killPrimary() {
      const killed = findHolder()
      await servers.kill(killed)
      alive = alive.filter(port => port !== killed)
      await waitUntil(async () => {
        const next = findHolder()
        return next > 0 && next !== killed && isOk(next)
      })
    },
    close: () => servers.close(),
  }
}
