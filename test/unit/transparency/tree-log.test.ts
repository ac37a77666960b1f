import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkWholeLog, hashEntry, nameOfTile } from '../../support/checks/independent-log.ts'
import { createSigner, openLogWorld } from '../../support/registry/tree-logs.ts'

function openWorld(how: Parameters<typeof openLogWorld>[0] = {}) {
  const world = openLogWorld(how)
  onTestFinished(world.close)
  return world
}

const check = ({ paths, verifierKey }: ReturnType<typeof openLogWorld>, folder = paths.log) =>
  checkWholeLog(folder, verifierKey)

describe('the log of events', () => {
  test('each event is a leaf: the bytes of its line in the event file, in the order of the feed', async () => {
    const world = openWorld()
    world.commit(3)
    world.clock.tick({ days: 1 })
    world.commit(300)
    await world.open().update()
    const { head, entries } = check(world)
    expect(head).toMatchObject({ origin: 'registry.example/log', size: 303 })
    const lines = readdirSync(world.paths.events)
      .sort()
      .map(name => readFileSync(`${world.paths.events}/${name}`, 'utf8'))
      .join('')
    expect(entries.map(entry => `${entry}\n`).join('')).toBe(lines)
  })

  test('it grows with the commits, and goes on after a restart', async () => {
    const world = openWorld()
    let log = world.open()
    let size = 0
    for (const count of [1, 1, 254, 1, 0, 511, 70]) {
      world.commit(count)
      size += count
      await log.update()
      expect(check(world).head.size).toBe(size)
      if (count === 254) log = world.open()
    }
  })

  test('an empty registry has no checkpoint yet', async () => {
    const world = openWorld()
    await world.open().update()
    expect(existsSync(`${world.paths.log}/checkpoint`)).toBe(false)
  })

  test('partial tiles are kept until the full one is there', async () => {
    const world = openWorld()
    const log = world.open()
    world.commit(2)
    await log.update()
    world.commit(3)
    await log.update()
    for (const level of [0, 'entries'] as const)
      for (const width of [2, 5])
        expect(existsSync(`${world.paths.log}/${nameOfTile(level, 0, width)}`)).toBe(true)
    world.commit(300)
    await log.update()
    expect(existsSync(`${world.paths.log}/tile/0/000.p`)).toBe(false)
    expect(existsSync(`${world.paths.log}/tile/entries/000.p`)).toBe(false)
    expect(check(world).head.size).toBe(305)
  })

  test('an event beyond 65,535 bytes is entered by its id and its SHA-256', async () => {
    const world = openWorld()
    const [event] = world.commit(1, 'x'.repeat(70_000))
    await world.open().update()
    const sha256 = createHash('sha256').update(JSON.stringify(event)).digest('hex')
    expect(JSON.parse(String(check(world).entries[0]))).toEqual({
      event_id: event!.event_id,
      sha256,
    })
  })

  test('what a crash left half written is written again, with the same head', async () => {
    const world = openWorld()
    world.commit(10)
    await world.open().update()
    const before = readFileSync(world.paths.logHead, 'utf8')
    writeFileSync(`${world.paths.log}/${nameOfTile(0, 0, 12)}`, 'half')
    writeFileSync(world.paths.logIds, Buffer.alloc(16 * 11 + 3, 7), { flag: 'a' })
    rmSync(`${world.paths.log}/checkpoint`)
    await world.open().update()
    expect(readFileSync(`${world.paths.log}/checkpoint`, 'utf8')).toBe(before)
    world.commit(2)
    await world.open().update()
    expect(check(world).head.size).toBe(12)
  })
})

