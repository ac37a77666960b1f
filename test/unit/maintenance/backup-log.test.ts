import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { describeLogHead } from '../../../pipeline/maintenance/restore-log.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { parseHead } from '../../../pipeline/transparency/tree-head.ts'
import { verifyLog } from '../../../pipeline/transparency/verify-log.ts'
import { MANIFEST, Manifest } from '../../../pipeline/writer/copy-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { createSigner } from '../../support/registry/tree-logs.ts'
import { testClock } from '../../support/worlds/clock.ts'

// Stores are opened, copied and made again several times.
vi.setConfig({ testTimeout: 60_000 })

const clock = testClock('2026-11-20T03:00Z')
const { key, origin } = createSigner()

/** Builds settings that name the key of the log, which is kept apart from the stores. */
function createSettings(): Record<string, string> {
  const file = join(createDataDir(), 'key.jwk')
  const jwk = { ...key.export({ format: 'jwk' }), kid: 'log', alg: 'EdDSA' }
  writeFileSync(file, JSON.stringify(jwk), { mode: 0o600 })
  return { LOG_SIGNING_KEY: file, LOG_ORIGIN: origin }
}

async function open(dataDir: string, settings = createSettings()): Promise<Sequencer> {
  const registry = await openSequencer({ dataDir, clock, settings })
  cleanUp(() => close(registry))
  return registry
}

const closed = new WeakSet<Sequencer>()

/** Closes a registry, once. */
async function close(registry: Sequencer): Promise<void> {
  if (closed.has(registry)) return
  closed.add(registry)
  await registry.close()
}

/** Opens a registry of one night and backs it up before its log was ever updated. */
async function makeBackup(settings = createSettings()) {
  const [dataDir, backups] = [createDataDir(), createDataDir()]
  const registry = await open(dataDir, settings)
  await registry.commit(buildBaseBatch(clock.now()))
  const backup = join(backups, 'first')
  const manifest = await registry.backUp(backup)
  return { dataDir, registry, backup, manifest }
}

const readNote = (dataDir: string) => readFileSync(join(dataDir, 'log', 'checkpoint'), 'utf8')

function verify(dataDir: string, remembered: string) {
  const read = async (name: string) => {
    const file = join(dataDir, 'log', name)
    return existsSync(file) ? readFileSync(file) : undefined
  }
  const publicKey = readFileSync(join(dataDir, 'log', 'key'), 'utf8').trim()
  return verifyLog({ read, key: publicKey, remembered })
}

/** Commits another night, and appends its events to the log. */
async function commitNext(registry: Sequencer) {
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  await registry.treeLog.update()
}

