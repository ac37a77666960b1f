import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'
import { findChild, isRunning, listChildren } from '../support/processes/processes.ts'
import { cleanUp } from '../support/registry/registry.ts'

/** Stores with a few domains and a key in them, made once and copied for each case. */
const made = makeTemporaryFolder()
const domains = createScaleWorld({ domains: 20, seed: 1 })
let world: ServedWorld
let secret: string

beforeAll(async () => {
  world = await serveWorld(domains)
  const env = { DATA_DIR: made.path, CRAWL_CONNECT_TO: world.url }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  secret = await runForOutput(['key', 'create', '--org', 'Acme', '--admin'], env)
  writeFileSync(`${made.path}/domains.txt`, domains.domains.join('\n'))
  await runForOutput(['crawl', '--domains', `${made.path}/domains.txt`], env)
  return async () => {
    await world.close()
    made.remove()
  }
})

const started: Command[] = []
afterEach(async () => {
  for (const command of started.splice(0)) await command.interrupt()
})

/** A registry that runs on stores of its own. */
class Running {
  readonly start: Command
  readonly dir: string
  readonly base: string

  constructor(env: Environment & { DATA_DIR: string; PORT: string }, through: string[] = []) {
    const settings = { CRAWL_CONNECT_TO: world.url, LOG_LEVEL: 'warn', REDIS_URL: undefined }
    // A write that nobody answers is to be refused soon: it is asked again and again.
    const LIMITS = JSON.stringify({ answerMs: 2_000, redisConnectMs: 500 })
    this.start = new Command(['start'], { ...settings, LIMITS, ...env }, through)
    this.dir = env.DATA_DIR
    this.base = `http://127.0.0.1:${env.PORT}`
    started.push(this.start)
  }

  get pid(): number {
    return this.start.child.pid!
  }

  async up(): Promise<this> {
    await this.start.waitForOutput(/^Ready\./m)
    return this
  }

  async findPid(command: string): Promise<number> {
    return waitUntil(async () => findChild(this.pid, command))
  }

  async read(): Promise<number> {
    return (await fetch(`${this.base}/api/brands/resolve?domain=${domains.domains[0]}`)).status
  }

  async list(): Promise<number> {
    return (await fetch(`${this.base}/api/brands/registry`)).status
  }

