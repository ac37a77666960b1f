import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import {
  checkLoggedGrants,
  getSnapshotFile,
  publishLogged,
} from '../../support/checks/logged-grants.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { observeVillageNight } from '../../support/worlds/village-internet.ts'

vi.setConfig({ testTimeout: 60_000 })

const key = makeRegistryKey()
afterAll(key.remove)
const settings = { LOG_SIGNING_KEY: key.path }
const clock = testClock('2026-11-20T03:00Z')

async function openLogged(): Promise<Sequencer> {
  const registry = await openSequencer({ clock, settings })
  cleanUp(() => registry.close())
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  await publishLogged(registry)
  return registry
}

/** Compares the current snapshot, or a copy of it that `sql` has changed, with the log. */
async function check({ paths }: Sequencer, sql?: string) {
  if (sql === undefined) return checkLoggedGrants(paths)
  const file = join(createDataDir(), 'copy.duckdb')
  copyFileSync(getSnapshotFile(paths), file)
  const copy = await Database.open(file)
  await copy.run(sql)
  copy.close()
  return checkLoggedGrants(paths, file)
}

const FIRST_GRANT = `(select min(id) from authorizations where in_force)`

describe('the authorizations of a snapshot', () => {
  test('are what the log says, also while later events are in it', async () => {
    const registry = await openLogged()
    const { agreed, ...rest } = await check(registry)
    expect(agreed).toBeGreaterThan(3)
    expect(rest).toEqual({ unknown: 0, lost: 0, faults: [] })
    await registry.commit(buildBaseBatch(clock.tick({ days: 1 })))
    await registry.treeLog.update()
    expect(await check(registry)).toEqual({ agreed, ...rest })
  })

  test.each([
    [
      'granted without an event',
      `insert into authorizations select * replace (uuid() as id) from authorizations where id = ${FIRST_GRANT}`,
      'is in force, and no event of the log says so',
    ],
    [
      'removed without an event',
      `delete from authorizations where id = ${FIRST_GRANT}`,
      'is not in force, and the log says that it is',
    ],
    [
      'changed without an event',
      `update authorizations set countries = ['XX'] where id = ${FIRST_GRANT}`,
      'has other terms than the log says',
    ],
    [
      'given to another agent',
      `update authorizations set agent_url = 'https://thief.example/mcp' where id = ${FIRST_GRANT}`,
      'has other terms than the log says',
    ],
  ])('are found where one was %s', async (_, sql, fault) => {
    const { faults, unknown } = await check(await openLogged(), sql)
    expect(faults).toEqual([expect.stringContaining(fault)])
    expect(unknown).toBe(0)
  })

  test('are found where more of them differ than events were erased', async () => {
    const registry = await openLogged()
    const last = await registry.index.one<{ id: string }>('select max(event_id) as id from events')
    await registry.treeLog.erase([last!.id])
    const change = (count: number) =>
      check(
        registry,
        `update authorizations set countries = ['XX']
         where id in (select id from authorizations where in_force order by id limit ${count})`,
      )
    expect(await change(1)).toMatchObject({ unknown: 1, faults: [] })
    expect((await change(2)).faults).toHaveLength(2)
  })

  test('that were taken down are no fault, nor is what other publishers say', async () => {
    const registry = await openLogged()
    const before = await check(registry)
    const [publisher, agent] = await registry.index.all<{ publisher_domain: Domain }>(
      `select distinct publisher_domain from authorizations where in_force order by 1 limit 2`,
    )
    const { agent_url } = (await registry.index.one<{ agent_url: string }>(
      'select agent_url from authorizations where in_force and publisher_domain = $domain',
      { domain: agent!.publisher_domain },
    ))!
    const takedowns = [publisher!.publisher_domain, new URL(agent_url).hostname as Domain]
    clock.tick({ days: 1 })
    await registry.commit({ observations: [], submissions: [], takedowns })
    await publishLogged(registry)
    const { agreed, unknown, faults } = await check(registry)
    expect(faults).toEqual([])
    expect(agreed).toBeLessThan(before.agreed)
    expect(agreed + unknown).toBeGreaterThan(0)
  })

  describe('after a restore of an older backup', () => {
    /** Opens a registry that lost nights by a restore, and has an event of its own after that. */
    async function openRestored(
      operations: readonly ('domain.takedown' | 'domain.readmit')[] = [],
    ): Promise<Sequencer> {
      const dataDir = createDataDir()
      const backup = join(createDataDir(), 'backup')
      const before = await openSequencer({ clock, dataDir, settings })
      await before.commit(buildBaseBatch(clock.tick({ days: 1 })))
      await publishLogged(before)
      await before.backUp(backup)
      const { domain } = await before.index.oneOrThrow<{ domain: Domain }>(
        'select max(publisher_domain) as domain from authorizations where in_force',
      )
      for (const op of operations) {
        const submissions = [buildSubmission(op, { op, domain })]
        await before.commit({ observations: [], submissions })
      }
      for (let night = 3; night < 6; night++) {
        const at = clock.tick({ days: 1 })
        const observations = observeVillageNight(night, { count: 40, size: 40 }, at)
        await before.commit({ observations, submissions: [] })
      }
      await publishLogged(before)
      await before.close()
      await restore(dataDir, backup, { force: true, repeatsTakedowns: true })
      const registry = await openSequencer({ clock, dataDir, settings })
      cleanUp(() => registry.close())
      await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
      await publishLogged(registry)
      return registry
    }

    test.each([
      ['nights', [] as const],
      [
        'nights, and a domain that was taken down and read again',
        ['domain.takedown', 'domain.readmit'] as const,
      ],
    ])('are what the log says but for the events that it lost: %s', async (_, operations) => {
      const { agreed, lost, faults } = await check(await openRestored(operations))
      expect(faults).toEqual([])
      expect(Math.min(agreed, lost)).toBeGreaterThan(3)
    })

    test('are found where an event that it has was deleted by hand, and its grant with it', async () => {
      const registry = await openRestored()
      const sql = `delete from events where entity_id = ${FIRST_GRANT}::varchar;
        delete from authorizations where id = ${FIRST_GRANT}`
      expect((await check(registry, sql)).faults).toEqual([
        expect.stringContaining('is not in force, and the log says that it is'),
      ])
    })
  })

  test('cannot be compared before the log has reached the snapshot', async () => {
    const registry = await openLogged()
    await registry.commit(buildBaseBatch(clock.tick({ days: 1 })))
    await registry.publish()
    expect((await check(registry)).faults).toEqual([
      'the log ends before the snapshot: check again in a minute, while the registry runs',
    ])
  })
})
