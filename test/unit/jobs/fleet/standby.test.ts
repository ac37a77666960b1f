import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nameBackup } from '../../../../jobs/fleet/backups.ts'
import { FleetLease } from '../../../../jobs/fleet/lease.ts'
import { removeCopies, waitForTurn } from '../../../../jobs/fleet/standby.ts'
import { createTenure, type Tenure } from '../../../../jobs/fleet/tenure.ts'
import { ANSWERED_KEY, STATE_KEY } from '../../../../jobs/fleet/writer-state.ts'
import { openBackupStore } from '../../../../pipeline/replica/backup-store.ts'
import { makeFolders, resolvePaths } from '../../../../pipeline/store/paths.ts'
import { MANIFEST } from '../../../../pipeline/writer/copy-stores.ts'
import { openFleetRedis } from '../../../support/processes/fleet-redis.ts'
import { createRecordingLog } from '../../../support/registry/recording-log.ts'
import { cleanUp, createDataDir } from '../../../support/registry/registry.ts'

const LEASE_MS = 200
const BACKUP = nameBackup(1, 5, 1_000)

async function openFleet() {
  const fleet = await openFleetRedis()
  const redis = await fleet.connect()
  const store = openBackupStore(join(createDataDir(), 'shared'), new AbortController().signal)
  return {
    redis,
    store,
    /** Has a writer on another host begin, which is gone at once. */
    async leaveWriter(backup: string | null = BACKUP) {
      await new FleetLease(redis, createTenure(0), LEASE_MS).begin(1)
      if (backup !== null) await redis.hset(STATE_KEY, 'backup', backup)
    },
    /** Opens a host that waits for its turn. */
    async openHost(tenure: Tenure = createTenure(0), { hasStores = false } = {}) {
      const paths = resolvePaths(createDataDir())
      makeFolders(paths)
      if (hasStores) writeFileSync(paths.record, 'a registry')
      const connection = await fleet.connect()
      const lease = new FleetLease(connection, tenure, LEASE_MS)
      const { log, said } = createRecordingLog()
      const noted: string[] = []
      const noteOthers = () => void noted.push('others')
      const deps = {
        paths,
        tenure,
        lease,
        leaseMs: LEASE_MS,
        redis: connection,
        store,
        log,
        noteOthers,
      }
      return { paths, lease, said, noted, wait: () => waitForTurn(deps) }
    },
  }
}

test('copies of backups are removed, and nothing that somebody else put beside them', () => {
  const { standby } = resolvePaths(createDataDir())
  const names = [BACKUP, `${BACKUP}.ready.moving`, nameBackup(1, 6, 2_000), 'mine']
  for (const name of names) mkdirSync(join(standby, name), { recursive: true })
  removeCopies(standby, BACKUP)
  expect(readdirSync(standby)).toEqual([BACKUP, 'mine'])
  removeCopies(standby)
  expect(readdirSync(standby)).toEqual(['mine'])
  rmdirSync(join(standby, 'mine'))
  removeCopies(standby)
  expect(existsSync(standby)).toBe(false)
})