  async write(): Promise<number> {
    const response = await fetch(`${this.base}/api/me/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{"name":"one more"}',
    })
    return response.status
  }

  /** Writes until one is taken; reads are answered all the while. */
  async writesAgain(): Promise<void> {
    await waitUntil(async () => {
      expect([200, 404]).toContain(await this.read())
      expect(await this.list()).toBe(200)
      return (await this.write()) === 201
    })
  }
}

function copyOfStores(): string {
  const folder = makeTemporaryFolder()
  cleanUp(() => folder.remove())
  cpSync(made.path, folder.path, { recursive: true })
  return folder.path
}

async function run(more: Environment = {}): Promise<Running> {
  const env = { DATA_DIR: copyOfStores(), PORT: String(await findFreePort()) }
  return new Running({ ...env, ...more }).up()
}

describe('the registry’s own Redis', () => {
  test('is restarted after a kill; reads continue and writes are back soon', async () => {
    const registry = await run()
    const killed = await registry.findPid('redis-server')
    const api = await registry.findPid('registry.js api')
    process.kill(killed, 'SIGKILL')
    const began = performance.now()
    await registry.writesAgain()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await registry.findPid('redis-server')).not.toBe(killed)
    expect(await registry.findPid('registry.js api')).toBe(api)
  })

  test('does not delay the shutdown when it was just killed', async () => {
    const registry = await run()
    const children = listChildren(registry.pid).map(({ pid }) => pid)
    process.kill(await registry.findPid('redis-server'), 'SIGKILL')
    const { status } = await registry.start.interrupt()
    expect(status).toBe(0)
    await waitUntil(async () => !children.some(isRunning))
  })

  const garble = {
    'a manifest': (dir: string) => writeFileSync(`${dir}/appendonly.aof.manifest`, 'not one\n'),
    'a base file': (dir: string) => damageFile(dir, /base\.rdb$/),
    'a log': (dir: string) => damageFile(dir, /incr\.aof$/),
    'no base file': (dir: string) => {
      for (const name of readdirSync(dir).filter(name => /base\.rdb$/.test(name))) {
        rmSync(`${dir}/${name}`)
      }
    },
  }

  test.each(Object.entries(garble))(
    'sets unreadable data (%s) aside, says so and starts empty',
    async (_, damage) => {
      const registry = await run()
      damage(`${registry.dir}/redis/appendonlydir`)
      process.kill(await registry.findPid('redis-server'), 'SIGKILL')
      await registry.writesAgain()
      expect(readdirSync(`${registry.dir}/redis-damaged`)).toEqual(['appendonlydir'])
      await waitUntil(async () => registry.start.stderr.includes('redis cannot read its data'))
    },
  )

  test('starts although its data was corrupted while nothing ran', async () => {
    const dir = copyOfStores()
    mkdirSync(`${dir}/redis/appendonlydir`, { recursive: true })
    writeFileSync(`${dir}/redis/appendonlydir/appendonly.aof.manifest`, 'not one\n')
    const registry = new Running({ DATA_DIR: dir, PORT: String(await findFreePort()) })
    await registry.up()
    await registry.writesAgain()
  })
})

function damageFile(dir: string, name: RegExp): void {
  const file = readdirSync(dir).find(each => name.test(each))!
  writeFileSync(`${dir}/${file}`, `no such thing\n${readFileSync(`${dir}/${file}`, 'latin1')}`)
}

describe('two starts on one folder', () => {
  test('run once: the second one says so and touches nothing', async () => {
    const dir = copyOfStores()
    const ports = [await findFreePort(), await findFreePort()]
    const both = ports.map(port => new Running({ DATA_DIR: dir, PORT: String(port) }))
    const loser = await Promise.race(
      both.map(registry => registry.start.finish().then(() => registry)),
    )
    const winner = both.find(registry => registry !== loser)!
    expect(loser.start.child.exitCode).toBe(1)
    expect(loser.start.stderr).toMatch(/already running at|another start on/i)
    await winner.up()
    expect(await winner.write()).toBe(201)
    expect(listChildren(winner.pid).filter(({ command }) => /^redis/.test(command))).toHaveLength(1)
  })
})

describe('a killed start', () => {
  test('leaves nothing that keeps the next one from working at once', async () => {
    const registry = await run()
    const env = { DATA_DIR: registry.dir, PORT: new URL(registry.base).port }
    const redis = await registry.findPid('redis-server')
    registry.start.child.kill('SIGKILL')
    await registry.start.finish()
    const next = await new Running(env).up()
    expect(await next.write()).toBe(201)
    expect(isRunning(redis)).toBe(false)
  })
})

describe('an API with two processes', () => {
  test('reports the metrics of both together', async () => {
    const registry = await run({ API_PROCESSES: '2' })
    const close = { headers: { connection: 'close' } }
    for (let asked = 0; asked < 40; asked++) await fetch(`${registry.base}/healthz`, close)
    const [, operator] = /Operator’s page \(metrics, health\): (\S+)/.exec(registry.start.stdout)!
    const text = await (await fetch(`${operator}metrics`)).text()
    expect(text).toContain('registry_requests_total{operation="isAlive",status="200"} 40\n')
  })

  test('stays available while one of them is killed', async () => {
    const registry = await run({ API_PROCESSES: '2' })
    process.kill(await registry.findPid('registry.js api'), 'SIGKILL')
    const isBack = async () =>
      listChildren(registry.pid).filter(({ command }) => command.endsWith('registry.js api'))
        .length === 2
    for (let asked = 0; asked < 200 || !(await isBack()); asked++) {
      // A connection of its own each time: one that the killed process had would break.
      const close = { headers: { connection: 'close' } }
      expect((await fetch(`${registry.base}/api/brands/registry`, close)).status).toBe(200)
    }
  })
})

/** A small disk that only this process and those below it see. */
const smallDisk = ['unshare', '-rm', 'sh', '-c']
const mayMount = (() => {
  try {
    execFileSync(smallDisk[0]!, [...smallDisk.slice(1), 'mount -t tmpfs tmpfs /mnt'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!mayMount)('a full disk', () => {
  test('stops writes but no reads, and everything resumes once there is room', async () => {
    const from = copyOfStores()
    const mount = makeTemporaryFolder()
    cleanUp(() => mount.remove())
    const script = `mount -t tmpfs -o size=160m tmpfs ${mount.path} && cp -a ${from}/. ${mount.path} && exec "$@"`
    const env = { DATA_DIR: mount.path, PORT: String(await findFreePort()) }
    const registry = await new Running(env, [...smallDisk, script, 'sh']).up()
    const fill = `/proc/${registry.pid}/root${mount.path}/fill`
    expect(await registry.write()).toBe(201)
    // What Redis, an indexer that ends and a snapshot leave is filled as well.
    const filling = (async () => {
      for (let at = 0; existsSync(fill) || at === 0; at++) {
        execFileSync('sh', ['-c', `cat /dev/zero >> ${fill} 2>/dev/null || true`])
        await pause(200)
      }
    })()
    const end = performance.now() + 8_000
    await pause(1_000)
    while (performance.now() < end) {
      expect([200, 404]).toContain(await registry.read())
      expect(await registry.list()).toBe(200)
      expect(await registry.write()).toBe(503)
    }
    rmSync(fill)
    await filling
    await registry.writesAgain()
    expect(registry.start.child.exitCode).toBeNull()
    expect(registry.start.stderr).toContain(`The disk of ${mount.path} is full`)
    expect(registry.start.stderr).not.toMatch(/"stack"|^ +at /m)
  })
})