describe('damage', () => {
  test('a log that is lost is made again from the event files, with the same root', async () => {
    const world = openWorld()
    world.commit(600)
    await world.open().update()
    const before = readFileSync(`${world.paths.log}/checkpoint`, 'utf8')
    rmSync(world.paths.log, { recursive: true })
    await world.open().update()
    expect(readFileSync(`${world.paths.log}/checkpoint`, 'utf8')).toBe(before)
    expect(check(world).head.size).toBe(600)
  })

  test('no other tree is signed where events that it needs are gone', async () => {
    const world = openWorld()
    world.commit(300)
    world.clock.tick({ days: 1 })
    world.commit(5)
    await world.open().update()
    const before = readFileSync(world.paths.logHead, 'utf8')
    const [first] = readdirSync(world.paths.events).sort()
    rmSync(`${world.paths.events}/${first}`)
    rmSync(world.paths.log, { recursive: true })
    world.commit(400)
    const log = world.open()
    const reason = 'the log registry.example/log was signed with 305 events, and neither'
    await expect(log.update()).rejects.toThrow(reason)
    expect(log.stop).toEqual({ why: expect.stringContaining(reason), isWaiting: false })
    expect(readFileSync(world.paths.logHead, 'utf8')).toBe(before)
    expect(existsSync(`${world.paths.log}/checkpoint`)).toBe(false)
  })

  test('an event file that was rewritten does not change what is signed', async () => {
    const world = openWorld()
    world.commit(5)
    await world.open().update()
    const [name] = readdirSync(world.paths.events)
    const file = `${world.paths.events}/${name}`
    writeFileSync(file, readFileSync(file, 'utf8').replace('agent-3', 'agent-x'))
    rmSync(`${world.paths.log}/tile`, { recursive: true })
    await expect(world.open().update()).rejects.toThrow('nothing is signed')
  })

  test('a log is continued only under its name and by its key', async () => {
    const world = openWorld()
    world.commit(5)
    await world.open().update()
    await expect(world.open(createSigner('other.example/log')).update()).rejects.toThrow(
      'the log of this folder is registry.example/log, not other.example/log: set LOG_ORIGIN to it',
    )
    await expect(world.open(createSigner()).update()).rejects.toThrow('LOG_SIGNING_KEY')
  })

  test('nothing is signed beside a copy that is ahead', async () => {
    const world = openWorld({ copies: true })
    world.commit(5)
    await world.open().update()
    rmSync(world.paths.log, { recursive: true })
    rmSync(world.paths.logHead)
    await expect(world.open().update()).rejects.toThrow(
      'has the log registry.example/log with 5 events, and this registry has 0',
    )
  })
})

describe('a copy', () => {
  test('holds the same log, but not the ids', async () => {
    const world = openWorld({ copies: true })
    const log = world.open()
    for (const count of [3, 400]) {
      world.commit(count)
      await log.update()
      expect(check(world, world.copy)).toEqual(check(world))
    }
    expect(existsSync(`${world.copy}/ids`)).toBe(false)
  })

  test('is completed at the next start', async () => {
    const world = openWorld({ copies: true })
    world.commit(400)
    await world.open().update()
    rmSync(`${world.copy}/tile/0`, { recursive: true })
    writeFileSync(`${world.copy}/${nameOfTile('entries', 0, 256)}`, 'cut')
    await world.open().update()
    expect(check(world, world.copy).head.size).toBe(400)
  })
})

describe('a take-down', () => {
  test('empties entries everywhere, and every hash stays', async () => {
    const world = openWorld({ copies: true })
    const log = world.open()
    const first = world.commit(3)
    await log.update()
    const second = world.commit(2)
    await log.update()
    const gone = [first[1]!, second[0]!]
    await log.erase(gone.map(({ event_id }) => event_id))
    for (const folder of [world.paths.log, world.copy]) {
      const { entries, leaves } = check(world, folder)
      expect(entries.map(({ length }) => length > 0)).toEqual([true, false, true, false, true])
      expect(leaves[1]).toEqual(hashEntry(Buffer.from(JSON.stringify(first[1]))))
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!statSync(`${folder}/${name}`).isFile()) continue
        const text = readFileSync(`${folder}/${name}`, 'latin1')
        for (const { entity_id } of gone) expect(text).not.toContain(entity_id)
      }
    }
    world.commit(300)
    await log.update()
    expect(check(world).entries[1]!.length).toBe(0)
  })

  test('of an event that is not in the log yet leaves its hash there', async () => {
    const world = openWorld()
    const [event] = world.commit(1)
    await world.open().erase([event!.event_id])
    const { entries, leaves } = check(world)
    expect(entries).toEqual([Buffer.alloc(0)])
    expect(leaves[0]).toEqual(hashEntry(Buffer.from(JSON.stringify(event))))
  })

  test('works where the key is missing', async () => {
    const world = openWorld()
    const [event] = world.commit(2)
    await world.open().update()
    const { TreeLog } = await import('../../../pipeline/transparency/tree-log.ts')
    await new TreeLog({ paths: world.paths }).erase([event!.event_id])
    expect(check(world).entries[0]!.length).toBe(0)
  })
})

test('entries are deleted with the events of the feed, full bundles at a time, and the tiles stay', async () => {
  const world = openWorld({ copies: true })
  world.commit(600)
  world.clock.tick({ days: 100 })
  const [later] = world.commit(10)
  const log = world.open()
  await log.update()
  await log.dropEntriesBefore(later!.event_id)
  for (const folder of [world.paths.log, world.copy]) {
    const left = [0, 1].map(index => existsSync(`${folder}/${nameOfTile('entries', index, 256)}`))
    expect(left).toEqual([false, false])
    expect(existsSync(`${folder}/${nameOfTile('entries', 2, 98)}`)).toBe(true)
    expect(existsSync(`${folder}/${nameOfTile(0, 0, 256)}`)).toBe(true)
  }
})