describe('a host that waits for its turn', () => {
  test('begins at once where nobody has ever written', async () => {
    const { openHost } = await openFleet()
    const { wait, lease } = await openHost(createTenure(0), { hasStores: true })
    expect(await wait()).toBeUndefined()
    expect(lease.fence).toBe(1)
  })

  test('continues the writer that is gone from the backup that Redis names', async () => {
    const { openHost, leaveWriter, store } = await openFleet()
    await leaveWriter()
    // Of a writer that was replaced and did not know it yet.
    await store.write(`backups/${nameBackup(1, 9, 2_000)}/${MANIFEST}`, Buffer.from('{}'))
    const { wait, lease, noted } = await openHost()
    expect(await wait()).toMatchObject({ backup: { name: BACKUP, seq: 5 } })
    expect(noted, 'its stores may lack what was answered').not.toEqual([])
    expect(lease.fence).toBe(2)
  })

  test('one of two continues it, and the other one goes on waiting', async () => {
    const { openHost, leaveWriter } = await openFleet()
    await leaveWriter()
    const hosts = [await openHost(), await openHost()]
    const first = await Promise.race(hosts.map(({ wait }, n) => wait().then(() => n)))
    const { lease } = hosts[first]!
    lease.keep(() => undefined, { onLost: () => undefined, fail: () => undefined })
    cleanUp(() => lease.stop())
    expect(lease.fence).toBe(2)
    await expect.poll(() => hosts[1 - first]!.said.join('\n')).toContain('standing by')
    expect(hosts[1 - first]!.lease.fence).toBe(0)
  })

  test('does not replace a registry that was never part of the fleet', async () => {
    const { openHost, leaveWriter } = await openFleet()
    await leaveWriter()
    const { wait } = await openHost(createTenure(0), { hasStores: true })
    await expect(wait()).rejects.toThrow('has a registry of its own: move it away')
  })

  test('replaces the stores of a writer that another one has replaced', async () => {
    const { openHost, leaveWriter } = await openFleet()
    await leaveWriter()
    const { wait } = await openHost(createTenure(1), { hasStores: true })
    expect(await wait()).toMatchObject({ backup: { name: BACKUP } })
  })

  test('waits where Redis may lack answers, until a backup is named again', async () => {
    const { openHost, leaveWriter, redis } = await openFleet()
    await leaveWriter(null)
    const { wait, said, lease } = await openHost()
    const waiting = wait()
    await expect.poll(() => said.join('\n')).toContain('no automatic takeover')
    expect(lease.fence).toBe(0)
    await redis.hset(STATE_KEY, 'backup', BACKUP)
    expect(await waiting).toMatchObject({ backup: { name: BACKUP } })
  })

  test('does not begin anew where Redis lost everything, and another host has backed up', async () => {
    const { openHost, store } = await openFleet()
    await store.write(`backups/${BACKUP}/${MANIFEST}`, Buffer.from('{}'))
    const { wait } = await openHost()
    await expect(wait()).rejects.toThrow(`since the backup ${BACKUP}`)
  })

  test('continues stores that were restored where it wrote last, under a higher number, also after a crash', async () => {
    const { openHost, redis, store } = await openFleet()
    const writer = createTenure(1)
    await new FleetLease(redis, writer, LEASE_MS).begin(1)
    await redis.hset(STATE_KEY, 'backup', BACKUP, 'seq', 9)
    await redis.xadd(ANSWERED_KEY, '9-1', 'answered', '{}')
    await store.write(`backups/${BACKUP}/${MANIFEST}`, Buffer.from('{}'))
    const restored = { ...writer, isRestored: true }
    for (const _ of ['before the crash', 'after it']) {
      const { wait, lease } = await openHost(restored, { hasStores: true })
      expect(await wait()).toBeUndefined()
      expect(lease.fence).toBe(2)
      expect(await redis.hgetall(STATE_KEY)).toEqual({ fence: '2', holder: writer.id })
      expect(await redis.exists(ANSWERED_KEY)).toBe(0)
    }
  })

  test('continues stores that were restored where Redis lost everything', async () => {
    const { openHost, store } = await openFleet()
    await store.write(`backups/${BACKUP}/${MANIFEST}`, Buffer.from('{}'))
    const restored = { ...createTenure(0), isRestored: true }
    const { wait, lease } = await openHost(restored, { hasStores: true })
    expect(await wait()).toBeUndefined()
    expect(lease.fence).toBe(2)
  })

  test('does not continue restored stores where another host wrote last', async () => {
    const { openHost, leaveWriter } = await openFleet()
    await leaveWriter()
    const { wait } = await openHost({ ...createTenure(1), isRestored: true }, { hasStores: true })
    expect(await wait()).toMatchObject({ backup: { name: BACKUP } })
  })

  test('goes on under a higher number than any backup has where Redis lost everything', async () => {
    const { openHost, store } = await openFleet()
    await store.write(`backups/${nameBackup(3, 5, 1)}/${MANIFEST}`, Buffer.from('{}'))
    const { wait, lease } = await openHost(createTenure(3), { hasStores: true })
    expect(await wait()).toBeUndefined()
    expect(lease.fence).toBe(4)
  })

  test('takes over although the backup cannot be copied before', async () => {
    const { openHost, redis } = await openFleet()
    const writer = new FleetLease(redis, createTenure(0), 1_000)
    await writer.begin(1)
    await redis.hset(STATE_KEY, 'backup', BACKUP)
    const { wait, said } = await openHost()
    expect(await wait()).toMatchObject({ backup: { name: BACKUP } })
    expect(said.join('\n')).toContain('backup not copied')
  })
})