describe('the log in a backup', () => {
  test('has every event of the commit, its head, and no key', async () => {
    const { dataDir, registry, backup, manifest } = await makeBackup()
    expect(readFileSync(join(backup, 'log-head'), 'utf8')).toBe(readNote(dataDir))
    const names = manifest.files.map(({ name }) => name)
    for (const name of ['log-head', 'log/ids', 'log/key', 'log/checkpoint'])
      expect(names).toContain(name)
    const inFolder = readdirSync(backup, { recursive: true }).map(String)
    expect(inFolder.filter(name => name.endsWith('.jwk'))).toEqual([])
    const events = await registry.index.all('select event_id from events')
    expect(parseHead(readNote(dataDir))!.size).toBe(events.length)
    expect(events.length).toBeGreaterThan(0)
  })

  test('is continued by a registry that is restored on an empty machine', async () => {
    const { registry, dataDir: lost, backup } = await makeBackup()
    const remembered = readNote(lost)
    await close(registry)
    rmSync(lost, { recursive: true })
    const dataDir = createDataDir()
    await restore(dataDir, backup, {})
    expect(readNote(dataDir)).toBe(remembered)
    await commitNext(await open(dataDir))
    const { faults, size } = await verify(dataDir, remembered)
    expect(faults).toEqual([])
    expect(size).toBeGreaterThan(parseHead(remembered)!.size)
    expect(existsSync(join(dataDir, 'log.restored'))).toBe(false)
  })

  test('is consistent although the log grows while it is copied', async () => {
    const { registry, dataDir, backup } = await makeBackup()
    const second = `${backup}-second`
    const copied = registry.backUp(second)
    const grown = commitNext(registry)
    await Promise.all([copied, grown])
    const before = parseHead(readFileSync(join(second, 'log-head'), 'utf8'))!
    expect(parseHead(readNote(dataDir))!.size).toBeGreaterThan(before.size)
    const other = createDataDir()
    await restore(other, second, {})
    expect((await verify(other, readNote(other))).faults).toEqual([])
    expect(parseHead(readNote(other))).toEqual(before)
  })

  test('is refused when a byte of it was changed, or a file is missing', async () => {
    const { backup } = await makeBackup()
    const file = join(backup, 'log', 'ids')
    const bytes = readFileSync(file)
    const other = Buffer.from(bytes)
    other[3]! ^= 1
    writeFileSync(file, other)
    const dataDir = createDataDir()
    await expect(restore(dataDir, backup, {})).rejects.toThrow('log/ids does not match')
    rmSync(file)
    await expect(restore(dataDir, backup, {})).rejects.toThrow('the backup has no log/ids')
    expect(readdirSync(dataDir)).toEqual([])
    writeFileSync(file, bytes)
    await restore(dataDir, backup, {})
  })

  test('never replaces a longer log of the same folder', async () => {
    const { registry, dataDir, backup } = await makeBackup()
    await commitNext(registry)
    await close(registry)
    const remembered = readNote(dataDir)
    await restore(dataDir, backup, { force: true })
    expect(readNote(dataDir)).toBe(remembered)
    await commitNext(await open(dataDir))
    expect((await verify(dataDir, remembered)).faults).toEqual([])
  })

  test('is refused where another one was signed in its place', async () => {
    const { registry, dataDir, backup } = await makeBackup()
    await commitNext(registry)
    const longer = `${backup}-longer`
    await registry.backUp(longer)
    await close(registry)
    const forked = createDataDir()
    await restore(forked, backup, {})
    const other = await open(forked)
    clock.tick({ days: 3 })
    await other.commit(buildNextBatch(clock.now()))
    await other.treeLog.update()
    await close(other)
    const before = readNote(forked)
    await expect(restore(forked, longer, { force: true })).rejects.toThrow('does not continue')
    expect(readNote(forked)).toBe(before)
    expect(readNote(dataDir)).not.toBe(before)
  })

  test('is not continued beside a published copy that is ahead', async () => {
    const published = createDataDir()
    const settings = { ...createSettings(), PUBLISH_TO: published }
    const { registry, backup } = await makeBackup(settings)
    await commitNext(registry)
    await close(registry)
    const dataDir = createDataDir()
    await restore(dataDir, backup, {})
    const restored = await open(dataDir, settings)
    const before = readNote(dataDir)
    await restored.commit(buildNextBatch(clock.tick({ days: 1 })))
    await expect(restored.treeLog.update()).rejects.toThrow('nothing is signed')
    expect(readNote(dataDir)).toBe(before)
  })

  test('may be missing: an old backup restores, and its log is made from the events', async () => {
    const { registry, dataDir: first, backup } = await makeBackup()
    const remembered = readNote(first)
    await close(registry)
    const old = join(createDataDir(), 'old')
    cpSync(backup, old, { recursive: true })
    for (const name of ['log', 'log-head']) rmSync(join(old, name), { recursive: true })
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(old, MANIFEST), 'utf8')))
    const files = manifest.files.filter(({ name }) => !name.startsWith('log'))
    writeFileSync(join(old, MANIFEST), JSON.stringify({ ...manifest, files }))
    const dataDir = createDataDir()
    await restore(dataDir, old, {})
    expect(existsSync(resolvePaths(dataDir).logHead)).toBe(false)
    await commitNext(await open(dataDir))
    expect((await verify(dataDir, remembered)).faults).toEqual([])
  })

  test('leads to no file outside of the backup', () => {
    for (const name of ['../record.sqlite', '/etc/passwd', 'log/../../key'])
      expect(Manifest.shape.files.element.safeParse({ name, bytes: 1, sha256: 'a' }).success).toBe(
        false,
      )
  })
})

test('a restore says that a folder keeps a log of another origin than the backup’s', async () => {
  const { backup } = await makeBackup()
  const other = createDataDir()
  const registry = await open(other, { ...createSettings(), LOG_ORIGIN: 'other.example/log' })
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.treeLog.update()
  await close(registry)
  expect(describeLogHead(resolvePaths(other), backup)).toContain(
    `keeps its own log of events, other.example/log, and not that of the backup, ${origin}.`,
  )
})
