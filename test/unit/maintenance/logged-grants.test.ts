import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import {
  checkLoggedGrants,
  getSnapshotFile,
  publishLogged,
} from '../../support/checks/logged-grants.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { testClock } from '../../support/worlds/clock.ts'

vi.setConfig({ testTimeout: 60_000 })

const key = makeRegistryKey()
afterAll(key.remove)
const clock = testClock('2026-11-20T03:00Z')

async function openLogged(): Promise<Sequencer> {
  const registry = await openSequencer({ clock, settings: { LOG_SIGNING_KEY: key.path } })
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
    expect(rest).toEqual({ unknown: 0, faults: [] })
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

  test('cannot be compared before the log has reached the snapshot', async () => {
    const registry = await openLogged()
    await registry.commit(buildBaseBatch(clock.tick({ days: 1 })))
    await registry.publish()
    expect((await check(registry)).faults).toEqual([
      'the log ends before the snapshot: check again in a minute',
    ])
  })
})
